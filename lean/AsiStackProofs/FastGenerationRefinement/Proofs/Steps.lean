import AsiStackProofs.FastGenerationRefinement.Proofs.Stages

/-!
# One step

What a step changes, which routes a stage accepts by, and that a step of the model is a step of the
abstract lifecycle.
-/

namespace AsiStackProofs.FastGenerationRefinement
open Spec

variable {s : State} {e : Event}

theorem accepted_or_rejected (s : State) (e : Event) : Accepted s e ∨ ¬Accepted s e := by
  unfold Accepted
  cases (route s e).accepts
  · exact .inr nofun
  · exact .inl rfl

theorem step_accepted (accepted : Accepted s e) : step s e = advance s e := by
  show (if (route s e).accepts = true then _ else _) = _
  rw [show (route s e).accepts = true from accepted]; rfl

theorem step_rejected (rejected : ¬Accepted s e) : step s e = s := by
  show (if (route s e).accepts = true then _ else _) = _
  rw [untaken_of_true.mpr rejected]; rfl

/-- To show something of a step, show it of an advance and of a state left as it was. -/
theorem step_cases {P : State → Prop} (s : State) (e : Event)
    (advanced : Accepted s e → P (advance s e)) (unchanged : ¬Accepted s e → P s) : P (step s e) :=
  match accepted_or_rejected s e with
  | .inl accepted => step_accepted accepted ▸ advanced accepted
  | .inr rejected => (step_rejected rejected).symm ▸ unchanged rejected

theorem step_identity (s : State) (e : Event) : (step s e).identity = s.identity :=
  step_cases (P := fun t => t.identity = s.identity) s e (fun _ => rfl) (fun _ => rfl)

theorem after_receipts (c : Counters) (r : Route) :
    (c.after r).receipts = c.receipts + 1 := by
  cases r <;> rfl

theorem after_support (c : Counters) (r : Route) :
    (c.after r).supportAssignments = c.supportAssignments := by
  cases r <;> rfl

theorem after_effects (c : Counters) (r : Route) :
    (c.after r).externalEffects = c.externalEffects := by
  cases r <;> rfl

theorem step_support (s : State) (e : Event) :
    (step s e).counters.supportAssignments = s.counters.supportAssignments :=
  step_cases (P := fun t => t.counters.supportAssignments = s.counters.supportAssignments) s e
    (fun _ => after_support _ _) (fun _ => rfl)

theorem step_effects (s : State) (e : Event) :
    (step s e).counters.externalEffects = s.counters.externalEffects :=
  step_cases (P := fun t => t.counters.externalEffects = s.counters.externalEffects) s e
    (fun _ => after_effects _ _) (fun _ => rfl)

theorem step_consumed {d : Digest} (s : State) (e : Event) (inside : d ∈ s.consumed) :
    d ∈ (step s e).consumed :=
  step_cases (P := fun t => d ∈ t.consumed) s e (fun _ => .tail _ inside) (fun _ => inside)

theorem rejected_of_used (spent : e.digest ∈ s.consumed) : ¬Accepted s e :=
  fun accepted => (accepted_iff_passes.mp accepted).1.2.2.1 spent

theorem rejected_of_closed (closed : s.stage = .closed) : ¬Accepted s e := fun accepted => by
  have passes := (accepted_iff_passes.mp accepted).2
  rw [closed] at passes
  exact passes_closed.mp passes

/-- What an accepted decision met. -/
theorem decided_of_accepted (stage : s.stage = .accounted) (accepted : Accepted s e) : Decided e :=
  passes_accounted.mp (stage ▸ (accepted_iff_passes.mp accepted).2)

/-! ## The accepting routes of a stage -/

/-- The accepting routes among a list of lines. -/
def acceptingRoutes (lines : List Line) : List Route := (lines.map (·.route)).filter (·.accepts)

theorem mem_acceptingRoutes {line : Line} (accepts : line.route.accepts = true) :
    {lines : List Line} → line ∈ lines → line.route ∈ acceptingRoutes lines
  | first :: rest, inside => by
    have head : acceptingRoutes (first :: rest) =
        match first.route.accepts with
        | true => first.route :: acceptingRoutes rest
        | false => acceptingRoutes rest := rfl
    rw [head]
    cases inside with
    | head => rw [accepts]; exact .head _
    | tail _ inRest =>
      have later := mem_acceptingRoutes accepts inRest
      cases first.route.accepts with
      | true => exact .tail _ later
      | false => exact later

theorem mem_append_right {line : Line} {after : List Line} :
    (before : List Line) → line ∈ before ++ line :: after
  | [] => .head after
  | first :: rest => .tail first (mem_append_right rest)

/-- What lines name, when it accepts, is the route of one of them. -/
theorem passes_mem {lines : List Line} (passes : Passes s e lines) :
    firstTaken s e lines ∈ acceptingRoutes lines := by
  cases someTaken_or_none (s := s) (e := e) lines with
  | inl found =>
    have ⟨before, _, line, split, _, _, named⟩ := firstTaken_splits lines found
    have accepts : (firstTaken s e lines).accepts = true := passes
    rw [named] at accepts ⊢
    exact mem_acceptingRoutes accepts (split ▸ mem_append_right before)
  | inr none =>
    have accepts : (firstTaken s e lines).accepts = true := passes
    rw [firstTaken_none lines none] at accepts
    exact nomatch accepts

/-- An accepted event was let through by every common line, so that the stage's own lines named its
route. -/
theorem route_of_accepted (accepted : Accepted s e) : route s e = firstTaken s e s.stage.lines := by
  cases someTaken_or_none (s := s) (e := e) commonLines with
  | inl found =>
    have common : route s e = firstTaken s e commonLines := firstTaken_append_taken _ _ found
    have passes : Passes s e commonLines := by
      unfold Passes
      rw [← common]
      exact accepted
    exact nomatch passes_mem passes
  | inr none => exact firstTaken_append_untaken _ _ none

theorem mem_stage_routes (accepted : Accepted s e) : route s e ∈ acceptingRoutes s.stage.lines :=
  route_of_accepted accepted ▸ passes_mem (accepted_iff_passes.mp accepted).2

/-- An accepted verification, and only one that fell back, activates the fallback. -/
theorem activated_iff (accepted : Accepted s e) :
    route s e = .activateFallback ↔ s.stage = .draftGenerated ∧ FellBack e := by
  have own := route_of_accepted accepted
  have passes := (accepted_iff_passes.mp accepted).2
  constructor
  · intro activated
    have among := mem_stage_routes accepted
    rw [activated] at among
    cases at_stage : s.stage <;> rw [at_stage] at among own passes
    case draftGenerated =>
      refine ⟨rfl, ?_⟩
      have verified := passes_draftGenerated.mp passes
      cases verified.outcome with
      | inr back => exact back
      | inl kept =>
        have named : firstTaken s e draftGeneratedLines = .acceptVerification :=
          firstTaken_skip (untaken_of_not.mpr verified.observed) <|
          firstTaken_skip (untaken_of_and_not.mpr (failed kept.passed)) <|
          firstTaken_skip (untaken_of_and_not.mpr (failed kept.passed)) <|
          firstTaken_skip (untaken_of_not.mpr kept.passed) <|
          firstTaken_skip (untaken_of_not.mpr kept.output) <|
          firstTaken_skip (untaken_of_not.mpr kept.quality) rfl
        exact nomatch activated.symm.trans (own.trans named)
    all_goals exact nomatch among
  · intro ⟨at_stage, back⟩
    rw [at_stage] at own passes
    have verified := passes_draftGenerated.mp passes
    exact own.trans <|
      firstTaken_skip (untaken_of_not.mpr verified.observed) <|
      firstTaken_skip (untaken_of_and_not.mpr fun _ => back.executable) <|
      firstTaken_skip (untaken_of_and_not.mpr fun _ => back.residual) <|
      firstTaken_here (congrArg not (untaken_of_true.mpr back.failed))
where
  failed {b : Bool} {p : Prop} (passed : b = true) (no : (!b) = true) : p :=
    nomatch (untaken_of_not.mpr passed).symm.trans no

theorem after_fallbacks (c : Counters) (r : Route) :
    (c.after r).fallbacks ≠ 0 ↔ c.fallbacks ≠ 0 ∨ r = .activateFallback := by
  cases r
  case activateFallback => exact ⟨fun _ => .inr rfl, fun _ => nofun⟩
  all_goals exact ⟨.inl, fun | .inl h => h | .inr h => nomatch h⟩

/-! ## Refinement of a step -/

theorem represents_advance {r : Request} (represents : Represents s r) (accepted : Accepted s e) :
    Represents (advance s e) (r.after e) where
  stage := congrArg Stage.next represents.stage
  identity := represents.identity
  spent d :=
    ⟨fun inside => by
      cases inside with
      | head => exact .inl rfl
      | tail _ earlier => exact .inr ((represents.spent d).mp earlier),
     fun
      | .inl same => same ▸ .head _
      | .inr spent => .tail _ ((represents.spent d).mpr spent)⟩
  fellBack :=
    have activated := activated_iff accepted
    (after_fallbacks _ _).trans
      ⟨fun
        | .inl earlier => .inl (represents.fellBack.mp earlier)
        | .inr now => .inr ⟨represents.stage.symm.trans (activated.mp now).1, (activated.mp now).2⟩,
       fun
        | .inl earlier => .inl (represents.fellBack.mpr earlier)
        | .inr now => .inr (activated.mpr ⟨represents.stage.trans now.1, now.2⟩)⟩

theorem step_refines {r : Request} (represents : Represents s r) :
    ∃ next : Request, r.Step e next ∧ Represents (step s e) next :=
  match accepted_or_rejected s e with
  | .inl accepted => ⟨r.after e, .admitted ((accepted_iff_admitted represents).mp accepted),
      step_accepted accepted ▸ represents_advance represents accepted⟩
  | .inr rejected =>
    ⟨r, .refused fun admits => rejected ((accepted_iff_admitted represents).mpr admits),
      (step_rejected rejected).symm ▸ represents⟩

/-- Every state represents the request that it describes. -/
theorem represents_self (s : State) :
    Represents s ⟨s.stage, s.identity, fun d => d ∈ s.consumed, s.counters.fallbacks ≠ 0⟩ :=
  ⟨rfl, rfl, fun _ => ⟨id, id⟩, ⟨id, id⟩⟩

end AsiStackProofs.FastGenerationRefinement
