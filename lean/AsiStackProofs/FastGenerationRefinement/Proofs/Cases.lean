import AsiStackProofs.FastGenerationRefinement.Encoding
import AsiStackProofs.FastGenerationRefinement.Proofs.Lines

/-!
# The numbered cases are every input

The table of a stage's own space leaves out the common lines, which saves the kernel most of its
work. This is why it may, and why nothing that the numbers leave open can change a route.
-/

namespace AsiStackProofs.FastGenerationRefinement.Encoding

variable {s t : State} {e f : Event}

theorem ownLinesDecide : OwnLinesDecide := fun stage _ =>
  congrArg Route.ctorIdx <| firstTaken_append_untaken _ commonLines fun _ inside =>
    untaken_of_any (lines := commonLines) (by cases stage <;> rfl) inside

/-! ## The stage's own lines -/

/-- The route that a stage's own lines name, by the answers alone. -/
def byAnswers (stage : Stage) (bits : List Bool) : Route :=
  firstTaken
    ⟨stage, identity, [], ⟨0, 0, 0, cond (nth bits 7) 1 0, 0, 0, 0, 0⟩⟩
    ⟨stage.kind, identity, 0, fun field => nth bits (place stage field)⟩ stage.lines
where
  nth : List Bool → Nat → Bool
    | [], _ => false
    | bit :: _, 0 => bit
    | _ :: rest, i + 1 => nth rest i

theorem own_byAnswers (s : State) (e : Event) :
    firstTaken s e s.stage.lines = byAnswers s.stage (answers s e) := by
  cases s with
  | mk stage identity consumed counters =>
    cases stage
    case verified =>
      cases counters with
      | mk receipts drafts verifications fallbacks => cases fallbacks <;> rfl
    all_goals rfl

/-! ## The common lines -/

/-- Which of the common lines are taken, by the conditions alone. -/
def takenBy : List Bool → List Bool
  | [kind, task, mode, evaluator, result, fresh, effect] =>
    [!kind, !task, !mode, !evaluator, !result, !fresh, effect]
  | _ => []

theorem not_not (b : Bool) : (!!b) = b := by cases b <;> rfl

theorem decide_not {p : Prop} [given : Decidable p] : decide (¬p) = !decide p :=
  match given with
  | isTrue _ => rfl
  | isFalse _ => rfl

theorem common_taken (s : State) (e : Event) :
    commonLines.map (·.taken s e) = takenBy (conditions s e) := by
  show [decide (¬e.kind = s.stage.kind), _, _, _, _, _, _] =
    [!decide (e.kind = s.stage.kind), !!_, !!_, !!_, !!_, !!_, _]
  rw [decide_not, not_not, not_not, not_not, not_not, not_not]
  rfl

/-- Lines that are taken alike name the same route. -/
theorem firstTaken_congr : (lines : List Line) →
    lines.map (·.taken s e) = lines.map (·.taken t f) →
    firstTaken s e lines = firstTaken t f lines
  | [], _ => rfl
  | line :: rest, alike => by
    have split : line.taken s e :: rest.map (·.taken s e) =
      line.taken t f :: rest.map (·.taken t f) := alike
    have ⟨here, later⟩ := parts split
    cases taken : line.taken t f with
    | true => exact (firstTaken_here (here.trans taken)).trans (firstTaken_here taken).symm
    | false =>
      exact (firstTaken_skip (here.trans taken) (firstTaken_congr rest later)).trans
        (firstTaken_later taken).symm
where
  parts {a b : Bool} {as bs : List Bool} : a :: as = b :: bs → a = b ∧ as = bs
    | rfl => ⟨rfl, rfl⟩

/-- A line that is taken in one case is taken in another where all are taken alike. -/
theorem taken_congr {line : Line} : {lines : List Line} →
    lines.map (·.taken s e) = lines.map (·.taken t f) → line ∈ lines →
    line.taken s e = line.taken t f
  | _ :: _, alike, .head _ => (firstTaken_congr.parts alike).1
  | _ :: _, alike, .tail _ inRest => taken_congr (firstTaken_congr.parts alike).2 inRest

/-! ## Together -/

theorem caseDecides : CaseDecides := fun s t e f stage conditions answers => by
  have alike : commonLines.map (·.taken s e) = commonLines.map (·.taken t f) :=
    (common_taken s e).trans ((congrArg takenBy conditions).trans (common_taken t f).symm)
  have own : firstTaken s e s.stage.lines = firstTaken t f t.stage.lines := by
    rw [own_byAnswers, own_byAnswers, stage, answers]
  cases someTaken_or_none (s := t) (e := f) commonLines with
  | inl found =>
    have there : route t f = firstTaken t f commonLines := firstTaken_append_taken _ _ found
    have here : route s e = firstTaken s e commonLines := firstTaken_append_taken _ _ <|
      have ⟨line, inside, taken⟩ := found
      ⟨line, inside, (taken_congr alike inside).trans taken⟩
    exact here.trans ((firstTaken_congr commonLines alike).trans there.symm)
  | inr none =>
    have there : route t f = firstTaken t f t.stage.lines := firstTaken_append_untaken _ _ none
    have here : route s e = firstTaken s e s.stage.lines := firstTaken_append_untaken _ _
      fun line inside => (taken_congr alike inside).trans (none line inside)
    exact here.trans (own.trans there.symm)

theorem caseDecidesWitness : CaseDecidesWitness := fun stage =>
  ⟨⟨stage, identity, [], ⟨0, 0, 0, 0, 0, 0, 0, 0⟩⟩,
   ⟨stage, { identity with taskId := 0 }, [], ⟨0, 0, 0, 0, 0, 0, 0, 0⟩⟩,
   ⟨stage.kind, identity, 0, fun _ => true⟩,
   ⟨stage.kind, { identity with taskId := 0 }, 1, fun _ => true⟩,
   rfl, rfl, by cases stage <;> rfl, by cases stage <;> rfl, nofun, nofun⟩

end AsiStackProofs.FastGenerationRefinement.Encoding
