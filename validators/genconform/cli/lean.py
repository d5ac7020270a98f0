"""`genconform lean`: check the formal part, and write the certificate of agreement."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from genconform.checks import default_jobs
from genconform.cli.options import give, reporting, rooted, write
from genconform.context import Context
from genconform.finding import report_of
from genconform.lean.certificate import PATH, certify
from genconform.lean.check import brief, run_with_progress
from genconform.tree import Tree


@click.group()
def lean() -> None:
    """The lifecycle in Lean: definitions, claims, proofs, and agreement with the Python machine."""


@lean.command("check")
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=default_jobs,
    show_default="one a processor",
    help="Modules to compile side by side.",
)
@click.option("--no-cache", is_flag=True, help="Do not believe results of earlier runs.")
@rooted
@reporting
def check(jobs: int, no_cache: bool, tree: Tree, format_: str, output: Path | None) -> None:
    """Compile every module, restate every claim, audit axioms, compare with the Python machine.

    Uses the stock toolchain if `lake` of the pinned version is there, else the embedded one of the
    extra `lean`. The report says which. Without either the result is unsupported, not a pass.
    """
    context = Context(tree, jobs, cache=not no_cache)
    result = run_with_progress(context, _progress)
    shown = brief(result) if format_ == "text" else result
    give(report_of([shown]), format_, output)


@lean.command("certificate")
@click.option("--print", "print_", is_flag=True, help="Print it instead of writing the file.")
@rooted
def certificate(print_: bool, tree: Tree) -> None:
    """Write Agreement.lean anew from the answers of the Python machine.

    Lean's kernel must then still accept it: run `genconform lean check`.
    """
    write(certify().render(), None if print_ else tree.path(PATH))


def _progress(line: str) -> None:
    if sys.stderr.isatty():
        click.echo(line, err=True)
