"""The hand-written machine: the facts of the lifecycle, told as runs and as properties."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given

from genconform.lifecycle.machine import ACCEPTING, Route, route, step, unmet
from genconform.lifecycle.packet import NO_COUNTS, Case, Counters, Event, Packet, Stage, State
from genconform.lifecycle.space import IDENTITY, StageSpace, space_of
from genconform.spec.table import Line, Table
from tests.lifecycle.strategies import CASES, COMBINATIONS

START = State(Stage.REQUESTED, IDENTITY, (), NO_COUNTS)


def event(stage: str, number: int, **values: bool) -> Event:
    """The stage's own event with nothing amiss but what is given, and a digest of its own."""
    space = space_of(stage)
    plain = space.case(space.index(space.values(space.plain) | values)).event
    packet = msgspec.structs.replace(plain.packet, event_digest=f"event {number}")
    return Event(plain.kind, packet)


def run(changes: dict[str, dict[str, bool]]) -> tuple[State, list[Route]]:
    state, routes = START, []
    for number, stage in enumerate(list(Stage)[:-1]):
        state, taken = step(state, event(stage, number, **changes.get(stage, {})))
        routes.append(taken)
    return state, routes


def test_the_verified_witness_closes() -> None:
    state, routes = run({})
    assert state == State(
        Stage.CLOSED,
        IDENTITY,
        tuple(f"event {number}" for number in range(7)),
        Counters(
            receipts=7,
            drafts=1,
            verifications=1,
            fallbacks=0,
            useful_outcomes=1,
            decisions=1,
            support_assignments=0,
            external_effects=0,
        ),
    )
    assert routes == [
        Route.ACCEPT_CONTEXT,
        Route.ACCEPT_FAST_SELECTION,
        Route.ACCEPT_GENERATION,
        Route.ACCEPT_VERIFICATION,
        Route.ACCEPT_ACCOUNTING,
        Route.ACCEPT_DECISION,
        Route.ACCEPT_CLOSURE,
    ]


def test_the_fallback_witness_closes_and_needs_its_cost() -> None:
    failed = {"draftGenerated": {"verificationPassed": False}}
    state, routes = run(failed)
    assert routes[3] is Route.ACTIVATE_FALLBACK
    assert state.stage is Stage.CLOSED
    assert (state.counters.fallbacks, state.counters.support_assignments) == (1, 0)
    stuck, routes = run(failed | {"verified": {"fallbackCost": False}})
    assert routes[4] is Route.REQUIRE_FALLBACK_COST
    assert stuck.stage is Stage.VERIFIED


def test_a_slow_baseline_needs_nothing_else_of_its_stage() -> None:
    own = space_of("contextBound").names[:14]
    state, routes = run({"contextBound": dict.fromkeys(own, False)})
    assert routes[1] is Route.SELECT_SLOW_BASELINE
    assert state.stage is Stage.CLOSED


@pytest.mark.parametrize("earlier", range(6))
def test_a_digest_consumed_at_any_earlier_step_is_a_replay(earlier: int) -> None:
    state = START
    for number, stage in enumerate(list(Stage)[:6]):
        state, _ = step(state, event(stage, number))
    replayed = event(Stage.DECIDED, earlier)
    assert step(state, replayed) == (state, Route.REJECT_EVENT_REPLAY)
    assert route(state, event(Stage.DECIDED, 6)) is Route.ACCEPT_CLOSURE


def test_a_closed_request_takes_no_event() -> None:
    space = space_of(Stage.CLOSED)
    accepted = [space.case(index) for index in space]
    routes = {route(case.state, case.event) for case in accepted}
    assert routes == set(list(Route)[:7])


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("task_id", Route.REJECT_TASK_SUBSTITUTION),
        ("task_version", Route.REJECT_TASK_SUBSTITUTION),
        ("context_digest", Route.REJECT_TASK_SUBSTITUTION),
        ("task_set_digest", Route.REJECT_TASK_SUBSTITUTION),
        ("consumer_digest", Route.REJECT_TASK_SUBSTITUTION),
        ("mode_digest", Route.REJECT_MODE_SUBSTITUTION),
        ("baseline_digest", Route.REJECT_MODE_SUBSTITUTION),
        ("verifier_digest", Route.REJECT_EVALUATOR_SUBSTITUTION),
        ("result_digest", Route.REJECT_RESULT_SUBSTITUTION),
        ("residual_digest", Route.REJECT_RESULT_SUBSTITUTION),
    ],
)
def test_no_identity_value_can_be_substituted(name: str, expected: Route) -> None:
    asked = event(Stage.REQUESTED, 0)
    other: Any = 7 if name == "task_version" else "another"
    packet: Packet = msgspec.structs.replace(asked.packet, **{name: other})
    assert step(START, Event(asked.kind, packet)) == (START, expected)


@given(CASES)
def test_a_rejected_event_leaves_the_state_as_it_was(case: Case) -> None:
    before = msgspec.json.encode(case.state)
    after, taken = step(case.state, case.event)
    assert (msgspec.json.encode(after) == before) is (taken not in ACCEPTING)


@given(CASES)
def test_an_accepted_event_moves_one_stage_and_changes_nothing_else(case: Case) -> None:
    state, stages = case.state, list(Stage)
    after, taken = step(state, case.event)
    if taken not in ACCEPTING:
        return
    assert stages.index(after.stage) == stages.index(state.stage) + 1
    assert after.identity == state.identity
    assert after.consumed_event_digests == (
        *state.consumed_event_digests,
        case.event.packet.event_digest,
    )
    assert after.counters.receipts == state.counters.receipts + 1
    assert after.counters.support_assignments == state.counters.support_assignments
    assert after.counters.external_effects == state.counters.external_effects


@given(CASES)
def test_the_first_unmet_line_is_the_route(case: Case) -> None:
    taken, rejecting = route(case.state, case.event), unmet(case.state, case.event)
    assert rejecting[:1] == (() if taken in ACCEPTING else (taken,))
    assert len(set(rejecting)) == len(rejecting)
    assert not ACCEPTING & set(rejecting)


def mended(line: Line) -> dict[str, bool]:
    """The smallest change after which the line is met."""
    name, value = list(line.when.items())[-1]
    return {name: not value}


@given(COMBINATIONS)
def test_unmet_lists_what_is_met_with_one_after_the_other_when_mending(
    table: Table, combination: tuple[StageSpace, int]
) -> None:
    space, index = combination
    if space.stage is Stage.CLOSED:
        return
    case = space.case(index)
    lines = {line.route: line for line in table.lines(space.stage)}
    values, met = space.values(index), []
    while (taken := route(case.state, case.event)) not in ACCEPTING:
        met.append(taken)
        values |= mended(lines[taken])
        case = space.case(space.index(values))
    first = space.case(index)
    assert tuple(met) == unmet(first.state, first.event)
