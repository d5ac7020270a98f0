"""The engines that must agree, and what they say of one case."""

from __future__ import annotations

from dataclasses import dataclass
from operator import add
from typing import Protocol

from msgspec.structs import astuple

from genconform.lifecycle import machine as written_by_hand
from genconform.lifecycle.bulk import BulkEngine, compile_table
from genconform.lifecycle.packet import Case, Counters, Event, Stage, State
from genconform.lifecycle.space import space_of
from genconform.lifecycle.table_engine import TableEngine
from genconform.spec.table import Table

ROUTE_DIFFERS = "agreement.route.differs"
STATE_DIFFERS = "agreement.state.differs"
UNMET_DIFFERS = "agreement.unmet.differs"
RULES = (ROUTE_DIFFERS, STATE_DIFFERS, UNMET_DIFFERS)


class Machine(Protocol):
    """What the hand-written machine offers, as a module or as anything else."""

    def step(self, state: State, event: Event, /) -> tuple[State, str]:
        """The state after, and the route."""

    def unmet(self, state: State, event: Event, /) -> tuple[str, ...]:
        """Every line that rejects the event."""


@dataclass(frozen=True)
class Answer:
    """What one engine says of a case. The bulk engine has nothing to say of `unmet`."""

    route: str
    after: State
    unmet: tuple[str, ...] | None


@dataclass(frozen=True)
class Engines:
    """The engines, on one table."""

    machine: Machine
    table: TableEngine
    bulk: BulkEngine

    def answers(self, case: Case) -> dict[str, Answer]:
        """What each engine says, one case at a time."""
        state, event = case.state, case.event
        after, route = self.machine.step(state, event)
        table_after, table_route, table_unmet = self.table.step_and_unmet(state, event)
        return {
            "machine": Answer(str(route), after, tuple(map(str, self.machine.unmet(state, event)))),
            "table": Answer(table_route, table_after, table_unmet),
            "bulk": self.in_bulk(case),
        }

    def in_bulk(self, case: Case) -> Answer:
        """What the bulk engine has for the case's combination."""
        outcomes = self.bulk.stages[case.state.stage]
        index = space_of(case.state.stage).index_of(case)
        outcome = outcomes.outcomes[int(outcomes.codes[index])]
        after = case.state
        if outcome.consumes:
            counters = map(add, astuple(after.counters), outcome.counters)
            digests = (*after.consumed_event_digests, case.event.packet.event_digest)
            after = State(Stage(outcome.next), after.identity, digests, Counters(*counters))
        return Answer(outcome.route, after, None)


def engines_of(table: Table, machine: Machine = written_by_hand) -> Engines:
    """The three engines of a table."""
    return Engines(machine, TableEngine(table), compile_table(table))


def differing(answers: dict[str, Answer]) -> tuple[str, ...]:
    """The rules that a case breaks."""
    routes = {answer.route for answer in answers.values()}
    states = [answer.after for answer in answers.values()]
    unmet = {answer.unmet for answer in answers.values() if answer.unmet is not None}
    broken = (len(routes) > 1, any(state != states[0] for state in states), len(unmet) > 1)
    return tuple(rule for rule, breaks in zip(RULES, broken, strict=True) if breaks)
