"""Whether a mutant is the same lifecycle after all: a proof by visiting all cases, or a difference.

What a step does depends on its input through the booleans of the packet and a few facts, and the
space of these is visited whole, states after included. Two things stand before that space:

* Facts are computed from identity values and the event's kind. For these, every set of values
  that differ and every kind is tried, and the rows of the space that the table and the mutant then
  look at are compared with each other.
* Whether a digest is fresh is computed from the events before. It depends only on which of them
  had that digest, so every run of the lifecycle is walked, with a rejected attempt before each
  accepted event, and at every stage the digest of every earlier event is tried again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations, product
from typing import NamedTuple

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from genconform.lifecycle.bulk import Outcome, StageOutcomes, stage_outcomes
from genconform.lifecycle.packet import (
    IDENTITY_NAMES,
    NO_COUNTS,
    Event,
    EventKind,
    Stage,
    State,
)
from genconform.lifecycle.space import COMMON_NAMES, IDENTITY, space_of
from genconform.mutation.operators import Mutant
from genconform.mutation.variant import FAITHFUL, Variant
from genconform.spec.table import Table

_COMPUTED = COMMON_NAMES[:5]
_DIRECT = COMMON_NAMES[5:]


@dataclass(frozen=True)
class Proof:
    """That a mutant is equivalent: this many cases were visited, and all came out the same."""

    cases: int


@dataclass(frozen=True)
class Origin:
    """What an event is made of besides booleans: its kind, and the identity values that differ."""

    kind: str
    substituted: tuple[str, ...]


@dataclass(frozen=True)
class SpaceDifference:
    """Some of the cases of a stage that a mutant decides otherwise.

    All have the same `origin`, and the same values of `direct`, which are digestFresh and
    externalEffectRequested. `own`, intp (n,), holds the numbers of the cases in the space of the
    stage's own booleans; `expected` and `actual`, uint8 (n,), the places of both in `outcomes`.
    """

    stage: str
    origin: Origin
    direct: dict[str, bool]
    own: NDArray[np.intp]
    expected: NDArray[np.uint8]
    actual: NDArray[np.uint8]
    outcomes: tuple[Outcome, ...]

    def both(self, place: int) -> tuple[Outcome, Outcome]:
        """The outcome that the table gives the case at a place of `own`, and the mutant's."""
        return self.outcomes[self.expected[place]], self.outcomes[self.actual[place]]


@dataclass(frozen=True)
class MemoryDifference:
    """An event that a mutant decides otherwise for its digest, and both routes.

    The event at `stage` has the digest of the event that `earlier` tells of. The same route twice
    means that the states after differ.
    """

    stage: str
    earlier: str
    expected: str
    actual: str


Difference = tuple[SpaceDifference, ...] | MemoryDifference


def prove(table: Table, mutant: Mutant) -> Proof | Difference:
    """Visit everything that a mutant could decide otherwise: a proof, or all that differs."""
    visited = 0
    for stage in [mutant.stage] if mutant.stage else [row.name for row in table.stages]:
        differences = tuple(_space_differences(table, mutant.table, stage))
        if differences:
            return differences
        visited += space_of(stage).size
    if mutant.semantics == FAITHFUL:
        return Proof(visited)
    remembered = _memory(table, mutant)
    return Proof(visited + remembered) if isinstance(remembered, int) else remembered


def _space_differences(table: Table, mutated: Table, stage: str) -> Iterator[SpaceDifference]:
    ours, theirs = stage_outcomes(table, stage), stage_outcomes(mutated, stage)
    outcomes = tuple(dict.fromkeys((*ours.outcomes, *theirs.outcomes)))
    grids = [_grid(one, outcomes) for one in (ours, theirs)]
    facts = _origins(_facts(table, stage), _facts(mutated, stage))
    for (our_facts, their_facts), origin in facts.items():
        for direct in product((True, False), repeat=len(_DIRECT)):
            above = _number(direct) << len(_COMPUTED)
            expected = grids[0][our_facts | above]
            actual = grids[1][their_facts | above]
            own = np.flatnonzero(expected != actual)
            if own.size:
                values = dict(zip(_DIRECT, direct, strict=True))
                yield SpaceDifference(
                    stage, origin, values, own, expected[own], actual[own], outcomes
                )


def _grid(one: StageOutcomes, outcomes: tuple[Outcome, ...]) -> NDArray[np.uint8]:
    """The place in `outcomes` of each case, a row for each combination of the common booleans."""
    place = {outcome: number for number, outcome in enumerate(outcomes)}
    shared = np.array([place[outcome] for outcome in one.outcomes], np.uint8)
    return shared[one.codes].reshape(1 << len(COMMON_NAMES), -1)


class _Facts(NamedTuple):
    """How a table computes facts at a stage: the stage's kind of event, and what is compared."""

    kind: str
    compares: tuple[frozenset[str], ...]

    def matching(self, substituted: tuple[str, ...]) -> int:
        """Which groups of identity values match, bit i + 1 that of the i-th group."""
        return _number(compared.isdisjoint(substituted) for compared in self.compares) << 1


def _facts(table: Table, stage: str) -> _Facts:
    compares = {fact.name: frozenset(fact.compares) for fact in table.facts}
    return _Facts(table.row(stage).event, tuple(compares[name] for name in _COMPUTED[1:]))


@lru_cache(maxsize=64)
def _origins(ours: _Facts, theirs: _Facts) -> dict[tuple[int, int], Origin]:
    """Every pair of what the two sides compute, with the smallest input that gives it."""
    kinds: dict[tuple[bool, bool], str] = {}
    for kind in sorted(EventKind, key=lambda kind: kind != ours.kind):
        kinds.setdefault((kind == ours.kind, kind == theirs.kind), kind.value)
    values: dict[tuple[int, int], tuple[str, ...]] = {}
    for size in range(len(IDENTITY_NAMES) + 1):
        for substituted in combinations(IDENTITY_NAMES, size):
            pair = (ours.matching(substituted), theirs.matching(substituted))
            values.setdefault(pair, substituted)
    return {
        (matching[0] | of_kind[0], matching[1] | of_kind[1]): Origin(kind, substituted)
        for matching, substituted in values.items()
        for of_kind, kind in kinds.items()
    }


def _number(bits: Iterable[bool]) -> int:
    return sum(bit << place for place, bit in enumerate(bits))


def _memory(table: Table, mutant: Mutant) -> int | MemoryDifference:
    """How many steps came out the same, of all runs in which a digest is used again.

    A difference in the route is given before one in the state after, which routes may not show.
    """
    walks = [_Walk(Variant(table), mutant.variant, run) for run in _accepted_runs(table)]
    differences = [difference for walk in walks for difference in walk.differences]
    if not differences:
        return sum(walk.steps for walk in walks)
    return min(differences, key=lambda one: one.actual == one.expected)


def _accepted_runs(table: Table) -> Iterator[tuple[Event, ...]]:
    """An event for each accepting line of each stage, in every combination, and one too many."""
    ways = [_accepted_events(table, stage) for stage in Stage if stage is not Stage.CLOSED]
    for run in product(*ways):
        yield (*run, run[-1])


def _accepted_events(table: Table, stage: Stage) -> list[Event]:
    outcomes = stage_outcomes(table, stage)
    codes = outcomes.codes.reshape(1 << len(COMMON_NAMES), -1)
    nothing_wrong = _number(name != "externalEffectRequested" for name in COMMON_NAMES)
    events = []
    for code in np.unique(codes[nothing_wrong]):
        if outcomes.outcomes[code].consumes:
            # The last such combination is accepted whether or not a fallback was activated.
            own = int(np.flatnonzero(codes[nothing_wrong] == code)[-1])
            case = space_of(stage).case(nothing_wrong * codes.shape[1] + own)
            events.append(case.event)
    return events


class _Walk:
    """One run of two variants, side by side, from the start.

    At each stage both are sent an event that is rejected, then one with each digest used before,
    then the one that moves on. Only the last changes the states from which they go on.
    """

    def __init__(self, ours: Variant, theirs: Variant, run: tuple[Event, ...]) -> None:
        start = State(Stage.REQUESTED, IDENTITY, (), NO_COUNTS)
        self.steps = 0
        self.differences: list[MemoryDifference] = []
        self._variants = (ours, theirs)
        self._states = (start, start)
        used: list[str] = []
        for event in run:
            stage = self._states[0].stage
            leak = replace(event, packet=replace(event.packet, external_effect_requested=True))
            used.append(f"the rejected event at {stage}")
            self._states = self._step(leak, used[-1])
            for digest in used:
                self._step(event, digest)
            used.append(f"the event that left {stage}")
            self._states = self._step(event, used[-1])

    def _step(self, event: Event, digest: str) -> tuple[State, State]:
        """The states after an event with this digest, noting a difference."""
        self.steps += 1
        sent = replace(event, packet=replace(event.packet, event_digest=digest))
        (our_state, ours), (their_state, theirs) = (
            variant.step(state, sent)
            for variant, state in zip(self._variants, self._states, strict=True)
        )
        if (our_state, ours) != (their_state, theirs):
            difference = MemoryDifference(self._states[0].stage, digest, ours, theirs)
            self.differences.append(difference)
        return our_state, their_state
