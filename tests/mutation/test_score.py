"""Scores: what counts as a kill, what does not, and what becomes of the rest."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from genconform.finding import Location
from genconform.lifecycle.machine import ACCEPTING
from genconform.lifecycle.packet import NO_COUNTS, Counters, Stage, State
from genconform.lifecycle.space import IDENTITY, space_of
from genconform.mutation.equivalence import Proof
from genconform.mutation.operators import Mutant, mutants
from genconform.mutation.score import Judged, Kill, Outcome, Test, judge_mutants, kill_by, score
from genconform.mutation.variant import Semantics, Variant
from genconform.spec.table import load_table
from genconform.tree import find_tree

TABLE = load_table(find_tree())
START = State(Stage.REQUESTED, IDENTITY, (), NO_COUNTS)
SPACE = space_of(Stage.REQUESTED)
PLAIN = SPACE.case(SPACE.plain).event
NO_TASK_SET = replace(PLAIN, packet=replace(PLAIN.packet, task_set=False))
MUTANTS = {mutant.id: mutant for mutant in mutants(TABLE)}
RECEIVED = Counters(1, 0, 0, 0, 0, 0, 0, 0)


def made(*routes: str, end: tuple[str, Counters] | None = None) -> Test:
    """A test that sends a request without a task set, and then one with it."""
    events = (NO_TASK_SET, PLAIN)[: len(routes)]
    stages = frozenset({"requested"})
    return Test("mine", Location(), START, events, routes, ACCEPTING, stages, end)


REJECTED = made("requireTaskSet")
MENDED = made("requireTaskSet", "acceptContext", end=("contextBound", RECEIVED))


def judged(tests: Sequence[Test], *names: str) -> list[Judged]:
    return list(judge_mutants(TABLE, [MUTANTS[name] for name in names], tests))


@pytest.mark.parametrize("test", [REJECTED, MENDED])
def test_the_faithful_lifecycle_is_not_killed(test: Test) -> None:
    assert kill_by(test, Variant(TABLE)) is None


@pytest.mark.parametrize(
    ("name", "test", "expected", "actual"),
    [
        ("drop:requested:requireTaskSet", REJECTED, "requireTaskSet", "acceptContext"),
        (
            "accept:requested:requireTaskSet",
            REJECTED,
            "requireTaskSet, and nothing changes",
            "requireTaskSet, and the state changes",
        ),
        (
            "remember:counted",
            REJECTED,
            "requireTaskSet, and nothing changes",
            "requireTaskSet, and the state changes",
        ),
        (
            "reject:requested:acceptContext",
            MENDED,
            "event 2: acceptContext, and the state changes",
            "acceptContext, and nothing changes",
        ),
        (
            "skip:requested:decided",
            MENDED,
            "contextBound, receipts 1",
            "decided, receipts 1",
        ),
        (
            "miscount:requested:drafts",
            MENDED,
            "contextBound, receipts 1",
            "contextBound, receipts 1, drafts 1",
        ),
    ],
)
def test_a_kill_says_what_was_named_and_what_came(
    name: str, test: Test, expected: str, actual: str
) -> None:
    assert kill_by(test, MUTANTS[name].variant) == Kill("mine", expected, actual)


def test_only_what_its_author_names_kills() -> None:
    """The same run, without its end named, does not notice where it ends."""
    silent = made("requireTaskSet", "acceptContext")
    assert kill_by(silent, MUTANTS["miscount:requested:drafts"].variant) is None


def test_a_test_that_fails_on_the_table_kills_nothing() -> None:
    wrong = made("requireRights")
    assert kill_by(wrong, Variant(TABLE)) is not None
    (one,) = judged([wrong], "drop:requested:requireTaskSet")
    assert one.outcome is Outcome.SURVIVED


def test_a_mutant_that_no_test_notices_survives_with_what_differs() -> None:
    (one,) = judged([REJECTED], "drop:requested:requireRights")
    assert one.outcome is Outcome.SURVIVED
    assert one.kill is None
    assert one.difference is not None


def test_an_injected_equivalent_is_proved() -> None:
    same = Mutant("same", "injected", "requested", None, "", "", TABLE)
    (one,) = judge_mutants(TABLE, [same], [REJECTED])
    assert one.outcome is Outcome.EQUIVALENT
    assert one.proof == Proof(SPACE.size)


def test_an_injected_flaw_of_memory_survives_where_no_digest_comes_twice() -> None:
    flawed = Mutant("flawed", "injected", "", None, "", "", TABLE, Semantics(unconsumed="decided"))
    (one,) = judge_mutants(TABLE, [flawed], [REJECTED, MENDED])
    assert one.outcome is Outcome.SURVIVED


def test_tests_of_other_stages_are_not_run() -> None:
    """They could not notice: the fault shows at the mutant's stage alone."""
    (one,) = judged([REJECTED], "drop:decided:requireCleanup")
    assert one.outcome is Outcome.SURVIVED


def test_the_score_leaves_equivalent_mutants_aside() -> None:
    killed = Judged(MUTANTS["drop:requested:requireTaskSet"], Outcome.KILLED)
    survived = Judged(MUTANTS["drop:requested:requireTaskSet"], Outcome.SURVIVED)
    equivalent = Judged(MUTANTS["skip:closed:decided"], Outcome.EQUIVALENT)
    assert score([killed, killed, killed, survived, equivalent]) == 75
    assert score([killed, equivalent]) == 100
    assert score([equivalent]) == 0
    assert score([]) == 0
