/-!
# Three finite countermodels

Each part has a record of what was observed, the condition under which it counts, a theorem that the
condition fails wherever something is missing, and a countermodel: one record that looks like a
success and is none.
-/

namespace AsiStackProofs.FastGeneration

/-! ## 1. A promotion without complete accounting -/

/-- What is recorded of an acceleration that is up for promotion. -/
structure Acceleration where
  fasterThanBaseline : Bool
  promotionCandidate : Bool
  acceptedOutputRecorded : Bool
  verifierCostRecorded : Bool

/-- The accounting is complete when both the accepted output and the verifier's cost are on
record. -/
structure AccountingComplete (a : Acceleration) : Prop where
  output : a.acceptedOutputRecorded
  cost : a.verifierCostRecorded

/-- A promotion is valid for a candidate whose accounting is complete. -/
structure PromotionValid (a : Acceleration) : Prop where
  candidate : a.promotionCandidate
  accounting : AccountingComplete a

/-- A promotion candidate whose accepted output or verifier cost is unrecorded has incomplete
accounting, so its promotion is invalid. -/
def IncompleteAccountingInvalid : Prop :=
  ∀ a : Acceleration, a.promotionCandidate →
    (a.acceptedOutputRecorded = false ∨ a.verifierCostRecorded = false) →
    ¬AccountingComplete a ∧ ¬PromotionValid a

/-- Countermodel: faster than its baseline and up for promotion, and yet invalid, for want of the
verifier's cost. -/
def FasterIsNotEnough : Prop :=
  ∃ a : Acceleration, a.fasterThanBaseline ∧ a.promotionCandidate ∧ a.acceptedOutputRecorded ∧
    a.verifierCostRecorded = false ∧ ¬PromotionValid a

theorem incompleteAccountingInvalid : IncompleteAccountingInvalid := fun _ _ unrecorded =>
  have incomplete := fun complete => match unrecorded with
    | .inl output => nomatch output.symm.trans complete.output
    | .inr cost => nomatch cost.symm.trans complete.cost
  ⟨incomplete, fun valid => incomplete valid.accounting⟩

theorem fasterIsNotEnough : FasterIsNotEnough :=
  ⟨⟨true, true, true, false⟩, rfl, rfl, rfl, rfl, fun valid => nomatch valid.accounting.cost⟩

/-! ## 2. A failed draft that is not handled -/

/-- What is recorded of an accelerated draft. -/
structure Draft where
  failed : Bool
  fallbackRouted : Bool
  residualRecorded : Bool
  promotionCandidate : Bool

/-- A draft is handled when it did not fail, or fell back, left its residual on record and is no
candidate any more. -/
def FailureHandled (d : Draft) : Prop :=
  d.failed → d.fallbackRouted ∧ d.residualRecorded ∧ ¬d.promotionCandidate

/-- A failed accelerated draft that lacks a routed fallback or a recorded residual, or stays a
promotion candidate, is not handled. -/
def UnhandledFailure : Prop :=
  ∀ d : Draft, d.failed →
    (d.fallbackRouted = false ∨ d.residualRecorded = false ∨ d.promotionCandidate) →
    ¬FailureHandled d

/-- Countermodel: it fell back and left its residual on record, and is yet unhandled, for it is
still a candidate. -/
def FallbackIsNotEnough : Prop :=
  ∃ d : Draft, d.failed ∧ d.fallbackRouted ∧ d.residualRecorded ∧ d.promotionCandidate ∧
    ¬FailureHandled d

theorem unhandledFailure : UnhandledFailure := fun _ failed defect handled =>
  have ⟨routed, recorded, dropped⟩ := handled failed
  match defect with
  | .inl unrouted => nomatch unrouted.symm.trans routed
  | .inr (.inl unrecorded) => nomatch unrecorded.symm.trans recorded
  | .inr (.inr candidate) => dropped candidate

theorem fallbackIsNotEnough : FallbackIsNotEnough :=
  ⟨⟨true, true, true, true⟩, rfl, rfl, rfl, rfl, fun handled => (handled rfl).2.2 rfl⟩

/-! ## 3. A high-risk selection that is not reviewed -/

inductive Risk where
  | low | medium | high | critical

def Risk.isHigh : Risk → Bool
  | .high | .critical => true
  | .low | .medium => false

/-- What is recorded of the selection of a mode. -/
structure Selection where
  risk : Risk
  fastMode : Bool
  verifierRecorded : Bool
  riskOverride : Bool
  slowerFallbackAllowed : Bool

/-- A selection is reviewed when a fast mode at high risk has a verifier, an override and a slower
fallback. -/
def Reviewed (s : Selection) : Prop :=
  s.fastMode → s.risk.isHigh → s.verifierRecorded ∧ s.riskOverride ∧ s.slowerFallbackAllowed

/-- A high-risk (high or critical) fast-mode selection that lacks a verifier record, a risk override
or an allowed slower fallback is not reviewed. -/
def UnreviewedSelection : Prop :=
  ∀ s : Selection, s.fastMode → (s.risk = .high ∨ s.risk = .critical) →
    (s.verifierRecorded = false ∨ s.riskOverride = false ∨ s.slowerFallbackAllowed = false) →
    ¬Reviewed s

/-- Countermodel: a critical selection with verifier and override, and yet not reviewed, for no
slower fallback is allowed. -/
def OverrideIsNotEnough : Prop :=
  ∃ s : Selection, s.risk = .critical ∧ s.fastMode ∧ s.verifierRecorded ∧ s.riskOverride ∧
    s.slowerFallbackAllowed = false ∧ ¬Reviewed s

theorem unreviewedSelection : UnreviewedSelection := fun s fast risk lacking reviewed =>
  have high : s.risk.isHigh = true := match risk with
    | .inl high => congrArg Risk.isHigh high
    | .inr critical => congrArg Risk.isHigh critical
  have ⟨verifier, override, fallback⟩ := reviewed fast high
  match lacking with
  | .inl unverified => nomatch unverified.symm.trans verifier
  | .inr (.inl unapproved) => nomatch unapproved.symm.trans override
  | .inr (.inr disallowed) => nomatch disallowed.symm.trans fallback

theorem overrideIsNotEnough : OverrideIsNotEnough :=
  ⟨⟨.critical, true, true, true, false⟩, rfl, rfl, rfl, rfl, rfl,
    fun reviewed => nomatch (reviewed rfl rfl).2.2⟩

end AsiStackProofs.FastGeneration
