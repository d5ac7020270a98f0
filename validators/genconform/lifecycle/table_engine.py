"""The table read line by line, one case at a time: the plainest way to run it.

Facts are computed as the table declares them, so that a comparison which it forgets is found.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import NamedTuple

import msgspec
from msgspec.structs import astuple

from genconform.lifecycle.packet import Counters, Event, Identity, Packet, Stage, State
from genconform.spec.table import Fact, Line, Table

_ATTRIBUTES = {field.encode_name: field.name for field in msgspec.structs.fields(Identity)}
# What a line without conditions asks about.
_ALWAYS = "always"
_PACKET_NAMES = tuple(field.encode_name for field in msgspec.structs.fields(Packet))

# A condition: the value at this place must be this.
_Condition = tuple[int, bool]


class _PlacedLine(NamedTuple):
    """A line by the places of the values that it asks about; its first condition stands apart.

    Most lines have just one, and few are taken, so that the rest is rarely looked at.
    """

    line: Line
    place: int
    wanted: bool
    more: tuple[_Condition, ...]
    unless: tuple[_Condition, ...]


@dataclass(frozen=True)
class TableEngine:
    """A table as a state machine. Its loader sees to it that some line is always taken."""

    table: Table

    def route(self, state: State, event: Event) -> str:
        """The route of the first line taken."""
        return next(self.taken(state, event)).route

    def unmet(self, state: State, event: Event) -> tuple[str, ...]:
        """Every line that rejects the event, in order, up to the first that accepts it."""
        return _rejecting(self.taken(state, event))

    def step(self, state: State, event: Event) -> tuple[State, str]:
        """The state after, and the route."""
        line = next(self.taken(state, event))
        return self._after(state, event, line), line.route

    def step_and_unmet(self, state: State, event: Event) -> tuple[State, str, tuple[str, ...]]:
        """What `step` and `unmet` give, with the lines asked only once."""
        taken = list(self.taken(state, event))
        return self._after(state, event, taken[0]), taken[0].route, _rejecting(taken)

    def taken(self, state: State, event: Event) -> Iterator[Line]:
        """All lines that the event takes, in order: the first decides, the rest would."""
        facts = [fact(state, event) for fact in self._facts]
        values = (*astuple(event.packet), *facts, True)
        for line, place, wanted, more, unless in self._lines[state.stage]:
            if (
                values[place] is wanted
                and not (more and any(values[place] is not wanted for place, wanted in more))
                and not (unless and all(values[place] is wanted for place, wanted in unless))
            ):
                yield line

    def _after(self, state: State, event: Event, line: Line) -> State:
        if not line.accepts:
            return state
        return State(
            Stage(self.table.row(state.stage).next),
            state.identity,
            (*state.consumed_event_digests, event.packet.event_digest),
            self._counted(state, line.route),
        )

    def _counted(self, state: State, route: str) -> Counters:
        added = self.table.counters_added(state.stage, route)
        names = [counter.name for counter in self.table.counters]
        before = astuple(state.counters)
        return Counters(
            *(value + added.count(name) for name, value in zip(names, before, strict=True))
        )

    @cached_property
    def _lines(self) -> dict[str, tuple[_PlacedLine, ...]]:
        names = (*_PACKET_NAMES, *(fact.name for fact in self.table.facts), _ALWAYS)
        place = {name: number for number, name in enumerate(names)}

        def conditions(values: dict[str, bool]) -> tuple[_Condition, ...]:
            return tuple((place[name], wanted) for name, wanted in values.items())

        def placed(line: Line) -> _PlacedLine:
            first, *more = conditions(line.when or {_ALWAYS: True})
            return _PlacedLine(line, *first, tuple(more), conditions(line.unless))

        return {
            row.name: tuple(map(placed, self.table.lines(row.name))) for row in self.table.stages
        }

    @cached_property
    def _facts(self) -> tuple[Callable[[State, Event], bool], ...]:
        kinds = {row.name: row.event for row in self.table.stages}
        computed: dict[str, Callable[[State, Event], bool]] = {
            "kindMatches": lambda state, event: event.kind == kinds[state.stage],
            "digestFresh": lambda state, event: (
                event.packet.event_digest not in state.consumed_event_digests
            ),
            "fallbackActivated": lambda state, _: state.counters.fallbacks > 0,
        }
        return tuple(computed.get(fact.name) or _comparison(fact) for fact in self.table.facts)


def _comparison(fact: Fact) -> Callable[[State, Event], bool]:
    """Whether packet and state have the same of each identity value that the fact compares."""
    if not fact.compares:
        return lambda _, __: True
    values_of = attrgetter(*(_ATTRIBUTES[name] for name in fact.compares))

    def matches(state: State, event: Event) -> bool:
        return bool(values_of(event.packet) == values_of(state.identity))

    return matches


def _rejecting(taken: Iterable[Line]) -> tuple[str, ...]:
    routes: dict[str, None] = {}
    for line in taken:
        if line.accepts:
            break
        routes[line.route] = None
    return tuple(routes)
