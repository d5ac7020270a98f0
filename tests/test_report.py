"""Reports say the same in every format, and the same bytes each time."""

from __future__ import annotations

from xml.etree import ElementTree

import msgspec
import pytest

from genconform.finding import (
    CheckResult,
    Finding,
    Level,
    Location,
    Report,
    Verdict,
    report_of,
)
from genconform.report import FORMATS

FINDING = Finding(
    "digest.file.changed",
    Level.ERROR,
    "the file changed [not markup]",
    Location("spec/a.yaml", "/b/0", 3),
    expected="one",
    actual="two",
)
REPORT = report_of(
    [
        CheckResult("spec", Verdict.PASS, {"routes": 60}),
        CheckResult("digests", Verdict.FAIL, {"bound": 2}, (FINDING, FINDING)),
        CheckResult("lean", Verdict.UNSUPPORTED, {}, note="no toolchain"),
        CheckResult("probe", Verdict.SKIPPED, {}, note="left out"),
    ]
)


@pytest.mark.parametrize("format_", FORMATS)
def test_the_same_report_gives_the_same_bytes(format_: str) -> None:
    assert FORMATS[format_](REPORT) == FORMATS[format_](REPORT)


def test_json_holds_the_whole_report() -> None:
    assert msgspec.json.decode(FORMATS["json"](REPORT), type=Report) == REPORT


def test_text_ends_in_one_line_that_says_what_passed() -> None:
    text = FORMATS["text"](REPORT)
    assert text.splitlines()[-1] == (
        "fail: 1 of 3 passed (spec); fail digests, unsupported lean; 3 of 4 ran"
    )
    assert "spec/a.yaml:3 at /b/0: the file changed [not markup]" in text
    assert "expected one" in text
    assert "found    two" in text


def test_junit_counts_what_it_lists_and_names_each_case_once() -> None:
    root = ElementTree.fromstring(FORMATS["junit"](REPORT))
    suites = {suite.get("name"): suite for suite in root}
    assert list(suites) == ["spec", "digests", "lean", "probe"]
    for suite in suites.values():
        cases = suite.findall("testcase")
        assert int(suite.get("tests", "")) == len(cases)
        assert len({case.get("name") for case in cases}) == len(cases)
        for kind, tag in {"failures": "failure", "errors": "error", "skipped": "skipped"}.items():
            assert int(suite.get(kind, "")) == len(suite.findall(f"testcase/{tag}"))
    assert suites["digests"].get("failures") == "2"
    assert suites["lean"].get("errors") == "1"
    assert suites["probe"].get("skipped") == "1"


def test_no_failed_or_unfinished_check_is_a_passing_junit_suite() -> None:
    for verdict in set(Verdict) - {Verdict.PASS, Verdict.SKIPPED, Verdict.NOT_APPLICABLE}:
        report = report_of([CheckResult("x", verdict, {})])
        (suite,) = ElementTree.fromstring(FORMATS["junit"](report))
        assert suite.get("errors") == "1", verdict
