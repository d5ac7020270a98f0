import AsiStackProofs.FastGenerationRefinement.Properties

/-!
# Lists of lines

What holds of any ordered list of lines, by induction on the list. No theorem here knows a stage or
a route.
-/

namespace AsiStackProofs.FastGenerationRefinement

section
variable {s : State} {e : Event} {line : Line} {rest : List Line}

theorem firstTaken_here (h : line.taken s e = true) :
    firstTaken s e (line :: rest) = line.route := by
  show (if line.taken s e = true then _ else _) = _
  rw [h]; rfl

theorem firstTaken_later (h : line.taken s e = false) :
    firstTaken s e (line :: rest) = firstTaken s e rest := by
  show (if line.taken s e = true then _ else _) = _
  rw [h]; rfl

/-- `firstTaken_later` for chains: the rest is known to name `named`. -/
theorem firstTaken_skip {named : Route} (h : line.taken s e = false)
    (more : firstTaken s e rest = named) : firstTaken s e (line :: rest) = named :=
  (firstTaken_later h).trans more

/-- Lines that are all untaken reject. -/
theorem firstTaken_none : (lines : List Line) → (∀ l : Line, l ∈ lines → l.taken s e = false) →
    firstTaken s e lines = .rejectWrongStage
  | [], _ => rfl
  | line :: rest, untaken =>
    firstTaken_skip (untaken line (.head rest))
      (firstTaken_none rest fun l inside => untaken l (.tail line inside))

/-- Where some line is taken, the first such line splits the list and names the route. -/
theorem firstTaken_splits : (lines : List Line) → (∃ l : Line, l ∈ lines ∧ l.taken s e = true) →
    ∃ (before after : List Line) (line : Line), lines = before ++ line :: after ∧
      (∀ earlier : Line, earlier ∈ before → earlier.taken s e = false) ∧
      line.taken s e = true ∧ firstTaken s e lines = line.route
  | [], ⟨_, inside, _⟩ => nomatch inside
  | line :: rest, taken => by
    cases here : line.taken s e with
    | true => exact ⟨[], rest, line, rfl, nofun, here, firstTaken_here here⟩
    | false =>
      have ⟨before, after, found, split, untaken, isTaken, named⟩ := firstTaken_splits rest <| by
        cases taken with
        | intro l h => cases h.1 with
          | head => exact absurd (here.symm.trans h.2) nofun
          | tail _ inRest => exact ⟨l, inRest, h.2⟩
      refine ⟨line :: before, after, found, congrArg (line :: ·) split, ?_, isTaken,
        (firstTaken_later here).trans named⟩
      intro earlier inside
      cases inside with
      | head => exact here
      | tail _ inBefore => exact untaken earlier inBefore

/-- A line taken in the first part decides before the second part is asked. -/
theorem firstTaken_append_taken (second : List Line) : (first : List Line) →
    (∃ l : Line, l ∈ first ∧ l.taken s e = true) →
    firstTaken s e (first ++ second) = firstTaken s e first
  | [], ⟨_, inside, _⟩ => nomatch inside
  | line :: rest, ⟨l, inside, taken⟩ => by
    cases here : line.taken s e with
    | true => exact (firstTaken_here here).trans (firstTaken_here here).symm
    | false =>
      have later : firstTaken s e (rest ++ second) = firstTaken s e rest := by
        cases inside with
        | head => exact absurd (here.symm.trans taken) nofun
        | tail _ inRest => exact firstTaken_append_taken second rest ⟨l, inRest, taken⟩
      exact (firstTaken_later here).trans (later.trans (firstTaken_later here).symm)

/-- Where the first part takes nothing, the second part decides. -/
theorem firstTaken_append_untaken (second : List Line) : (first : List Line) →
    (∀ l : Line, l ∈ first → l.taken s e = false) →
    firstTaken s e (first ++ second) = firstTaken s e second
  | [], _ => rfl
  | line :: rest, untaken =>
    (firstTaken_later (untaken line (.head rest))).trans
      (firstTaken_append_untaken second rest fun l inside => untaken l (.tail line inside))

/-- That no line is taken, by one computation in place of a case for each line. -/
theorem untaken_of_any : {lines : List Line} → lines.any (·.taken s e) = false →
    ∀ {l : Line}, l ∈ lines → l.taken s e = false
  | first :: rest, untaken, _, inside => by
    have split : (first.taken s e || rest.any (·.taken s e)) = false := untaken
    cases here : first.taken s e with
    | true =>
      rw [here] at split
      exact nomatch split
    | false =>
      rw [here] at split
      cases inside with
      | head => exact here
      | tail _ inRest => exact untaken_of_any split inRest

/-- Either some line is taken or none is. -/
theorem someTaken_or_none : (lines : List Line) →
    (∃ l : Line, l ∈ lines ∧ l.taken s e = true) ∨ (∀ l : Line, l ∈ lines → l.taken s e = false)
  | [] => .inr nofun
  | line :: rest => by
    cases here : line.taken s e with
    | true => exact .inl ⟨line, .head rest, here⟩
    | false =>
      cases someTaken_or_none rest with
      | inl found => exact have ⟨l, inRest, taken⟩ := found; .inl ⟨l, .tail line inRest, taken⟩
      | inr none =>
        refine .inr fun l inside => ?_
        cases inside with
        | head => exact here
        | tail _ inRest => exact none l inRest
end

/-! ## When a list of lines accepts -/

/-- The route that the lines name is an accepting one. -/
def Passes (s : State) (e : Event) (lines : List Line) : Prop :=
  (firstTaken s e lines).accepts = true

section
variable {s : State} {e : Event} {line : Line} {rest : List Line} {P : Prop}

/-- A rejecting line in front: it must not be taken, and the rest must pass. -/
theorem passes_rejecting (rejects : line.route.accepts = false) :
    Passes s e (line :: rest) ↔ line.taken s e = false ∧ Passes s e rest := by
  unfold Passes
  cases taken : line.taken s e with
  | true =>
    rw [firstTaken_here taken, rejects]
    exact ⟨nofun, fun h => nomatch h.1⟩
  | false =>
    rw [firstTaken_later taken]
    exact ⟨fun h => ⟨rfl, h⟩, fun h => h.2⟩

/-- An accepting line in front: taken, or else the rest must pass. -/
theorem passes_accepting (accepts : line.route.accepts = true) :
    Passes s e (line :: rest) ↔ (line.taken s e = false → Passes s e rest) := by
  unfold Passes
  cases taken : line.taken s e with
  | true =>
    rw [firstTaken_here taken, accepts]
    exact ⟨fun _ => nofun, fun _ => rfl⟩
  | false =>
    rw [firstTaken_later taken]
    exact ⟨fun h _ => h, fun h => h rfl⟩

/-- A rejecting line that is untaken exactly when `A` holds adds `A` to what passing asks. -/
theorem passes_and {A : Prop} (rejects : line.route.accepts = false)
    (asks : line.taken s e = false ↔ A) (more : Passes s e rest ↔ P) :
    Passes s e (line :: rest) ↔ A ∧ P :=
  ⟨fun h => have h := (passes_rejecting rejects).mp h; ⟨asks.mp h.1, more.mp h.2⟩,
   fun h => (passes_rejecting rejects).mpr ⟨asks.mpr h.1, more.mpr h.2⟩⟩

theorem passes_otherwise {route : Route} (accepts : route.accepts = true) :
    Passes s e (otherwise route :: rest) ↔ True :=
  ⟨fun _ => trivial, fun _ => accepts⟩
end

/-! ## What the kinds of line ask -/

section
variable {s : State} {e : Event} {route : Route} {field : Field}

theorem untaken_of_not {b : Bool} : (!b) = false ↔ b = true := by
  cases b
  · exact ⟨nofun, nofun⟩
  · exact ⟨fun _ => rfl, fun _ => rfl⟩

theorem untaken_of_and_not {c b : Bool} : (c && !b) = false ↔ (c = true → b = true) := by
  cases c
  · exact ⟨fun _ => nofun, fun _ => rfl⟩
  · exact ⟨fun h _ => untaken_of_not.mp h, fun h => untaken_of_not.mpr (h rfl)⟩

theorem untaken_of_true {b : Bool} : b = false ↔ ¬b = true := by
  cases b
  · exact ⟨fun _ => nofun, fun _ => rfl⟩
  · exact ⟨nofun, fun h => absurd rfl h⟩

theorem untaken_of_decide {p : Prop} [given : Decidable p] : decide (¬p) = false ↔ p :=
  ⟨fun h => match (generalizing := false) given with
    | isTrue yes => yes
    | isFalse no => absurd no (of_decide_eq_false h),
   fun yes => decide_eq_false fun no => no yes⟩

theorem used_iff {digest : Digest} :
    {consumed : List Digest} → (used digest consumed = true ↔ digest ∈ consumed)
  | [] => ⟨nofun, nofun⟩
  | earlier :: rest => by
    show (decide (digest = earlier) || used digest rest) = true ↔ _
    cases here : decide (digest = earlier) with
    | true => exact ⟨fun _ => of_decide_eq_true here ▸ .head rest, fun _ => rfl⟩
    | false =>
      refine ⟨fun h => .tail earlier (used_iff.mp h), fun inside => ?_⟩
      cases inside with
      | head => exact absurd rfl (of_decide_eq_false here)
      | tail _ inRest => exact used_iff.mpr inRest

/-- The parts of two identities agree, one by one. -/
def SameParts (a b : Identity) : List (Identity → Digest) → Prop
  | [] => True
  | part :: rest => part a = part b ∧ SameParts a b rest

theorem untaken_substituted : {parts : List (Identity → Digest)} →
    ((substituted parts route).taken s e = false ↔ SameParts e.identity s.identity parts)
  | [] => ⟨fun _ => trivial, fun _ => rfl⟩
  | part :: rest => by
    show (decide (part e.identity ≠ part s.identity) ||
      (substituted rest route).taken s e) = false ↔ _
    cases here : decide (part e.identity ≠ part s.identity) with
    | true => exact ⟨nofun, fun h => absurd h.1 (of_decide_eq_true here)⟩
    | false =>
      exact ⟨fun h => ⟨untaken_of_decide.mp here, untaken_substituted.mp h⟩,
        fun h => untaken_substituted.mpr h.2⟩
end

end AsiStackProofs.FastGenerationRefinement
