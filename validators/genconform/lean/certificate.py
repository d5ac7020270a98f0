"""The agreement certificate: the Python machine's answers, as theorems for Lean's kernel.

Each theorem says that a table of Lean's equals a numeral. A digit in base 64 is the number of a
route in the order of declaration; 2^k cases stand in one numeral, the first case the lowest.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from genconform.lean.cases import COMMON_BITS, UNCAUGHT, case_at, own_bits, signature
from genconform.lifecycle.machine import Route, route, step
from genconform.lifecycle.packet import BOOLEAN_NAMES, EventKind, Stage
from genconform.lifecycle.space import OWN_NAMES

MODULE = "AsiStackProofs.FastGenerationRefinement.Agreement"
PATH = "lean/AsiStackProofs/FastGenerationRefinement/Agreement.lean"
COMMON = "common"
NAMES = "names_"
BASE = 64
_DIGIT_BITS = 6
_SIGNATURE_BITS = 21 * _DIGIT_BITS
_CHUNK_BITS = 8  # 256 cases a theorem: what the kernel is quickest with
VOCABULARY: dict[str, tuple[str, ...]] = {
    "Stage": tuple(stage.value for stage in Stage),
    "EventKind": tuple(kind.value for kind in EventKind),
    "Field": BOOLEAN_NAMES,
    "Route": tuple(value.value for value in Route),
}
"""The names of each enumeration of the model, as the machine lists them."""
_ROUTE_CODE = {value: code for code, value in enumerate(Route)}


class Space(StrEnum):
    """The two numberings of a stage's cases: by its own booleans, or by the common conditions."""

    OWN = "own"
    COMMON = "common"


@dataclass(frozen=True)
class Routes:
    """A theorem about the routes of 2^bits cases of one space, from number `first` on."""

    stage: Stage
    space: Space
    bits: int
    first: int
    answers: tuple[int, ...]

    @property
    def name(self) -> str:
        """The theorem's name."""
        return f"{self.stage}_{self.space}_{self.first}"

    @property
    def numeral(self) -> int:
        """The answers as digits."""
        return numeral(self.answers)

    @property
    def statement(self) -> str:
        """What the theorem says."""
        return f"{self.space}Routes .{self.stage} {self.bits} {self.first} = {self.numeral:#x}"

    def numbers(self, index: int) -> tuple[int, int]:
        """The own and the common number of the case whose answer is at `index`."""
        number = self.first + index
        return (number, UNCAUGHT) if self.space is Space.OWN else (0, number)

    def split(self, bits: int) -> list[Routes]:
        """The same claim as theorems of at most 2^bits cases each."""
        size = 1 << min(bits, self.bits)
        return [
            Routes(
                self.stage,
                self.space,
                size.bit_length() - 1,
                self.first + start,
                self.answers[start : start + size],
            )
            for start in range(0, len(self.answers), size)
        ]


@dataclass(frozen=True)
class States:
    """A theorem about the states after some cases, each given by its own and common number."""

    stage: Stage
    cases: tuple[tuple[int, int], ...]
    answers: tuple[tuple[int, ...], ...]

    @property
    def name(self) -> str:
        """The theorem's name."""
        return f"{self.stage}_after"

    @property
    def numeral(self) -> int:
        """The signatures one above the other."""
        return sum(
            numeral(digits) << place * _SIGNATURE_BITS for place, digits in enumerate(self.answers)
        )

    @property
    def statement(self) -> str:
        """What the theorem says."""
        cases = ", ".join(f"({own}, {common})" for own, common in self.cases)
        return f"statesAfter .{self.stage} [{cases}] = {self.numeral:#x}"

    def split(self) -> list[States]:
        """The same claim, a theorem a case."""
        return [
            States(self.stage, (case,), (answer,))
            for case, answer in zip(self.cases, self.answers, strict=True)
        ]


Theorem = Routes | States


@dataclass(frozen=True)
class Certificate:
    """Everything that the Python machine says, ready to be written as Lean."""

    routes: tuple[Routes, ...]
    states: tuple[States, ...]

    @property
    def theorems(self) -> tuple[Theorem, ...]:
        """All theorems in the order in which they stand in the file."""
        return (*self.routes, *self.states)

    def cases(self) -> dict[str, int]:
        """How many cases are certified, by stage, and of the common lines."""
        counts = dict.fromkeys((*(stage.value for stage in Stage), COMMON), 0)
        for chunk in self.routes:
            counts[COMMON if chunk.space is Space.COMMON else chunk.stage] += len(chunk.answers)
        return counts

    def hits(self) -> dict[str, int]:
        """How many of the cases take each route."""
        codes = Counter(code for chunk in self.routes for code in chunk.answers)
        return {route.value: codes[code] for route, code in _ROUTE_CODE.items()}

    def render(self) -> str:
        """The text of Agreement.lean."""
        body = "\n".join(_body(self)) + "\n"
        return _HEADER.format(digest=hashlib.sha256(body.encode()).hexdigest()) + body


@lru_cache(maxsize=1)
def certify() -> Certificate:
    """Ask the machine about every case."""
    routes = [chunk for stage in Stage for chunk in _own(stage)] + [
        _common(stage) for stage in Stage
    ]
    return Certificate(tuple(routes), tuple(_states(routes, stage) for stage in Stage))


def numeral(digits: Iterable[int]) -> int:
    """Digits in base 64 as a number, the first the lowest."""
    return sum(digit << place * _DIGIT_BITS for place, digit in enumerate(digits))


def digits_of(number: int, count: int) -> tuple[int, ...]:
    """The lowest `count` digits of a number in base 64, the lowest first."""
    return tuple(number >> place * _DIGIT_BITS & BASE - 1 for place in range(count))


def theorem_text(theorem: Theorem) -> str:
    """A theorem as it stands in the file, on one line."""
    return f"theorem {theorem.name} : {theorem.statement} := by decide +kernel"


_THEOREM = re.compile(r"^theorem (\w+) : .* = (0x[0-9a-f]+) := by decide \+kernel$", re.M)


def numerals_in(text: str) -> dict[str, int]:
    """The numeral of each theorem in a certificate's text, by the theorem's name."""
    return {name: int(value, 16) for name, value in _THEOREM.findall(text)}


def _own(stage: Stage) -> Iterator[Routes]:
    bits = own_bits(stage)
    whole = range(1 << bits)
    answers = tuple(_answer(stage, own, UNCAUGHT) for own in whole)
    yield from Routes(stage, Space.OWN, bits, 0, answers).split(_CHUNK_BITS)


def _common(stage: Stage) -> Routes:
    answers = tuple(_answer(stage, 0, common) for common in range(1 << COMMON_BITS))
    return Routes(stage, Space.COMMON, COMMON_BITS, 0, answers)


def _answer(stage: Stage, own: int, common: int) -> int:
    case = case_at(stage, own, common)
    return _ROUTE_CODE[route(case.state, case.event)]


def _states(routes: Iterable[Routes], stage: Stage) -> States:
    """The state after the first case of every route that the stage has."""
    first: dict[int, tuple[int, int]] = {}
    for chunk in routes:
        if chunk.stage is stage:
            for index, code in enumerate(chunk.answers):
                first.setdefault(code, chunk.numbers(index))
    cases = tuple(first[code] for code in sorted(first))
    return States(stage, cases, tuple(_after(stage, *numbers) for numbers in cases))


def _after(stage: Stage, own: int, common: int) -> tuple[int, ...]:
    case = case_at(stage, own, common)
    return signature(step(case.state, case.event)[0])


_HEADER = """\
import AsiStackProofs.FastGenerationRefinement.Encoding

/-!
# The Python machine answers as the model does

Written by `genconform lean certificate` from the answers of the hand-written Python machine. Do not
edit. Each numeral is what that machine said about a whole table of cases; the kernel computes the
model's table and compares.

SHA-256 of all below this comment: {digest}
-/
"""


def _body(certificate: Certificate) -> Iterator[str]:
    yield "\nnamespace AsiStackProofs.FastGenerationRefinement.Agreement"
    yield "open Encoding"
    yield "\n/-! ## The names, in the same order -/\n"
    for kind, names in VOCABULARY.items():
        yield from _names(kind, names)
    yield "\n/-! ## What each stage asks for, bit by bit -/\n"
    for stage in Stage:
        yield from _asked(stage, [name for name in OWN_NAMES[stage] if name in BOOLEAN_NAMES])
    yield "\n/-! ## Routes: each stage's own space, then the common space at each stage -/\n"
    yield from map(theorem_text, certificate.routes)
    yield "\n/-! ## States after: one case for each route that a stage has -/\n"
    yield from map(theorem_text, certificate.states)
    yield "\nend AsiStackProofs.FastGenerationRefinement.Agreement"


def _names(kind: str, names: tuple[str, ...]) -> Iterator[str]:
    """That an enumeration has these constructors, so numbered, and no others."""
    numbers = f"digits (({_listed(names)} : List {kind}).map (·.ctorIdx))"
    order = f"{numeral(range(len(names))):#x}"
    none_above = f"Nat.ble x.ctorIdx {len(names) - 1} = true"
    yield f"theorem {NAMES}{kind} : {numbers} = {order} := by decide +kernel"
    yield f"theorem {NAMES}{kind}_no_others (x : {kind}) : {none_above} := by cases x <;> rfl"


def _asked(stage: Stage, names: list[str]) -> Iterator[str]:
    """That a stage asks for these fields, each at the bit of its place."""
    places = ", ".join(map(str, range(len(names))))
    yield f"theorem {NAMES}{stage} : asked .{stage} = {_listed(names)} := rfl"
    numbers = f"(asked .{stage}).map (place .{stage})"
    yield f"theorem {NAMES}{stage}_places : {numbers} = [{places}] := rfl"


def _listed(names: Iterable[str]) -> str:
    return f"[{', '.join(f'.{name}' for name in names)}]"
