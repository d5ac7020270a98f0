"""Proofs of equivalence: they hold for what is the same, and only for that."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from genconform.mutation.equivalence import MemoryDifference, Proof, SpaceDifference, prove
from genconform.mutation.operators import Mutant, mutants
from genconform.mutation.score import Outcome, Test, judge_mutants
from genconform.mutation.variant import Semantics
from genconform.spec.table import Line, Table
from genconform.suites.authored import try_all
from genconform.suites.lifecycle import changes_a_run
from genconform.suites.mutations import lifecycle_tests
from genconform.tree import Tree


@pytest.fixture(scope="module")
def tests(tree: Tree) -> list[Test]:
    return lifecycle_tests(tree, try_all(tree, changes_a_run))


def injected(table: Table, stage: str = "", semantics: Semantics | None = None) -> Mutant:
    return Mutant("injected", "injected", stage, None, "", "", table, semantics or Semantics())


def with_line(table: Table, stage: str, index: int, line: Line) -> Table:
    lines = list(table.stage_lines[stage])
    lines[index] = line
    return replace(table, stage_lines=table.stage_lines | {stage: tuple(lines)})


def test_proofs_and_kills_agree(table: Table, tests: list[Test]) -> None:
    """Two ways that know nothing of each other: running the tests, and visiting everything."""
    some = [
        mutant
        for place, mutant in enumerate(mutants(table))
        if place % 4 == 0 or mutant.operator in ("skip", "mistake", "substitute", "remember")
    ]
    judged = list(judge_mutants(table, some, tests))
    proved = {mutant.id for mutant in some if isinstance(prove(table, mutant), Proof)}
    killed = {one.mutant.id for one in judged if one.outcome is Outcome.KILLED}
    assert proved == {mutant.id for mutant in some} - killed
    assert len(proved) == 7


def test_what_nothing_leaves_may_lead_anywhere(table: Table) -> None:
    """`next` of the last stage is never used, so that all seven mutants of it are equivalent."""
    proofs = [prove(table, one) for one in mutants(table) if one.id.startswith("skip:closed:")]
    assert proofs == [Proof(128)] * 7


def test_a_redundant_condition_is_equivalent(table: Table) -> None:
    lines = table.stage_lines["contextBound"]
    fallback = lines[11]
    assert fallback.route == "requireSlowFallback"
    # A line above has asked for riskOverride already where the risk is high.
    redundant = replace(fallback, when=fallback.when | {"riskOverride": True})
    same = with_line(table, "contextBound", 11, redundant)
    assert prove(table, injected(same, "contextBound")) == Proof(1 << 21)


def test_a_line_in_two_parts_is_equivalent(table: Table) -> None:
    """One line with `unless` is the same as three that each miss one of its names."""
    own = table.stage_lines["accounted"]
    speed = own[0]
    parts = tuple(
        replace(speed, when=speed.when | {name: not wanted}, unless={})
        for name, wanted in speed.unless.items()
    )
    same = replace(table, stage_lines=table.stage_lines | {"accounted": (*parts, *own[1:])})
    assert prove(table, injected(same)) == Proof(sum_of_spaces())
    two = replace(table, stage_lines=table.stage_lines | {"accounted": (*parts[:2], *own[1:])})
    assert not isinstance(prove(table, injected(two)), Proof)


def sum_of_spaces() -> int:
    return 128 * sum(1 << bits for bits in (6, 14, 5, 6, 8, 8, 5, 0))


def test_facts_that_are_split_otherwise_are_equivalent(table: Table) -> None:
    """Comparing a value twice is the same; comparing it under another fact is not."""
    twice = _comparing(table, "taskMatches", ("taskId",))
    assert isinstance(prove(table, injected(twice, "requested")), Proof)
    elsewhere = _comparing(table, "modeMatches", ("taskId",))
    found = prove(table, injected(elsewhere, "requested"))
    # A task that is another's is rejected as such before the mode is looked at.
    assert isinstance(found, Proof)
    before = _comparing(table, "taskMatches", ("modeDigest",))
    found = prove(table, injected(before, "requested"))
    assert isinstance(found, tuple)
    assert all("modeDigest" in one.origin.substituted for one in found)
    assert ("modeDigest",) in {one.origin.substituted for one in found}


def _comparing(table: Table, fact_name: str, more: tuple[str, ...]) -> Table:
    facts = tuple(
        replace(fact, compares=fact.compares + more) if fact.name == fact_name else fact
        for fact in table.facts
    )
    return replace(table, facts=facts)


def test_another_kind_of_event_is_a_difference(table: Table) -> None:
    mutant = next(one for one in mutants(table) if one.id == "mistake:requested:selectMode")
    found = prove(table, mutant)
    assert isinstance(found, tuple)
    assert {one.origin.kind for one in found} == {"bindContext", "selectMode"}


def test_states_after_count_and_not_routes_alone(table: Table) -> None:
    mutant = next(one for one in mutants(table) if one.id == "miscount:decided:receipts")
    found = prove(table, mutant)
    assert isinstance(found, tuple)
    (only,) = found
    assert isinstance(only, SpaceDifference)
    assert (only.own.size, only.own[0]) == (1, 0b11111)
    expected, actual = only.both(0)
    assert expected.route == actual.route == "acceptClosure"
    assert sum(actual.counters) - sum(expected.counters) == 1


def test_semantics_that_never_show_are_equivalent(table: Table) -> None:
    """The event that a closed request would consume is never accepted."""
    found = prove(table, injected(table, semantics=Semantics(unconsumed="closed")))
    assert isinstance(found, Proof)
    assert found.cases > sum_of_spaces()


def test_a_memory_that_differs_shows_the_digest(table: Table) -> None:
    mutant = next(one for one in mutants(table) if one.id == "remember:last")
    assert prove(table, mutant) == MemoryDifference(
        "modeSelected", "the event that left requested", "rejectEventReplay", "acceptGeneration"
    )
