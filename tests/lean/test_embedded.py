"""The small Init means what Lean's kernel takes its names to mean, and proves nothing false."""

from __future__ import annotations

import math
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from genconform.lean.build import Build, Outcome
from genconform.lean.package import without_comments
from genconform.tree import Tree
from tests.lean.conftest import Pristine

VALUES = (0, 1, 2, 3, 5, 7, 8, 12, 16, 17)
SMALL = (0, 1, 2, 3, 4)

BINARY: dict[str, Callable[[int, int], int]] = {
    "add": lambda n, m: n + m,
    "sub": lambda n, m: max(n - m, 0),
    "mul": lambda n, m: n * m,
    "div": lambda n, m: n // m if m else 0,
    "mod": lambda n, m: n % m if m else n,
    "gcd": math.gcd,
    "land": lambda n, m: n & m,
    "lor": lambda n, m: n | m,
    "xor": lambda n, m: n ^ m,
    "shiftLeft": lambda n, m: n << m,
    "shiftRight": lambda n, m: n >> m,
    "pow": lambda n, m: n**m,
}
RELATIONS: dict[str, Callable[[int, int], bool]] = {
    "beq": lambda n, m: n == m,
    "ble": lambda n, m: n <= m,
}
COSTLY = {"pow", "shiftLeft", "shiftRight"}  # unary numbers grow with the value


def run(pristine: Pristine, tmp_path: Path, text: str) -> Outcome:
    """What Lean says about a file on top of the small Init."""
    build = Build(pristine.build.toolchain, tmp_path)
    build.adopt(pristine.build, [name for name in pristine.modules if name.startswith("Init")])
    return build.run_text("Probe", text)


DEFINITION = re.compile(
    r"^(?:@\[[^\]]*\] )?(?:protected )?(def Nat\.(\w+)[^\n]*\n(?:[ \t][^\n]*\n)*)", re.M
)


def renamed_definitions(tree: Tree) -> str:
    """The definitions of the accelerated operations, under names that the kernel does not know."""
    found: dict[str, str] = {}
    for part in ("Prelude", "Core"):
        text = tree.path(f"lean/embedded/Init/{part}.lean").read_text(encoding="utf-8")
        found |= {match[2]: match[1] for match in DEFINITION.finditer(text)}
    own = {name: text for name, text in found.items() if name not in ("decEq", "ctorIdx")}
    assert set(own) >= set(accelerated())
    names = "|".join(sorted(own))
    # Some recurse by their short name, as they stand in the namespace of what they define.
    return re.sub(rf"(?:\bNat\.|(?<![\w.]))({names})\b", r"Own.\1", "\n".join(own.values()))


def accelerated() -> list[str]:
    return [*BINARY, *RELATIONS, "log2"]


def claims(operation: str) -> list[str]:
    """Equations for an operation: `f` stands for it."""
    values = SMALL if operation in COSTLY else VALUES
    pairs = [(n, m) for n in values for m in values]
    if operation in BINARY:
        return [f"Nat.beq (f {n} {m}) {BINARY[operation](n, m)}" for n, m in pairs]
    if operation in RELATIONS:
        holds = RELATIONS[operation]
        return [f"f {n} {m}" if holds(n, m) else f"!(f {n} {m})" for n, m in pairs]
    return [f"Nat.beq (f {n}) {max(n.bit_length() - 1, 0)}" for n in values]


def failing_lines(outcome: Outcome, text: str) -> list[str]:
    """The lines of a file that Lean has an error about, once each, in order."""
    lines = text.split("\n")
    return [lines[number - 1] for number in sorted({error.line for error in outcome.errors})]


def test_accelerated_operations_are_defined_as_the_kernel_computes_them(
    pristine: Pristine, tree: Tree, tmp_path: Path
) -> None:
    text = renamed_definitions(tree) + "\n"
    for operation in accelerated():
        for function in (f"Own.{operation}", f"Nat.{operation}"):
            equations = [claim.replace("f ", f"{function} ") for claim in claims(operation)]
            text += f"example : ({' && '.join(equations)}) = true := by decide +kernel\n"
    outcome = run(pristine, tmp_path, text)
    assert outcome.clean, failing_lines(outcome, text)


def test_a_wrong_equation_is_refused(pristine: Pristine, tree: Tree, tmp_path: Path) -> None:
    text = renamed_definitions(tree)
    for function in ("Own.div", "Nat.div"):
        text += f"\nexample : Nat.beq ({function} 7 2) 4 = true := by decide +kernel"
    assert len(run(pristine, tmp_path, text).errors) == 2


def test_no_file_can_define_an_accelerated_operation_anew(
    pristine: Pristine, tmp_path: Path
) -> None:
    text = "\n".join(f"def Nat.{operation} := 0" for operation in accelerated())
    outcome = run(pristine, tmp_path, text)
    assert failing_lines(outcome, text) == text.split("\n")
    assert all("already been declared" in error.text for error in outcome.errors)


FALSE_OR_UNKNOWN = """\
theorm t9 : True := trivial
theorem t1 : 2 + 2 = 5 := rfl
theorem t2 : 2 + 2 = 5 := by decide +kernel
theorem t3 : 2 + 2 = 5 := sorry
theorem t4 : (false = true) := rfl
theorem t5 : False := lcProof
theorem t6 : misspelt = 5 := rfl
theorem t7 : True := by frobnicate
theorem t8 : 2 + 2 = 4 := by native_decide
def f (n : Nat) : Nat := f (n + 1)
theorem t10 (p q : Prop) (h : Iff p q) : p = q := propext h
theorem t11 (p : Prop) : Or p (Not p) := Classical.em p"""


def test_what_is_false_or_unknown_is_an_error(pristine: Pristine, tmp_path: Path) -> None:
    outcome = run(pristine, tmp_path, FALSE_OR_UNKNOWN)
    assert failing_lines(outcome, FALSE_OR_UNKNOWN) == FALSE_OR_UNKNOWN.split("\n")
    assert outcome.exit_code != 0


def test_init_declares_no_logical_axiom(tree: Tree) -> None:
    declared = []
    for file in sorted(tree.path("lean/embedded").rglob("*.lean")):
        code = without_comments(file.read_text(encoding="utf-8"))
        declared += re.findall(r"^(unsafe )?axiom (\w+)", code, re.M)
        assert "init_quot" not in code
    assert [name for unsafe, name in declared if not unsafe] == ["sorryAx"]


def test_the_bindings_are_those_of_the_pinned_library(tree: Tree) -> None:
    script = Path(tree.root / "scripts" / "lean_bindings.py")
    done = subprocess.run(
        [sys.executable, str(script), "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
