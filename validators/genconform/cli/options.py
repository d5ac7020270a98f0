"""Options that commands share, and the one way in which a command gives its report."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NoReturn, TypeVar

import click

from genconform.errors import UsageError
from genconform.finding import Report
from genconform.report import FORMATS
from genconform.report.portable import portable
from genconform.tree import Tree, find_tree

_F = TypeVar("_F", bound=Callable[..., object])


_ROOT = "genconform.root"


def _to_tree(ctx: click.Context, __: click.Parameter, value: Path | None) -> Tree:
    tree = find_tree(value)
    ctx.meta[_ROOT] = tree.root
    return tree


def rooted(command: _F) -> _F:
    """Add --root, which gives the command a `tree`."""
    return click.option(
        "--root",
        "tree",
        type=click.Path(path_type=Path),
        callback=_to_tree,
        help="Check the tree in this folder instead of the installed one.",
    )(command)


def shows_traceback() -> bool:
    """Whether --traceback was given."""
    return click.get_current_context().find_root().obj is True


def reporting(command: _F) -> _F:
    """Add --format and --output, for `give`."""
    command = click.option(
        "--output",
        type=click.Path(path_type=Path, dir_okay=False),
        help="Write the report to this file instead of standard output.",
    )(command)
    return click.option(
        "--format",
        "format_",
        type=click.Choice(list(FORMATS)),
        default="text",
        show_default=True,
        help="How the report is written.",
    )(command)


def as_text_or_json(command: _F) -> _F:
    """Add --format, for a command whose answer is no report."""
    return click.option(
        "--format",
        "format_",
        type=click.Choice(["text", "json"]),
        default="text",
        show_default=True,
        help="How the answer is written.",
    )(command)


def give(
    report: Report,
    format_: str,
    output: Path | None,
    text: Callable[[Report], str] = FORMATS["text"],
) -> NoReturn:
    """Write the report and exit with its verdict's code; `text` is how it is written for people."""
    ctx = click.get_current_context()
    roots = [Path.cwd(), *filter(None, [ctx.meta.get(_ROOT)])]
    report = portable(report, roots, Path.home())
    write((text if format_ == "text" else FORMATS[format_])(report), output)
    ctx.exit(report.verdict.exit_code)


def write(text: str, output: Path | None) -> None:
    """Write text to a file, or to standard output.

    Raises:
        UsageError: the file cannot be written.
    """
    if output is None:
        click.echo(text, nl=False, color=None)
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UsageError(
            f"cannot write {output}: {reason}", remedy="Name a file in a folder that exists."
        ) from error
