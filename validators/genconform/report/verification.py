"""The report of a verification for a person: PASSED or FAILED for each, then one last line."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape

from genconform.finding import CheckResult, Finding, Level, Report, Verdict
from genconform.report.text import console, printed, style_of

_WORDS = {Verdict.PASS: "PASSED", Verdict.FAIL: "FAILED", Verdict.MALFORMED: "FAILED"}


def render(report: Report) -> str:
    """A line for each check, and below a failed one its rule, expected and actual."""
    to = console()
    for check in report.checks:
        _print(to, check)
    failed = sum(check.verdict in (Verdict.FAIL, Verdict.MALFORMED) for check in report.checks)
    passed = sum(check.verdict is Verdict.PASS for check in report.checks)
    counts = (
        f"{passed} passed, {failed} failed, {len(report.checks) - passed - failed} not looked at"
    )
    to.print(f"{_word(report.verdict)}: {counts}", soft_wrap=True)
    return printed(to)


def _print(to: Console, check: CheckResult) -> None:
    errors = [finding for finding in check.findings if finding.level is Level.ERROR]
    line = f"{_word(check.verdict)}  {escape(check.id)}"
    if check.note and not errors:
        line += f"  {escape(check.note)}"
    to.print(line, soft_wrap=True)
    for finding in check.findings:
        to.print(_finding(finding), soft_wrap=True)


def _finding(finding: Finding) -> str:
    text = f"        {escape(finding.message)} ({escape(finding.rule)})"
    if finding.expected is not None:
        text += f"\n        expected {escape(str(finding.expected))}"
    if finding.actual is not None:
        text += f"\n        actual   {escape(str(finding.actual))}"
    return text


def _word(verdict: Verdict) -> str:
    word = _WORDS.get(verdict, verdict.value.replace("_", " ").upper())
    return f"[{style_of(verdict)}]{word}[/]"
