"""`genconform replay`: the committed fixtures, judged again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
from msgspec import UNSET
from rich.markup import escape

from genconform.cli.options import give, reporting, rooted
from genconform.cli.progress import watched
from genconform.finding import CheckResult, Report, report_of
from genconform.report import text
from genconform.suites import suites_named
from genconform.suites.replay import replay
from genconform.tree import Tree


@click.command("replay")
@click.argument("suites", metavar="[SUITE]...", nargs=-1)
@rooted
@reporting
def replay_command(suites: tuple[str, ...], tree: Tree, format_: str, output: Path | None) -> None:
    """Judge the fixtures again: valid ones pass, the others are caught by the rule they name.

    SUITE is the name of a folder in fixtures/; by default all are replayed.
    """
    chosen = suites_named(suites)
    results = list(watched((replay(suite, tree) for suite in chosen), len(chosen), "suites"))
    give(report_of(results), format_, output, _for_people)


def _for_people(report: Report) -> str:
    to = text.console()
    titles = ("suite", "fixtures", "as expected")
    grid = text.grid(*titles, wraps=titles)
    for check in report.checks:
        for what, share in _shares(check):
            grid.add_row(escape(check.id), escape(what), share)
    to.print(grid)
    to.print()
    return text.printed(to) + text.render(report)


def _shares(check: CheckResult) -> Iterator[tuple[str, str]]:
    """How many of each kind of fixture came out as they must."""
    counts = check.counts
    yield "valid", f"{counts['passed']}/{counts['valid']}"
    yield "expected invalid", f"{counts['caught']}/{counts['expected_invalid']}"
    by_rule = {} if check.details is UNSET else check.details["byRule"]
    for rule, shown in by_rule.items():
        yield f"  {rule}", f"{shown['caught']}/{shown['expected']}"
