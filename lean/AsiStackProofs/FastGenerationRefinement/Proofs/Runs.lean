import AsiStackProofs.FastGenerationRefinement.Proofs.Steps

/-!
# Whole runs

Inductions over the events of a run. A closed run is shown to be a chain of admitted events, and the
chain is then taken apart link by link from its first stage to its last.
-/

namespace AsiStackProofs.FastGenerationRefinement
open Spec

/-! ## What a run keeps -/

theorem run_keeps {P : State → Prop} (kept : ∀ s e, P s → P (step s e)) :
    (es : List Event) → (s : State) → P s → P (run s es)
  | [], _, holds => holds
  | e :: rest, s, holds => run_keeps kept rest (step s e) (kept s e holds)

theorem run_append (second : List Event) : (first : List Event) → (s : State) →
    run s (first ++ second) = run (run s first) second
  | [], _ => rfl
  | e :: rest, s => run_append second rest (step s e)

theorem run_closed : (es : List Event) → (s : State) → s.stage = .closed → run s es = s
  | [], _, _ => rfl
  | e :: rest, s, closed => by
    show run (step s e) rest = s
    rw [step_rejected (rejected_of_closed closed)]
    exact run_closed rest s closed

theorem replay_rejected (s : State) (before between : List Event) (e again : Event)
    (accepted : Accepted (run s before) e) (same : again.digest = e.digest) :
    ¬Accepted (run s (before ++ e :: between)) again := by
  rw [run_append]
  apply rejected_of_used
  rw [same]
  refine run_keeps (P := fun t => e.digest ∈ t.consumed) (fun _ _ => step_consumed _ _) between _ ?_
  rw [step_accepted accepted]
  exact .head _

/-! ## Refinement of a run -/

theorem run_refines : (es : List Event) → (s : State) → (r : Request) → Represents s r →
    ∃ final : Request, r.Run es final ∧ Represents (run s es) final
  | [], _, r, represents => ⟨r, .nil r, represents⟩
  | e :: rest, s, _, represents =>
    have ⟨next, stepped, there⟩ := step_refines (e := e) represents
    have ⟨final, ran, final_represents⟩ := run_refines rest (step s e) next there
    ⟨final, .cons stepped ran, final_represents⟩

/-! ## Closed runs as chains of admitted events -/

/-- Admitted events, each at the request that the ones before it left, until the request is
closed. -/
inductive Served : Request → List Event → Prop where
  | closed {r : Request} : r.stage = .closed → Served r []
  | next {r : Request} {e : Event} {rest : List Event} :
    r.Admits e → Served (r.after e) rest → Served r (e :: rest)

theorem acceptedEvents_accepted {s : State} {e : Event} {rest : List Event}
    (accepted : Accepted s e) :
    acceptedEvents s (e :: rest) = e :: acceptedEvents (step s e) rest := by
  show (if (route s e).accepts = true then _ else _) = _
  rw [show (route s e).accepts = true from accepted]; rfl

theorem acceptedEvents_rejected {s : State} {e : Event} {rest : List Event}
    (rejected : ¬Accepted s e) :
    acceptedEvents s (e :: rest) = acceptedEvents (step s e) rest := by
  show (if (route s e).accepts = true then _ else _) = _
  rw [untaken_of_true.mpr rejected]; rfl

theorem served_of_closed : (es : List Event) → (s : State) → (r : Request) → Represents s r →
    (run s es).stage = .closed → Served r (acceptedEvents s es)
  | [], _, _, represents, closed => .closed (represents.stage.symm.trans closed)
  | e :: rest, s, r, represents, closed => by
    cases accepted_or_rejected s e with
    | inl accepted =>
      rw [acceptedEvents_accepted accepted]
      refine .next ((accepted_iff_admitted represents).mp accepted) ?_
      refine served_of_closed rest (step s e) _ ?_ closed
      rw [step_accepted accepted]
      exact represents_advance represents accepted
    | inr rejected =>
      rw [acceptedEvents_rejected rejected]
      refine served_of_closed rest (step s e) r ?_ closed
      rw [step_rejected rejected]
      exact represents

/-- Before closed, a chain has a next event. -/
theorem served_next {r : Request} {events : List Event} (served : Served r events)
    (open_ : r.stage ≠ .closed) :
    ∃ (e : Event) (rest : List Event),
      events = e :: rest ∧ r.Admits e ∧ Served (r.after e) rest := by
  cases served with
  | closed closed => exact absurd closed open_
  | next admits rest => exact ⟨_, _, rfl, admits, rest⟩

/-- The seven accepted events of a closed run, with their kinds and what they owed. -/
structure SevenEvents (events : List Event)
    (bind select draft verify account decide close : Event) : Prop where
  all : events = [bind, select, draft, verify, account, decide, close]
  bound : bind.kind = .bindContext ∧ Bound bind
  selected : select.kind = .selectMode ∧ Selected select
  drafted : draft.kind = .generateDraft ∧ Drafted draft
  verified : verify.kind = .verifyDraft ∧ Verified verify
  accounted : account.kind = .accountOutcome ∧ Accounted (FellBack verify) account
  decided : decide.kind = .decide ∧ Decided decide
  closed : close.kind = .close ∧ Closed close

theorem seven_of_served {identity : Identity} {spent : Digest → Prop} {owed : Prop}
    {events : List Event} (served : Served ⟨.requested, identity, spent, owed⟩ events) :
    ∃ bind select draft verify account decide close : Event,
      SevenEvents events bind select draft verify account decide close :=
  have ⟨bind, _, all, bound, served⟩ := served_next served nofun
  have ⟨select, _, all₁, selected, served⟩ := served_next served nofun
  have ⟨draft, _, all₂, drafted, served⟩ := served_next served nofun
  have ⟨verify, _, all₃, verified, served⟩ := served_next served nofun
  have ⟨account, _, all₄, accounted, served⟩ := served_next served nofun
  have ⟨decide, _, all₅, decided, served⟩ := served_next served nofun
  have ⟨close, _, all₆, closed, served⟩ := served_next served nofun
  ⟨bind, select, draft, verify, account, decide, close,
   { all := by
      cases served with
      | closed => rw [all, all₁, all₂, all₃, all₄, all₅, all₆]
      | next admits => exact admits.obligations.elim
     bound := ⟨bound.kind, bound.obligations⟩
     selected := ⟨selected.kind, selected.obligations⟩
     drafted := ⟨drafted.kind, drafted.obligations⟩
     verified := ⟨verified.kind, verified.obligations⟩
     accounted := ⟨accounted.kind,
      have account : Accounted _ account := accounted.obligations
      { account with fallback := fun fellBack => account.fallback (.inr ⟨rfl, fellBack⟩) }⟩
     decided := ⟨decided.kind, decided.obligations⟩
     closed := ⟨closed.kind, closed.obligations⟩ }⟩

theorem seven_of_closes {s : State} {es : List Event} (closes : Closes s es) :
    ∃ bind select draft verify account decide close : Event,
      SevenEvents (acceptedEvents s es) bind select draft verify account decide close := by
  have served := served_of_closed es s _ (represents_self s) closes.last
  rw [closes.first] at served
  exact seven_of_served served

/-! ## What came before a stage -/

/-- Once past its first stage, a request was bound whole. -/
theorem bound_before : (es : List Event) → (s : State) → s.stage = .requested →
    (run s es).stage = .requested ∨
      ∃ bind : Event, bind ∈ acceptedEvents s es ∧ bind.kind = .bindContext ∧ Bound bind
  | [], _, first => .inl first
  | e :: rest, s, first => by
    cases accepted_or_rejected s e with
    | inl accepted =>
      have admits := (accepted_iff_admitted (represents_self s)).mp accepted
      have kind := admits.kind
      have bound := passes_requested.mp (first ▸ (accepted_iff_passes.mp accepted).2)
      rw [acceptedEvents_accepted accepted]
      exact .inr ⟨e, .head _, kind.trans (congrArg Stage.kind first), bound⟩
    | inr rejected =>
      rw [acceptedEvents_rejected rejected]
      refine bound_before rest (step s e) ?_
      rw [step_rejected rejected]
      exact first

/-- A fast selection happens at `contextBound`, was asked for, and is justified and covered. -/
theorem fast_selection {s : State} {e : Event} (fast : route s e = .acceptFastSelection) :
    s.stage = .contextBound ∧ e.identity = s.identity ∧ FastModeJustified e ∧
      (e.has .highRisk → RiskCovered e) := by
  have accepted : Accepted s e := by
    unfold Accepted
    rw [fast]
    rfl
  have among := mem_stage_routes accepted
  have own := route_of_accepted accepted
  have ⟨⟨_, identity, _, _⟩, passes⟩ := accepted_iff_passes.mp accepted
  rw [fast] at among own
  cases at_stage : s.stage <;> rw [at_stage] at among own passes
  case contextBound =>
    cases asked : e.has .fastModeRequested with
    | true =>
      have ⟨justified, covered⟩ := passes_contextBound.mp passes asked
      exact ⟨rfl, identity, justified, covered⟩
    | false =>
      have slow : firstTaken s e contextBoundLines = .selectSlowBaseline :=
        firstTaken_here (congrArg not asked)
      exact nomatch own.trans slow
  all_goals exact nomatch among

/-! ## Counters of a fresh request at each stage -/

/-- The counters that a request has at a stage, when `fallbacks` of its verifications fell back. -/
def countersAt (fallbacks : Nat) : Stage → Counters
  | .requested => ⟨0, 0, 0, 0, 0, 0, 0, 0⟩
  | .contextBound => ⟨1, 0, 0, 0, 0, 0, 0, 0⟩
  | .modeSelected => ⟨2, 0, 0, 0, 0, 0, 0, 0⟩
  | .draftGenerated => ⟨3, 1, 0, 0, 0, 0, 0, 0⟩
  | .verified => ⟨4, 1, 1, fallbacks, 0, 0, 0, 0⟩
  | .accounted => ⟨5, 1, 1, fallbacks, 1, 0, 0, 0⟩
  | .decided => ⟨6, 1, 1, fallbacks, 1, 1, 0, 0⟩
  | .closed => ⟨7, 1, 1, fallbacks, 1, 1, 0, 0⟩

/-- The counters are those of the stage, with no fallback or one. -/
def OnCourse (counters : Counters) (stage : Stage) : Prop :=
  counters = countersAt 0 stage ∨ counters = countersAt 1 stage

theorem mem_one {a r : Route} (among : r ∈ [a]) : r = a :=
  match among with
  | .head _ => rfl

theorem mem_two {a b r : Route} (among : r ∈ [a, b]) : r = a ∨ r = b :=
  match among with
  | .head _ => .inl rfl
  | .tail _ (.head _) => .inr rfl

/-- What an accepting route of a stage adds. -/
theorem after_counts {counters : Counters} {stage : Stage} {r : Route}
    (among : r ∈ acceptingRoutes stage.lines) :
    counters.after r = {
      receipts := counters.receipts + 1
      drafts := counters.drafts + if stage = .modeSelected then 1 else 0
      verifications := counters.verifications + if stage = .draftGenerated then 1 else 0
      fallbacks := counters.fallbacks + if r = .activateFallback then 1 else 0
      usefulOutcomes := counters.usefulOutcomes + if stage = .verified then 1 else 0
      decisions := counters.decisions + if stage = .accounted then 1 else 0
      supportAssignments := counters.supportAssignments
      externalEffects := counters.externalEffects } := by
  cases stage
  case contextBound => cases mem_two among with | _ named => rw [named]; rfl
  case draftGenerated => cases mem_two among with | _ named => rw [named]; rfl
  case closed => exact nomatch among
  all_goals rw [mem_one among]; rfl

theorem onCourse_after {counters : Counters} {stage : Stage} {r : Route}
    (among : r ∈ acceptingRoutes stage.lines) (onCourse : OnCourse counters stage) :
    OnCourse (counters.after r) stage.next := by
  cases stage
  case contextBound =>
    cases mem_two among with
    | inl named => cases onCourse with | _ onCourse => rw [named, onCourse]; exact .inl rfl
    | inr named => cases onCourse with | _ onCourse => rw [named, onCourse]; exact .inl rfl
  case draftGenerated =>
    cases mem_two among with
    | inl named => cases onCourse with | _ onCourse => rw [named, onCourse]; exact .inr rfl
    | inr named => cases onCourse with | _ onCourse => rw [named, onCourse]; exact .inl rfl
  case closed => exact nomatch among
  all_goals
    rw [mem_one among]
    cases onCourse with
    | _ onCourse => rw [onCourse]; first | exact .inl rfl | exact .inr rfl

theorem onCourse_step (s : State) (e : Event) (onCourse : OnCourse s.counters s.stage) :
    OnCourse (step s e).counters (step s e).stage :=
  step_cases (P := fun t => OnCourse t.counters t.stage) s e
    (fun accepted => onCourse_after (mem_stage_routes accepted) onCourse) (fun _ => onCourse)

theorem onCourse_run (s : State) (es : List Event) (fresh : Fresh s) :
    OnCourse (run s es).counters (run s es).stage :=
  run_keeps (P := fun t => OnCourse t.counters t.stage) onCourse_step es s <| by
    rw [fresh.stage, fresh.counters]
    exact .inl rfl

end AsiStackProofs.FastGenerationRefinement
