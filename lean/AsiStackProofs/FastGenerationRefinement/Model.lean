/-!
# The lifecycle of an accelerated generation

A request passes eight stages. At each, one kind of event can move it on, and an ordered list of
lines decides by which of sixty routes the event is answered: the first line that is taken names the
route. A rejecting route leaves the state as it was; an accepting one moves it one stage and adds to
its counters.

Digests and identities are only ever compared, never looked into, so numbers stand for them: any
injection of strings into numbers carries every statement here over to strings.
-/

namespace AsiStackProofs.FastGenerationRefinement

/-! ## Vocabulary -/

inductive Stage where
  | requested | contextBound | modeSelected | draftGenerated | verified | accounted | decided
  | closed
deriving DecidableEq

inductive EventKind where
  | bindContext | selectMode | generateDraft | verifyDraft | accountOutcome | decide | close
deriving DecidableEq

/-- What a packet can say, in the order in which the stages first ask for it. -/
inductive Field where
  | externalEffectRequested
  -- requested
  | requestWellFormed | contextPacket | taskSet | consumer | deadline | rights
  -- contextBound
  | fastModeRequested | generationMode | riskTier | qualityTarget | verifierIdentity
  | independentEvaluator | acceptancePredicate | matchedBaseline | latencyBudget
  | computeMemoryBudget | highRisk | riskOverride | slowFallback | highRiskReview
  -- modeSelected
  | generator | draftArtifact | proposedOutput | generationCost | searchBound
  -- draftGenerated
  | observedVerification | verificationPassed | fallbackExecutable | fallbackResidual
  | acceptedOutput | qualityPass
  -- verified
  | verifierCost | fallbackCost | taskSuccess | baselineResult | usefulDenominator
  | costMetricSeparation | outputDigest
  -- accounted
  | rawSpeedPromotionRequested | supportPromotionRequested | evidenceTransition | decisionReceipt
  | decisionNonClaims
  -- decided
  | consumerAcknowledgment | residualClosure | descendantReferences | resultDigestBound | cleanup
deriving DecidableEq

inductive Route where
  -- common to all stages
  | rejectWrongStage | rejectTaskSubstitution | rejectModeSubstitution | rejectEvaluatorSubstitution
  | rejectResultSubstitution | rejectEventReplay | rejectAuthorityLeak
  -- requested
  | rejectMalformedRequest | requireContextPacket | requireTaskSet | requireConsumer
  | requireDeadline | requireRights | acceptContext
  -- contextBound
  | selectSlowBaseline | requireGenerationMode | requireRiskTier | requireQualityTarget
  | requireVerifierIdentity | requireIndependentEvaluator | requireAcceptancePredicate
  | requireMatchedBaseline | requireLatencyBudget | requireComputeMemoryBudget | requireRiskOverride
  | requireSlowFallback | requireHighRiskReview | acceptFastSelection
  -- modeSelected
  | requireGenerator | requireDraftArtifact | requireProposedOutput | requireGenerationCost
  | requireSearchBound | acceptGeneration
  -- draftGenerated
  | requireObservedVerification | requireExecutableFallback | requireFallbackResidual
  | activateFallback | requireAcceptedOutput | requireQualityPass | acceptVerification
  -- verified
  | requireVerifierCost | requireFallbackCost | requireTaskSuccess | requireBaselineResult
  | requireUsefulDenominator | requireCostMetricSeparation | requireOutputDigest | acceptAccounting
  -- accounted
  | blockRawSpeedProxy | requireEvidenceTransition | requireDecisionReceipt
  | requireDecisionNonClaims | acceptDecision
  -- decided
  | requireConsumerAcknowledgment | requireResidualClosure | requireDescendantReferences
  | requireBoundResultDigest | requireCleanup | acceptClosure
deriving DecidableEq

/-! ## States and events -/

abbrev Digest := Nat

structure Identity where
  taskId : Digest
  taskVersion : Nat
  contextDigest : Digest
  taskSetDigest : Digest
  consumerDigest : Digest
  modeDigest : Digest
  baselineDigest : Digest
  verifierDigest : Digest
  resultDigest : Digest
  residualDigest : Digest

structure Counters where
  receipts : Nat
  drafts : Nat
  verifications : Nat
  fallbacks : Nat
  usefulOutcomes : Nat
  decisions : Nat
  supportAssignments : Nat
  externalEffects : Nat

structure State where
  stage : Stage
  identity : Identity
  /-- Digests of the accepted events, the latest first. -/
  consumed : List Digest
  counters : Counters

structure Event where
  kind : EventKind
  identity : Identity
  digest : Digest
  /-- The booleans of the packet. -/
  has : Field → Bool

/-! ## The lines -/

/-- One line of the table: a route, and when it is taken. -/
structure Line where
  route : Route
  taken : State → Event → Bool

/-- Taken when the packet lacks the field. -/
def missing (field : Field) (route : Route) : Line :=
  ⟨route, fun _ e => !e.has field⟩

/-- Taken when `condition` holds of the event and the packet lacks the field. -/
def missingWhen (condition : Event → Bool) (field : Field) (route : Route) : Line :=
  ⟨route, fun _ e => condition e && !e.has field⟩

/-- Taken when the event names another identity than the state, in any of the parts. -/
def substituted (parts : List (Identity → Digest)) (route : Route) : Line :=
  ⟨route, fun s e => parts.any fun part => decide (part e.identity ≠ part s.identity)⟩

/-- Whether a digest is among those consumed. -/
def used (digest : Digest) : List Digest → Bool
  | [] => false
  | earlier :: rest => decide (digest = earlier) || used digest rest

/-- The last line of a stage: taken by whatever reaches it. -/
def otherwise (route : Route) : Line :=
  ⟨route, fun _ _ => true⟩

/-- The only kind of event that can leave a stage. Nothing leaves `closed`; there, `close` is asked
for. -/
def Stage.kind : Stage → EventKind
  | .requested => .bindContext
  | .contextBound => .selectMode
  | .modeSelected => .generateDraft
  | .draftGenerated => .verifyDraft
  | .verified => .accountOutcome
  | .accounted => .decide
  | .decided => .close
  | .closed => .close

/-- Asked first, at every stage. -/
def commonLines : List Line := [
  ⟨.rejectWrongStage, fun s e => decide (e.kind ≠ s.stage.kind)⟩,
  substituted
    [(·.taskId), (·.taskVersion), (·.contextDigest), (·.taskSetDigest), (·.consumerDigest)]
    .rejectTaskSubstitution,
  substituted [(·.modeDigest), (·.baselineDigest)] .rejectModeSubstitution,
  substituted [(·.verifierDigest)] .rejectEvaluatorSubstitution,
  substituted [(·.resultDigest), (·.residualDigest)] .rejectResultSubstitution,
  ⟨.rejectEventReplay, fun s e => used e.digest s.consumed⟩,
  ⟨.rejectAuthorityLeak, fun _ e => e.has .externalEffectRequested⟩]

def requestedLines : List Line := [
  missing .requestWellFormed .rejectMalformedRequest,
  missing .contextPacket .requireContextPacket,
  missing .taskSet .requireTaskSet,
  missing .consumer .requireConsumer,
  missing .deadline .requireDeadline,
  missing .rights .requireRights,
  otherwise .acceptContext]

def contextBoundLines : List Line := [
  missing .fastModeRequested .selectSlowBaseline,
  missing .generationMode .requireGenerationMode,
  missing .riskTier .requireRiskTier,
  missing .qualityTarget .requireQualityTarget,
  missing .verifierIdentity .requireVerifierIdentity,
  missing .independentEvaluator .requireIndependentEvaluator,
  missing .acceptancePredicate .requireAcceptancePredicate,
  missing .matchedBaseline .requireMatchedBaseline,
  missing .latencyBudget .requireLatencyBudget,
  missing .computeMemoryBudget .requireComputeMemoryBudget,
  missingWhen (·.has .highRisk) .riskOverride .requireRiskOverride,
  missingWhen (·.has .highRisk) .slowFallback .requireSlowFallback,
  missingWhen (·.has .highRisk) .highRiskReview .requireHighRiskReview,
  otherwise .acceptFastSelection]

def modeSelectedLines : List Line := [
  missing .generator .requireGenerator,
  missing .draftArtifact .requireDraftArtifact,
  missing .proposedOutput .requireProposedOutput,
  missing .generationCost .requireGenerationCost,
  missing .searchBound .requireSearchBound,
  otherwise .acceptGeneration]

def draftGeneratedLines : List Line := [
  missing .observedVerification .requireObservedVerification,
  missingWhen (!·.has .verificationPassed) .fallbackExecutable .requireExecutableFallback,
  missingWhen (!·.has .verificationPassed) .fallbackResidual .requireFallbackResidual,
  missing .verificationPassed .activateFallback,
  missing .acceptedOutput .requireAcceptedOutput,
  missing .qualityPass .requireQualityPass,
  otherwise .acceptVerification]

def verifiedLines : List Line := [
  missing .verifierCost .requireVerifierCost,
  ⟨.requireFallbackCost, fun s e => decide (s.counters.fallbacks ≠ 0) && !e.has .fallbackCost⟩,
  missing .taskSuccess .requireTaskSuccess,
  missing .baselineResult .requireBaselineResult,
  missing .usefulDenominator .requireUsefulDenominator,
  missing .costMetricSeparation .requireCostMetricSeparation,
  missing .outputDigest .requireOutputDigest,
  otherwise .acceptAccounting]

def accountedLines : List Line := [
  ⟨.blockRawSpeedProxy, fun _ e =>
    e.has .rawSpeedPromotionRequested &&
      !(e.has .acceptedOutput && e.has .taskSuccess && e.has .baselineResult)⟩,
  missingWhen (·.has .supportPromotionRequested) .evidenceTransition .requireEvidenceTransition,
  missing .decisionReceipt .requireDecisionReceipt,
  missing .decisionNonClaims .requireDecisionNonClaims,
  otherwise .acceptDecision]

def decidedLines : List Line := [
  missing .consumerAcknowledgment .requireConsumerAcknowledgment,
  missing .residualClosure .requireResidualClosure,
  missing .descendantReferences .requireDescendantReferences,
  missing .resultDigestBound .requireBoundResultDigest,
  missing .cleanup .requireCleanup,
  otherwise .acceptClosure]

def closedLines : List Line := [otherwise .rejectWrongStage]

def Stage.lines : Stage → List Line
  | .requested => requestedLines
  | .contextBound => contextBoundLines
  | .modeSelected => modeSelectedLines
  | .draftGenerated => draftGeneratedLines
  | .verified => verifiedLines
  | .accounted => accountedLines
  | .decided => decidedLines
  | .closed => closedLines

/-! ## Deciding and stepping -/

/-- The route of the first line taken. A table that ran out of lines would reject. -/
def firstTaken (s : State) (e : Event) : List Line → Route
  | [] => .rejectWrongStage
  | line :: rest => if line.taken s e then line.route else firstTaken s e rest

/-- Every line that is asked at a stage, in order. -/
def Stage.allLines (stage : Stage) : List Line := commonLines ++ stage.lines

def route (s : State) (e : Event) : Route := firstTaken s e s.stage.allLines

def Route.accepts : Route → Bool
  | .acceptContext | .selectSlowBaseline | .acceptFastSelection | .acceptGeneration
  | .activateFallback
  | .acceptVerification | .acceptAccounting | .acceptDecision | .acceptClosure => true
  | _ => false

def Stage.next : Stage → Stage
  | .requested => .contextBound
  | .contextBound => .modeSelected
  | .modeSelected => .draftGenerated
  | .draftGenerated => .verified
  | .verified => .accounted
  | .accounted => .decided
  | .decided => .closed
  | .closed => .closed

/-- What an accepted event adds: always a receipt, and by its route what it brought about. -/
def Counters.after (c : Counters) : Route → Counters
  | .acceptGeneration => { c with receipts := c.receipts + 1, drafts := c.drafts + 1 }
  | .acceptVerification =>
    { c with receipts := c.receipts + 1, verifications := c.verifications + 1 }
  | .activateFallback =>
    { c with
      receipts := c.receipts + 1
      verifications := c.verifications + 1
      fallbacks := c.fallbacks + 1 }
  | .acceptAccounting =>
    { c with receipts := c.receipts + 1, usefulOutcomes := c.usefulOutcomes + 1 }
  | .acceptDecision => { c with receipts := c.receipts + 1, decisions := c.decisions + 1 }
  | _ => { c with receipts := c.receipts + 1 }

def advance (s : State) (e : Event) : State where
  stage := s.stage.next
  identity := s.identity
  consumed := e.digest :: s.consumed
  counters := s.counters.after (route s e)

def step (s : State) (e : Event) : State :=
  if (route s e).accepts then advance s e else s

def run (s : State) : List Event → State
  | [] => s
  | e :: rest => run (step s e) rest

end AsiStackProofs.FastGenerationRefinement
