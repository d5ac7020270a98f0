"""The plan of checks: nothing that did not run can read as a pass."""

from __future__ import annotations

import itertools
import os
import signal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genconform.checks import Check, plan, run_all, select, skipped
from genconform.context import Context
from genconform.errors import MalformedInput, Unsupported, UsageError
from genconform.finding import (
    CheckResult,
    Finding,
    Level,
    Location,
    Verdict,
    combine,
    report_of,
)
from genconform.report import FORMATS
from genconform.spec.rules import load_rules
from genconform.tree import Tree

PASSING = Check("passing", "passes", "tests.test_checks:passing")


def passing(context: Context) -> CheckResult:
    return CheckResult("passing", Verdict.PASS, {"things": 1})


def noting(context: Context) -> CheckResult:
    findings = (Finding("a.note", Level.NOTE, "no place", Location()),)
    return CheckResult("noting", Verdict.PASS, {"things": 1}, findings)


def malformed(context: Context) -> CheckResult:
    raise MalformedInput("not a table")


def unsupported(context: Context) -> CheckResult:
    raise Unsupported("no toolchain", remedy="Install it.")


def usage(context: Context) -> CheckResult:
    raise UsageError("no such file")


def faulty(context: Context) -> CheckResult:
    raise KeyError("a fault of the check")


def killed(context: Context) -> CheckResult:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError


@pytest.mark.parametrize(
    ("function", "verdict", "exit_code"),
    [
        ("malformed", Verdict.MALFORMED, 3),
        ("unsupported", Verdict.UNSUPPORTED, 4),
        ("usage", Verdict.FAIL, 1),
        ("faulty", Verdict.INCOMPLETE, 4),
    ],
)
def test_an_error_is_the_result_of_its_check_and_hides_no_other(
    tree: Tree, function: str, verdict: Verdict, exit_code: int
) -> None:
    broken = Check("broken", "raises", f"tests.test_checks:{function}")
    results = [done.result for _, done in run_all([broken, PASSING], Context(tree))]
    assert [result.verdict for result in results] == [verdict, Verdict.PASS]
    assert results[0].findings[0].rule == "check.error"
    assert report_of(results).verdict.exit_code == exit_code


def test_an_error_says_its_parts_once(tree: Tree) -> None:
    check = Check("broken", "raises", "tests.test_checks:unsupported")
    [(_, done)] = run_all([check], Context(tree, cache=False))
    assert done.result.findings[0].message == "no toolchain. Install it."


def test_the_fault_of_a_check_is_raised_where_that_is_asked_for(tree: Tree) -> None:
    check = Check("broken", "raises", "tests.test_checks:faulty")
    with pytest.raises(KeyError):
        list(run_all([check], Context(tree, raises=True)))


@pytest.mark.parametrize("function", ["faulty", "killed"])
def test_a_check_that_cannot_end_is_no_pass_in_a_process_of_its_own(
    tree: Tree, function: str
) -> None:
    broken = Check("broken", "ends", f"tests.test_checks:{function}")
    found = {check.id: done for check, done in run_all([broken, PASSING], Context(tree, jobs=2))}
    assert found["broken"].result.verdict is Verdict.INCOMPLETE
    assert "internal error" in found["broken"].result.findings[0].message
    assert report_of(done.result for done in found.values()).verdict is Verdict.INCOMPLETE


def test_checks_run_side_by_side_give_the_same_results(tree: Tree) -> None:
    noting = Check("noting", "notes", "tests.test_checks:noting")
    checks = [PASSING, noting, Check("spec", "", "genconform.spec.check:run")]
    alone = {check.id: done.result for check, done in run_all(checks, Context(tree))}
    together = {check.id: done.result for check, done in run_all(checks, Context(tree, jobs=2))}
    assert alone == together
    written = [
        FORMATS["json"](report_of(found[check.id] for check in checks))
        for found in (alone, together)
    ]
    assert written[0] == written[1]
    assert "location" not in written[0]


def test_the_plan_has_each_check_once() -> None:
    names = [check.id for check in plan()]
    assert len(names) == len(set(names))


def test_a_name_that_is_no_check_is_refused() -> None:
    with pytest.raises(UsageError, match="no check named 'spek'"):
        select([PASSING], ["spek"], [])


def test_only_and_skip_leave_out_and_say_so() -> None:
    other = Check("other", "", "")
    assert select([PASSING, other], [], ["other"]) == ([PASSING], [other])
    assert select([PASSING, other], ["passing"], []) == ([PASSING], [other])
    assert skipped(other).verdict is Verdict.SKIPPED


@given(st.lists(st.sampled_from(Verdict)), st.booleans())
def test_only_passes_make_a_pass(verdicts: list[Verdict], strict: bool) -> None:
    combined = combine(verdicts, strict=strict)
    neutral = {Verdict.PASS, Verdict.NOT_APPLICABLE} | (set() if strict else {Verdict.SKIPPED})
    assert (combined is Verdict.PASS) == (Verdict.PASS in verdicts and set(verdicts) <= neutral)


@given(st.lists(st.sampled_from(Verdict)))
def test_one_failure_is_never_hidden(verdicts: list[Verdict]) -> None:
    assert combine([*verdicts, Verdict.FAIL]) is Verdict.FAIL


def test_the_exit_codes_are_as_documented() -> None:
    codes = {verdict: verdict.exit_code for verdict in Verdict}
    assert codes.pop(Verdict.PASS) == 0
    assert codes.pop(Verdict.FAIL) == 1
    assert codes.pop(Verdict.MALFORMED) == 3
    assert set(codes.values()) == {4}


def test_every_rule_names_an_input_that_breaks_it(tree: Tree) -> None:
    for rule in load_rules(tree).values():
        assert tree.path(rule.broken_by).exists(), rule
        assert tree.path(rule.page.partition("#")[0]).is_file(), rule


def test_rule_ids_are_lowercase_paths(tree: Tree) -> None:
    for rule in load_rules(tree):
        area, *names = rule.split(".")
        assert area.islower()
        assert all(itertools.chain(names))
