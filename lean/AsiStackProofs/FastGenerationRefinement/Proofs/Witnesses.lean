import AsiStackProofs.FastGenerationRefinement.Properties

/-!
# Concrete requests and events

One fresh request and the seven events that carry it to its end. Every other witness changes a field
or two of these.
-/

namespace AsiStackProofs.FastGenerationRefinement.Witness

def identity : Identity := ⟨1, 2, 3, 4, 5, 6, 7, 8, 9, 10⟩

def fresh : State := ⟨.requested, identity, [], ⟨0, 0, 0, 0, 0, 0, 0, 0⟩⟩

theorem fresh_isFresh : Fresh fresh := ⟨rfl, rfl, rfl⟩

/-- A packet that has all that any stage asks for, and requests nothing that it would have to
justify. -/
def whole : Field → Bool
  | .externalEffectRequested | .highRisk => false
  | .rawSpeedPromotionRequested | .supportPromotionRequested => false
  | _ => true

/-- Each stage's own event, with a digest of its own. -/
def eventAt (stage : Stage) : Event where
  kind := stage.kind
  identity := identity
  digest := match stage with
    | .requested => 11 | .contextBound => 12 | .modeSelected => 13 | .draftGenerated => 14
    | .verified => 15 | .accounted => 16 | .decided => 17 | .closed => 18
  has := whole

/-- The event with one field changed. -/
def _root_.AsiStackProofs.FastGenerationRefinement.Event.set
    (e : Event) (field : Field) (value : Bool) : Event :=
  { e with has := fun other => if other = field then value else e.has other }

/-- A verification that does not pass. -/
def failing : Event := (eventAt .draftGenerated).set .verificationPassed false

/-- The accepted events that come before a stage, with a given verification. -/
def before (verify : Event) : Stage → List Event
  | .requested => []
  | .contextBound => [eventAt .requested]
  | .modeSelected => [eventAt .requested, eventAt .contextBound]
  | .draftGenerated => [eventAt .requested, eventAt .contextBound, eventAt .modeSelected]
  | .verified => [eventAt .requested, eventAt .contextBound, eventAt .modeSelected, verify]
  | .accounted =>
    [eventAt .requested, eventAt .contextBound, eventAt .modeSelected, verify, eventAt .verified]
  | .decided =>
    [eventAt .requested, eventAt .contextBound, eventAt .modeSelected, verify, eventAt .verified,
     eventAt .accounted]
  | .closed =>
    [eventAt .requested, eventAt .contextBound, eventAt .modeSelected, verify, eventAt .verified,
     eventAt .accounted, eventAt .decided]

/-- The run that closes by verification. -/
def verifiedRun : List Event := before (eventAt .draftGenerated) .closed

/-- The run that closes by fallback. -/
def fallbackRun : List Event := before failing .closed

/-- The fresh request, brought to a stage. -/
def reached (stage : Stage) : State := run fresh (before (eventAt .draftGenerated) stage)

theorem reached_stage (stage : Stage) : (reached stage).stage = stage := by cases stage <;> rfl

/-! ## A way to each route -/

/-- A stage's own event without one of the fields. -/
def lacking (stage : Stage) (field : Field) : List Event × Event :=
  (before (eventAt .draftGenerated) stage, (eventAt stage).set field false)

/-- A stage's own event as it is. -/
def asIs (stage : Stage) : List Event × Event :=
  (before (eventAt .draftGenerated) stage, eventAt stage)

/-- A first event about another identity. -/
def about (other : Identity) : List Event × Event :=
  ([], { eventAt .requested with identity := other })

/-- A high-risk selection without one of the fields that high risk asks for. -/
def risky (field : Field) : List Event × Event :=
  (before (eventAt .draftGenerated) .contextBound,
   ((eventAt .contextBound).set .highRisk true).set field false)

/-- Accepted events and then the one that takes the route. -/
def way : Route → List Event × Event
  | .rejectWrongStage => (before (eventAt .draftGenerated) .closed, eventAt .requested)
  | .rejectTaskSubstitution => about { identity with taskId := 0 }
  | .rejectModeSubstitution => about { identity with modeDigest := 0 }
  | .rejectEvaluatorSubstitution => about { identity with verifierDigest := 0 }
  | .rejectResultSubstitution => about { identity with resultDigest := 0 }
  | .rejectEventReplay =>
    (before (eventAt .draftGenerated) .decided,
     { eventAt .decided with digest := (eventAt .requested).digest })
  | .rejectAuthorityLeak => ([], (eventAt .requested).set .externalEffectRequested true)
  | .rejectMalformedRequest => lacking .requested .requestWellFormed
  | .requireContextPacket => lacking .requested .contextPacket
  | .requireTaskSet => lacking .requested .taskSet
  | .requireConsumer => lacking .requested .consumer
  | .requireDeadline => lacking .requested .deadline
  | .requireRights => lacking .requested .rights
  | .acceptContext => asIs .requested
  | .selectSlowBaseline => lacking .contextBound .fastModeRequested
  | .requireGenerationMode => lacking .contextBound .generationMode
  | .requireRiskTier => lacking .contextBound .riskTier
  | .requireQualityTarget => lacking .contextBound .qualityTarget
  | .requireVerifierIdentity => lacking .contextBound .verifierIdentity
  | .requireIndependentEvaluator => lacking .contextBound .independentEvaluator
  | .requireAcceptancePredicate => lacking .contextBound .acceptancePredicate
  | .requireMatchedBaseline => lacking .contextBound .matchedBaseline
  | .requireLatencyBudget => lacking .contextBound .latencyBudget
  | .requireComputeMemoryBudget => lacking .contextBound .computeMemoryBudget
  | .requireRiskOverride => risky .riskOverride
  | .requireSlowFallback => risky .slowFallback
  | .requireHighRiskReview => risky .highRiskReview
  | .acceptFastSelection => asIs .contextBound
  | .requireGenerator => lacking .modeSelected .generator
  | .requireDraftArtifact => lacking .modeSelected .draftArtifact
  | .requireProposedOutput => lacking .modeSelected .proposedOutput
  | .requireGenerationCost => lacking .modeSelected .generationCost
  | .requireSearchBound => lacking .modeSelected .searchBound
  | .acceptGeneration => asIs .modeSelected
  | .requireObservedVerification => lacking .draftGenerated .observedVerification
  | .requireExecutableFallback =>
    (before failing .draftGenerated, failing.set .fallbackExecutable false)
  | .requireFallbackResidual =>
    (before failing .draftGenerated, failing.set .fallbackResidual false)
  | .activateFallback => (before failing .draftGenerated, failing)
  | .requireAcceptedOutput => lacking .draftGenerated .acceptedOutput
  | .requireQualityPass => lacking .draftGenerated .qualityPass
  | .acceptVerification => asIs .draftGenerated
  | .requireVerifierCost => lacking .verified .verifierCost
  | .requireFallbackCost => (before failing .verified, (eventAt .verified).set .fallbackCost false)
  | .requireTaskSuccess => lacking .verified .taskSuccess
  | .requireBaselineResult => lacking .verified .baselineResult
  | .requireUsefulDenominator => lacking .verified .usefulDenominator
  | .requireCostMetricSeparation => lacking .verified .costMetricSeparation
  | .requireOutputDigest => lacking .verified .outputDigest
  | .acceptAccounting => asIs .verified
  | .blockRawSpeedProxy =>
    (before (eventAt .draftGenerated) .accounted,
     ((eventAt .accounted).set .rawSpeedPromotionRequested true).set .taskSuccess false)
  | .requireEvidenceTransition =>
    (before (eventAt .draftGenerated) .accounted,
     ((eventAt .accounted).set .supportPromotionRequested true).set .evidenceTransition false)
  | .requireDecisionReceipt => lacking .accounted .decisionReceipt
  | .requireDecisionNonClaims => lacking .accounted .decisionNonClaims
  | .acceptDecision => asIs .accounted
  | .requireConsumerAcknowledgment => lacking .decided .consumerAcknowledgment
  | .requireResidualClosure => lacking .decided .residualClosure
  | .requireDescendantReferences => lacking .decided .descendantReferences
  | .requireBoundResultDigest => lacking .decided .resultDigestBound
  | .requireCleanup => lacking .decided .cleanup
  | .acceptClosure => asIs .decided

theorem way_leads (r : Route) : route (run fresh (way r).1) (way r).2 = r := by cases r <;> rfl

/-! ## All routes -/

def routes : List Route := [
  .rejectWrongStage, .rejectTaskSubstitution, .rejectModeSubstitution, .rejectEvaluatorSubstitution,
  .rejectResultSubstitution, .rejectEventReplay, .rejectAuthorityLeak, .rejectMalformedRequest,
  .requireContextPacket, .requireTaskSet, .requireConsumer, .requireDeadline, .requireRights,
  .acceptContext, .selectSlowBaseline, .requireGenerationMode, .requireRiskTier,
  .requireQualityTarget, .requireVerifierIdentity, .requireIndependentEvaluator,
  .requireAcceptancePredicate, .requireMatchedBaseline, .requireLatencyBudget,
  .requireComputeMemoryBudget, .requireRiskOverride, .requireSlowFallback, .requireHighRiskReview,
  .acceptFastSelection, .requireGenerator, .requireDraftArtifact, .requireProposedOutput,
  .requireGenerationCost, .requireSearchBound, .acceptGeneration, .requireObservedVerification,
  .requireExecutableFallback, .requireFallbackResidual, .activateFallback, .requireAcceptedOutput,
  .requireQualityPass, .acceptVerification, .requireVerifierCost, .requireFallbackCost,
  .requireTaskSuccess, .requireBaselineResult, .requireUsefulDenominator,
  .requireCostMetricSeparation, .requireOutputDigest, .acceptAccounting, .blockRawSpeedProxy,
  .requireEvidenceTransition, .requireDecisionReceipt, .requireDecisionNonClaims, .acceptDecision,
  .requireConsumerAcknowledgment, .requireResidualClosure, .requireDescendantReferences,
  .requireBoundResultDigest, .requireCleanup, .acceptClosure]

def decideMem (r : Route) : (routes : List Route) → Decidable (r ∈ routes)
  | [] => isFalse nofun
  | first :: rest =>
    if same : r = first then isTrue (same ▸ .head rest)
    else match decideMem r rest with
      | isTrue inside => isTrue (.tail first inside)
      | isFalse outside => isFalse fun
        | .head _ => same rfl
        | .tail _ inside => outside inside

def decideDistinct : (routes : List Route) → Decidable (RouteCount.Distinct routes)
  | [] => isTrue trivial
  | first :: rest =>
    match decideMem first rest, decideDistinct rest with
    | isFalse new, isTrue distinct => isTrue ⟨new, distinct⟩
    | isTrue again, _ => isFalse fun h => h.1 again
    | _, isFalse twice => isFalse fun h => twice h.2

theorem mem_routes (r : Route) : r ∈ routes := by
  cases r <;> exact @of_decide_eq_true _ (decideMem _ routes) rfl

theorem routes_distinct : RouteCount.Distinct routes :=
  @of_decide_eq_true _ (decideDistinct routes) rfl

end AsiStackProofs.FastGenerationRefinement.Witness
