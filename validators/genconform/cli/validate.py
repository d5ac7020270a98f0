"""`validate-all`: every check, one honest word, and the reason."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path

import click
import msgspec
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from genconform.checks import Check, Finished, default_jobs, plan, run_all, select, skipped
from genconform.cli.config import use_config
from genconform.cli.options import give, reporting, rooted, shows_traceback, write
from genconform.context import Context
from genconform.finding import Level, held_to, report_of
from genconform.tree import Tree


def _check_names(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    return [check.id for check in plan() if check.id.startswith(incomplete)]


@click.command("validate-all")
@click.option(
    "--config",
    type=click.Path(path_type=Path),
    is_eager=True,
    expose_value=False,
    callback=use_config,
    help="Read [tool.genconform] of this file instead of the nearest pyproject.toml.",
)
@click.option(
    "--only",
    metavar="NAME",
    multiple=True,
    shell_complete=_check_names,
    help="Run this check alone; repeatable.",
)
@click.option(
    "--skip",
    metavar="NAME",
    multiple=True,
    shell_complete=_check_names,
    help="Leave this check out; repeatable.",
)
@click.option("--strict", is_flag=True, help="A check left out makes the result incomplete.")
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=default_jobs,
    show_default="one a processor",
    help="Checks to run side by side.",
)
@click.option(
    "--fail-level",
    type=click.Choice(Level, case_sensitive=False),
    default=Level.ERROR,
    show_default="error",
    help="The lowest level of finding that fails a check.",
)
@click.option("--no-cache", is_flag=True, help="Do not believe results of earlier runs.")
@click.option(
    "--timings",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the wall seconds of each check to this file, as JSON.",
)
@rooted
@reporting
def validate_all(
    only: tuple[str, ...],
    skip: tuple[str, ...],
    strict: bool,
    jobs: int,
    fail_level: Level,
    no_cache: bool,
    timings: Path | None,
    tree: Tree,
    format_: str,
    output: Path | None,
) -> None:
    """Run every check and say what passed.

    A check that could not be done is never a pass: what is not installed is unsupported, what was
    left out is skipped, and the last line says how many of how many ran.
    """
    known = plan()
    chosen, left_out = select(known, only, skip)
    context = Context(tree, jobs, cache=not no_cache, raises=shows_traceback())
    finished = _run_with_progress(chosen, context)
    remembered = [name for name, done in finished.items() if done.remembered]
    if remembered:
        click.echo(f"from the cache: {', '.join(remembered)} (--no-cache runs them)", err=True)
    if timings is not None:
        seconds = {name: round(done.seconds, 3) for name, done in finished.items()}
        write(msgspec.json.encode(seconds, order="sorted").decode() + "\n", timings)
    results = [
        skipped(check) if check in left_out else held_to(finished[check.id].result, fail_level)
        for check in known
    ]
    give(report_of(results, strict=strict), format_, output)


def _run_with_progress(checks: list[Check], context: Context) -> dict[str, Finished]:
    """Run the checks; on a terminal a bar says which are still at work."""
    columns = (
        BarColumn(20),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
    )
    console = Console(stderr=True)
    finished: dict[str, Finished] = {}
    with Progress(
        *columns, console=console, transient=True, disable=not sys.stderr.isatty()
    ) as progress:
        task = progress.add_task(_waiting(checks, finished), total=len(checks))
        with closing(run_all(checks, context)) as running:
            for check, done in running:
                finished[check.id] = done
                progress.update(task, advance=1, description=_waiting(checks, finished))
    return finished


def _waiting(checks: list[Check], finished: dict[str, Finished]) -> str:
    return ", ".join(check.id for check in checks if check.id not in finished)
