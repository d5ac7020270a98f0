import AsiStackProofs.FastGenerationRefinement.Model

/-!
# What each stage obliges

The lifecycle said a second time, as obligations and without any order of lines: what has to be true
for an event to be accepted, and what an accepted event changes. Nothing here refers to the lines,
to `route` or to `step`.
-/

namespace AsiStackProofs.FastGenerationRefinement.Spec

/-! ## Obligations by stage -/

/-- A request is bound only whole. -/
structure Bound (e : Event) : Prop where
  wellFormed : e.has .requestWellFormed
  context : e.has .contextPacket
  taskSet : e.has .taskSet
  consumer : e.has .consumer
  deadline : e.has .deadline
  rights : e.has .rights

/-- What a fast mode needs beside what its risk asks for. -/
structure FastModeJustified (e : Event) : Prop where
  mode : e.has .generationMode
  risk : e.has .riskTier
  quality : e.has .qualityTarget
  verifier : e.has .verifierIdentity
  independence : e.has .independentEvaluator
  acceptance : e.has .acceptancePredicate
  baseline : e.has .matchedBaseline
  latency : e.has .latencyBudget
  resources : e.has .computeMemoryBudget

/-- What a high-risk fast selection needs. -/
structure RiskCovered (e : Event) : Prop where
  override : e.has .riskOverride
  fallback : e.has .slowFallback
  review : e.has .highRiskReview

/-- A fast mode was asked for and is justified, or the slow baseline serves. -/
def Selected (e : Event) : Prop :=
  e.has .fastModeRequested → FastModeJustified e ∧ (e.has .highRisk → RiskCovered e)

structure Drafted (e : Event) : Prop where
  generator : e.has .generator
  artifact : e.has .draftArtifact
  output : e.has .proposedOutput
  cost : e.has .generationCost
  bound : e.has .searchBound

/-- The draft passed, and its output was accepted with its quality. -/
structure Passed (e : Event) : Prop where
  passed : e.has .verificationPassed
  output : e.has .acceptedOutput
  quality : e.has .qualityPass

/-- The draft did not pass, and a fallback stood ready and recorded. -/
structure FellBack (e : Event) : Prop where
  failed : ¬e.has .verificationPassed
  executable : e.has .fallbackExecutable
  residual : e.has .fallbackResidual

structure Verified (e : Event) : Prop where
  observed : e.has .observedVerification
  outcome : Passed e ∨ FellBack e

/-- An outcome counts only with its whole cost and against a baseline. -/
structure Accounted (fellBack : Prop) (e : Event) : Prop where
  verifier : e.has .verifierCost
  fallback : fellBack → e.has .fallbackCost
  success : e.has .taskSuccess
  baseline : e.has .baselineResult
  denominator : e.has .usefulDenominator
  separation : e.has .costMetricSeparation
  output : e.has .outputDigest

/-- Accepted and useful work, measured against a baseline. -/
structure Useful (e : Event) : Prop where
  output : e.has .acceptedOutput
  success : e.has .taskSuccess
  baseline : e.has .baselineResult

structure Decided (e : Event) : Prop where
  rawSpeed : e.has .rawSpeedPromotionRequested → Useful e
  support : e.has .supportPromotionRequested → e.has .evidenceTransition
  receipt : e.has .decisionReceipt
  nonClaims : e.has .decisionNonClaims

structure Closed (e : Event) : Prop where
  consumer : e.has .consumerAcknowledgment
  residuals : e.has .residualClosure
  descendants : e.has .descendantReferences
  result : e.has .resultDigestBound
  cleanup : e.has .cleanup

/-! ## The abstract lifecycle -/

/-- A request, as far as obligations can depend on it. -/
structure Request where
  stage : Stage
  identity : Identity
  /-- The set of digests spent. -/
  Spent : Digest → Prop
  /-- Whether a fallback was activated, so that its cost is owed. -/
  FellBack : Prop

/-- What the stage of a request obliges an event to. -/
def Request.Obliges (r : Request) (e : Event) : Prop :=
  match r.stage with
  | .requested => Bound e
  | .contextBound => Selected e
  | .modeSelected => Drafted e
  | .draftGenerated => Verified e
  | .verified => Accounted r.FellBack e
  | .accounted => Decided e
  | .decided => Closed e
  | .closed => False

/-- An event may move a request when it is of the right kind, about the same request, new, without
effect on the outside, and meets what the stage obliges it to. -/
structure Request.Admits (r : Request) (e : Event) : Prop where
  kind : e.kind = r.stage.kind
  identity : e.identity = r.identity
  fresh : ¬r.Spent e.digest
  contained : ¬e.has .externalEffectRequested
  obligations : r.Obliges e

/-- The request after an admitted event. -/
def Request.after (r : Request) (e : Event) : Request where
  stage := r.stage.next
  identity := r.identity
  Spent := fun d => d = e.digest ∨ r.Spent d
  FellBack := r.FellBack ∨ (r.stage = .draftGenerated ∧ Spec.FellBack e)

/-- One step: an admitted event moves the request, any other leaves it. -/
inductive Request.Step (r : Request) (e : Event) : Request → Prop where
  | admitted (h : r.Admits e) : Step r e (r.after e)
  | refused (h : ¬r.Admits e) : Step r e r

/-- A run is a list of steps. -/
inductive Request.Run : Request → List Event → Request → Prop where
  | nil (r : Request) : Run r [] r
  | cons {r next final : Request} {e : Event} {rest : List Event} :
    r.Step e next → Run next rest final → Run r (e :: rest) final

/-- The request that a state of the model stands for. -/
structure Represents (s : State) (r : Request) : Prop where
  stage : s.stage = r.stage
  identity : s.identity = r.identity
  spent : ∀ d, d ∈ s.consumed ↔ r.Spent d
  fellBack : s.counters.fallbacks ≠ 0 ↔ r.FellBack

end AsiStackProofs.FastGenerationRefinement.Spec
