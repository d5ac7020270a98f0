"""The whole space is compared, and whatever one engine does otherwise is found and told."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import msgspec
import pytest

from genconform.agreement import check, whole
from genconform.agreement.disagreement import finding_of_space
from genconform.agreement.engines import (
    ROUTE_DIFFERS,
    STATE_DIFFERS,
    UNMET_DIFFERS,
    Engines,
    Machine,
    engines_of,
)
from genconform.agreement.whole import Disagreement, Part, compare_part, merged, parts, visit_part
from genconform.context import Context
from genconform.document import Document
from genconform.finding import Verdict
from genconform.lifecycle import machine
from genconform.lifecycle.bulk import compile_table
from genconform.lifecycle.packet import Event, Stage, State
from genconform.lifecycle.space import TOTAL_SIZE, space_of, spaces
from genconform.lifecycle.table_engine import TableEngine
from genconform.spec.table import TABLE_PATH, Table
from genconform.tree import Tree
from tests.agreement.conftest import Faulty, changed

SMALL = [space.stage.value for space in spaces() if space.stage is not Stage.CONTEXT_BOUND]


def everything(stage: str) -> Part:
    return Part(stage, 0, space_of(stage).size)


def found(table: Table, faulty: Machine, stage: str) -> dict[str, Disagreement]:
    return {one.rule: one for one in compare_part(engines_of(table, faulty), everything(stage))}


@pytest.mark.parametrize("stage", ["requested", "closed"])
def test_each_engine_says_how_often_it_took_each_route(table: Table, stage: str) -> None:
    hits = visit_part(engines_of(table), everything(stage)).hits
    assert hits["table"] == hits["machine"] == hits["bulk"]
    assert hits["machine"].total() == len(everything(stage))
    assert hits["machine"]["rejectWrongStage"] > hits["machine"]["acceptContext"]


def test_the_parts_are_the_whole_space_once() -> None:
    covered = {
        stage: [(part.start, part.stop) for part in parts() if part.stage == stage]
        for stage in Stage
    }
    for space in spaces():
        edges = [0, *(stop for _, stop in covered[space.stage])]
        assert covered[space.stage] == list(pairwise(edges))
        assert edges[-1] == space.size
    assert sum(map(len, parts())) == TOTAL_SIZE


@pytest.mark.parametrize("stage", SMALL)
def test_the_engines_agree_on_a_whole_stage(engines: Engines, stage: str) -> None:
    assert compare_part(engines, everything(stage)) == []


# The rest of this stage is visited by the check itself.
@pytest.mark.parametrize("start", [0, 1 << 20, (1 << 21) - (1 << 13)])
def test_the_engines_agree_on_parts_of_the_large_stage(engines: Engines, start: int) -> None:
    assert compare_part(engines, Part("contextBound", start, start + (1 << 13))) == []


def _forgets_a_counter(state: State, event: Event) -> tuple[State, str]:
    after, route = machine.step(state, event)
    if route == "acceptClosure":
        counters = msgspec.structs.replace(after.counters, receipts=0)
        return changed(after, counters=counters), route
    return after, route


def _starts_again(state: State, event: Event) -> tuple[State, str]:
    after, route = machine.step(state, event)
    return (changed(after, stage=Stage.REQUESTED), route) if after is not state else (after, route)


def _forgets_a_digest(state: State, event: Event) -> tuple[State, str]:
    after, route = machine.step(state, event)
    return changed(after, consumed_event_digests=after.consumed_event_digests[1:]), route


def _changes_an_identity(state: State, event: Event) -> tuple[State, str]:
    after, route = machine.step(state, event)
    if after is state:
        return after, route
    identity = msgspec.structs.replace(after.identity, residual_digest="mine")
    return changed(after, identity=identity), route


def _counts_a_rejection(state: State, event: Event) -> tuple[State, str]:
    after, route = machine.step(state, event)
    if route == "requireCleanup":
        counters = msgspec.structs.replace(after.counters, external_effects=1)
        return changed(after, counters=counters), route
    return after, route


@pytest.mark.parametrize(
    "step",
    [
        _forgets_a_counter,
        _starts_again,
        _forgets_a_digest,
        _changes_an_identity,
        _counts_a_rejection,
    ],
)
def test_another_state_after_is_found(
    table: Table, step: Callable[[State, Event], tuple[State, str]]
) -> None:
    disagreements = found(table, Faulty(step=step), "decided")
    assert set(disagreements) == {STATE_DIFFERS}
    smallest = space_of("decided").values(disagreements[STATE_DIFFERS].smallest)
    assert smallest["kindMatches"]


def test_another_state_after_in_the_bulk_engine_alone_is_found(table: Table) -> None:
    effects = msgspec.structs.replace(table.effects, every_acceptance=("receipts", "decisions"))
    other = compile_table(msgspec.structs.replace(table, effects=effects))
    engines = Engines(machine, TableEngine(table), other)
    (disagreement,) = compare_part(engines, everything("requested"))
    space = space_of("requested")
    assert disagreement == Disagreement(STATE_DIFFERS, "requested", 1, space.plain)


def _ignores_the_task_version(state: State, event: Event) -> tuple[State, str]:
    packet = msgspec.structs.replace(event.packet, task_version=state.identity.task_version)
    return machine.step(state, Event(event.kind, packet))


def test_a_value_that_the_machine_does_not_compare_is_found(table: Table) -> None:
    disagreements = found(table, Faulty(step=_ignores_the_task_version), "closed")
    assert disagreements[ROUTE_DIFFERS].rule == ROUTE_DIFFERS
    values = space_of("closed").values(disagreements[ROUTE_DIFFERS].smallest)
    assert not values["taskMatches"]


def _remembers_the_last_digest_alone(state: State, event: Event) -> tuple[State, str]:
    _, route = machine.step(
        changed(state, consumed_event_digests=state.consumed_event_digests[-1:]), event
    )
    after, _ = machine.step(state, event)
    return after, route


def test_a_replay_of_an_earlier_step_that_is_let_through_is_found(table: Table) -> None:
    disagreements = found(table, Faulty(step=_remembers_the_last_digest_alone), "decided")
    space = space_of("decided")
    smallest = space.values(disagreements[ROUTE_DIFFERS].smallest)
    unusual = {name for name, value in smallest.items() if value != space.values(space.plain)[name]}
    assert "digestFresh" in unusual


def _lists_unmet_backwards(state: State, event: Event) -> tuple[str, ...]:
    return machine.unmet(state, event)[::-1]


def test_another_list_of_unmet_lines_is_found(table: Table) -> None:
    disagreements = found(table, Faulty(unmet=_lists_unmet_backwards), "decided")
    assert set(disagreements) == {UNMET_DIFFERS}
    space = space_of("decided")
    # Two lines must be unmet for their order to matter.
    assert (disagreements[UNMET_DIFFERS].smallest ^ space.plain).bit_count() == 2


def swapped_lines(table: Table) -> Table:
    """The table with the first two lines of `decided` exchanged."""
    lines = table.stage_lines["decided"]
    decided = (lines[1], lines[0], *lines[2:])
    changed_table: Table = msgspec.structs.replace(
        table, stage_lines=table.stage_lines | {"decided": decided}
    )
    return changed_table


def test_the_smallest_case_and_its_count_are_exact(table: Table) -> None:
    space = space_of("decided")
    values = space.values(space.plain) | {"consumerAcknowledgment": False, "residualClosure": False}
    disagreements = compare_part(engines_of(swapped_lines(table)), everything("decided"))
    both = [one for one in disagreements if one.rule == ROUTE_DIFFERS]
    assert both == [Disagreement(ROUTE_DIFFERS, "decided", 2**3, space.index(values))]


def test_disagreements_of_parts_add_up(table: Table) -> None:
    engines = engines_of(swapped_lines(table))
    whole_stage = compare_part(engines, everything("decided"))
    halves = [Part("decided", 0, 3000), Part("decided", 3000, 4096)]
    assert merged(one for part in halves for one in compare_part(engines, part)) == merged(
        whole_stage
    )


def test_every_process_compares_its_parts(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    some = tuple(part for part in parts() if part.stage in {"decided", "closed"})
    monkeypatch.setattr(whole, "parts", lambda: some)
    wrong = swapped_lines(table)
    assert whole.compare_all(wrong, jobs=2) == whole.compare_all(wrong, jobs=1) != ()
    assert whole.compare_all(table, jobs=2) == ()


def test_a_finding_tells_the_case_the_answers_and_the_lines(
    table: Table, document: Document
) -> None:
    engines = engines_of(swapped_lines(table))
    (disagreement, *_) = compare_part(engines, everything("decided"))
    finding = finding_of_space(engines, document, disagreement)
    line = document.lines["/stageLines/decided/0"]
    assert finding.rule == ROUTE_DIFFERS
    assert "in 8 of the 4,096 cases of decided" in finding.message
    assert "consumerAcknowledgment is false and residualClosure is false" in finding.message
    assert f"lifecycle case decided {disagreement.smallest}" in finding.message
    assert set(finding.actual) == {"machine", "table", "bulk"}
    assert finding.actual["machine"].startswith("requireConsumerAcknowledgment (line ")
    assert finding.actual["table"] == finding.actual["bulk"]
    assert finding.location.line == line


def test_the_check_finds_a_table_that_says_otherwise(
    copied_tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = copied_tree.path(TABLE_PATH)
    text = path.read_text()
    before = "compares: [taskId, taskVersion, contextDigest, taskSetDigest, consumerDigest]"
    assert before in text
    path.write_text(text.replace(before, "compares: [taskId, taskVersion]"))
    some = tuple(part for part in parts() if part.stage in {"requested", "closed"})
    monkeypatch.setattr(whole, "parts", lambda: some)
    result = check.run(Context(copied_tree))
    assert result.verdict is Verdict.FAIL
    assert {one.rule for one in result.findings} >= {ROUTE_DIFFERS, UNMET_DIFFERS}
    assert any("steps of random runs" in one.message for one in result.findings)
    assert "taskMatches is false" in result.findings[0].message


def test_the_check_says_so_when_the_vocabulary_leaves_nothing_to_compare(
    copied_tree: Tree,
) -> None:
    path = copied_tree.path(TABLE_PATH)
    path.write_text(path.read_text().replace("residualClosure", "closureOfResidual"))
    result = check.run(Context(copied_tree))
    assert result.verdict is Verdict.FAIL
    assert result.counts == {"cases": 0}
    assert {one.rule for one in result.findings} == {"lifecycle.vocabulary.differs"}
