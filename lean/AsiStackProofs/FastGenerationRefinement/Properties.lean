import AsiStackProofs.FastGenerationRefinement.Spec

/-!
# What is claimed of the lifecycle

Every claim is a `def … : Prop` under one English sentence. `Proof.lean` has one theorem a claim,
under the same name in lower case. A claim with a premise has beside it a witness, a claim that
something satisfies the premise, so that nothing is true only for want of cases; `Tests.lean` proves
those.
-/

namespace AsiStackProofs.FastGenerationRefinement

/-! ## Words that the claims use -/

def Accepted (s : State) (e : Event) : Prop := (route s e).accepts = true

/-- The accepted events of a run, in order. -/
def acceptedEvents (s : State) : List Event → List Event
  | [] => []
  | e :: rest =>
    if (route s e).accepts then e :: acceptedEvents (step s e) rest
    else acceptedEvents (step s e) rest

/-- A request before its first event. -/
structure Fresh (s : State) : Prop where
  stage : s.stage = .requested
  consumed : s.consumed = []
  counters : s.counters = ⟨0, 0, 0, 0, 0, 0, 0, 0⟩

/-- A run that takes a request from its first stage to its last. -/
structure Closes (s : State) (es : List Event) : Prop where
  first : s.stage = .requested
  last : (run s es).stage = .closed

/-! ## Steps -/

/-- No run changes any of the ten identity values. -/
def IdentityPreserved : Prop :=
  ∀ (s : State) (es : List Event), (run s es).identity = s.identity

/-- No run adds a support assignment. -/
def NoSupportAssignment : Prop :=
  ∀ (s : State) (es : List Event),
    (run s es).counters.supportAssignments = s.counters.supportAssignments

/-- No run adds an external effect. -/
def NoExternalEffect : Prop :=
  ∀ (s : State) (es : List Event),
    (run s es).counters.externalEffects = s.counters.externalEffects

/-- An accepted event adds exactly one receipt, moves exactly one stage and consumes exactly its own
digest. -/
def AcceptedMovesOnce : Prop :=
  ∀ (s : State) (e : Event), Accepted s e →
    (step s e).counters.receipts = s.counters.receipts + 1 ∧
    (step s e).stage = s.stage.next ∧ s.stage.next ≠ s.stage ∧
    (step s e).consumed = e.digest :: s.consumed

/-- Beside its receipt, an accepted event adds a draft, a verification, a useful outcome or a
decision by the stage that it leaves, a fallback where it activates one, and nothing else. -/
def AcceptedCounts : Prop :=
  ∀ (s : State) (e : Event), Accepted s e →
    (step s e).counters = {
      receipts := s.counters.receipts + 1
      drafts := s.counters.drafts + if s.stage = .modeSelected then 1 else 0
      verifications := s.counters.verifications + if s.stage = .draftGenerated then 1 else 0
      fallbacks := s.counters.fallbacks + if route s e = .activateFallback then 1 else 0
      usefulOutcomes := s.counters.usefulOutcomes + if s.stage = .verified then 1 else 0
      decisions := s.counters.decisions + if s.stage = .accounted then 1 else 0
      supportAssignments := s.counters.supportAssignments
      externalEffects := s.counters.externalEffects }

/-- Witness: an event is accepted at every stage but the last. -/
def AcceptedMovesOnceWitness : Prop :=
  ∀ stage : Stage, stage ≠ .closed → ∃ (s : State) (e : Event), s.stage = stage ∧ Accepted s e

/-- A rejected event changes nothing, to the last field. -/
def RejectedChangesNothing : Prop :=
  ∀ (s : State) (e : Event), ¬Accepted s e → step s e = s

/-- Witness: an event is rejected at every stage. -/
def RejectedChangesNothingWitness : Prop :=
  ∀ stage : Stage, ∃ (s : State) (e : Event), s.stage = stage ∧ ¬Accepted s e

/-- Nothing leaves closed: no event is accepted there, and no run changes anything. -/
def ClosedIsFinal : Prop :=
  ∀ (s : State), s.stage = .closed →
    (∀ e : Event, ¬Accepted s e) ∧ (∀ es : List Event, run s es = s)

/-- Witness: a fresh request can be closed. -/
def ClosedIsFinalWitness : Prop :=
  ∃ (s : State) (es : List Event), Fresh s ∧ (run s es).stage = .closed

/-- A digest consumed at any earlier step, however long ago, is rejected. -/
def ReplayRejected : Prop :=
  ∀ (s : State) (before between : List Event) (e again : Event),
    Accepted (run s before) e → again.digest = e.digest →
    ¬Accepted (run s (before ++ e :: between)) again

/-- Witness: the first event of a run, repeated right before the end, is a replay and nothing
else. -/
def ReplayRejectedWitness : Prop :=
  ∃ (s : State) (between : List Event) (e again : Event),
    Accepted s e ∧ again.digest = e.digest ∧ (run s (e :: between)).stage = .decided ∧
    route (run s (e :: between)) again = .rejectEventReplay

/-! ## Routes -/

/-- There are sixty routes, fifty-one rejecting and nine accepting. -/
def RouteCount : Prop :=
  ∃ routes : List Route, (∀ r : Route, r ∈ routes) ∧ Distinct routes ∧ routes.length = 60 ∧
    (routes.filter (!·.accepts)).length = 51 ∧ (routes.filter (·.accepts)).length = 9
where
  /-- No member occurs twice. -/
  Distinct : List Route → Prop
    | [] => True
    | r :: rest => ¬r ∈ rest ∧ Distinct rest

/-- Each of the sixty routes is taken by some event at some state that a fresh request can come
to. -/
def EveryRouteReached : Prop :=
  ∀ r : Route, ∃ (s : State) (es : List Event) (e : Event), Fresh s ∧ route (run s es) e = r

/-- The route is that of the first line taken, in the declared order: no line before it was
taken. -/
def FirstLineDecides : Prop :=
  ∀ (s : State) (e : Event), ∃ (before after : List Line) (line : Line),
    s.stage.allLines = before ++ line :: after ∧
    (∀ earlier : Line, earlier ∈ before → earlier.taken s e = false) ∧
    line.taken s e = true ∧ route s e = line.route

/-- A common line that is taken decides alone, whatever the stage's own lines say; where none is,
they decide alone. -/
def CommonLinesFirst : Prop :=
  ∀ (s : State) (e : Event),
    ((∃ line : Line, line ∈ commonLines ∧ line.taken s e = true) →
      route s e = firstTaken s e commonLines) ∧
    ((∀ line : Line, line ∈ commonLines → line.taken s e = false) →
      route s e = firstTaken s e s.stage.lines)

/-- Witness: at every stage some event is taken by a common line, and some by none. -/
def CommonLinesFirstWitness : Prop :=
  ∀ stage : Stage, ∃ (s : State) (caught free : Event), s.stage = stage ∧
    (∃ line : Line, line ∈ commonLines ∧ line.taken s caught = true) ∧
    (∀ line : Line, line ∈ commonLines → line.taken s free = false)

/-! ## The model against the abstract lifecycle -/

/-- An event is accepted if and only if every obligation of its stage holds: soundness and
completeness. -/
def AcceptedIffAdmitted : Prop :=
  ∀ (s : State) (r : Spec.Request) (e : Event), Spec.Represents s r → (Accepted s e ↔ r.Admits e)

/-- Witness: every state represents a request. -/
def AcceptedIffAdmittedWitness : Prop :=
  ∀ s : State, ∃ r : Spec.Request, Spec.Represents s r

/-- Every run of the model is a run of the abstract lifecycle: a forward simulation. -/
def RunsRefine : Prop :=
  ∀ (s : State) (r : Spec.Request) (es : List Event), Spec.Represents s r →
    ∃ final : Spec.Request, r.Run es final ∧ Spec.Represents (run s es) final

/-! ## Whole runs -/

/-- A run from requested to closed has exactly seven accepted events, one of each kind, in order. -/
def ClosedRunHasSevenEvents : Prop :=
  ∀ (s : State) (es : List Event), Closes s es →
    (acceptedEvents s es).map (·.kind) =
      [.bindContext, .selectMode, .generateDraft, .verifyDraft, .accountOutcome, .decide, .close]

/-- Witness: a run closes by verification, and another by fallback. -/
def ClosedRunWitness : Prop :=
  ∃ (s : State) (verified fellBack : List Event),
    Closes s verified ∧ (run s verified).counters.fallbacks = 0 ∧
    Closes s fellBack ∧ (run s fellBack).counters.fallbacks = 1

/-- Each of the seven accepted events of a closed run met the obligations of its stage, the fifth
with the fallback's cost where the fourth fell back. -/
def ClosedRunObligations : Prop :=
  ∀ (s : State) (es : List Event), Closes s es →
    ∃ bind select draft verify account decide close : Event,
      acceptedEvents s es = [bind, select, draft, verify, account, decide, close] ∧
      Spec.Bound bind ∧ Spec.Selected select ∧ Spec.Drafted draft ∧ Spec.Verified verify ∧
      Spec.Accounted (Spec.FellBack verify) account ∧ Spec.Decided decide ∧ Spec.Closed close

/-- A closed run either passed verification with accepted output and quality, or activated an
executable, recorded fallback whose cost was then paid. -/
def VerifiedOrPaidFallback : Prop :=
  ∀ (s : State) (es : List Event), Closes s es →
    ∃ verify account : Event, verify ∈ acceptedEvents s es ∧ account ∈ acceptedEvents s es ∧
      verify.kind = .verifyDraft ∧ account.kind = .accountOutcome ∧
      ((verify.has .verificationPassed ∧ verify.has .acceptedOutput ∧ verify.has .qualityPass) ∨
       (¬verify.has .verificationPassed ∧ verify.has .fallbackExecutable ∧
        verify.has .fallbackResidual ∧ account.has .fallbackCost))

/-- A closed run accounted task success against a baseline result, with the verifier's cost and
costs kept apart. -/
def SuccessAgainstBaseline : Prop :=
  ∀ (s : State) (es : List Event), Closes s es →
    ∃ account : Event, account ∈ acceptedEvents s es ∧ account.kind = .accountOutcome ∧
      account.has .taskSuccess ∧ account.has .baselineResult ∧ account.has .usefulDenominator ∧
      account.has .verifierCost ∧ account.has .costMetricSeparation

/-- A fresh request that closes ends with seven receipts, one draft, one verification, at most one
fallback, one useful outcome, one decision, no support assignment and no external effect. -/
def ClosedRunCounters : Prop :=
  ∀ (s : State) (es : List Event), Fresh s → (run s es).stage = .closed →
    (run s es).counters = ⟨7, 1, 1, 0, 1, 1, 0, 0⟩ ∨ (run s es).counters = ⟨7, 1, 1, 1, 1, 1, 0, 0⟩

/-- The verified witness: seven accepted events close a fresh request without a fallback. -/
def VerifiedWitness : Prop :=
  ∃ (s : State) (es : List Event), Fresh s ∧ es.length = 7 ∧ (run s es).stage = .closed ∧
    (run s es).counters = ⟨7, 1, 1, 0, 1, 1, 0, 0⟩

/-- The fallback witness: verification does not pass, the fallback serves, and closing needed its
cost, for without it the same run is stopped at accounting. -/
def FallbackWitness : Prop :=
  ∃ (s : State) (before after : List Event) (account : Event), Fresh s ∧
    (before ++ account :: after).length = 7 ∧
    (run s (before ++ account :: after)).stage = .closed ∧
    (run s (before ++ account :: after)).counters = ⟨7, 1, 1, 1, 1, 1, 0, 0⟩ ∧
    route (run s before) (without .fallbackCost account) = .requireFallbackCost
where
  /-- The event with one field withheld. -/
  without (field : Field) (e : Event) : Event :=
    { e with has := fun other => e.has other && decide (other ≠ field) }

/-! ## Promotion and risk -/

/-- A request for promotion by raw speed never gets through without accepted output, task success
and a baseline result. -/
def RawSpeedBlocked : Prop :=
  ∀ (s : State) (e : Event), s.stage = .accounted → Accepted s e →
    e.has .rawSpeedPromotionRequested →
    e.has .acceptedOutput ∧ e.has .taskSuccess ∧ e.has .baselineResult

/-- Witness: with all three, such a request is accepted. -/
def RawSpeedBlockedWitness : Prop :=
  ∃ (s : State) (e : Event), s.stage = .accounted ∧ Accepted s e ∧ e.has .rawSpeedPromotionRequested

/-- A request for support promotion never gets through without an evidence transition. -/
def SupportNeedsTransition : Prop :=
  ∀ (s : State) (e : Event), s.stage = .accounted → Accepted s e →
    e.has .supportPromotionRequested → e.has .evidenceTransition

/-- Witness: with the transition, such a request is accepted. -/
def SupportNeedsTransitionWitness : Prop :=
  ∃ (s : State) (e : Event), s.stage = .accounted ∧ Accepted s e ∧ e.has .supportPromotionRequested

/-- A high-risk fast selection always had an override, a slow fallback and a review. -/
def HighRiskCovered : Prop :=
  ∀ (s : State) (e : Event), route s e = .acceptFastSelection → e.has .highRisk →
    e.has .riskOverride ∧ e.has .slowFallback ∧ e.has .highRiskReview

/-- Witness: with all three, a high-risk fast mode is selected. -/
def HighRiskCoveredWitness : Prop :=
  ∃ (s : State) (e : Event), route s e = .acceptFastSelection ∧ e.has .highRisk

/-- Before a fast selection the request was bound whole by an earlier accepted event, and the
selection itself names mode, risk, quality, verifier, evaluator, predicate, baseline and budgets,
and covers high risk. -/
def FastSelectionAdmitted : Prop :=
  ∀ (s : State) (es : List Event) (e : Event), s.stage = .requested →
    route (run s es) e = .acceptFastSelection →
    (∃ bind : Event, bind ∈ acceptedEvents s es ∧ bind.kind = .bindContext ∧ Spec.Bound bind) ∧
    Spec.FastModeJustified e ∧ (e.has .highRisk → Spec.RiskCovered e) ∧ e.identity = s.identity

/-- Witness: a fresh request comes to a fast selection. -/
def FastSelectionAdmittedWitness : Prop :=
  ∃ (s : State) (es : List Event) (e : Event),
    s.stage = .requested ∧ route (run s es) e = .acceptFastSelection

end AsiStackProofs.FastGenerationRefinement
