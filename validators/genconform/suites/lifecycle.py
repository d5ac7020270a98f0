"""The suite `lifecycle`: whole runs as the machine sees them, events and state before.

A valid run has every event accepted. An expected-invalid one is rejected, at least once, and by the
route that its file is named after. Either may also say what must come out of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import UNSET, Struct, UnsetType, json, to_builtins

from genconform.document import Document, decode
from genconform.errors import MalformedInput
from genconform.finding import Finding, Level, Location
from genconform.lifecycle.machine import ACCEPTING, Route, step
from genconform.lifecycle.packet import (
    BOOLEAN_NAMES,
    IDENTITY_NAMES,
    Case,
    Counters,
    Event,
    EventKind,
    Stage,
    State,
)
from genconform.lifecycle.space import OWN_NAMES
from genconform.mutation.author import Mutation, Placed, Unfit, one_of
from genconform.mutation.change import same
from genconform.mutation.score import Test
from genconform.mutation.suggestion import Base
from genconform.spec.rules import ROUTE_PREFIX
from genconform.suites import VALID, Fixture, Suite
from genconform.tree import Tree

_PACKET_NAMES = (*IDENTITY_NAMES, "eventDigest", *BOOLEAN_NAMES)


class Expectation(Struct, frozen=True, forbid_unknown_fields=True):
    """What must come out of a run: the route of each event, the stage and counters after it."""

    routes: tuple[Route, ...]
    stage: Stage
    counters: Counters


class Run(Struct, frozen=True, forbid_unknown_fields=True):
    """A state and the events that are sent to it, one after the other."""

    state: State
    events: tuple[Event, ...]
    about: str = ""
    expect: Expectation | UnsetType = UNSET


class Walked(Struct, frozen=True):
    """A run through the machine: the case and the route of each event, and the state after all."""

    cases: tuple[Case, ...]
    routes: tuple[Route, ...]
    end: State


def read_run(document: Document) -> Run:
    """A run from its file.

    Raises:
        MalformedInput: it is not a run.
    """
    return decode(document, Run)


def walk(run: Run) -> Walked:
    """Send a run's events to the machine."""
    state, cases, routes = run.state, [], []
    for event in run.events:
        cases.append(Case(state, event))
        state, route = step(state, event)
        routes.append(route)
    return Walked(tuple(cases), tuple(routes), state)


def judge(fixture: Fixture, _: Tree) -> Iterator[Finding]:
    """A finding for each rejected event, and for each expectation that does not come out."""
    run = read_run(fixture.document)
    walked = walk(run)
    for index, route in enumerate(walked.routes):
        if route not in ACCEPTING:
            yield Finding(
                ROUTE_PREFIX + route,
                Level.ERROR,
                f"event {index + 1}, {run.events[index].kind.value}, is rejected by {route.value}",
                fixture.document.location(f"/events/{index}"),
            )
    if run.expect is not UNSET:
        yield from _unexpected(fixture.document, run.expect, walked)


def _unexpected(document: Document, expected: Expectation, walked: Walked) -> Iterator[Finding]:
    actual = Expectation(walked.routes, walked.end.stage, walked.end.counters)
    for name, wanted, found in zip(
        Expectation.__struct_fields__, _shown(expected), _shown(actual), strict=True
    ):
        if wanted != found:
            yield Finding(
                "fixture.expectation.differs",
                Level.ERROR,
                f"the {name} of the run are not as expected",
                document.location(f"/expect/{name}"),
                wanted,
                found,
            )


def _shown(expectation: Expectation) -> tuple[Any, ...]:
    return ", ".join(expectation.routes), expectation.stage.value, to_builtins(expectation.counters)


def change_event(fixture: Fixture, mutation: Mutation) -> Fixture:
    """The run up to the event at the mutation's stage, with values of that event set anew.

    What the run was to come to no longer holds, and is left out.

    Raises:
        Unfit: the stage is not passed, a name or value is not an event's, or nothing changes.
    """
    if not mutation.set:
        raise Unfit("this base is a run", "/pointer", "`at` and `set`")
    run = read_run(fixture.document)
    index = _index_of_stage(run, mutation)
    event = to_builtins(run.events[index])
    changed = {"kind": event["kind"], "packet": dict(event["packet"])}
    for name, value in mutation.set.items():
        part = changed if name == "kind" else changed["packet"]
        _check_value(name, value, part)
        _check_read(name, mutation.at)
        part[name] = value
    kept = fixture.document.value["events"][:index]
    return fixture.with_content({"state": to_builtins(run.state), "events": [*kept, changed]})


def _index_of_stage(run: Run, mutation: Mutation) -> int:
    stages = [case.state.stage.value for case in walk(run).cases]
    if not mutation.at:
        raise Unfit("the stage is missing", "/set", "`at`, " + one_of("", stages))
    if mutation.at not in stages:
        raise Unfit(
            "the base sends no event at this stage",
            "/at",
            one_of(mutation.at, stages),
            mutation.at,
        )
    return stages.index(mutation.at)


def _check_value(name: str, value: Any, before: Mapping[str, Any]) -> None:
    field = f"/set/{name}"
    if name == "kind":
        kinds = [kind.value for kind in EventKind]
        if value not in kinds:
            raise Unfit("no such kind of event", field, one_of(str(value), kinds), repr(value))
    elif name not in _PACKET_NAMES:
        raise Unfit(f"an event has no {name!r}", field, one_of(name, ("kind", *_PACKET_NAMES)))
    elif not _fits(value, before[name]):
        raise Unfit(f"not a value of {name}", field, _wanted(before[name]), repr(value))
    if same(value, before[name]):
        shown = json.encode(value).decode()
        raise Unfit("the change changes nothing", field, f"other than {shown}, as in the base")


def _check_read(name: str, stage: str) -> None:
    """Refuse a boolean that no line of the stage asks about, as nothing could catch it."""
    readers = [each.value for each, names in OWN_NAMES.items() if name in names]
    if readers and stage not in readers:
        raise Unfit(
            f"no line asks about {name} at {stage}", f"/set/{name}", "it at " + ", ".join(readers)
        )


def _fits(value: Any, before: Any) -> bool:
    if type(value) is not type(before):
        return False
    return value != "" if isinstance(value, str) else value >= 0


def _wanted(value: Any) -> str:
    if isinstance(value, bool):
        return "true or false"
    return "a whole number from 0" if isinstance(value, int) else "a text that is not empty"


def changes_a_run(placed: Placed) -> bool:
    """Whether a mutation is of this suite."""
    return placed.mutation.base.startswith(f"{SUITE.prefix}/")


def bases(tree: Tree) -> list[Base]:
    """Every case of every valid run, by the name that authors give the run."""
    return [
        Base(f"{SUITE.prefix}/{fixture.stem}", case)
        for fixture in SUITE.fixtures(tree, VALID)
        for case in walk(read_run(fixture.document)).cases
    ]


def run_as_test(fixture: Fixture) -> Test | None:
    """A committed run as a test of a lifecycle.

    None if it cannot be read, says nothing of what must come out, or says so wrongly.
    """
    try:
        run = read_run(fixture.document)
    except MalformedInput:
        return None
    walked = walk(run)
    if run.expect is UNSET or any(_unexpected(fixture.document, run.expect, walked)):
        return None
    return Test(
        id=fixture.name,
        location=Location(fixture.name),
        start=run.state,
        events=run.events,
        routes=run.expect.routes,
        accepting=ACCEPTING,
        stages=frozenset(case.state.stage for case in walked.cases),
        end=(run.expect.stage, run.expect.counters),
    )


def change_as_test(changed: Fixture, placed: Placed, route: str) -> Test:
    """An author's change of a run as a test: the changed event alone, in the state it meets."""
    case = walk(read_run(changed.document)).cases[-1]
    return Test(
        id=placed.id,
        location=placed.location,
        start=case.state,
        events=(case.event,),
        routes=(route,),
        accepting=ACCEPTING,
        stages=frozenset({case.state.stage}),
    )


SUITE = Suite(
    "lifecycle",
    "whole runs, routed by the machine",
    judge,
    change_event,
    prefix="witness",
)
