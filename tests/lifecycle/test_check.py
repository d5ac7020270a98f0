"""The check `lifecycle`, and for each of its rules an input that breaks it."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from genconform.context import Context
from genconform.document import Document
from genconform.finding import CheckResult, Verdict
from genconform.lifecycle import check
from genconform.lifecycle.bulk import compile_table
from genconform.lifecycle.check import counted, hits, line_pointer, run, unreached, vocabulary
from genconform.lifecycle.graph import Search
from genconform.lifecycle.machine import Route
from genconform.lifecycle.packet import Stage
from genconform.lifecycle.space import TOTAL_SIZE, spaces
from genconform.spec.table import TABLE_PATH, Line, Table
from genconform.tree import Tree


def replaced(struct: Any, **changes: Any) -> Any:
    return msgspec.structs.replace(struct, **changes)


def swapped(items: tuple[Any, ...]) -> tuple[Any, ...]:
    return (items[1], items[0], *items[2:])


def test_the_tree_passes(tree: Tree) -> None:
    result = run(Context(tree))
    assert isinstance(result.details, dict)
    assert list(result.details["hits"]) == list(result.details["shortestRuns"]) == list(Route)
    assert sum(result.details["hits"].values()) == 2_187_392
    assert replaced(result, details=msgspec.UNSET) == CheckResult(
        "lifecycle",
        Verdict.PASS,
        {"stages": 8, "routes": 60, "cases": 2_187_392, "witnesses": 60},
    )


def test_hits_add_up_to_the_whole_space(table: Table) -> None:
    hit = hits(compile_table(table))
    assert sum(hit.of(route) for route in Route) == TOTAL_SIZE
    assert list(hit.by_stage) == [space.stage for space in spaces()]
    # Half of each space has the wrong kind; closed takes what is left of its own too.
    assert hit.by_stage["decided"]["rejectWrongStage"] == 4096 // 2
    assert hit.of(Route.ACCEPT_CLOSURE) == 1
    assert hit.of(Route.SELECT_SLOW_BASELINE) == 2**13


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"stages": swapped}, "stages"),
        ({"stages": lambda rows: (replaced(rows[0], event="close"), *rows[1:])}, "event kinds"),
        ({"common_lines": swapped}, "routes"),
        ({"common_lines": lambda lines: lines[1:]}, "routes"),
        ({"fields": swapped}, "booleans"),
        ({"fields": lambda fields: fields[1:]}, "booleans"),
        ({"identity": swapped}, "identity values"),
        (
            {"identity": lambda values: (replaced(values[0], type="integer"), *values[1:])},
            "identity values",
        ),
        ({"facts": swapped}, "facts"),
        ({"counters": swapped}, "counters"),
    ],
)
def test_another_vocabulary_is_found(
    table: Table, document: Document, change: dict[str, Any], what: str
) -> None:
    changes = {name: edit(getattr(table, name)) for name, edit in change.items()}
    findings = list(vocabulary(replaced(table, **changes), document))
    assert f"the table's {what} are not those of the machine" in {one.message for one in findings}
    assert {one.rule for one in findings} == {"lifecycle.vocabulary.differs"}
    assert all(one.location.line for one in findings)


def test_a_route_that_accepts_in_the_table_alone_is_found(table: Table, document: Document) -> None:
    lines = table.stage_lines["decided"]
    accepting = {"decided": (replaced(lines[0], accepts=True), *lines[1:])}
    (finding,) = vocabulary(replaced(table, stage_lines=table.stage_lines | accepting), document)
    assert finding.message == "the table's accepting routes are not those of the machine"
    assert (finding.expected, finding.actual) == ("nothing more", "requireConsumerAcknowledgment")


@pytest.mark.parametrize("stage", [stage.value for stage in Stage])
def test_a_name_that_only_the_table_asks_about_is_found(
    table: Table, document: Document, stage: str
) -> None:
    lines = table.stage_lines[stage]
    own = {stage: (Line(lines[0].route, {"fallbackActivated": True, "rights": True}), *lines[1:])}
    findings = list(vocabulary(replaced(table, stage_lines=table.stage_lines | own), document))
    assert any(one.message.startswith(f"the table's names asked at {stage}") for one in findings)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("stages", "stages"),
        ("event_kinds", "event kinds"),
        ("routes", "routes"),
        ("rejecting", "rejecting"),
        ("accepting", "accepting"),
        ("booleans", "booleans"),
    ],
)
def test_another_count_is_found(table: Table, document: Document, name: str, says: str) -> None:
    counts = replaced(table.counts, **{name: 999})
    (finding,) = counted(replaced(table, counts=counts), document)
    assert finding.rule == "lifecycle.count.differs"
    assert finding.message == f"the number of {says} is not what the lifecycle has"
    assert finding.actual == 999
    assert finding.location.line == document.lines[finding.location.pointer or ""]


def test_another_size_of_a_space_is_found(
    table: Table, document: Document, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(check, "OWN_BOOLEANS", (6, 15, 5, 6, 8, 8, 5, 0))
    (finding,) = counted(table, document)
    assert finding.rule == "lifecycle.count.differs"


def test_a_route_that_no_case_takes_is_found(table: Table, document: Document) -> None:
    lines = table.stage_lines["decided"]
    behind = {"decided": (lines[0], lines[0], *lines[2:])}
    changed = replaced(table, stage_lines=table.stage_lines | behind)
    hit, witnesses = hits(compile_table(changed)), list(Search(table).witnesses())
    (finding,) = unreached(table, document, hit, witnesses)
    assert finding.rule == "lifecycle.route.unreached"
    assert finding.message == "the route requireResidualClosure is never taken"
    assert finding.expected == "a case that takes it"
    assert finding.location.pointer == "/stageLines/decided/1"


def broken(tree: Tree, before: str, after: str) -> CheckResult:
    path = tree.path(TABLE_PATH)
    text = path.read_text()
    assert text.count(before) == 1
    path.write_text(text.replace(before, after))
    return run(Context(tree))


def test_routes_of_a_stage_that_is_skipped_are_unreached(copied_tree: Tree) -> None:
    result = broken(copied_tree, "selectMode, next: modeSelected", "selectMode, next: verified")
    assert result.verdict is Verdict.FAIL
    unreached_routes = [one for one in result.findings if one.rule == "lifecycle.route.unreached"]
    assert len(unreached_routes) == 6 + 7 + 1  # of two stages; no fallback, so no cost of it
    assert {one.expected for one in unreached_routes} == {"a run from requested that ends in it"}


def test_a_stage_that_leads_back_is_a_dead_end(copied_tree: Tree) -> None:
    result = broken(copied_tree, "event: decide, next: decided", "event: decide, next: verified")
    dead = [one for one in result.findings if one.rule == "lifecycle.stage.dead-end"]
    assert [one.message for one in dead] == [
        f"a run that has come to {stage} never ends" for stage in list(Stage)[:6]
    ]
    assert result.verdict is Verdict.FAIL


def test_a_witness_that_the_machine_takes_another_way_is_found(copied_tree: Tree) -> None:
    result = broken(copied_tree, "when: {searchBound: false}", "when: {searchBound: true}")
    assert result.verdict is Verdict.FAIL
    differing = {one.expected: one.actual for one in result.findings}
    assert differing["requireSearchBound"] == "acceptGeneration"
    assert differing["acceptGeneration"] == "requireSearchBound"
    assert {one.rule for one in result.findings} == {"lifecycle.witness.differs"}


def test_another_vocabulary_ends_the_check_as_nothing_more_can_be_asked(
    copied_tree: Tree,
) -> None:
    path = copied_tree.path(TABLE_PATH)
    path.write_text(path.read_text().replace("searchBound", "boundedSearch"))
    result = run(Context(copied_tree))
    assert result.verdict is Verdict.FAIL
    assert {one.rule for one in result.findings} == {"lifecycle.vocabulary.differs"}
    assert {one.actual for one in result.findings} == {"boundedSearch"}


def test_a_line_is_found_by_its_route(table: Table) -> None:
    assert line_pointer(table, "rejectEventReplay") == "/commonLines/5"
    assert line_pointer(table, "acceptContext", "requested") == "/stageLines/requested/6"
    assert line_pointer(table, "acceptContext", "closed") == "/stageLines/closed"
    assert line_pointer(table, "nope") == "/stageLines"
