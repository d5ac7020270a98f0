import AsiStackProofs.FastGenerationRefinement.Model
import AsiStackProofs.FastGenerationRefinement.Spec
import AsiStackProofs.FastGenerationRefinement.Properties
import AsiStackProofs.FastGenerationRefinement.Proof
import AsiStackProofs.FastGenerationRefinement.Tests
import AsiStackProofs.FastGenerationRefinement.Encoding
import AsiStackProofs.FastGenerationRefinement.Proofs.Cases
import AsiStackProofs.FastGenerationRefinement.Agreement

/-!
# The lifecycle of an accelerated generation, and what is proven of it

To be read and reviewed by a person: `Model` (the lifecycle as an ordered table), `Spec` (the same
as obligations without order), `Properties` (the claims) and `Encoding` (which cases the agreement
is about). The rest only has to be checked: `Proof` (one theorem a claim), `Proofs/` (how), `Tests`
(that no claim is empty), `Agreement` (that the Python machine answers as the model does, on every
case).
-/
