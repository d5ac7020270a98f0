"""Random runs: the engines agree on any case, and a stray is found and made small."""

from __future__ import annotations

from random import Random

import msgspec
import pytest
from hypothesis import given, settings

from genconform.agreement.check import RUNS, SEED
from genconform.agreement.disagreement import finding_of_runs
from genconform.agreement.engines import (
    ROUTE_DIFFERS,
    STATE_DIFFERS,
    Engines,
    differing,
    engines_of,
)
from genconform.agreement.runs import STEPS, compare_runs, random_run
from genconform.document import Document
from genconform.lifecycle import machine
from genconform.lifecycle.machine import ACCEPTING, Route
from genconform.lifecycle.packet import NO_COUNTS, Case, Event, State
from genconform.spec.table import Table
from tests.agreement.conftest import Faulty, Step
from tests.lifecycle.strategies import CASES


@settings(max_examples=400)
@given(CASES)
def test_the_engines_agree_on_any_case(engines: Engines, case: Case) -> None:
    answers = engines.answers(case)
    assert differing(answers) == ()
    assert set(answers) == {"machine", "table", "bulk"}


def test_runs_of_one_seed_are_the_same_and_of_another_are_not(engines: Engines) -> None:
    first, again, other = (list(random_run(engines, Random(seed))) for seed in (1, 1, 2))
    assert first == again != other
    assert len(first) == STEPS


def test_runs_leave_the_happy_path_in_every_way(engines: Engines) -> None:
    routes, stages, replayed_later = set(), set(), 0
    for seed in range(400):
        for case in random_run(engines, Random(seed)):
            state, event = case.state, case.event
            routes.add(machine.route(state, event))
            stages.add(state.stage)
            replayed_later += event.packet.event_digest in state.consumed_event_digests[:-1]
    assert len(stages) == 8
    assert replayed_later > 50
    assert routes >= ACCEPTING
    assert routes >= set(list(Route)[:7])
    assert len(routes) > 50


def test_the_engines_agree_on_runs(engines: Engines) -> None:
    steps, strays = compare_runs(engines, seed=11, runs=200)
    assert (steps, strays) == (200 * STEPS, ())


def _ignores_the_task_version(state: State, event: Event) -> tuple[State, str]:
    packet = msgspec.structs.replace(event.packet, task_version=state.identity.task_version)
    return machine.step(state, Event(event.kind, packet))


def test_a_stray_is_made_as_small_as_can_be(table: Table, document: Document) -> None:
    engines = engines_of(table, Faulty(step=_ignores_the_task_version))
    _, strays = compare_runs(engines, seed=3, runs=60)
    stray = next(one for one in strays if one.rule == ROUTE_DIFFERS)
    assert stray.steps > 1
    state, packet = stray.smallest.state, stray.smallest.event.packet
    assert packet.task_version != state.identity.task_version
    assert packet.task_id == state.identity.task_id
    assert (state.consumed_event_digests, state.counters) == ((), NO_COUNTS)
    finding = finding_of_runs(engines, document, stray)
    assert "steps of random runs" in finding.message
    assert "where taskMatches is false: {" in finding.message
    assert "rejectTaskSubstitution" in finding.actual["table"]
    assert "rejectTaskSubstitution" not in finding.actual["machine"]


def _forgets_large_counts(state: State, event: Event) -> tuple[State, str]:
    after, route = machine.step(state, event)
    if after is not state and state.counters.receipts > 1000:
        return msgspec.structs.replace(after, counters=state.counters), route
    return after, route


def test_what_the_whole_space_cannot_show_is_found(table: Table, document: Document) -> None:
    engines = engines_of(table, Faulty(step=_forgets_large_counts))
    _, strays = compare_runs(engines, seed=0, runs=400)
    (stray,) = strays
    assert stray.rule == STATE_DIFFERS
    finding = finding_of_runs(engines, document, stray)
    assert "receipts +1" in finding.actual["table"]
    assert "receipts +1" not in finding.actual["machine"]


def _compares_beginnings(state: State, event: Event) -> tuple[State, str]:
    packet, identity = event.packet, state.identity
    if packet.mode_digest[:16] == identity.mode_digest[:16]:
        packet = msgspec.structs.replace(packet, mode_digest=identity.mode_digest)
    return machine.step(state, Event(event.kind, packet))


def _ignores_case(state: State, event: Event) -> tuple[State, str]:
    packet, identity = event.packet, state.identity
    if packet.verifier_digest.lower() == identity.verifier_digest.lower():
        packet = msgspec.structs.replace(packet, verifier_digest=identity.verifier_digest)
    return machine.step(state, Event(event.kind, packet))


def _ignores_spaces(state: State, event: Event) -> tuple[State, str]:
    packet, identity = event.packet, state.identity
    if packet.consumer_digest.strip() == identity.consumer_digest.strip():
        packet = msgspec.structs.replace(packet, consumer_digest=identity.consumer_digest)
    return machine.step(state, Event(event.kind, packet))


@pytest.mark.parametrize("step", [_compares_beginnings, _ignores_case, _ignores_spaces])
def test_values_that_are_nearly_the_same_are_not(table: Table, step: Step) -> None:
    engines = engines_of(table, Faulty(step=step))
    _, strays = compare_runs(engines, SEED, RUNS // 4)
    assert ROUTE_DIFFERS in {stray.rule for stray in strays}
