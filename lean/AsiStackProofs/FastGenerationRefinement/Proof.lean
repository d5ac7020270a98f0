import AsiStackProofs.FastGenerationRefinement.Proofs.Runs
import AsiStackProofs.FastGenerationRefinement.Proofs.Witnesses

/-!
# One theorem a claim

Each theorem proves the claim of the same name in `Properties.lean`.
-/

namespace AsiStackProofs.FastGenerationRefinement

theorem identityPreserved : IdentityPreserved := fun s es =>
  run_keeps (P := fun t => t.identity = s.identity)
    (fun t e kept => (step_identity t e).trans kept) es s rfl

theorem noSupportAssignment : NoSupportAssignment := fun s es =>
  run_keeps (P := fun t => t.counters.supportAssignments = s.counters.supportAssignments)
    (fun t e kept => (step_support t e).trans kept) es s rfl

theorem noExternalEffect : NoExternalEffect := fun s es =>
  run_keeps (P := fun t => t.counters.externalEffects = s.counters.externalEffects)
    (fun t e kept => (step_effects t e).trans kept) es s rfl

theorem acceptedMovesOnce : AcceptedMovesOnce := fun s e accepted => by
  rw [step_accepted accepted]
  refine ⟨after_receipts _ _, rfl, fun same => ?_, rfl⟩
  cases at_stage : s.stage <;> rw [at_stage] at same
  case closed => exact rejected_of_closed at_stage accepted
  all_goals exact nomatch same

theorem acceptedCounts : AcceptedCounts := fun _ _ accepted =>
  (congrArg State.counters (step_accepted accepted)).trans (after_counts (mem_stage_routes accepted))

theorem rejectedChangesNothing : RejectedChangesNothing := fun _ _ => step_rejected

theorem closedIsFinal : ClosedIsFinal := fun s closed =>
  ⟨fun _ => rejected_of_closed closed, fun es => run_closed es s closed⟩

theorem replayRejected : ReplayRejected := replay_rejected

theorem routeCount : RouteCount :=
  ⟨Witness.routes, Witness.mem_routes, Witness.routes_distinct, rfl, rfl, rfl⟩

theorem everyRouteReached : EveryRouteReached := fun r =>
  ⟨Witness.fresh, (Witness.way r).1, (Witness.way r).2, Witness.fresh_isFresh, Witness.way_leads r⟩

theorem firstLineDecides : FirstLineDecides := fun s _ =>
  firstTaken_splits s.stage.allLines ⟨_, last_mem s.stage, last_taken s.stage⟩

theorem commonLinesFirst : CommonLinesFirst := fun _ _ =>
  ⟨firstTaken_append_taken _ _, firstTaken_append_untaken _ _⟩

theorem acceptedIffAdmitted : AcceptedIffAdmitted := fun _ _ _ => accepted_iff_admitted

theorem runsRefine : RunsRefine := fun s r es => run_refines es s r

theorem closedRunHasSevenEvents : ClosedRunHasSevenEvents := fun _ _ closes => by
  have ⟨bind, select, draft, verify, account, decide, close, seven⟩ := seven_of_closes closes
  rw [seven.all]
  show [bind.kind, select.kind, draft.kind, verify.kind, account.kind, decide.kind, close.kind] = _
  rw [seven.bound.1, seven.selected.1, seven.drafted.1, seven.verified.1, seven.accounted.1,
    seven.decided.1, seven.closed.1]

theorem closedRunObligations : ClosedRunObligations := fun _ _ closes =>
  have ⟨bind, select, draft, verify, account, decide, close, seven⟩ := seven_of_closes closes
  ⟨bind, select, draft, verify, account, decide, close, seven.all, seven.bound.2, seven.selected.2,
    seven.drafted.2, seven.verified.2, seven.accounted.2, seven.decided.2, seven.closed.2⟩

theorem verifiedOrPaidFallback : VerifiedOrPaidFallback := fun _ _ closes =>
  have ⟨_, _, _, verify, account, _, _, seven⟩ := seven_of_closes closes
  ⟨verify, account, seven.all ▸ .tail _ (.tail _ (.tail _ (.head _))),
    seven.all ▸ .tail _ (.tail _ (.tail _ (.tail _ (.head _)))),
    seven.verified.1, seven.accounted.1,
    match seven.verified.2.outcome with
    | .inl kept => .inl ⟨kept.passed, kept.output, kept.quality⟩
    | .inr back =>
      .inr ⟨back.failed, back.executable, back.residual, seven.accounted.2.fallback back⟩⟩

theorem successAgainstBaseline : SuccessAgainstBaseline := fun _ _ closes =>
  have ⟨_, _, _, _, account, _, _, seven⟩ := seven_of_closes closes
  have ⟨kind, accounted⟩ := seven.accounted
  ⟨account, seven.all ▸ .tail _ (.tail _ (.tail _ (.tail _ (.head _)))), kind, accounted.success,
    accounted.baseline, accounted.denominator, accounted.verifier, accounted.separation⟩

theorem closedRunCounters : ClosedRunCounters := fun s es fresh closed => by
  have course := onCourse_run s es fresh
  rw [closed] at course
  exact course

theorem verifiedWitness : VerifiedWitness :=
  ⟨Witness.fresh, Witness.verifiedRun, Witness.fresh_isFresh, rfl, rfl, rfl⟩

theorem fallbackWitness : FallbackWitness :=
  ⟨Witness.fresh, Witness.before Witness.failing .verified,
    [Witness.eventAt .accounted, Witness.eventAt .decided], Witness.eventAt .verified,
    Witness.fresh_isFresh, rfl, rfl, rfl, rfl⟩

theorem rawSpeedBlocked : RawSpeedBlocked := fun _ _ stage accepted asked =>
  have useful := (decided_of_accepted stage accepted).rawSpeed asked
  ⟨useful.output, useful.success, useful.baseline⟩

theorem supportNeedsTransition : SupportNeedsTransition := fun _ _ stage accepted asked =>
  (decided_of_accepted stage accepted).support asked

theorem highRiskCovered : HighRiskCovered := fun _ _ fast high =>
  have ⟨_, _, _, covered⟩ := fast_selection fast
  ⟨(covered high).override, (covered high).fallback, (covered high).review⟩

theorem fastSelectionAdmitted : FastSelectionAdmitted := fun s es _ first fast =>
  have ⟨stage, identity, justified, covered⟩ := fast_selection fast
  ⟨match bound_before es s first with
    | .inl unmoved => nomatch unmoved.symm.trans stage
    | .inr bound => bound,
   justified, covered, identity.trans (identityPreserved s es)⟩

end AsiStackProofs.FastGenerationRefinement
