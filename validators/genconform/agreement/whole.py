"""Agreement on the whole input space: every combination of every stage, states after included."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from genconform.agreement.engines import (
    ROUTE_DIFFERS,
    RULES,
    STATE_DIFFERS,
    UNMET_DIFFERS,
    Engines,
    engines_of,
)
from genconform.lifecycle.bulk import NO_CODE
from genconform.lifecycle.packet import Stage, State
from genconform.lifecycle.space import StageSpace, space_of, spaces
from genconform.processes import in_processes
from genconform.spec.table import Table

ENGINES = ("table", "machine", "bulk")
_SLICE = 1 << 15


@dataclass(frozen=True)
class Part:
    """The combinations of a stage from `start` up to but not with `stop`."""

    stage: str
    start: int
    stop: int

    def __len__(self) -> int:
        return self.stop - self.start


@dataclass(frozen=True)
class Disagreement:
    """A rule that some cases of a stage break: how many, and the number of the smallest.

    Smallest is the one with the fewest booleans that are not as in the stage's plain combination.
    """

    rule: str
    stage: str
    cases: int
    smallest: int


@dataclass(frozen=True)
class Visited:
    """What came of visiting cases: where the engines differ, and how often each took each route.

    `hits` is by engine, then by route; routes that were not taken are left out.
    """

    disagreements: tuple[Disagreement, ...] = ()
    hits: dict[str, Counter[str]] = field(
        default_factory=lambda: {engine: Counter() for engine in ENGINES}
    )

    def __add__(self, other: Visited) -> Visited:
        return Visited(
            self.disagreements + other.disagreements,
            {engine: self.hits[engine] + other.hits[engine] for engine in ENGINES},
        )


def parts() -> tuple[Part, ...]:
    """The whole space in parts of work, the largest stage first."""
    return tuple(
        Part(space.stage, start, min(start + _SLICE, space.size))
        for space in sorted(spaces(), key=len, reverse=True)
        for start in range(0, space.size, _SLICE)
    )


def visit_all(table: Table, jobs: int = 1) -> Visited:
    """Compare the engines on every part, in up to `jobs` processes; one result a rule and stage."""
    if jobs <= 1:
        engines = engines_of(table)
        visited = [visit_part(engines, part) for part in parts()]
    else:
        work = in_processes(jobs, _visit_prepared, parts(), prepare=_prepare, given=(table,))
        with closing(work):
            done = {part: future.result() for part, future in work}
        visited = [done[part] for part in parts()]
    whole = sum(visited, Visited())
    return Visited(merged(whole.disagreements), whole.hits)


def compare_all(table: Table, jobs: int = 1) -> tuple[Disagreement, ...]:
    """Where the engines differ on the whole space."""
    return visit_all(table, jobs).disagreements


def merged(found: Iterable[Disagreement]) -> tuple[Disagreement, ...]:
    """One disagreement for each rule and stage, in the order of the stages."""
    together: dict[tuple[str, str], Disagreement] = {}
    for one in found:
        key = one.rule, one.stage
        before = together.get(key, one)
        cases = one.cases + (before.cases if key in together else 0)
        smallest = _smallest(space_of(one.stage), np.array([before.smallest, one.smallest]))
        together[key] = Disagreement(one.rule, one.stage, cases, smallest)
    stages = list(Stage)
    return tuple(
        sorted(together.values(), key=lambda one: (stages.index(Stage(one.stage)), one.rule))
    )


def compare_part(engines: Engines, part: Part) -> list[Disagreement]:
    """Where the engines differ on one part of the space."""
    return list(visit_part(engines, part).disagreements)


def visit_part(engines: Engines, part: Part) -> Visited:
    """Compare the engines on one part of the space."""
    seen = _Seen(engines, part)
    for index in range(part.start, part.stop):
        seen.visit(index)
    disagreements = tuple(
        Disagreement(rule, part.stage, len(cases), _smallest(space_of(part.stage), cases))
        for rule, cases in seen.broken().items()
        if len(cases)
    )
    return Visited(disagreements, seen.hits())


class _Seen:
    """What machine and table said of each case of a part, to be compared with the bulk engine."""

    def __init__(self, engines: Engines, part: Part) -> None:
        self._engines, self._part, self._space = engines, part, space_of(part.stage)
        self._code = {route: code for code, route in enumerate(engines.bulk.routes)}
        self._codes = np.full(len(part), NO_CODE, np.uint8)
        self._table_codes = np.full(len(part), NO_CODE, np.uint8)
        self._moved: dict[int, State] = {}
        self._broken_by: dict[str, list[int]] = {rule: [] for rule in RULES}

    def visit(self, index: int) -> None:
        """Ask machine and table about one case, and compare what they say."""
        case = self._space.case(index)
        state, event = case.state, case.event
        after, route = self._engines.machine.step(state, event)
        table_after, table_route, table_unmet = self._engines.table.step_and_unmet(state, event)
        if route != table_route:
            self._broken_by[ROUTE_DIFFERS].append(index)
        if after != table_after:
            self._broken_by[STATE_DIFFERS].append(index)
        if self._engines.machine.unmet(state, event) != table_unmet:
            self._broken_by[UNMET_DIFFERS].append(index)
        place = index - self._part.start
        self._codes[place] = self._code.get(route, NO_CODE)
        self._table_codes[place] = self._code.get(table_route, NO_CODE)
        if after is not state:
            self._moved[index] = after

    def broken(self) -> dict[str, NDArray[np.intp]]:
        """The cases that break each rule, once the bulk engine is compared too."""
        stage, within = self._part.stage, slice(self._part.start, self._part.stop)
        codes = self._engines.bulk.codes(stage)[within]
        consumes = self._engines.bulk.after(stage, within).consumes
        broken = {rule: set(cases) for rule, cases in self._broken_by.items()}
        broken[ROUTE_DIFFERS].update((np.flatnonzero(codes != self._codes) + within.start).tolist())
        # Where neither moves, both leave the state as it was.
        moving = {*self._moved, *(np.flatnonzero(consumes) + within.start).tolist()}
        broken[STATE_DIFFERS].update(index for index in moving if self._bulk_differs(index))
        return {rule: np.array(sorted(cases), np.intp) for rule, cases in broken.items()}

    def hits(self) -> dict[str, Counter[str]]:
        """How often each engine took each route."""
        within = slice(self._part.start, self._part.stop)
        of_bulk = self._engines.bulk.codes(self._part.stage)[within]
        by_engine = zip(ENGINES, (self._table_codes, self._codes, of_bulk), strict=True)
        return {engine: self._counted(codes) for engine, codes in by_engine}

    def _counted(self, codes: NDArray[np.uint8]) -> Counter[str]:
        counts = np.bincount(codes, minlength=len(self._code)).tolist()
        routes = self._engines.bulk.routes  # what has no code stands behind them
        return Counter(
            {route: count for route, count in zip(routes, counts, strict=False) if count}
        )

    def _bulk_differs(self, index: int) -> bool:
        """Whether the bulk engine leaves another state than the machine."""
        case = self._space.case(index)
        return self._engines.in_bulk(case).after != self._moved.get(index, case.state)


def _smallest(space: StageSpace, cases: NDArray[np.intp]) -> int:
    distance = np.bitwise_count(cases ^ space.plain)
    return int(cases[np.lexsort((cases, distance))[0]])


_PREPARED: list[Engines] = []


def _prepare(table: Table) -> None:
    _PREPARED[:] = [engines_of(table)]


def _visit_prepared(part: Part) -> Visited:
    return visit_part(_PREPARED[0], part)
