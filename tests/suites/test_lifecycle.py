"""The suite `lifecycle`: committed runs, judged by the machine."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec import UNSET, to_builtins

from genconform.document import parse_document
from genconform.errors import MalformedInput
from genconform.lifecycle.machine import ACCEPTING, Route
from genconform.mutation.author import Mutation
from genconform.suites import INVALID, VALID, Fixture, lifecycle
from genconform.suites.lifecycle import SUITE, read_run, walk
from genconform.tree import find_tree

TREE = find_tree()
VERIFIED, FALLBACK = (
    next(one for one in SUITE.fixtures(TREE, VALID) if one.stem == name)
    for name in ("verified", "fallback")
)
READABLE = [
    fixture
    for kind in (VALID, INVALID)
    for fixture in SUITE.fixtures(TREE, kind)
    if not fixture.stem.startswith("fixture.file.unreadable")
]


def edited(fixture: Fixture, **changes: Any) -> Fixture:
    return fixture.with_content(fixture.document.value | changes)


def rules(fixture: Fixture) -> list[str]:
    return [finding.rule for finding in SUITE.judge(fixture, TREE)]


@pytest.mark.parametrize(("fixture", "fallbacks"), [(VERIFIED, 0), (FALLBACK, 1)])
def test_the_witnesses_close_with_the_counters_of_the_facts(
    fixture: Fixture, fallbacks: int
) -> None:
    walked = walk(read_run(fixture.document))
    assert [case.event.kind for case in walked.cases] == [
        *("bindContext", "selectMode", "generateDraft", "verifyDraft"),
        *("accountOutcome", "decide", "close"),
    ]
    assert set(walked.routes) <= ACCEPTING
    assert walked.end.stage == "closed"
    assert to_builtins(walked.end.counters) == {
        "receipts": 7,
        "drafts": 1,
        "verifications": 1,
        "fallbacks": fallbacks,
        "usefulOutcomes": 1,
        "decisions": 1,
        "supportAssignments": 0,
        "externalEffects": 0,
    }


def test_every_accepting_route_is_taken_by_some_valid_run() -> None:
    valid = (walk(read_run(fixture.document)) for fixture in SUITE.fixtures(TREE, VALID))
    assert {route for walked in valid for route in walked.routes} == ACCEPTING


@pytest.mark.parametrize("fixture", READABLE, ids=lambda fixture: fixture.stem)
def test_every_run_says_what_it_shows_and_what_must_come_out(fixture: Fixture) -> None:
    run = read_run(fixture.document)
    assert run.about.endswith(".")
    assert run.expect is not UNSET


def test_a_rejected_event_is_a_finding_at_its_place() -> None:
    fixture = next(one for one in READABLE if one.stem == "requireTaskSet.then-mended")
    (finding,) = SUITE.judge(fixture, TREE)
    assert finding.rule == "route.requireTaskSet"
    assert finding.location.pointer == "/events/0"
    assert finding.location.line is not None
    line = fixture.data.decode().splitlines()[finding.location.line - 1]
    assert line.strip() == "{"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("routes", ["acceptContext"]),
        ("routes", []),
        ("stage", "decided"),
        ("counters", {"receipts": 6}),
    ],
)
def test_an_expectation_that_does_not_come_out_is_a_finding(name: str, value: Any) -> None:
    expect = VERIFIED.document.value["expect"]
    wrong = expect[name] | value if isinstance(value, dict) else value
    fixture = edited(VERIFIED, expect=expect | {name: wrong})
    (finding,) = SUITE.judge(fixture, TREE)
    assert finding.rule == "fixture.expectation.differs"
    assert finding.location.pointer == f"/expect/{name}"
    said = [", ".join(each) if name == "routes" else each for each in (wrong, expect[name])]
    assert [finding.expected, finding.actual] == said
    assert lifecycle.run_as_test(fixture) is None


def test_a_run_without_expectations_is_judged_by_its_routes_alone() -> None:
    silent = {key: value for key, value in VERIFIED.document.value.items() if key != "expect"}
    assert rules(VERIFIED.with_content(silent)) == []
    assert lifecycle.run_as_test(VERIFIED.with_content(silent)) is None


@pytest.mark.parametrize(
    "text", ["{}", '{"state": 1, "events": []}', '{"state": {}, "events": [], "surprise": 1}']
)
def test_what_is_no_run_is_malformed(text: str) -> None:
    fixture = Fixture("fixtures/lifecycle/valid/x.json", text.encode())
    with pytest.raises(MalformedInput):
        rules(fixture)


def test_a_changed_run_ends_with_the_changed_event() -> None:
    change = Mutation("m", "b", "requireVerifierCost", at="verified", set={"verifierCost": False})
    changed = SUITE.change(VERIFIED, change)
    run = read_run(changed.document)
    assert len(run.events) == 5
    assert run.events[:4] == read_run(VERIFIED.document).events[:4]
    assert not run.events[4].packet.verifier_cost
    assert rules(changed) == ["route.requireVerifierCost"]
    assert rules(VERIFIED) == []


@pytest.mark.parametrize(
    ("values", "route"),
    [
        ({"kind": "close"}, Route.REJECT_WRONG_STAGE),
        ({"taskVersion": 2}, Route.REJECT_TASK_SUBSTITUTION),
        ({"eventDigest": "digest-of-bindContext"}, Route.REJECT_EVENT_REPLAY),
        ({"externalEffectRequested": True}, Route.REJECT_AUTHORITY_LEAK),
        ({"generator": False, "searchBound": False}, Route.REQUIRE_GENERATOR),
    ],
)
def test_every_part_of_an_event_can_be_set(values: dict[str, Any], route: Route) -> None:
    changed = SUITE.change(VERIFIED, Mutation("m", "b", route, at="modeSelected", set=values))
    assert rules(changed) == [f"route.{route.value}"]


def test_a_run_as_a_test_names_its_routes_and_its_end() -> None:
    test = lifecycle.run_as_test(FALLBACK)
    assert test is not None
    assert test.routes[3] == "activateFallback"
    assert test.end is not None
    assert test.end[1].fallbacks == 1
    assert test.stages == {
        *("requested", "contextBound", "modeSelected", "draftGenerated"),
        *("verified", "accounted", "decided"),
    }


def test_an_unreadable_run_is_no_test() -> None:
    broken = Fixture("x.json", b"{")
    assert lifecycle.run_as_test(broken) is None


def test_fixtures_are_written_as_json_reads_them() -> None:
    for fixture in READABLE:
        value = json.loads(fixture.data)
        assert parse_document(fixture.data, fixture.name).value == value
        assert fixture.data.decode() == json.dumps(value, indent=2) + "\n", fixture.name
