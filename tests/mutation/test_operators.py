"""Operators: what each changes, and that it changes nothing else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest
from msgspec import to_builtins

from genconform.digest.difference import first_difference
from genconform.document import read_document
from genconform.lifecycle.bulk import stage_outcomes
from genconform.mutation.operators import OPERATORS, Mutant, mutants
from genconform.mutation.variant import FAITHFUL, Recall, Semantics
from genconform.spec.table import TABLE_PATH, Line, Table, load_table
from genconform.tree import Tree


@pytest.fixture(scope="module")
def made(table: Table) -> dict[str, Mutant]:
    return {mutant.id: mutant for mutant in mutants(table)}


def line(mutant: Mutant) -> Line:
    assert mutant.line is not None
    lines = mutant.table.stage_lines[mutant.stage] if mutant.stage else mutant.table.common_lines
    return lines[mutant.line]


def test_ids_are_unique(table: Table) -> None:
    ids = Counter(mutant.id for mutant in mutants(table))
    assert [name for name, count in ids.items() if count > 1] == []


def test_operators_make_all_that_there_is_to_make(table: Table, made: dict[str, Mutant]) -> None:
    conditional = [line for line in _all_lines(table) if not line.otherwise]
    names = sum(len(line.names) for line in conditional)
    counted = Counter(mutant.operator for mutant in made.values())
    assert counted == {
        "drop": len(conditional),
        "negate": names,
        "weaken": names,
        "redirect": len(_all_lines(table)),
        "accept": sum(not line.accepts for line in _all_lines(table)),
        "reject": 9,
        "swap": sum(n * (n - 1) // 2 for n in (7, 6, 13, 5, 6, 7, 4, 5)),
        "skip": 8 * 7,
        "mistake": 8,
        "forget": 6,
        "miscount": 7 * 8,
        "substitute": 10,
        "remember": 4 + 7,
    }


def _all_lines(table: Table) -> list[Line]:
    return [*table.common_lines, *(line for own in table.stage_lines.values() for line in own)]


def test_every_mutant_changes_something_in_one_place(table: Table, made: dict[str, Mutant]) -> None:
    before = to_builtins(table)
    for mutant in made.values():
        after = to_builtins(mutant.table)
        changed = [key for key in before if before[key] != after[key]]
        assert len(changed) + (mutant.semantics != FAITHFUL) == 1, mutant.id


def test_making_mutants_changes_nothing_in_the_table(tree: Tree) -> None:
    table = load_table(tree)
    list(mutants(table))
    assert first_difference(to_builtins(load_table(tree)), to_builtins(table)) is None


def test_every_mutant_points_at_a_line_of_the_file(tree: Tree, made: dict[str, Mutant]) -> None:
    lines = read_document(tree.path(TABLE_PATH), TABLE_PATH).lines
    assert {mutant.pointer for mutant in made.values()} <= lines.keys()


def test_a_fault_shows_at_no_other_stage_than_the_mutant_says(
    table: Table, made: dict[str, Mutant]
) -> None:
    stages = [row.name for row in table.stages]
    sound = {stage: stage_outcomes(table, stage) for stage in stages}
    for mutant in list(made.values())[::7]:
        for stage in stages:
            if mutant.stage and stage != mutant.stage:
                other = stage_outcomes(mutant.table, stage)
                assert sound[stage].differences(other).size == 0, (mutant.id, stage)


def test_drop(table: Table, made: dict[str, Mutant]) -> None:
    mutant = made["drop:contextBound:requireRiskTier"]
    kept = [line.route for line in mutant.table.stage_lines["contextBound"]]
    expected = [line.route for line in table.stage_lines["contextBound"]]
    expected.remove("requireRiskTier")
    assert kept == expected


def test_drop_of_a_common_line(made: dict[str, Mutant]) -> None:
    mutant = made["drop:common:rejectEventReplay"]
    routes = [line.route for line in mutant.table.common_lines]
    assert len(routes) == 6
    assert "rejectEventReplay" not in routes


def test_negate(made: dict[str, Mutant]) -> None:
    override = line(made["negate:contextBound:requireRiskOverride:highRisk"])
    assert override.when == {"highRisk": False, "riskOverride": False}
    speed = line(made["negate:accounted:blockRawSpeedProxy:taskSuccess"])
    assert speed.unless == {"acceptedOutput": True, "taskSuccess": False, "baselineResult": True}


def test_swap(made: dict[str, Mutant]) -> None:
    mutant = made["swap:requested:requireTaskSet:requireRights"]
    routes = [line.route for line in mutant.table.stage_lines["requested"]]
    assert routes.index("requireRights") < routes.index("requireConsumer")
    assert routes.index("requireConsumer") < routes.index("requireTaskSet")


def test_redirect_keeps_to_its_kind(table: Table, made: dict[str, Mutant]) -> None:
    accepting = table.accepting()
    for mutant in made.values():
        if mutant.operator == "redirect":
            assert (line(mutant).route in accepting) == line(mutant).accepts
            assert f":{line(mutant).route}" in mutant.id


@pytest.mark.parametrize(("operator", "accepts"), [("accept", True), ("reject", False)])
def test_accept_and_reject(made: dict[str, Mutant], operator: str, accepts: bool) -> None:
    of_operator = [mutant for mutant in made.values() if mutant.operator == operator]
    assert {line(mutant).accepts for mutant in of_operator} == {accepts}


def test_weaken(made: dict[str, Mutant]) -> None:
    conjunct = line(made["weaken:verified:requireFallbackCost:fallbackActivated"])
    assert conjunct.when == {"fallbackCost": False}
    unless = line(made["weaken:accounted:blockRawSpeedProxy:taskSuccess"])
    assert unless.unless == {"acceptedOutput": True, "baselineResult": True}
    alone = line(made["weaken:requested:requireTaskSet:taskSet"])
    assert alone.otherwise
    assert not alone.names


def test_skip(made: dict[str, Mutant]) -> None:
    assert made["skip:requested:modeSelected"].table.row("requested").next == "modeSelected"
    assert "skip:requested:contextBound" not in made


def test_mistake(made: dict[str, Mutant]) -> None:
    assert made["mistake:decided:bindContext"].table.row("decided").event == "bindContext"


def test_forget(made: dict[str, Mutant]) -> None:
    assert made["forget:everyAcceptance:receipts"].table.effects.every_acceptance == ()
    assert made["forget:accounted:decisions"].table.effects.leaving["accounted"] == ()
    fallback = made["forget:activateFallback:fallbacks"]
    assert fallback.stage == "draftGenerated"
    assert fallback.table.effects.route["activateFallback"] == ()


def test_miscount(made: dict[str, Mutant]) -> None:
    twice = made["miscount:modeSelected:drafts"].table
    assert twice.counters_added("modeSelected", "acceptGeneration").count("drafts") == 2
    never = made["miscount:decided:supportAssignments"].table
    assert "supportAssignments" in never.counters_added("decided", "acceptClosure")


def test_substitute(made: dict[str, Mutant]) -> None:
    facts = {fact.name: fact.compares for fact in made["substitute:taskVersion"].table.facts}
    assert facts["taskMatches"] == ("taskId", "contextDigest", "taskSetDigest", "consumerDigest")


def test_remember(made: dict[str, Mutant]) -> None:
    assert made["remember:last"].semantics == Semantics(recall=Recall.LAST)
    assert made["remember:none"].semantics == Semantics(recall=Recall.NONE)
    assert made["remember:rejected"].semantics == Semantics(consumes_rejected=True)
    assert made["remember:counted"].semantics == Semantics(counts_rejected=True)
    assert made["remember:verified"].semantics == Semantics(unconsumed="verified")


@pytest.mark.parametrize("operator", OPERATORS.values(), ids=OPERATORS)
def test_every_operator_says_what_it_does(operator: Callable[..., object]) -> None:
    assert operator.__doc__
