import AsiStackProofs.FastGenerationRefinement.Model

/-!
# Cases as numbers, answers as numerals

Agreement with another implementation is a comparison of tables: the cases of a stage are numbered,
each is answered by a digit, and the digits of all cases are one numeral that the kernel computes. A
case has two numbers. Bit `i` of its own number is the value of the stage's `i`-th own boolean; bit
`i` of its common number says whether the `i`-th common condition holds. What a case leaves open
varies with its numbers, so that a line which looks at the wrong thing is found.
-/

namespace AsiStackProofs.FastGenerationRefinement.Encoding

/-- Bit `i` of a number. -/
def bit (n i : Nat) : Bool := Nat.beq (Nat.land (Nat.shiftRight n i) 1) 1

/-! ## A case -/

/-- Which bit of a case's own number a field is. No own number has bit 14, the place of what the
stage does not ask for, nor bit 15, the place of what every stage asks for. -/
def place : Stage → Field → Nat
  | .requested => fun
    | .requestWellFormed => 0 | .contextPacket => 1 | .taskSet => 2 | .consumer => 3
    | .deadline => 4 | .rights => 5
    | .externalEffectRequested => 15 | _ => 14
  | .contextBound => fun
    | .fastModeRequested => 0 | .generationMode => 1 | .riskTier => 2 | .qualityTarget => 3
    | .verifierIdentity => 4 | .independentEvaluator => 5 | .acceptancePredicate => 6
    | .matchedBaseline => 7 | .latencyBudget => 8 | .computeMemoryBudget => 9 | .highRisk => 10
    | .riskOverride => 11 | .slowFallback => 12 | .highRiskReview => 13
    | .externalEffectRequested => 15 | _ => 14
  | .modeSelected => fun
    | .generator => 0 | .draftArtifact => 1 | .proposedOutput => 2 | .generationCost => 3
    | .searchBound => 4
    | .externalEffectRequested => 15 | _ => 14
  | .draftGenerated => fun
    | .observedVerification => 0 | .verificationPassed => 1 | .fallbackExecutable => 2
    | .fallbackResidual => 3 | .acceptedOutput => 4 | .qualityPass => 5
    | .externalEffectRequested => 15 | _ => 14
  | .verified => fun
    | .verifierCost => 0 | .fallbackCost => 1 | .taskSuccess => 2 | .baselineResult => 3
    | .usefulDenominator => 4 | .costMetricSeparation => 5 | .outputDigest => 6
    | .externalEffectRequested => 15 | _ => 14
  | .accounted => fun
    | .acceptedOutput => 0 | .taskSuccess => 1 | .baselineResult => 2
    | .rawSpeedPromotionRequested => 3 | .supportPromotionRequested => 4 | .evidenceTransition => 5
    | .decisionReceipt => 6 | .decisionNonClaims => 7
    | .externalEffectRequested => 15 | _ => 14
  | .decided => fun
    | .consumerAcknowledgment => 0 | .residualClosure => 1 | .descendantReferences => 2
    | .resultDigestBound => 3 | .cleanup => 4
    | .externalEffectRequested => 15 | _ => 14
  | .closed => fun
    | .externalEffectRequested => 15 | _ => 14

/-- The packet of a case. What the stage does not ask for alternates. -/
def packet (stage : Stage) (own common : Nat) (field : Field) : Bool :=
  cond (Nat.beq (place stage field) 15) (bit common 6)
    (bit (own + own / 3 % 2 * 2 ^ 14) (place stage field))

/-- Whether the state of a case has activated a fallback: the last own boolean of `verified`. -/
def fellBack (own : Nat) : Stage → Nat
  | .verified => own / 128 % 2
  | _ => 0

def identity : Identity := ⟨1, 2, 3, 4, 5, 6, 7, 8, 9, 10⟩

/-- The identity that an event of a case names. A group that does not match differs in one value. -/
def namedIdentity (common : Nat) : Identity where
  taskId := differs 1 5 0 1
  taskVersion := differs 1 5 1 2
  contextDigest := differs 1 5 2 3
  taskSetDigest := differs 1 5 3 4
  consumerDigest := differs 1 5 4 5
  modeDigest := differs 2 2 0 6
  baselineDigest := differs 2 2 1 7
  verifierDigest := differs 3 1 0 8
  resultDigest := differs 4 2 0 9
  residualDigest := differs 4 2 1 10
where
  /-- The value, or 0 when its group does not match and the turn is its. -/
  differs (condition groupSize position value : Nat) : Nat :=
    if bit common condition then value else if common / 7 % groupSize = position then 0 else value

/-- The kind of event of a case: the stage's own, or another in turn. -/
def kindOf (common : Nat) (stage : Stage) : EventKind :=
  if bit common 0 then stage.kind else match (stage.kind.ctorIdx + 1 + common / 7 % 6) % 7 with
    | 0 => .bindContext
    | 1 => .selectMode
    | 2 => .generateDraft
    | 3 => .verifyDraft
    | 4 => .accountOutcome
    | 5 => .decide
    | _ => .close

/-- The digests consumed before a case: one for each stage passed, and the event's own among them
when it is not fresh, at a place that varies. -/
def consumedBefore (common : Nat) (stage : Stage) : List Digest :=
  if bit common 5 then earlier stage.ctorIdx
  else insertOwn (common / 7 % (stage.ctorIdx + 1)) (earlier stage.ctorIdx)
where
  earlier : Nat → List Digest
    | 0 => []
    | n + 1 => (n + 1) :: earlier n
  insertOwn : Nat → List Digest → List Digest
    | place + 1, digest :: rest => digest :: insertOwn place rest
    | _, rest => 0 :: rest

def caseState (stage : Stage) (own common : Nat) : State where
  stage := stage
  identity := identity
  consumed := consumedBefore common stage
  counters := ⟨11, 12, 13, fellBack own stage, 15, 16, 17, 18⟩

def caseEvent (stage : Stage) (own common : Nat) : Event where
  kind := kindOf common stage
  identity := namedIdentity common
  digest := 0
  has := packet stage own common

/-! ## Tables of answers, in base 64 -/

/-- The answers to `2 ^ k` cases from `first` on, as the digits of a numeral, the first case the
lowest. -/
def table (answer : Nat → Nat) : (k first : Nat) → Nat
  | 0, first => answer first
  | k + 1, first => table answer k first + 64 ^ 2 ^ k * table answer k (first + 2 ^ k)

/-- The common number of a case that no common line takes. -/
def uncaught : Nat := 63

/-- The route of a case as its number in the order of declaration. -/
def routeCode (stage : Stage) (own common : Nat) : Nat :=
  (route (caseState stage own common) (caseEvent stage own common)).ctorIdx

/-- The route that a stage's own lines name in a case that no common line takes. -/
def ownCode (stage : Stage) (own : Nat) : Nat :=
  (firstTaken (caseState stage own uncaught) (caseEvent stage own uncaught) stage.lines).ctorIdx

/-- The routes of a stage's own space. -/
def ownRoutes (stage : Stage) : (k first : Nat) → Nat := table (ownCode stage)

/-- The routes of the common space at a stage. -/
def commonRoutes (stage : Stage) : (k first : Nat) → Nat := table (routeCode stage 0)

/-- In a case that no common line takes, the route is the one that the stage's own lines name. -/
def OwnLinesDecide : Prop :=
  ∀ (stage : Stage) (own : Nat), routeCode stage own uncaught = ownCode stage own

/-! ## Every input is a case -/

/-- Which of the common conditions hold, in the order of a common number. -/
def conditions (s : State) (e : Event) : List Bool := [
  decide (e.kind = s.stage.kind),
  agree [(·.taskId), (·.taskVersion), (·.contextDigest), (·.taskSetDigest), (·.consumerDigest)],
  agree [(·.modeDigest), (·.baselineDigest)],
  agree [(·.verifierDigest)],
  agree [(·.resultDigest), (·.residualDigest)],
  !used e.digest s.consumed,
  e.has .externalEffectRequested]
where
  /-- Whether the event names these parts of the identity as the state has them. -/
  agree (parts : List (Identity → Digest)) : Bool :=
    !parts.any fun part => decide (part e.identity ≠ part s.identity)

/-- What a stage asks a packet for, in the order of its own numbers. -/
def asked : Stage → List Field
  | .requested => [.requestWellFormed, .contextPacket, .taskSet, .consumer, .deadline, .rights]
  | .contextBound =>
    [.fastModeRequested, .generationMode, .riskTier, .qualityTarget, .verifierIdentity,
     .independentEvaluator, .acceptancePredicate, .matchedBaseline, .latencyBudget,
     .computeMemoryBudget, .highRisk, .riskOverride, .slowFallback, .highRiskReview]
  | .modeSelected => [.generator, .draftArtifact, .proposedOutput, .generationCost, .searchBound]
  | .draftGenerated =>
    [.observedVerification, .verificationPassed, .fallbackExecutable, .fallbackResidual,
     .acceptedOutput, .qualityPass]
  | .verified =>
    [.verifierCost, .fallbackCost, .taskSuccess, .baselineResult, .usefulDenominator,
     .costMetricSeparation, .outputDigest]
  | .accounted =>
    [.acceptedOutput, .taskSuccess, .baselineResult, .rawSpeedPromotionRequested,
     .supportPromotionRequested, .evidenceTransition, .decisionReceipt, .decisionNonClaims]
  | .decided =>
    [.consumerAcknowledgment, .residualClosure, .descendantReferences, .resultDigestBound, .cleanup]
  | .closed => []

/-- What a state and an event answer to that, in the same order; at `verified` the state says last
whether it has activated a fallback. -/
def answers (s : State) (e : Event) : List Bool :=
  (asked s.stage).map e.has ++
    match s.stage with
    | .verified => [decide (s.counters.fallbacks ≠ 0)]
    | _ => []

/-- The route follows from the stage, the conditions and the answers, and from nothing else in the
state or the event. So the numbered cases, which go through all of these, are every input. -/
def CaseDecides : Prop :=
  ∀ (s t : State) (e f : Event), s.stage = t.stage →
    conditions s e = conditions t f → answers s e = answers t f → route s e = route t f

/-- Witness: at every stage two different inputs make the same case. -/
def CaseDecidesWitness : Prop :=
  ∀ stage : Stage, ∃ (s t : State) (e f : Event), s.stage = stage ∧ t.stage = stage ∧
    conditions s e = conditions t f ∧ answers s e = answers t f ∧
    s.identity.taskId ≠ t.identity.taskId ∧ e.digest ≠ f.digest

/-! ## States after, as numerals -/

/-- Digits as a numeral, the first the lowest. -/
def digits : List Nat → Nat
  | [] => 0
  | digit :: rest => digit + 64 * digits rest

/-- A state as a numeral: its stage, its counters, how many digests were consumed and which was the
latest, and its identity. -/
def signature (s : State) : Nat :=
  digits [s.stage.ctorIdx,
    s.counters.receipts, s.counters.drafts, s.counters.verifications, s.counters.fallbacks,
    s.counters.usefulOutcomes, s.counters.decisions, s.counters.supportAssignments,
    s.counters.externalEffects,
    s.consumed.length, latest s.consumed,
    s.identity.taskId, s.identity.taskVersion, s.identity.contextDigest, s.identity.taskSetDigest,
    s.identity.consumerDigest, s.identity.modeDigest, s.identity.baselineDigest,
    s.identity.verifierDigest, s.identity.resultDigest, s.identity.residualDigest]
where
  /-- The latest digest; 63 where there is none. -/
  latest : List Digest → Nat
    | [] => 63
    | digest :: _ => digest

/-- The state after a case. -/
def after (stage : Stage) (own common : Nat) : Nat :=
  signature (step (caseState stage own common) (caseEvent stage own common))

/-- The states after some cases, each given by its two numbers, as 21 digits each. -/
def statesAfter (stage : Stage) : List (Nat × Nat) → Nat
  | [] => 0
  | (own, common) :: rest => after stage own common + 64 ^ 21 * statesAfter stage rest

end AsiStackProofs.FastGenerationRefinement.Encoding
