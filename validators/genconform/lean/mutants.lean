import AsiStackProofs.FastGenerationRefinement.Encoding

/-!
A lifecycle of which every part may be wrong, and the tables of its answers to the same cases. The
table of spec/ and each of its mutants are written below as one of these; the certificate's theorems
are then asked of them.
-/

namespace AsiStackProofs.FastGenerationRefinement.Mutants
open Encoding

/-- A line, and whether it moves the request on. -/
structure Rule where
  line : Line
  accepts : Bool

structure Lifecycle where
  common : List Rule
  own : Stage → List Rule
  next : Stage → Stage
  counted : Stage → Route → Counters → Counters
  consumes : Stage → Bool
  rejected : State → Event → State

def plus (c : Counters) (receipts drafts verifications fallbacks usefulOutcomes decisions
    supportAssignments externalEffects : Nat) : Counters where
  receipts := c.receipts + receipts
  drafts := c.drafts + drafts
  verifications := c.verifications + verifications
  fallbacks := c.fallbacks + fallbacks
  usefulOutcomes := c.usefulOutcomes + usefulOutcomes
  decisions := c.decisions + decisions
  supportAssignments := c.supportAssignments + supportAssignments
  externalEffects := c.externalEffects + externalEffects

/-- A term that may or may not look at the state and the event. -/
def ignore {α : Type} (_ : State) (_ : Event) (value : α) : α := value

def first (s : State) (e : Event) : List Rule → Option Rule
  | [] => none
  | rule :: rest => if rule.line.taken s e then some rule else first s e rest

/-- The number of the route; 63, which no route has, where no line is taken. -/
def code : Option Rule → Nat
  | none => 63
  | some rule => rule.line.route.ctorIdx

def Lifecycle.rule (l : Lifecycle) (s : State) (e : Event) : Option Rule :=
  first s e (l.common ++ l.own s.stage)

def Lifecycle.step (l : Lifecycle) (s : State) (e : Event) : State :=
  match l.rule s e with
  | some ⟨line, true⟩ =>
    { stage := l.next s.stage
      identity := s.identity
      consumed := if l.consumes s.stage then e.digest :: s.consumed else s.consumed
      counters := l.counted s.stage line.route s.counters }
  | _ => l.rejected s e

def Lifecycle.ownRoutes (l : Lifecycle) (stage : Stage) : (k first : Nat) → Nat :=
  table fun own => code (first (caseState stage own uncaught) (caseEvent stage own uncaught) (l.own stage))

def Lifecycle.commonRoutes (l : Lifecycle) (stage : Stage) : (k first : Nat) → Nat :=
  table fun common => code (l.rule (caseState stage 0 common) (caseEvent stage 0 common))

def Lifecycle.statesAfter (l : Lifecycle) (stage : Stage) : List (Nat × Nat) → Nat
  | [] => 0
  | (own, common) :: rest =>
    signature (l.step (caseState stage own common) (caseEvent stage own common)) +
      64 ^ 21 * l.statesAfter stage rest
