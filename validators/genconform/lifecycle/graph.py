"""The lifecycle as a graph: what can be reached, what cannot be left, and a run to each route.

Two graphs. The picture has a node a stage and an edge a line. A search needs more: whether a
fallback was activated, and whether any digest was consumed yet, decide which routes can be taken;
its nodes are situations.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import msgspec
import networkx as nx
import numpy as np
from numpy.typing import NDArray

from genconform.lifecycle.bulk import Outcome, StageOutcomes, stage_outcomes
from genconform.lifecycle.packet import (
    BOOLEAN_NAMES,
    NO_COUNTS,
    Case,
    Event,
    EventKind,
    Packet,
    Stage,
    State,
)
from genconform.lifecycle.space import IDENTITY, KIND_OF, StageSpace, space_of
from genconform.lifecycle.table_engine import TableEngine
from genconform.spec.table import Table


class Situation(NamedTuple):
    """A stage, and what else of a state decides which routes can be taken."""

    stage: str
    fallback_activated: bool
    consumed_any: bool


START = Situation(Stage.REQUESTED, False, False)


class Way(NamedTuple):
    """A route that can be taken in a situation: its outcome, and the smallest combination."""

    outcome: Outcome
    combination: int


@dataclass(frozen=True)
class Witness:
    """A shortest run from the first stage whose last event takes the route."""

    route: str
    cases: tuple[Case, ...]


def picture(table: Table) -> nx.MultiDiGraph:
    """A node a stage, an edge a line: rejections lead back, with `accepts` false."""
    graph = nx.MultiDiGraph()
    graph.add_nodes_from(row.name for row in table.stages)
    for row in table.stages:
        for line in table.lines(row.name):
            target = row.next if line.accepts else row.name
            graph.add_edge(row.name, target, key=line.route, accepts=line.accepts)
    return graph


@dataclass(frozen=True)
class Search:
    """All situations that runs of a table reach, and how."""

    table: Table

    @cached_property
    def graph(self) -> nx.DiGraph:
        """Situations, with an edge wherever some event leads from one to another."""
        graph = nx.DiGraph()
        graph.add_node(START)
        waiting = [START]
        while waiting:
            situation = waiting.pop()
            for way in self._accepting(situation):
                after = self._after(situation, way.outcome)
                if after not in graph:
                    waiting.append(after)
                if not graph.has_edge(situation, after):
                    graph.add_edge(situation, after, way=way)
        return graph

    def ways(self, situation: Situation) -> dict[str, Way]:
        """Every route that can be taken in a situation."""
        known = self._ways.get(situation)
        if known is None:
            known = self._ways[situation] = _ways(self._outcomes(situation.stage), situation)
        return known

    def unreached_stages(self) -> list[str]:
        """The stages that no run reaches."""
        reached = {situation.stage for situation in self.graph}
        return [row.name for row in self.table.stages if row.name not in reached]

    def dead_ends(self) -> list[str]:
        """The stages, before the last, from which a run can come to where it never ends."""
        last = self.table.stages[-1].name
        leading = {
            situation
            for end in self.graph
            if end.stage == last
            for situation in (end, *nx.ancestors(self.graph, end))
        }
        stuck = {situation.stage for situation in self.graph if situation not in leading}
        return [row.name for row in self.table.stages if row.name in stuck]

    def witness(self, route: str) -> Witness | None:
        """A shortest run that ends in the route; None if no run does."""
        for situation, path in self._paths.items():
            if route in self.ways(situation):
                steps = [self.graph.edges[edge]["way"] for edge in pairwise(path)]
                return Witness(route, self._run([*steps, self.ways(situation)[route]]))
        return None

    def witnesses(self) -> Iterator[Witness]:
        """A witness of each route that has one, in the order of the routes."""
        for route in self.table.routes():
            witness = self.witness(route)
            if witness is not None:
                yield witness

    def _accepting(self, situation: Situation) -> list[Way]:
        """The ways that move on, the plainest first."""
        plain = space_of(situation.stage).plain
        accepting = [way for way in self.ways(situation).values() if way.outcome.consumes]
        return sorted(accepting, key=lambda way: (way.combination ^ plain).bit_count())

    def _after(self, situation: Situation, outcome: Outcome) -> Situation:
        counters = [counter.name for counter in self.table.counters]
        fallback = outcome.counters[counters.index("fallbacks")] > 0
        return Situation(outcome.next, situation.fallback_activated or fallback, True)

    def _run(self, ways: list[Way]) -> tuple[Case, ...]:
        engine = TableEngine(self.table)
        state = State(Stage.REQUESTED, IDENTITY, (), NO_COUNTS)
        cases = []
        for number, way in enumerate(ways):
            values = space_of(state.stage).values(way.combination)
            cases.append(Case(state, _event(state, values, f"event {number}")))
            state, _ = engine.step(state, cases[-1].event)
        return tuple(cases)

    def _outcomes(self, stage: str) -> StageOutcomes:
        return stage_outcomes(self.table, stage)

    @cached_property
    def _ways(self) -> dict[Situation, dict[str, Way]]:
        return {}

    @cached_property
    def _paths(self) -> dict[Situation, list[Situation]]:
        """The shortest path to each situation, the shortest first."""
        paths: dict[Situation, list[Situation]] = nx.single_source_shortest_path(self.graph, START)
        return paths


def _ways(outcomes: StageOutcomes, situation: Situation) -> dict[str, Way]:
    space = space_of(situation.stage)
    possible = np.flatnonzero(_possible(space, situation))
    distance = np.bitwise_count(possible ^ space.plain).astype(np.int64)
    # The smallest number of the least distance, for each code.
    ranked = distance << len(space.names) | possible
    smallest = np.full(len(outcomes.outcomes), np.iinfo(np.int64).max)
    np.minimum.at(smallest, outcomes.codes[possible], ranked)
    ways: dict[str, Way] = {}
    for outcome, rank in zip(outcomes.outcomes, smallest.tolist(), strict=True):
        if rank != np.iinfo(np.int64).max:
            ways.setdefault(outcome.route, Way(outcome, rank & space.size - 1))
    return ways


def _possible(space: StageSpace, situation: Situation) -> NDArray[np.bool_]:
    """Which combinations a state in this situation can meet."""
    possible = np.ones(space.size, np.bool_)
    numbers = np.arange(space.size)
    if "fallbackActivated" in space.names:
        bit = space.names.index("fallbackActivated")
        possible &= (numbers >> bit & 1) == situation.fallback_activated
    if not situation.consumed_any:
        possible &= (numbers >> space.names.index("digestFresh") & 1) == 1
    return possible


def _event(state: State, values: dict[str, bool], digest: str) -> Event:
    """An event that realises a combination in a state; what nobody asks about is false."""
    identity: dict[str, Any] = msgspec.to_builtins(state.identity)
    for fact, name in _SUBSTITUTED.items():
        if not values[fact]:
            identity[name] = f"another {identity[name]}"
    if not values["digestFresh"]:
        digest = state.consumed_event_digests[0]
    kinds = sorted(
        EventKind, key=lambda kind: (kind is KIND_OF[state.stage]) != values["kindMatches"]
    )
    booleans = {name: values.get(name, False) for name in BOOLEAN_NAMES}
    packet = msgspec.convert(identity | {"eventDigest": digest} | booleans, Packet)
    return Event(kinds[0], packet)


# The identity value that a witness substitutes where a fact is to be false.
_SUBSTITUTED = {
    "taskMatches": "taskId",
    "modeMatches": "modeDigest",
    "evaluatorMatches": "verifierDigest",
    "resultMatches": "resultDigest",
}
