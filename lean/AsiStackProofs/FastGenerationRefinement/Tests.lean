import AsiStackProofs.FastGenerationRefinement.Proof

/-!
# Nothing is claimed of nothing

The witnesses of `Properties.lean`: each premise of each claim is met by some request and event.
-/

namespace AsiStackProofs.FastGenerationRefinement
open Witness

theorem acceptedMovesOnceWitness : AcceptedMovesOnceWitness := fun stage open_ =>
  ⟨reached stage, eventAt stage, reached_stage stage, by
    cases stage
    case closed => exact absurd rfl open_
    all_goals rfl⟩

theorem rejectedChangesNothingWitness : RejectedChangesNothingWitness := fun stage =>
  ⟨reached stage, (eventAt stage).set .externalEffectRequested true, reached_stage stage, by
    cases stage <;> exact nofun⟩

theorem closedIsFinalWitness : ClosedIsFinalWitness := ⟨fresh, verifiedRun, fresh_isFresh, rfl⟩

theorem replayRejectedWitness : ReplayRejectedWitness :=
  ⟨fresh,
    [eventAt .contextBound, eventAt .modeSelected, eventAt .draftGenerated, eventAt .verified,
     eventAt .accounted],
    eventAt .requested, { eventAt .decided with digest := (eventAt .requested).digest },
    rfl, rfl, rfl, rfl⟩

theorem commonLinesFirstWitness : CommonLinesFirstWitness := fun stage =>
  ⟨reached stage, (eventAt stage).set .externalEffectRequested true, eventAt stage,
    reached_stage stage,
    ⟨⟨.rejectAuthorityLeak, fun _ e => e.has .externalEffectRequested⟩,
      by repeat first | exact .head _ | apply List.Mem.tail, rfl⟩,
    fun _ inside => untaken_of_any (lines := commonLines) (by cases stage <;> rfl) inside⟩

theorem acceptedIffAdmittedWitness : AcceptedIffAdmittedWitness := fun s => ⟨_, represents_self s⟩

theorem closedRunWitness : ClosedRunWitness :=
  ⟨fresh, verifiedRun, fallbackRun, ⟨rfl, rfl⟩, rfl, ⟨rfl, rfl⟩, rfl⟩

theorem rawSpeedBlockedWitness : RawSpeedBlockedWitness :=
  ⟨reached .accounted, (eventAt .accounted).set .rawSpeedPromotionRequested true, rfl, rfl, rfl⟩

theorem supportNeedsTransitionWitness : SupportNeedsTransitionWitness :=
  ⟨reached .accounted, (eventAt .accounted).set .supportPromotionRequested true, rfl, rfl, rfl⟩

theorem highRiskCoveredWitness : HighRiskCoveredWitness :=
  ⟨reached .contextBound, (eventAt .contextBound).set .highRisk true, rfl, rfl⟩

theorem fastSelectionAdmittedWitness : FastSelectionAdmittedWitness :=
  ⟨fresh, [eventAt .requested], eventAt .contextBound, rfl, rfl⟩

end AsiStackProofs.FastGenerationRefinement
