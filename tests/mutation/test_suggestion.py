"""Suggestions: what the report says would kill a survivor does kill it."""

from __future__ import annotations

import re

import pytest
import yaml

from genconform.document import Document
from genconform.mutation.author import Mutation, Placed
from genconform.mutation.equivalence import Proof, prove
from genconform.mutation.operators import Mutant, mutants
from genconform.mutation.score import kill_by
from genconform.mutation.suggestion import suggest
from genconform.spec.table import load_table
from genconform.suites import lifecycle
from genconform.suites.authored import Bench
from genconform.tree import find_tree

TREE = find_tree()
TABLE = load_table(TREE)
BENCH = Bench(TREE)
BASES = lifecycle.bases(TREE)
MUTANTS = {mutant.id: mutant for mutant in mutants(TABLE)}
WRITTEN = re.compile(
    r"a mutation such as (?P<mutation>{.*}), where the mutant gives (?P<actual>.*)"
)


SOME = [
    name
    for name in list(MUTANTS)[::6]
    if not name.startswith(("skip:closed", "remember:"))  # equivalent, or noticed by a run alone
]


def said(mutant: Mutant) -> str:
    difference = prove(TABLE, mutant)
    assert not isinstance(difference, Proof)
    return suggest(difference, BASES)


@pytest.mark.parametrize("name", SOME)
def test_a_suggested_mutation_kills_its_mutant(name: str) -> None:
    mutant = MUTANTS[name]
    suggestion = said(mutant)
    written = WRITTEN.fullmatch(suggestion)
    if written is None:
        assert suggestion.startswith(("a valid run ", "a run with "))
        return
    mutation = Mutation("suggested", **yaml.safe_load(written["mutation"]))
    tried = BENCH.attempt(Placed("mine", mutation, Document("mine.yaml", None, {}), ""))
    assert tried.as_expected
    test = lifecycle.change_as_test(tried.changed, tried.placed, tried.route)
    kill = kill_by(test, mutant.variant)
    assert kill is not None
    assert written["actual"] in (kill.actual, "another state after it")


@pytest.mark.parametrize(
    ("name", "suggestion"),
    [
        (
            "weaken:accounted:blockRawSpeedProxy:taskSuccess",
            "a mutation such as {base: witness/promotion, at: accounted, "
            "set: {taskSuccess: false}, expect: blockRawSpeedProxy}, "
            "where the mutant gives acceptDecision",
        ),
        (
            "substitute:taskVersion",
            "a mutation such as {base: witness/fallback, at: requested, set: {taskVersion: 2}, "
            "expect: rejectTaskSubstitution}, where the mutant gives acceptContext",
        ),
        (
            "weaken:contextBound:requireRiskOverride:highRisk",
            "a valid run witness/fallback, which at contextBound expects acceptFastSelection, "
            "where the mutant gives requireRiskOverride",
        ),
        (
            "remember:decided",
            "a run in which the event at closed has the digest of the event that left decided, "
            "and takes rejectEventReplay, where the mutant gives rejectWrongStage",
        ),
    ],
)
def test_suggestions_read_well(name: str, suggestion: str) -> None:
    assert said(MUTANTS[name]) == suggestion


def test_without_a_run_there_is_no_mutation_to_suggest() -> None:
    difference = prove(TABLE, MUTANTS["substitute:taskId"])
    assert not isinstance(difference, Proof)
    assert suggest(difference, []) == (
        "a run with bindContext at requested and another taskId, which expects "
        "rejectTaskSubstitution, where the mutant gives acceptContext"
    )
