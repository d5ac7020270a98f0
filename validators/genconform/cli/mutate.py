"""`genconform mutate`: what authors' changes are caught by, and which faults of the table show."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path

import click
from rich.markup import escape
from rich.table import Table as Grid

from genconform.cli.options import give, reporting, rooted, write
from genconform.cli.progress import watched
from genconform.errors import UsageError
from genconform.finding import Report, report_of
from genconform.mutation.author import (
    RESERVED,
    RULES_SUITE,
    TABLE_SUITE,
    Placed,
    load_authored,
)
from genconform.mutation.export import render_export
from genconform.mutation.operators import mutants
from genconform.mutation.score import Judged, Outcome
from genconform.report import text
from genconform.spec.table import Table, load_table
from genconform.suites.authored import Trial, try_all
from genconform.suites.lifecycle import changes_a_run
from genconform.suites.mutations import (
    FULL_SCORE,
    coverage_result,
    judge_table,
    lifecycle_tests,
    operator_counts,
    table_result,
)
from genconform.suites.rule_mutants import rule_mutants, rules_result
from genconform.tree import Tree


def _a_number(_: click.Context, __: click.Parameter, value: float | None) -> float | None:
    if value is not None and math.isnan(value):  # than which no score is less
        raise click.BadParameter("nan is no number.")
    return value


@click.command()
@click.argument("suites", metavar="[SUITE]...", nargs=-1)
@click.option("--survivors", is_flag=True, help="List the mutants that nothing noticed, with why.")
@click.option("--killers", is_flag=True, help="List each mutant with the test that noticed it.")
@click.option(
    "--threshold",
    type=click.FloatRange(0, 100),
    callback=_a_number,
    metavar="PERCENT",
    show_default="100",
    help="Fail if the table's mutants score less.",
)
@click.option(
    "--export",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the table's mutants to this file in the mutation-testing-elements schema.",
)
@rooted
@reporting
def mutate(
    suites: tuple[str, ...],
    survivors: bool,
    killers: bool,
    threshold: float | None,
    export: Path | None,
    tree: Tree,
    format_: str,
    output: Path | None,
) -> None:
    """Make faults on purpose and see what notices them.

    SUITE is the name of a file in mutations/, "rules" for record suites with one rule left out, or
    "table" for the mutants of the lifecycle table; by default all are run. spec/mutations.md says
    how to write a mutation.
    """
    table = load_table(tree)
    chosen = _chosen(suites, load_authored(tree).suites)
    of_table = TABLE_SUITE in chosen
    if not of_table and (survivors or killers or export is not None or threshold is not None):
        raise UsageError(
            "only mutants of the table survive, are scored and are exported",
            remedy=f"Add {TABLE_SUITE!r} to the suites, or leave the option out.",
        )
    trial = try_all(tree, _bearing_on(chosen))
    judged = _judge_watched(tree, table, trial) if of_table else ()
    results = [trial.result(name) for name in chosen if name not in RESERVED]
    if RULES_SUITE in chosen:
        results.append(rules_result(rule_mutants(trial, tree)))
    if not suites:
        results.append(coverage_result(trial, table))
    least = FULL_SCORE if threshold is None else threshold
    if of_table:
        results.append(table_result(tree, judged, least))
    if export is not None:
        write(render_export(tree, judged, lifecycle_tests(tree, trial), least), export)

    def for_people(report: Report) -> str:
        return _listed(judged, survivors, killers) + text.render(report)

    give(report_of(results), format_, output, for_people)


def _chosen(names: Sequence[str], authored: Sequence[str]) -> list[str]:
    known = [*authored, RULES_SUITE, TABLE_SUITE]
    for name in names:
        if name not in known:
            raise UsageError(
                f"there is no mutation suite named {name!r}", expected="one of " + ", ".join(known)
            )
    return [name for name in known if not names or name in names]


def _bearing_on(chosen: Sequence[str]) -> Callable[[Placed], bool]:
    """Whether a mutation is of a suite that was chosen, or tests the mutants that were."""

    def bears(placed: Placed) -> bool:
        tested = TABLE_SUITE if changes_a_run(placed) else RULES_SUITE
        return placed.suite in chosen or tested in chosen

    return bears


def _judge_watched(tree: Tree, table: Table, trial: Trial) -> tuple[Judged, ...]:
    total = sum(1 for _ in mutants(table))
    return tuple(watched(judge_table(tree, table, trial), total, "mutants"))


def _listed(judged: Sequence[Judged], survivors: bool, killers: bool) -> str:
    if not judged:
        return ""
    to = text.console()
    to.print(_by_operator(judged))
    shown = [one for one in judged if killers or (survivors and one.outcome is not Outcome.KILLED)]
    if shown:
        to.print()
    for one in shown:
        to.print(escape(_said(one)), soft_wrap=True)
    to.print()
    return text.printed(to)


def _by_operator(judged: Sequence[Judged]) -> Grid:
    outcomes = [outcome.value for outcome in Outcome]
    grid = text.grid("operator", *outcomes, numbers=range(1, len(outcomes) + 1))
    for operator, counts in operator_counts(judged).items():
        grid.add_row(operator, *(str(counts[outcome]) for outcome in outcomes))
    return grid


def _said(one: Judged) -> str:
    """What became of a mutant, in one line."""
    said = f"{one.mutant.id}: {one.outcome.value}"
    if one.kill is not None:
        kill = one.kill
        return f"{said} by {kill.test}, which expects {kill.expected} and finds {kill.actual}"
    if one.proof is not None:
        return f"{said}, for all of {one.proof.cases:,} cases come out the same"
    return f"{said}; the finding below says what would kill it"
