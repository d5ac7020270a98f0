"""Suites of records: one typed document a fixture, and one small named rule an obligation.

A rule reads a record that has the right shape and yields what is wrong with it. Rules can be
listed and left out one by one, so that a test can show that none of them is idle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from math import isclose
from typing import Annotated, Any, Generic, TypeVar

from msgspec import Meta, Struct

from genconform.document import decode
from genconform.finding import Finding, Level
from genconform.suites import Fixture
from genconform.tree import Tree

Text = Annotated[str, Meta(min_length=1)]
Digest = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
Count = Annotated[int, Meta(ge=0, le=2**53 - 1)]
Seconds = Annotated[float, Meta(ge=0)]
Share = Annotated[float, Meta(ge=0, le=1)]
Rate = Annotated[float, Meta(ge=0)]

TOLERANCE = 1e-6
"""Absolute and relative; times and rates are written with six digits behind the point."""


class Record(Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """Base of every object in a record: frozen, camelCase, without unknown fields."""


class Fault(Struct, frozen=True):
    """What a rule found: where in the record, what is wrong, what should be there."""

    pointer: str
    message: str
    expected: Any = None
    actual: Any = None


_R = TypeVar("_R")
Rule = Callable[[_R], Iterable[Fault]]


class RecordRules(Generic[_R]):
    """The rules over one type of record, by id."""

    def __init__(self, record: type[_R], rules: Mapping[str, Rule[_R]] | None = None) -> None:
        self.record = record
        self._rules = dict(rules or {})

    def rule(self, id_: str) -> Callable[[Rule[_R]], Rule[_R]]:
        """Register the decorated function as the rule of this id, which is in spec/rules.yaml."""

        def register(rule: Rule[_R]) -> Rule[_R]:
            self._rules[id_] = rule
            return rule

        return register

    @property
    def ids(self) -> tuple[str, ...]:
        """Every rule's id, in the order of the module."""
        return tuple(self._rules)

    def without(self, id_: str) -> RecordRules[_R]:
        """All rules but one."""
        kept = {name: rule for name, rule in self._rules.items() if name != id_}
        return RecordRules(self.record, kept)

    def faults(self, record: _R) -> Iterator[tuple[str, Fault]]:
        """Everything that is wrong with a record, and the rule that says so."""
        for id_, rule in self._rules.items():
            for fault in rule(record):
                yield id_, fault

    def judge(self, fixture: Fixture, _: Tree) -> Iterator[Finding]:
        """Judge a fixture, as a `Suite` asks for it.

        Raises:
            MalformedInput: it is no record of this type.
        """
        for id_, fault in self.faults(decode(fixture.document, self.record)):
            place = fixture.document.location(fault.pointer)
            yield Finding(id_, Level.ERROR, fault.message, place, fault.expected, fault.actual)


def unequal(pointer: str, actual: Any, expected: Any, message: str) -> Iterator[Fault]:
    """A fault unless two values are the same; numbers with a point may be off by TOLERANCE."""
    numbers = isinstance(actual, float) and isinstance(expected, int | float)
    same = (
        isclose(actual, expected, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
        if numbers
        else actual == expected
    )
    if not same:
        yield Fault(pointer, message, expected, actual)


def unless(holds: bool, pointer: str, message: str, expected: Any, actual: Any) -> Iterator[Fault]:
    """A fault unless something holds."""
    if not holds:
        yield Fault(pointer, message, expected, actual)


def ratio(numerator: float, denominator: float) -> float:
    """A quotient that is 0 where nothing is there to divide by."""
    return numerator / denominator if denominator else 0.0
