/-
The last part of the small Init: with notation at hand, decisions, numbers and lists. Definitions
agree with those of stock Lean wherever a proof could see the difference, so that the same proofs
check in both.
-/
prelude
import Init.Prelude
import Init.Notation
set_option autoImplicit false
set_option linter.all false
universe u v w

/-- Where elaboration failed, Lean puts this. The checker refuses every theorem that depends on
it. -/
axiom sorryAx (α : Sort u) (synthetic : Bool) : α

@[reducible] def Ne {α : Sort u} (a b : α) : Prop := ¬(a = b)
theorem trivial : True := ⟨⟩
theorem Iff.rfl {p : Prop} : p ↔ p := ⟨id, id⟩
theorem Iff.trans {p q r : Prop} (first : p ↔ q) (second : q ↔ r) : p ↔ r :=
  ⟨fun hp => second.mp (first.mp hp), fun hr => first.mpr (second.mpr hr)⟩

/-- Named parts of patterns, `x@p`, are elaborated through this. -/
abbrev namedPattern {α : Sort u} (x a : α) (_ : x = a) : α := a

/-! ### Operators -/

class BEq (α : Type u) where
  beq : α → α → Bool
class HAdd (α : Type u) (β : Type v) (γ : outParam (Type w)) where
  hAdd : α → β → γ
class HSub (α : Type u) (β : Type v) (γ : outParam (Type w)) where
  hSub : α → β → γ
class HMul (α : Type u) (β : Type v) (γ : outParam (Type w)) where
  hMul : α → β → γ
class HDiv (α : Type u) (β : Type v) (γ : outParam (Type w)) where
  hDiv : α → β → γ
class HMod (α : Type u) (β : Type v) (γ : outParam (Type w)) where
  hMod : α → β → γ
class HPow (α : Type u) (β : Type v) (γ : outParam (Type w)) where
  hPow : α → β → γ
class HAppend (α : Type u) (β : Type v) (γ : outParam (Type w)) where
  hAppend : α → β → γ
class Add (α : Type u) where
  add : α → α → α
class Sub (α : Type u) where
  sub : α → α → α
class Mul (α : Type u) where
  mul : α → α → α
class Div (α : Type u) where
  div : α → α → α
class Mod (α : Type u) where
  mod : α → α → α
class Append (α : Type u) where
  append : α → α → α
class Pow (α : Type u) (β : Type v) where
  pow : α → β → α
@[default_instance, reducible] instance instHAdd {α : Type u} [Add α] : HAdd α α α := ⟨Add.add⟩
@[default_instance, reducible] instance instHSub {α : Type u} [Sub α] : HSub α α α := ⟨Sub.sub⟩
@[default_instance, reducible] instance instHMul {α : Type u} [Mul α] : HMul α α α := ⟨Mul.mul⟩
@[default_instance, reducible] instance instHDiv {α : Type u} [Div α] : HDiv α α α := ⟨Div.div⟩
@[default_instance, reducible] instance instHMod {α : Type u} [Mod α] : HMod α α α := ⟨Mod.mod⟩
@[default_instance, reducible] instance instHAppendOfAppend {α : Type u} [Append α] :
    HAppend α α α := ⟨Append.append⟩
@[default_instance, reducible] instance instHPow {α : Type u} {β : Type v} [Pow α β] :
    HPow α β α := ⟨Pow.pow⟩
class LE (α : Type u) where
  le : α → α → Prop
class LT (α : Type u) where
  lt : α → α → Prop
class Membership (α : outParam (Type u)) (γ : Type v) where
  mem : γ → α → Prop
attribute [match_pattern] HAdd.hAdd Add.add

/-! ### Coercions: a Bool where a proposition is wanted is the equation with `true` -/

class CoeT (α : Sort u) (_ : α) (β : Sort v) where
  coe : β
class CoeFun (α : Sort u) (γ : outParam (α → Sort v)) where
  coe : (f : α) → γ f
class CoeSort (α : Sort u) (β : outParam (Sort v)) where
  coe : α → β
attribute [coe_decl] CoeT.coe CoeFun.coe CoeSort.coe
instance boolToProp (b : Bool) : CoeT Bool b Prop := ⟨b = true⟩
instance boolToSort : CoeSort Bool Prop := ⟨fun b => b = true⟩

/-! ### Decisions -/

abbrev DecidableEq (α : Sort u) := (a b : α) → Decidable (a = b)
def decEq {α : Sort u} [each : DecidableEq α] (a b : α) : Decidable (a = b) := each a b
theorem decide_eq_true : {p : Prop} → [Decidable p] → p → decide p = true
  | _, isTrue _, _ => rfl
  | _, isFalse no, yes => absurd yes no
theorem decide_eq_false : {p : Prop} → [Decidable p] → ¬p → decide p = false
  | _, isTrue yes, no => absurd yes no
  | _, isFalse _, _ => rfl
theorem of_decide_eq_true {p : Prop} [inst : Decidable p] (h : decide p = true) : p :=
  match (generalizing := false) inst with
  | isTrue yes => yes
  | isFalse no => Bool.noConfusion ((decide_eq_false no).symm.trans h)
theorem of_decide_eq_false {p : Prop} [inst : Decidable p] (h : decide p = false) : ¬p :=
  match (generalizing := false) inst with
  | isTrue yes => Bool.noConfusion ((decide_eq_true yes).symm.trans h)
  | isFalse no => no
instance instDecidableTrue : Decidable True := isTrue ⟨⟩
instance instDecidableFalse : Decidable False := isFalse id
@[macro_inline] instance instDecidableAnd {p q : Prop} [dp : Decidable p] [dq : Decidable q] :
    Decidable (p ∧ q) :=
  match dp, dq with
  | isTrue hp, isTrue hq => isTrue ⟨hp, hq⟩
  | isFalse hp, _ => isFalse fun both => hp both.1
  | _, isFalse hq => isFalse fun both => hq both.2
@[macro_inline] instance instDecidableOr {p q : Prop} [dp : Decidable p] [dq : Decidable q] :
    Decidable (p ∨ q) :=
  match dp, dq with
  | isTrue hp, _ => isTrue (.inl hp)
  | _, isTrue hq => isTrue (.inr hq)
  | isFalse hp, isFalse hq => isFalse fun | .inl h => hp h | .inr h => hq h
instance instDecidableNot {p : Prop} [dp : Decidable p] : Decidable (¬p) :=
  match dp with
  | isTrue hp => isFalse fun no => no hp
  | isFalse hp => isTrue hp
instance instDecidableEqBool : DecidableEq Bool
  | false, false => isTrue rfl
  | false, true => isFalse nofun
  | true, false => isFalse nofun
  | true, true => isTrue rfl
instance instDecidableEqNat : DecidableEq Nat := Nat.decEq
instance (priority := 500) instBEqOfDecidableEq {α : Type u} [DecidableEq α] : BEq α :=
  ⟨fun a b => decide (a = b)⟩

/-! ### Numbers  The kernel computes these with machine integers when it meets literals, and it
trusts that the names mean what they say. Each is therefore defined, so that no later file can
define it otherwise, and each is compared with the kernel's answers by a test that renames the
definitions below. -/

-- begin: accelerated by the kernel
@[extern "lean_nat_sub"] protected def Nat.sub : Nat → Nat → Nat
  | n, .zero => n
  | n, .succ m => match Nat.sub n m with
    | .zero => .zero
    | .succ less => less
/-- `x / y` by at most `fuel` subtractions. -/
def Nat.quotient (y : Nat) : (fuel x : Nat) → Nat
  | 0, _ => 0
  | .succ fuel, x => cond (Nat.ble y x) (.succ (Nat.quotient y fuel (Nat.sub x y))) 0
@[extern "lean_nat_div"] protected def Nat.div (x y : Nat) : Nat :=
  cond (Nat.beq y 0) 0 (Nat.quotient y x x)
@[extern "lean_nat_mod"] protected def Nat.mod (x y : Nat) : Nat :=
  Nat.sub x (Nat.mul y (Nat.div x y))
/-- Euclid's algorithm in at most `fuel` divisions. -/
def Nat.euclid : (fuel m n : Nat) → Nat
  | 0, _, n => n
  | .succ fuel, m, n => cond (Nat.beq m 0) n (Nat.euclid fuel (Nat.mod n m) m)
@[extern "lean_nat_gcd"] def Nat.gcd (m n : Nat) : Nat := Nat.euclid (.succ m) m n
/-- Combines the lowest `fuel` binary digits. -/
def Nat.digitwise (f : Bool → Bool → Bool) : (fuel n m : Nat) → Nat
  | 0, _, _ => 0
  | .succ fuel, n, m =>
    Nat.add (Nat.mul 2 (Nat.digitwise f fuel (Nat.div n 2) (Nat.div m 2)))
      (cond (f (Nat.beq (Nat.mod n 2) 1) (Nat.beq (Nat.mod m 2) 1)) 1 0)
@[extern "lean_nat_land"] def Nat.land (n m : Nat) : Nat := Nat.digitwise and (Nat.add n m) n m
@[extern "lean_nat_lor"] def Nat.lor (n m : Nat) : Nat := Nat.digitwise or (Nat.add n m) n m
@[extern "lean_nat_lxor"] def Nat.xor (n m : Nat) : Nat :=
  Nat.digitwise (fun a b => cond a (not b) b) (Nat.add n m) n m
@[extern "lean_nat_shiftl"] def Nat.shiftLeft (n m : Nat) : Nat := Nat.mul n (Nat.pow 2 m)
@[extern "lean_nat_shiftr"] def Nat.shiftRight (n m : Nat) : Nat := Nat.div n (Nat.pow 2 m)
/-- How often `n` can be halved, at most `fuel` times, before it is below two. -/
def Nat.halvings : (fuel n : Nat) → Nat
  | 0, _ => 0
  | .succ fuel, n => cond (Nat.ble 2 n) (.succ (Nat.halvings fuel (Nat.div n 2))) 0
@[extern "lean_nat_log2"] def Nat.log2 (n : Nat) : Nat := Nat.halvings n n
-- end: accelerated by the kernel

@[reducible] instance instAddNat : Add Nat := ⟨Nat.add⟩
@[reducible] instance instSubNat : Sub Nat := ⟨Nat.sub⟩
@[reducible] instance instMulNat : Mul Nat := ⟨Nat.mul⟩
@[reducible] instance instDivNat : Div Nat := ⟨Nat.div⟩
@[reducible] instance instModNat : Mod Nat := ⟨Nat.mod⟩
@[default_instance, reducible] instance instPowNat : Pow Nat Nat := ⟨Nat.pow⟩
@[reducible] instance instLENat : LE Nat := ⟨Nat.le⟩
@[reducible] instance instLTNat : LT Nat := ⟨Nat.lt⟩
def Nat.ctorIdx : Nat → Nat
  | 0 => 0
  | .succ _ => 1

/-! ### Lists -/

namespace List
variable {α : Type u} {β : Type v}

protected def append : (xs ys : List α) → List α
  | .nil, ys => ys
  | .cons x xs, ys => .cons x (List.append xs ys)
instance : Append (List α) := ⟨List.append⟩
def length : List α → Nat
  | .nil => 0
  | .cons _ xs => length xs + 1
def map (f : α → β) : List α → List β
  | .nil => .nil
  | .cons x xs => .cons (f x) (map f xs)
def any : List α → (α → Bool) → Bool
  | .nil, _ => false
  | .cons x xs, p => p x || any xs p
def filter (p : α → Bool) : List α → List α
  | .nil => .nil
  | .cons x xs => match p x with
    | true => .cons x (filter p xs)
    | false => filter p xs
inductive Mem (a : α) : List α → Prop where
  | head (as : List α) : Mem a (.cons a as)
  | tail (b : α) {as : List α} : Mem a as → Mem a (.cons b as)
instance : Membership α (List α) := ⟨fun l a => Mem a l⟩
end List
