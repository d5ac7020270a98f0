"""What checks put into their details for programs, as far as a report shows it.

A report may come from a file, with details of any shape. What does not fit is as good as absent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple, TypeVar

import msgspec
from msgspec import UNSET, Struct

from genconform.finding import CheckResult, Report

_T = TypeVar("_T")


class Place(NamedTuple):
    """One of the four places that hold the lifecycle, and how often each route was taken there.

    `hits` is None where the report does not say.
    """

    name: str
    unit: str
    hits: dict[str, int] | None

    def of(self, route: str) -> int | None:
        """How often a route was taken."""
        return None if self.hits is None else self.hits.get(route, 0)


class Event(Struct, frozen=True):
    """An event of a timeline; see `trace.timeline`."""

    kind: str
    before: str
    after: str
    route: str
    accepted: bool
    says: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()


class Tokens(Struct, frozen=True):
    """Tokens a step."""

    proposed: tuple[int, ...] = ()
    accepted: tuple[int, ...] = ()


class Timeline(Struct, frozen=True):
    """What happened in a run."""

    events: tuple[Event, ...]
    tokens: Tokens = Tokens()
    passes: dict[str, int] = {}
    seconds: dict[str, float] = {}


class Run(Struct, frozen=True):
    """A judged run of a trace."""

    id: str
    mode: str
    verdict: str
    stage: str
    routes: tuple[str, ...]
    timeline: Timeline | None = None


class Authored(Struct, frozen=True, rename="camel"):
    """An author's change: the rule that must catch it, and those that did."""

    id: str
    expected: str
    caught_by: tuple[str, ...]

    @property
    def caught(self) -> bool:
        """Whether the one rule that is named caught it."""
        return self.caught_by == (self.expected,)


class Mutant(Struct, frozen=True, rename="camel"):
    """A mutant of the table, and what became of it."""

    id: str
    outcome: str
    killed_by: str = ""
    expected: str = ""
    actual: str = ""
    cases_visited: int = 0


class RuleMutant(Struct, frozen=True):
    """A suite without one rule, and what then passes."""

    suite: str
    without: str
    passes: tuple[str, ...]


class Mutations(NamedTuple):
    """All mutations of a report."""

    authored: dict[str, tuple[Authored, ...]]
    table: tuple[Mutant, ...]
    rules: tuple[RuleMutant, ...]


def places(report: Report) -> tuple[Place, ...]:
    """Table, machine, Lean and run time, as far as the report has them."""
    by_id = {check.id: check for check in report.checks}
    counts = dict[str, int]
    table = _read(_details(by_id.get("lifecycle")).get("hits"), counts)
    engines = _read(_details(by_id.get("agreement")).get("hits"), dict[str, counts]) or {}
    lean = _read(_details(by_id.get("lean")).get("hits"), counts)
    ran = Counter(route for _, each in runs(report) for route in each.routes)
    return (
        Place("table", "cases of the whole space", table),
        Place("machine", "cases of the whole space", engines.get("machine")),
        Place("Lean", "cases of the certificate", lean),
        Place("run time", "events of recorded runs", dict(ran) or None),
    )


def shortest_runs(report: Report) -> dict[str, int]:
    """The events of a shortest run to each route."""
    for check in report.checks:
        if check.id == "lifecycle":
            return _read(_details(check).get("shortestRuns"), dict[str, int]) or {}
    return {}


def runs(report: Report) -> Iterator[tuple[str, Run]]:
    """Every judged run, with the id of its check, which for a trace is its file."""
    for check in report.checks:
        for value in _listed(_details(check).get("runs")):
            run = _read(value, Run)
            if run is not None:
                yield check.id, run


def mutations(report: Report) -> Mutations:
    """The rows of every suite of mutations."""
    authored: dict[str, tuple[Authored, ...]] = {}
    table: list[Mutant] = []
    rules: list[RuleMutant] = []
    for name, details in _suites(report):
        rows = _rows(details.get("mutations"), Authored)
        if rows:
            authored[name] = rows
        table += _rows(details.get("mutants"), Mutant)
        rules += _rows(details.get("mutants"), RuleMutant)
    return Mutations(authored, tuple(table), tuple(rules))


def files(report: Report) -> dict[str, str]:
    """The bound files, each with its digest."""
    for check in report.checks:
        if check.id == "digests":
            return _read(_details(check).get("files"), dict[str, str]) or {}
    return {}


def _suites(report: Report) -> Iterator[tuple[str, dict[str, Any]]]:
    """Suites of mutations: each a check of its own, or all within the check `mutations`."""
    for check in report.checks:
        details = _details(check)
        if check.id == "mutations":
            yield from ((name, each) for name, each in details.items() if isinstance(each, dict))
        else:
            yield check.id, details


def _rows(value: object, row: type[_T]) -> tuple[_T, ...]:
    read = (_read(each, row) for each in _listed(value))
    return tuple(each for each in read if each is not None)


def _details(check: CheckResult | None) -> dict[str, Any]:
    return {} if check is None or check.details is UNSET else check.details


def _listed(value: object) -> list[object]:
    return list(value) if isinstance(value, list | tuple) else []


def _read(value: object, into: type[_T]) -> _T | None:
    try:
        return msgspec.convert(value, into)
    except msgspec.ValidationError:
        return None
