"""Suites of records: one typed document a fixture, and one small named rule an obligation.

A rule reads a record that has the right shape and yields what is wrong with it. Rules can be
listed and left out one by one, so that a test can show that none of them is idle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import isclose
from typing import Annotated, Any, Generic, NamedTuple, TypeVar

from msgspec import UNSET, Meta, Struct, UnsetType, convert

from genconform.document import Document, decode
from genconform.errors import MalformedInput
from genconform.finding import Finding, Level
from genconform.mutation.author import Mutation, Unfit, form_faults
from genconform.suites import INVALID, VALID, Fixture, Suite, changed_document
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


class Placed(NamedTuple, Generic[_R]):
    """A record, the document that it was read from, and the tree that it stands in."""

    record: _R
    document: Document
    tree: Tree


PlacedRule = Callable[[Placed[_R]], Iterable[Fault]]


class RecordRules(Generic[_R]):
    """The rules over one type of record, by id.

    Most rules see the record alone. Those that compare it with other files of the tree are placed.
    """

    def __init__(
        self,
        record: type[_R],
        rules: Mapping[str, Rule[_R]] | None = None,
        placed: Mapping[str, PlacedRule[_R]] | None = None,
    ) -> None:
        self.record = record
        self._rules = dict(rules or {})
        self._placed = dict(placed or {})

    def rule(self, id_: str) -> Callable[[Rule[_R]], Rule[_R]]:
        """Register the decorated function as the rule of this id, which is in spec/rules.yaml."""

        def register(rule: Rule[_R]) -> Rule[_R]:
            self._rules[id_] = rule
            return rule

        return register

    def placed(self, id_: str) -> Callable[[PlacedRule[_R]], PlacedRule[_R]]:
        """Register a rule that also sees the document and the tree."""

        def register(rule: PlacedRule[_R]) -> PlacedRule[_R]:
            self._placed[id_] = rule
            return rule

        return register

    @property
    def ids(self) -> tuple[str, ...]:
        """Every rule's id, those that see the record alone first."""
        return (*self._rules, *self._placed)

    @property
    def meanings(self) -> dict[str, str]:
        """What each rule asks, as its function says."""
        every = {**self._rules, **self._placed}
        return {id_: " ".join((rule.__doc__ or "").split()) for id_, rule in every.items()}

    def without(self, id_: str) -> RecordRules[_R]:
        """All rules but one."""
        kept = {name: rule for name, rule in self._rules.items() if name != id_}
        placed = {name: rule for name, rule in self._placed.items() if name != id_}
        return RecordRules(self.record, kept, placed)

    def faults(self, record: _R) -> Iterator[tuple[str, Fault]]:
        """What the rules that see the record alone find, and which rule says so."""
        for id_, rule in self._rules.items():
            for fault in rule(record):
                yield id_, fault

    def suite(
        self,
        name: str,
        summary: str,
        *,
        free: Mapping[str, str] | None = None,
        carries: Callable[[_R], dict[str, Any]] = lambda _: {},
    ) -> RecordSuite[_R]:
        """The suite that holds its records to these rules."""
        return RecordSuite(
            name, summary, self.judge, rules=self, free=dict(free or {}), carries=carries
        )

    def judge(self, fixture: Fixture, tree: Tree) -> Iterator[Finding]:
        """Judge a fixture, as a `Suite` asks for it.

        Raises:
            MalformedInput: it is no record of this type.
        """
        record = decode(fixture.document, self.record)
        placed = Placed(record, fixture.document, tree)
        for id_, rule in self._placed.items():
            for fault in rule(placed):
                yield _finding(id_, fault, fixture)
        for id_, fault in self.faults(record):
            yield _finding(id_, fault, fixture)


def _finding(id_: str, fault: Fault, fixture: Fixture) -> Finding:
    place = fixture.document.location(fault.pointer)
    return Finding(id_, Level.ERROR, fault.message, place, fault.expected, fault.actual)


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


def unequal_fields(
    pointer: str, actual: Struct, expected: Mapping[str, Any], message: str
) -> Iterator[Fault]:
    """A fault for each field of a struct that is not as expected.

    `pointer` is the struct's own; `expected` gives values by the names of fields in Python, of
    those fields that are to be compared.
    """
    in_file = dict(names(type(actual)))
    for name, value in expected.items():
        yield from unequal(f"{pointer}/{in_file[name]}", getattr(actual, name), value, message)


def unless(holds: bool, pointer: str, message: str, expected: Any, actual: Any) -> Iterator[Fault]:
    """A fault unless something holds."""
    if not holds:
        yield Fault(pointer, message, expected, actual)


def in_spite_of(
    ground: str, grounds: Callable[[_R], Mapping[str, Fault]], done: Callable[[_R], bool]
) -> Rule[_R]:
    """The rule that nothing is done against which there is this ground: its fault is found.

    `grounds` gives the fault of each ground that a record has, `done` says whether it does it.
    """

    def rule(record: _R) -> Iterator[Fault]:
        fault = grounds(record).get(ground) if done(record) else None
        if fault is not None:
            yield fault

    return rule


def names(record: type[Struct]) -> tuple[tuple[str, str], ...]:
    """Each field of a record: its name in Python, and in a file."""
    return tuple(zip(record.__struct_fields__, record.__struct_encode_fields__, strict=True))


def ratio(numerator: float, denominator: float) -> float:
    """A quotient that is 0 where nothing is there to divide by."""
    return numerator / denominator if denominator else 0.0


CHANGE = ".change.yaml"


class _Change(Struct, frozen=True, forbid_unknown_fields=True):
    """The content of an expected-invalid fixture that is a change of a valid one.

    The fields are those of a mutation; the name of the file says what must catch it.
    """

    base: str
    set: dict[str, Any] = {}
    pointer: str | UnsetType = UNSET
    value: Any = UNSET
    remove: bool = False
    why: str = ""


def changed_record(fixture: Fixture, mutation: Mutation) -> Fixture:
    """A record changed at a mutation's `pointer`, or at each pointer under its `set`.

    Raises:
        Unfit: the mutation cannot be made on this record.
    """
    if not mutation.set:
        return changed_document(fixture, mutation)
    for pointer, value in mutation.set.items():
        one = Mutation(mutation.id, mutation.base, mutation.expect, pointer=pointer, value=value)
        fixture = changed_document(fixture, one)
    return fixture


@dataclass(frozen=True, kw_only=True)
class RecordSuite(Suite, Generic[_R]):
    """A suite of records, which can be asked for its rules.

    A file in invalid/ that ends in `.change.yaml` is a valid fixture with values at JSON pointers
    set anew or removed.

    Attributes:
        rules: the rules over its records.
        free: pointers, `*` for any one step, that no rule binds, each with the reason why not.
        carries: what a valid record comes to that others may count or read, by name.
    """

    change: Callable[[Fixture, Mutation], Fixture] = changed_record
    rules: RecordRules[_R]
    free: Mapping[str, str] = field(default_factory=dict)
    carries: Callable[[_R], dict[str, Any]] = lambda _: {}

    def without(self, rule: str) -> RecordSuite[_R]:
        """This suite with one rule left out."""
        kept = self.rules.without(rule)
        return replace(self, rules=kept, judge=kept.judge)

    def carried(self, fixture: Fixture) -> dict[str, Any]:
        """What `carries` says of a valid fixture."""
        return self.carries(decode(fixture.document, self.rules.record))

    def fixtures(self, tree: Tree, kind: str) -> list[Fixture]:
        """The fixtures in a folder, by name; changes are made as far as they can be."""
        found = super().fixtures(tree, kind)
        if kind != INVALID:
            return found
        bases = {fixture.stem: fixture for fixture in super().fixtures(tree, VALID)}
        return [_made(one, bases) if one.name.endswith(CHANGE) else one for one in found]


def _made(fixture: Fixture, bases: Mapping[str, Fixture]) -> Fixture:
    """The fixture whose content is that of its base, changed; or with why it cannot be made."""
    try:
        content = _changed_base(fixture.document, bases)
    except MalformedInput as fault:
        return replace(fixture, unmade=fault)
    return replace(fixture, changed=Document(fixture.name, content, {}))


def _changed_base(document: Document, bases: Mapping[str, Fixture]) -> Any:
    """The content of a base after the change that a document asks for.

    Raises:
        MalformedInput: it asks for none, the base is not there or malformed, or it cannot be made.
            The place is always one of the document.
    """
    change = decode(document, _Change)
    if change.base not in bases:
        raise MalformedInput(
            "there is no such valid fixture",
            location=document.location("/base"),
            expected="one of " + ", ".join(bases),
            actual=change.base,
        )
    mutation = convert({"id": "change", "expect": "", **document.value}, Mutation)
    try:
        for unfit in form_faults(mutation):
            raise unfit
        return changed_record(bases[change.base], mutation).document.value
    except Unfit as unfit:
        raise MalformedInput(
            unfit.message,
            location=document.location(unfit.field),
            expected=unfit.expected,
            actual=unfit.actual,
        ) from unfit
    except MalformedInput as fault:
        raise MalformedInput(
            f"the base is malformed: {fault.message}",
            location=document.location("/base"),
            actual=change.base,
        ) from fault
