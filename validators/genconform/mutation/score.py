"""Which mutants of the lifecycle the authors' inputs notice.

A test is an input with the outcome that its author named. It kills a mutant by that outcome not
coming out, and by nothing else; what no test kills is proved equivalent, or has survived.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from msgspec import to_builtins

from genconform.finding import Location
from genconform.lifecycle.packet import Counters, Event, State
from genconform.mutation.equivalence import Difference, Proof, prove
from genconform.mutation.operators import Mutant
from genconform.mutation.variant import Variant
from genconform.spec.table import Table


@dataclass(frozen=True)
class Test:
    """An input to the lifecycle and the outcome that its author named.

    Attributes:
        id: names the mutation or the fixture.
        location: where it stands.
        start: the state before.
        events: the events, in order.
        routes: the route that each must take.
        accepting: the routes that move a request on.
        stages: those that the run passes.
        end: the stage and the counters after, where they are named.
    """

    __test__ = False  # not one of pytest's

    id: str
    location: Location
    start: State
    events: tuple[Event, ...]
    routes: tuple[str, ...]
    accepting: frozenset[str]
    stages: frozenset[str]
    end: tuple[str, Counters] | None = None


@dataclass(frozen=True)
class Kill:
    """The first of a test's named outcomes that a mutant does not give."""

    test: str
    expected: str
    actual: str


class Outcome(StrEnum):
    """What became of a mutant."""

    KILLED = "killed"
    EQUIVALENT = "equivalent"
    SURVIVED = "survived"


@dataclass(frozen=True)
class Judged:
    """A mutant, what became of it, and what shows it: the kill, the proof, or a difference."""

    mutant: Mutant
    outcome: Outcome
    kill: Kill | None = None
    proof: Proof | None = None
    difference: Difference | None = None


def judge_mutants(
    table: Table, mutants: Iterable[Mutant], tests: Sequence[Test]
) -> Iterator[Judged]:
    """Run the tests against each mutant until one kills it; prove what is left.

    A test that fails on the table itself kills nothing.
    """
    faithful = Variant(table)
    sound = [test for test in tests if kill_by(test, faithful) is None]
    for mutant in mutants:
        yield _judge(table, mutant, sound)


def score(judged: Sequence[Judged]) -> float:
    """The share of the mutants that can be killed which are killed, in percent; 0 of none."""
    killed = sum(one.outcome is Outcome.KILLED for one in judged)
    killable = sum(one.outcome is not Outcome.EQUIVALENT for one in judged)
    return 100 * killed / killable if killable else 0.0


def kill_by(test: Test, variant: Variant) -> Kill | None:
    """How a test notices that a variant is not as its author expects, or None."""
    state = test.start
    for number, (event, route) in enumerate(zip(test.events, test.routes, strict=True), 1):
        which = f"event {number}: " if len(test.events) > 1 else ""
        after, taken = variant.step(state, event)
        if taken != route:
            return Kill(test.id, which + route, taken or "no route")
        if (after != state) != (route in test.accepting):
            change, no_change = f"{route}, and the state changes", f"{route}, and nothing changes"
            expected, actual = (change, no_change) if after == state else (no_change, change)
            return Kill(test.id, which + expected, actual)
        state = after
    if test.end is not None and (state.stage, state.counters) != test.end:
        return Kill(test.id, _shown(*test.end), _shown(state.stage, state.counters))
    return None


def _shown(stage: str, counters: Counters) -> str:
    counted = to_builtins(counters).items()
    return ", ".join([stage, *(f"{name} {count}" for name, count in counted if count)])


def _judge(table: Table, mutant: Mutant, tests: Sequence[Test]) -> Judged:
    variant = mutant.variant
    for test in tests:
        if not mutant.stage or mutant.stage in test.stages:
            kill = kill_by(test, variant)
            if kill is not None:
                return Judged(mutant, Outcome.KILLED, kill)
    found = prove(table, mutant)
    if isinstance(found, Proof):
        return Judged(mutant, Outcome.EQUIVALENT, proof=found)
    return Judged(mutant, Outcome.SURVIVED, difference=found)
