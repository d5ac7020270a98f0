"""Agreement on the whole input space: every combination of every stage, states after included."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context

import numpy as np
from msgspec.structs import astuple
from numpy.typing import NDArray

from genconform.agreement.engines import (
    ROUTE_DIFFERS,
    STATE_DIFFERS,
    UNMET_DIFFERS,
    Engines,
    engines_of,
)
from genconform.lifecycle.bulk import NO_CODE, After
from genconform.lifecycle.packet import Case, Counters, Stage, State
from genconform.lifecycle.space import StageSpace, space_of, spaces
from genconform.spec.table import Table

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


def parts() -> tuple[Part, ...]:
    """The whole space in parts of work, the largest stage first."""
    return tuple(
        Part(space.stage, start, min(start + _SLICE, space.size))
        for space in sorted(spaces(), key=len, reverse=True)
        for start in range(0, space.size, _SLICE)
    )


def compare_all(table: Table, jobs: int = 1) -> tuple[Disagreement, ...]:
    """Compare the engines on every part, in up to `jobs` processes; one result a rule and stage."""
    if jobs <= 1:
        engines = engines_of(table)
        return merged(found for part in parts() for found in compare_part(engines, part))
    with ProcessPoolExecutor(
        jobs, mp_context=get_context("spawn"), initializer=_prepare, initargs=(table,)
    ) as pool:
        return merged(found for one in pool.map(_compare_prepared, parts()) for found in one)


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
    """Compare the engines on one part of the space."""
    seen = _Seen(engines, part)
    for number in range(len(part)):
        seen.visit(number)
    space = space_of(part.stage)
    return [
        Disagreement(rule, part.stage, len(numbers), _smallest(space, numbers + part.start))
        for rule, numbers in seen.differing().items()
        if len(numbers)
    ]


class _Seen:
    """What machine and table said of each case of a part, to be compared with the bulk engine."""

    def __init__(self, engines: Engines, part: Part) -> None:
        self._space, self._part = space_of(part.stage), part
        self._step, self._unmet = engines.machine.step, engines.machine.unmet
        self._step_and_unmet = engines.table.step_and_unmet
        self._bulk = engines.bulk
        self._code = {route: code for code, route in enumerate(engines.bulk.routes)}
        self._codes = np.full(len(part), NO_CODE, np.uint8)
        self._moved: dict[int, tuple[Case, State]] = {}
        self._numbers: dict[str, list[int]] = {
            rule: [] for rule in (ROUTE_DIFFERS, STATE_DIFFERS, UNMET_DIFFERS)
        }

    def visit(self, number: int) -> None:
        """Ask machine and table about one case, and compare what they say."""
        case = self._space.case(self._part.start + number)
        state, event = case.state, case.event
        after, route = self._step(state, event)
        table_after, table_route, table_unmet = self._step_and_unmet(state, event)
        if route != table_route:
            self._numbers[ROUTE_DIFFERS].append(number)
        if after != table_after:
            self._numbers[STATE_DIFFERS].append(number)
        if self._unmet(state, event) != table_unmet:
            self._numbers[UNMET_DIFFERS].append(number)
        self._codes[number] = self._code.get(route, NO_CODE)
        if after is not state:
            self._moved[number] = case, after

    def differing(self) -> dict[str, NDArray[np.intp]]:
        """The cases that break each rule, with the bulk engine compared too."""
        within = slice(self._part.start, self._part.stop)
        by_bulk = {
            ROUTE_DIFFERS: self._codes != self._bulk.codes(self._part.stage)[within],
            STATE_DIFFERS: self._moved_otherwise(self._bulk.after(self._part.stage, within)),
        }
        return {
            rule: np.union1d(np.array(numbers, np.intp), np.flatnonzero(by_bulk.get(rule, [])))
            for rule, numbers in self._numbers.items()
        }

    def _moved_otherwise(self, bulk: After) -> NDArray[np.bool_]:
        """Where the machine's state after is not the one that the bulk engine gives."""
        stage = np.full(len(self._part), list(Stage).index(self._space.stage), np.uint8)
        counters = np.zeros((len(self._part), len(Counters.__struct_fields__)), np.int64)
        consumed = np.zeros(len(self._part), np.bool_)
        kept = np.ones(len(self._part), np.bool_)
        for number, (case, after) in self._moved.items():
            state, digest = case.state, case.event.packet.event_digest
            stage[number] = list(Stage).index(after.stage)
            counters[number] = np.subtract(astuple(after.counters), astuple(state.counters))
            consumed[number] = after.consumed_event_digests != state.consumed_event_digests
            expected = (*state.consumed_event_digests, *((digest,) if consumed[number] else ()))
            kept[number] = (after.identity, after.consumed_event_digests) == (
                state.identity,
                expected,
            )
        differs: NDArray[np.bool_] = (
            (stage != bulk.stage)
            | (counters != bulk.counters).any(axis=1)
            | (consumed != bulk.consumes)
            | ~kept
        )
        return differs


def _smallest(space: StageSpace, numbers: NDArray[np.intp]) -> int:
    distance = np.bitwise_count(numbers ^ space.plain)
    return int(numbers[np.lexsort((numbers, distance))[0]])


_PREPARED: list[Engines] = []


def _prepare(table: Table) -> None:
    _PREPARED[:] = [engines_of(table)]


def _compare_prepared(part: Part) -> list[Disagreement]:
    return compare_part(_PREPARED[0], part)
