/-
The first of the three parts of the small Init: what Lean's elaborator, equation compiler and code
generator look up by name, before there is any notation. Names and types are therefore Lean's;
everything that no source here asks for is left out. No logical axiom is declared: neither choice,
nor propositional extensionality, nor quotients.
-/
prelude
set_option autoImplicit false
set_option linter.all false
universe u v w

/-! ### For the code generator: marks of erased terms, never seen by the kernel in a checked theorem
-/

unsafe axiom lcErased : Type
unsafe axiom lcAny : Type
unsafe axiom lcVoid : Type
unsafe axiom lcProof {p : Prop} : p
unsafe axiom lcUnreachable {α : Sort u} : α
unsafe axiom lcCast {α : Sort u} {β : Sort v} (a : α) : β

/-! ### Logic -/

/-- The elaborator types `let_fun` and instance arguments through these two. -/
@[inline] def id {α : Sort u} (a : α) : α := a
set_option checkBinderAnnotations false in
abbrev inferInstance {α : Sort u} [i : α] : α := i

/-- Motives that do not depend on the term they are about. -/
@[inline] def Function.const {α : Sort u} (β : Sort v) (a : α) : β → α := fun _ => a

/-- Marks a class argument that instance search fills in. -/
abbrev outParam (α : Sort u) : Sort u := α
abbrev semiOutParam (α : Sort u) : Sort u := α

set_option bootstrap.inductiveCheckResultingUniverse false in
/-- The end of the tuples that structural recursion builds. -/
inductive PUnit : Sort u where
  | unit : PUnit
abbrev Unit : Type := PUnit
@[match_pattern] abbrev Unit.unit : Unit := PUnit.unit

inductive True : Prop where
  | intro : True
inductive False : Prop
def Not (p : Prop) : Prop := p → False

@[macro_inline] def False.elim {goal : Sort u} (impossible : False) : goal := impossible.rec
@[macro_inline] def absurd {p : Prop} {goal : Sort v} (yes : p) (no : Not p) : goal := (no yes).rec

inductive Eq {α : Sort u} : α → α → Prop where
  | refl (a : α) : Eq a a
@[match_pattern] def rfl {α : Sort u} {a : α} : Eq a a := .refl a

/-- The ways to use an equation: `rw`, `▸`, `subst` and pattern matching build their terms from
these. -/
abbrev Eq.ndrec.{r, s} {α : Sort s} {a : α} {motive : α → Sort r} (base : motive a) {b : α}
    (same : Eq a b) : motive b :=
  same.rec base
theorem Eq.subst {α : Sort u} {motive : α → Prop} {a b : α} (same : Eq a b) (given : motive a) :
    motive b :=
  same.ndrec given
theorem Eq.symm {α : Sort u} {a b : α} (same : Eq a b) : Eq b a :=
  same.ndrec (motive := fun x => Eq x a) rfl
theorem Eq.trans {α : Sort u} {a b c : α} (first : Eq a b) (second : Eq b c) : Eq a c :=
  second.ndrec (motive := fun x => Eq a x) first
abbrev Eq.ndrec_symm.{r, s} {α : Sort s} {a : α} {motive : α → Sort r} (base : motive a) {b : α}
    (same : Eq b a) : motive b :=
  same.symm.ndrec base
@[macro_inline] def Eq.mp {α β : Sort u} (same : Eq α β) (a : α) : β := same.rec a
@[macro_inline] def Eq.mpr {α β : Sort u} (same : Eq α β) (b : β) : α := same.symm.rec b
@[macro_inline] def cast {α β : Sort u} (same : Eq α β) (a : α) : β := same.rec a
theorem congrArg {α : Sort u} {β : Sort v} {a b : α} (f : α → β) (same : Eq a b) : Eq (f a) (f b) :=
  same.ndrec (motive := fun x => Eq (f a) (f x)) rfl
theorem congr {α : Sort u} {β : Sort v} {f g : α → β} {a b : α} (fs : Eq f g) (as : Eq a b) :
    Eq (f a) (g b) :=
  Eq.ndrec (motive := fun (h : α → β) => Eq (f a) (h b)) (congrArg f as) fs

/-- Equality across types: what pattern matching on indexed families compares with. -/
inductive HEq {α : Sort u} : α → {β : Sort u} → β → Prop where
  | refl (a : α) : HEq a a
@[match_pattern] protected def HEq.rfl {α : Sort u} {a : α} : HEq a a := .refl a
theorem eq_of_heq {α : Sort u} {a b : α} (same : HEq a b) : Eq a b :=
  have along (β : Sort u) (x : β) (across : HEq a x) : (types : Eq α β) → Eq (cast types a) x :=
    across.rec (fun _ => rfl)
  along α b same rfl
theorem heq_of_eq {α : Sort u} {a b : α} (same : Eq a b) : HEq a b :=
  same.ndrec (motive := fun x => HEq a x) .rfl

structure And (p q : Prop) : Prop where
  intro ::
  left : p
  right : q
inductive Or (p q : Prop) : Prop where
  | inl (h : p) : Or p q
  | inr (h : q) : Or p q
structure Iff (p q : Prop) : Prop where
  intro ::
  mp : p → q
  mpr : q → p
inductive Exists {α : Sort u} (p : α → Prop) : Prop where
  | intro (w : α) (h : p w) : Exists p

/-! ### Data -/

structure Prod (α : Type u) (β : Type v) where
  mk ::
  fst : α
  snd : β
set_option bootstrap.inductiveCheckResultingUniverse false in
/-- The tuples that structural recursion builds. -/
structure PProd (α : Sort u) (β : Sort v) where
  fst : α
  snd : β

set_option genCtorIdx false in
inductive Nat where
  | zero : Nat
  | succ (n : Nat) : Nat
/-- Structural recursion and literals like `n + 1` in patterns go through `Nat.add`. -/
@[match_pattern, extern "lean_nat_add"] protected def Nat.add : Nat → Nat → Nat
  | n, .zero => n
  | n, .succ m => .succ (Nat.add n m)
class OfNat (α : Type u) (_ : Nat) where
  ofNat : α
@[default_instance 100, reducible] instance instOfNatNat (n : Nat) : OfNat Nat n := ⟨n⟩

set_option genCtorIdx false in
inductive Bool : Type where
  | false : Bool
  | true : Bool
export Bool (false true)
@[macro_inline] def cond {α : Sort u} (b : Bool) (yes no : α) : α :=
  match b with | true => yes | false => no
@[macro_inline] def Bool.or (a b : Bool) : Bool := match a with | true => true | false => b
@[macro_inline] def Bool.and (a b : Bool) : Bool := match a with | true => b | false => false
@[inline] def Bool.not (b : Bool) : Bool := match b with | true => false | false => true
export Bool (or and not)

def Bool.ctorIdx (b : Bool) : Nat := b.casesOn .zero (.succ .zero)

@[extern "lean_nat_dec_eq"] def Nat.beq : Nat → Nat → Bool
  | .zero, .zero => true
  | .zero, .succ _ => false
  | .succ _, .zero => false
  | .succ n, .succ m => beq n m
theorem Nat.beq_self : (n : Nat) → Eq (beq n n) true
  | .zero => rfl
  | .succ n => beq_self n
/-- Constructors are told apart by their numbers. -/
theorem noConfusion_of_Nat {α : Sort u} (index : α → Nat) {a b : α} (same : Eq a b) :
    Bool.rec (motive := fun _ => Prop) False True (Nat.beq (index a) (index b)) :=
  same.ndrec
    (motive := fun x => Bool.rec (motive := fun _ => Prop) False True (Nat.beq (index a) (index x)))
    (Eq.ndrec (a := true)
      (motive := fun (b : Bool) => Bool.rec (motive := fun _ => Prop) False True b) True.intro
      (Nat.beq_self (index a)).symm)
theorem Nat.eq_of_beq_eq_true : {n m : Nat} → Eq (beq n m) true → Eq n m
  | .zero, .zero, _ => rfl
  | .succ _, .succ _, same => congrArg Nat.succ (eq_of_beq_eq_true same)
@[extern "lean_nat_dec_le"] def Nat.ble : Nat → Nat → Bool
  | .zero, _ => true
  | .succ _, .zero => false
  | .succ n, .succ m => ble n m

/-- Lifts a motive when constructors of a larger universe are told apart. -/
structure PULift.{r, s} (α : Sort s) : Sort (max s r 1) where
  up ::
  down : α

inductive List (α : Type u) where
  | nil : List α
  | cons (head : α) (tail : List α) : List α
inductive Option (α : Type u) where
  | none : Option α
  | some (val : α) : Option α
export Option (none some)

/-! ### Decisions -/

class inductive Decidable (p : Prop) where
  | isFalse (h : Not p) : Decidable p
  | isTrue (h : p) : Decidable p
export Decidable (isTrue isFalse)
@[inline_if_reduce, nospecialize] def Decidable.decide (p : Prop) [h : Decidable p] : Bool :=
  h.casesOn (fun _ => false) (fun _ => true)
export Decidable (decide)
@[macro_inline] def ite {α : Sort u} (c : Prop) [h : Decidable c] (yes no : α) : α :=
  h.casesOn (fun _ => no) (fun _ => yes)

@[macro_inline] def dite {α : Sort u} (c : Prop) [h : Decidable c] (yes : c → α)
    (no : Not c → α) : α :=
  h.casesOn no yes

theorem Nat.ne_of_beq_eq_false {n m : Nat} (differ : Eq (beq n m) false) (same : Eq n m) : False :=
  have both : Eq (beq n m) true := same.ndrec (motive := fun x => Eq (beq n x) true) (beq_self n)
  Bool.noConfusion (differ.symm.trans both)
/-- Types of three constructors and more are told apart through this decision and `dite`. -/
@[extern "lean_nat_dec_eq"] def Nat.decEq (n m : Nat) : Decidable (Eq n m) :=
  match h : beq n m with
  | true => isTrue (eq_of_beq_eq_true h)
  | false => isFalse (ne_of_beq_eq_false h)

/-- An `opaque` must be shown to have a value; this is how the bindings of the next part do so. -/
class Inhabited (α : Sort u) where
  default : α
class inductive Nonempty (α : Sort u) : Prop where
  | intro (val : α) : Nonempty α
instance instNonemptyOfInhabited {α : Sort u} [given : Inhabited α] : Nonempty α := ⟨given.default⟩

/-! ### Names and text: the elaborator builds them when it registers a notation or reports an error
-/

@[extern "lean_nat_mul"] protected def Nat.mul : Nat → Nat → Nat
  | _, .zero => .zero
  | n, .succ m => Nat.add (Nat.mul n m) n
@[extern "lean_nat_pow"] protected def Nat.pow (base : Nat) : Nat → Nat
  | .zero => .succ .zero
  | .succ n => Nat.mul (Nat.pow base n) base
protected inductive Nat.le (n : Nat) : Nat → Prop where
  | refl : Nat.le n n
  | step {m : Nat} : Nat.le n m → Nat.le n (.succ m)
protected abbrev Nat.lt (n m : Nat) : Prop := Nat.le (.succ n) m
structure Fin (n : Nat) where
  mk ::
  val : Nat
  isLt : Nat.lt val n
structure BitVec (w : Nat) where
  ofFin ::
  toFin : Fin (Nat.pow 2 w)
structure UInt32 where
  ofBitVec ::
  toBitVec : BitVec 32
structure Char where
  val : UInt32
structure String where
  ofList ::
  toList : List Char
attribute [extern "lean_string_mk"] String.ofList

namespace Lean
inductive Name where
  | anonymous : Name
  | str (pre : Name) (str : String) : Name
  | num (pre : Name) (i : Nat) : Name
instance : Inhabited Name := ⟨.anonymous⟩
@[extern "native"] opaque Name.anonymous._override : Name
@[extern "native"] opaque Name.str._override (pre : Name) (str : String) : Name
@[extern "native"] opaque Name.num._override (pre : Name) (i : Nat) : Name
attribute [implemented_by Name.anonymous._override] Name.anonymous
attribute [implemented_by Name.str._override] Name.str
attribute [implemented_by Name.num._override] Name.num
namespace Name
abbrev mkStr (pre : Name) (s : String) : Name := .str pre s
abbrev mkNum (pre : Name) (n : Nat) : Name := .num pre n
abbrev mkSimple (s : String) : Name := .str .anonymous s
@[reducible] def mkStr1 (a : String) : Name := .str .anonymous a
@[reducible] def mkStr2 (a b : String) : Name := .str (mkStr1 a) b
@[reducible] def mkStr3 (a b c : String) : Name := .str (mkStr2 a b) c
@[reducible] def mkStr4 (a b c d : String) : Name := .str (mkStr3 a b c) d
@[reducible] def mkStr5 (a b c d e : String) : Name := .str (mkStr4 a b c d) e
end Name

/-! ### Types of parsers and macros. Their values are native; nothing here ever takes one apart -/

class Parser.Category
namespace Parser.Category
instance command : Category where
instance term : Category where
instance tactic : Category where
end Parser.Category
inductive LeadingIdentBehavior where
  | default | symbol | both
inductive ParserDescr where
  | const (name : Name)
abbrev TrailingParserDescr := ParserDescr
inductive Syntax where
  | missing
inductive Macro.Context where
  | mk
inductive Macro.Answer where
  | mk
/-- Only the number of arguments matters: text, context, state. -/
abbrev Macro := Syntax → Macro.Context → Macro.Context → Macro.Answer
instance : Inhabited ParserDescr := ⟨.const .anonymous⟩
instance : Inhabited Macro := ⟨fun _ _ _ => .mk⟩
end Lean
