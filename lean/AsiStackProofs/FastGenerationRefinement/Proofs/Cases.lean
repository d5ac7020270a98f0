import AsiStackProofs.FastGenerationRefinement.Encoding
import AsiStackProofs.FastGenerationRefinement.Proofs.Lines

/-!
# The numbered cases are what they say

The table of a stage's own space leaves out the common lines, which saves the kernel most of its
work. This is why it may.
-/

namespace AsiStackProofs.FastGenerationRefinement
open Encoding

theorem ownLinesDecide : OwnLinesDecide := fun stage _ =>
  congrArg Route.ctorIdx <| firstTaken_append_untaken _ commonLines fun _ inside =>
    untaken_of_any (lines := commonLines) (by cases stage <;> rfl) inside

end AsiStackProofs.FastGenerationRefinement
