"""The report for a person: a table of checks, the findings, and one last line that says it all."""

from __future__ import annotations

import io
import sys
from collections.abc import Container

from rich.console import Console, JustifyMethod
from rich.markup import escape
from rich.table import Table

from genconform.finding import CheckResult, Finding, Level, Report, Verdict

_STYLE = {
    Verdict.PASS: "bold green",
    Verdict.FAIL: "bold red",
    Verdict.MALFORMED: "bold red",
    Verdict.SKIPPED: "dim",
    Verdict.NOT_APPLICABLE: "dim",
}
_LEVEL_STYLE = {Level.ERROR: "red", Level.WARNING: "yellow", Level.NOTE: "dim"}
_PLAIN_WIDTH = 120
_SHOWN_AT_MOST = 20
_NAMED_AT_MOST = 12


def render(report: Report) -> str:
    """Text as wide as the terminal, coloured only on one, and plain where NO_COLOR is set."""
    to = console()
    to.print(_table(report))
    for check in report.checks:
        _print_findings(to, check)
    to.print(_last_line(report), soft_wrap=True)
    return printed(to)


def console() -> Console:
    """A console that keeps what is printed to it, for `printed`."""
    terminal = sys.stdout.isatty()
    return Console(
        file=io.StringIO(),
        force_terminal=terminal,
        width=None if terminal else _PLAIN_WIDTH,
        highlight=False,
    )


def printed(to: Console) -> str:
    """All that was printed to a `console()`."""
    assert isinstance(to.file, io.StringIO)
    return to.file.getvalue()


def grid(*titles: str, numbers: Container[int] = (), wraps: Container[str] = ()) -> Table:
    """An empty table without lines.

    Columns at the places in `numbers`, from 0, are set to the right. The texts of those titled in
    `wraps` may take several lines.
    """
    table = Table(box=None, pad_edge=False, header_style="bold")
    for place, title in enumerate(titles):
        justify: JustifyMethod = "right" if place in numbers else "left"
        table.add_column(title, no_wrap=title not in wraps, justify=justify)
    return table


def styled(verdict: Verdict) -> str:
    """A verdict in its colour."""
    return f"[{style_of(verdict)}]{verdict.value}[/]"


def style_of(verdict: Verdict) -> str:
    """The style of a verdict."""
    return _STYLE.get(verdict, "bold yellow")


def _table(report: Report) -> Table:
    table = grid("check", "verdict", "counts", wraps=("counts",))
    for check in report.checks:
        counts = ", ".join(f"{_words(name)} {count:,}" for name, count in check.counts.items())
        said = "; ".join(filter(None, (counts, check.note)))
        table.add_row(escape(check.id), styled(check.verdict), escape(said))
    return table


def _words(name: str) -> str:
    return name.replace("_", " ")


def _print_findings(to: Console, check: CheckResult) -> None:
    shown = check.findings[:_SHOWN_AT_MOST]
    by_rule: dict[str, list[Finding]] = {}
    for finding in shown:
        by_rule.setdefault(finding.rule, []).append(finding)
    for rule, findings in by_rule.items():
        level = findings[0].level
        to.print(f"[{_LEVEL_STYLE[level]}]{level.value}[/] [bold]{escape(rule)}[/]", soft_wrap=True)
        for finding in findings:
            to.print(_finding(finding), soft_wrap=True)
        to.print(f"  [dim]what it means: genconform explain {escape(rule)}[/]", soft_wrap=True)
    hidden = len(check.findings) - len(shown)
    if hidden > 0:
        to.print(f"  … and {hidden} more in {check.id}; --format json lists all")


def _finding(finding: Finding) -> str:
    place = f"{plain(finding.location)}: " if finding.location.file else ""
    text = f"  {place}{plain(finding.message)}"
    if finding.expected is not None:
        text += f"\n    expected {plain(finding.expected)}"
    if isinstance(finding.actual, dict):
        text += "\n    found"
        for name, value in finding.actual.items():
            text += f"\n      {plain(name)}: {plain(value)}"
    elif finding.actual is not None:
        text += f"\n    found    {plain(finding.actual)}"
    return text


def plain(value: object) -> str:
    """A value as text that neither styles nor steers a terminal, whatever an input put into it."""
    text = "".join(
        char if char.isprintable() or char == "\n" else ascii(char)[1:-1] for char in str(value)
    )
    return escape(text)


def _named(names: list[str]) -> str:
    more = len(names) - _NAMED_AT_MOST
    return escape(", ".join(names[:_NAMED_AT_MOST]) + (f", … and {more} more" if more > 0 else ""))


def _last_line(report: Report) -> str:
    ran = [check for check in report.checks if check.verdict is not Verdict.SKIPPED]
    passed = [check.id for check in ran if check.verdict is Verdict.PASS]
    others = [f"{check.verdict.value} {check.id}" for check in ran if check.id not in passed]
    text = f"{styled(report.verdict)}: {len(passed)} of {len(ran)} passed"
    if passed:
        text += f" ({_named(passed)})"
    if others:
        text += f"; {_named(others)}"
    if len(ran) < len(report.checks):
        text += f"; {len(ran)} of {len(report.checks)} ran"
    return text
