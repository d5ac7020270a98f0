import AsiStackProofs.FastGenerationRefinement.Proofs.Lines

/-!
# Each stage's lines against its obligations

A chain of `passes_and` turns an ordered list of lines into the conjunction of what its lines ask.
What is left is to fit that conjunction to the unordered obligations of `Spec`.
-/

namespace AsiStackProofs.FastGenerationRefinement
open Spec

variable {s : State} {e : Event}

/-- A rejecting `missing` line asks for its field. -/
theorem passes_missing {rest : List Line} {P : Prop} {field : Field} {route : Route}
    (rejects : route.accepts = false) (more : Passes s e rest ↔ P) :
    Passes s e (missing field route :: rest) ↔ e.has field ∧ P :=
  passes_and rejects untaken_of_not more

/-- A rejecting `missingWhen` line asks for its field under its condition. -/
theorem passes_missingWhen {rest : List Line} {P : Prop} {condition : Event → Bool}
    {field : Field} {route : Route} (rejects : route.accepts = false) (more : Passes s e rest ↔ P) :
    Passes s e (missingWhen condition field route :: rest) ↔ (condition e → e.has field) ∧ P :=
  passes_and rejects untaken_of_and_not more

/-- An accepting `missing` line leaves the rest to events that have its field. -/
theorem passes_accepting_missing {rest : List Line} {P : Prop} {field : Field} {route : Route}
    (accepts : route.accepts = true) (more : Passes s e rest ↔ P) :
    Passes s e (missing field route :: rest) ↔ (e.has field → P) :=
  (passes_accepting (line := missing field route) accepts).trans
    ⟨fun h has => more.mp (h (untaken_of_not.mpr has)),
     fun h untaken => more.mpr (h (untaken_of_not.mp untaken))⟩

theorem passes_requested : Passes s e requestedLines ↔ Bound e :=
  have chain : Passes s e requestedLines ↔ _ :=
    passes_missing rfl <| passes_missing rfl <| passes_missing rfl <| passes_missing rfl <|
    passes_missing rfl <| passes_missing rfl <| passes_otherwise rfl
  ⟨fun h => have ⟨wellFormed, context, taskSet, consumer, deadline, rights, _⟩ := chain.mp h
    { wellFormed, context, taskSet, consumer, deadline, rights },
   fun h =>
    chain.mpr ⟨h.wellFormed, h.context, h.taskSet, h.consumer, h.deadline, h.rights, trivial⟩⟩

theorem passes_contextBound : Passes s e contextBoundLines ↔ Selected e :=
  have chain : Passes s e contextBoundLines ↔ _ := passes_accepting_missing rfl <|
    passes_missing rfl <| passes_missing rfl <| passes_missing rfl <| passes_missing rfl <|
    passes_missing rfl <| passes_missing rfl <| passes_missing rfl <| passes_missing rfl <|
    passes_missing rfl <| passes_missingWhen rfl <| passes_missingWhen rfl <|
    passes_missingWhen rfl <| passes_otherwise rfl
  ⟨fun h fast =>
    have ⟨mode, risk, quality, verifier, independence, acceptance, baseline, latency, resources,
      override, fallback, review, _⟩ := chain.mp h fast
    ⟨{ mode, risk, quality, verifier, independence, acceptance, baseline, latency, resources },
     fun high => { override := override high, fallback := fallback high, review := review high }⟩,
   fun h => chain.mpr fun fast =>
    have ⟨just, covered⟩ := h fast
    ⟨just.mode, just.risk, just.quality, just.verifier, just.independence, just.acceptance,
      just.baseline, just.latency, just.resources, fun high => (covered high).override,
      fun high => (covered high).fallback, fun high => (covered high).review, trivial⟩⟩

theorem passes_modeSelected : Passes s e modeSelectedLines ↔ Drafted e :=
  have chain : Passes s e modeSelectedLines ↔ _ :=
    passes_missing rfl <| passes_missing rfl <| passes_missing rfl <| passes_missing rfl <|
    passes_missing rfl <| passes_otherwise rfl
  ⟨fun h => have ⟨generator, artifact, output, cost, bound, _⟩ := chain.mp h
    { generator, artifact, output, cost, bound },
   fun h => chain.mpr ⟨h.generator, h.artifact, h.output, h.cost, h.bound, trivial⟩⟩

theorem passes_draftGenerated : Passes s e draftGeneratedLines ↔ Verified e := by
  have chain : Passes s e draftGeneratedLines ↔ _ :=
    passes_missing rfl <| passes_missingWhen rfl <| passes_missingWhen rfl <|
    passes_accepting_missing rfl <| passes_missing rfl <| passes_missing rfl <| passes_otherwise rfl
  cases verdict : e.has .verificationPassed with
  | true =>
    exact ⟨fun h => have ⟨observed, _, _, kept⟩ := chain.mp h
        have ⟨output, quality, _⟩ := kept verdict
        ⟨observed, .inl ⟨verdict, output, quality⟩⟩,
      fun h => match h.outcome with
        | .inl kept =>
          have passed {p : Prop} (failed : (!e.has .verificationPassed) = true) : p :=
            nomatch (untaken_of_not.mpr verdict).symm.trans failed
          chain.mpr ⟨h.observed, passed, passed, fun _ => ⟨kept.output, kept.quality, trivial⟩⟩
        | .inr back => absurd verdict back.failed⟩
  | false =>
    have failed : (!e.has .verificationPassed) = true := congrArg not verdict
    exact ⟨fun h => have ⟨observed, executable, residual, _⟩ := chain.mp h
        ⟨observed, .inr ⟨untaken_of_true.mp verdict, executable failed, residual failed⟩⟩,
      fun h => match h.outcome with
        | .inl kept => nomatch verdict.symm.trans kept.passed
        | .inr back => chain.mpr ⟨h.observed, fun _ => back.executable, fun _ => back.residual,
            fun passed => nomatch verdict.symm.trans passed⟩⟩

theorem passes_verified : Passes s e verifiedLines ↔ Accounted (s.counters.fallbacks ≠ 0) e :=
  have owed {owes : Prop} [Decidable owes] :
      (decide owes && !e.has .fallbackCost) = false ↔ (owes → e.has .fallbackCost) :=
    untaken_of_and_not.trans
      ⟨fun h owes => h (decide_eq_true owes), fun h decided => h (of_decide_eq_true decided)⟩
  have chain : Passes s e verifiedLines ↔ _ :=
    passes_missing rfl <| passes_and rfl owed <| passes_missing rfl <| passes_missing rfl <|
    passes_missing rfl <| passes_missing rfl <| passes_missing rfl <| passes_otherwise rfl
  ⟨fun h =>
    have ⟨verifier, fallback, success, baseline, denominator, separation, output, _⟩ := chain.mp h
    { verifier, fallback, success, baseline, denominator, separation, output },
   fun h => chain.mpr ⟨h.verifier, h.fallback, h.success, h.baseline, h.denominator, h.separation,
    h.output, trivial⟩⟩

theorem passes_accounted : Passes s e accountedLines ↔ Decided e :=
  have all {a b c : Bool} : (a && b && c) = true ↔ a = true ∧ b = true ∧ c = true := by
    cases a <;> cases b <;> cases c <;>
      first | exact ⟨fun _ => ⟨rfl, rfl, rfl⟩, fun _ => rfl⟩ | exact ⟨nofun, nofun⟩
  have chain : Passes s e accountedLines ↔ _ :=
    passes_and rfl untaken_of_and_not <| passes_missingWhen rfl <| passes_missing rfl <|
    passes_missing rfl <| passes_otherwise rfl
  ⟨fun h => have ⟨rawSpeed, support, receipt, nonClaims, _⟩ := chain.mp h
    { rawSpeed := fun asked => have ⟨output, success, baseline⟩ := all.mp (rawSpeed asked)
        { output, success, baseline },
      support, receipt, nonClaims },
   fun h => chain.mpr ⟨fun asked => have useful := h.rawSpeed asked
      all.mpr ⟨useful.output, useful.success, useful.baseline⟩,
    h.support, h.receipt, h.nonClaims, trivial⟩⟩

theorem passes_decided : Passes s e decidedLines ↔ Closed e :=
  have chain : Passes s e decidedLines ↔ _ :=
    passes_missing rfl <| passes_missing rfl <| passes_missing rfl <| passes_missing rfl <|
    passes_missing rfl <| passes_otherwise rfl
  ⟨fun h => have ⟨consumer, residuals, descendants, result, cleanup, _⟩ := chain.mp h
    { consumer, residuals, descendants, result, cleanup },
   fun h => chain.mpr ⟨h.consumer, h.residuals, h.descendants, h.result, h.cleanup, trivial⟩⟩

theorem passes_closed : Passes s e closedLines ↔ False := ⟨nofun, nofun⟩

/-- The lines of every stage pass exactly when its obligations hold. -/
theorem passes_stage {r : Request} (represents : Represents s r) :
    Passes s e s.stage.lines ↔ r.Obliges e := by
  have same := represents.stage
  unfold Request.Obliges
  cases at_stage : s.stage <;> rw [← same, at_stage]
  case requested => exact passes_requested
  case contextBound => exact passes_contextBound
  case modeSelected => exact passes_modeSelected
  case draftGenerated => exact passes_draftGenerated
  case verified =>
    have owed := represents.fellBack
    exact passes_verified.trans
      ⟨fun h => { h with fallback := fun owes => h.fallback (owed.mpr owes) },
       fun h => { h with fallback := fun owes => h.fallback (owed.mp owes) }⟩
  case accounted => exact passes_accounted
  case decided => exact passes_decided
  case closed => exact passes_closed

/-! ## The last line of a stage, which nothing gets past -/

def Stage.last : Stage → Line
  | .requested => otherwise .acceptContext
  | .contextBound => otherwise .acceptFastSelection
  | .modeSelected => otherwise .acceptGeneration
  | .draftGenerated => otherwise .acceptVerification
  | .verified => otherwise .acceptAccounting
  | .accounted => otherwise .acceptDecision
  | .decided => otherwise .acceptClosure
  | .closed => otherwise .rejectWrongStage

theorem last_taken (stage : Stage) : stage.last.taken s e = true := by cases stage <;> rfl

theorem last_mem (stage : Stage) : stage.last ∈ stage.allLines := by
  cases stage <;> repeat first | exact .head _ | apply List.Mem.tail

/-! ## The common lines -/

theorem identity_eq {a b : Identity}
    (task : SameParts a b
      [(·.taskId), (·.taskVersion), (·.contextDigest), (·.taskSetDigest), (·.consumerDigest)])
    (mode : SameParts a b [(·.modeDigest), (·.baselineDigest)])
    (evaluator : SameParts a b [(·.verifierDigest)])
    (result : SameParts a b [(·.resultDigest), (·.residualDigest)]) : a = b := by
  have ⟨taskId, taskVersion, context, taskSet, consumer, _⟩ := task
  have ⟨modeDigest, baseline, _⟩ := mode
  have ⟨verifier, _⟩ := evaluator
  have ⟨resultDigest, residual, _⟩ := result
  cases a
  cases b
  cases taskId; cases taskVersion; cases context; cases taskSet; cases consumer
  cases modeDigest; cases baseline; cases verifier; cases resultDigest; cases residual
  rfl

/-- An event is accepted exactly when the common lines let it through and the stage's own lines
pass. -/
theorem accepted_iff_passes : Accepted s e ↔
    (e.kind = s.stage.kind ∧ e.identity = s.identity ∧ ¬e.digest ∈ s.consumed ∧
      ¬e.has .externalEffectRequested) ∧
      Passes s e s.stage.lines :=
  have chain : Passes s e s.stage.allLines ↔ _ := passes_and rfl untaken_of_decide <|
    passes_and rfl untaken_substituted <| passes_and rfl untaken_substituted <|
    passes_and rfl untaken_substituted <| passes_and rfl untaken_substituted <|
    passes_and rfl untaken_of_true <| passes_and rfl untaken_of_true <| Iff.intro id id
  ⟨fun h => have ⟨kind, task, mode, evaluator, result, fresh, contained, own⟩ := chain.mp h
    ⟨⟨kind, identity_eq task mode evaluator result, fun inside => fresh (used_iff.mpr inside),
      contained⟩, own⟩,
   fun ⟨⟨kind, identity, fresh, contained⟩, own⟩ => by
    have same : ∀ parts, SameParts e.identity s.identity parts := identity ▸ sameParts_self
    exact chain.mpr ⟨kind, same _, same _, same _, same _, fun inside => fresh (used_iff.mp inside),
      contained, own⟩⟩
where
  sameParts_self {a : Identity} : ∀ parts, SameParts a a parts
    | [] => trivial
    | _ :: rest => ⟨rfl, sameParts_self rest⟩

theorem accepted_iff_admitted {r : Request} (represents : Represents s r) :
    Accepted s e ↔ r.Admits e :=
  have own := passes_stage (e := e) represents
  accepted_iff_passes.trans
    ⟨fun ⟨⟨kind, identity, fresh, contained⟩, passes⟩ =>
      { kind := represents.stage ▸ kind, identity := represents.identity ▸ identity,
        fresh := fun spent => fresh ((represents.spent _).mpr spent), contained,
        obligations := own.mp passes },
     fun h => ⟨⟨represents.stage ▸ h.kind, represents.identity ▸ h.identity,
        fun inside => h.fresh ((represents.spent _).mp inside), h.contained⟩,
      own.mpr h.obligations⟩⟩

end AsiStackProofs.FastGenerationRefinement
