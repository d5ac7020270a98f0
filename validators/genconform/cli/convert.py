"""`genconform convert`: a free-text generation-mode record becomes ours, as far as it can."""

from __future__ import annotations

from pathlib import Path

import click
from rich.markup import escape

from genconform.cli.options import write
from genconform.document import indented_json, read_document
from genconform.finding import Verdict
from genconform.report import text
from genconform.suites.freetext import Conversion, FieldReport, State, convert

_STYLE = {State.READ: "green", State.PARTLY: "yellow"}


@click.command("convert")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="json gives the draft of the record as well.",
)
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the draft of the record to this file, as JSON.",
)
def convert_command(file: Path, format_: str, output: Path | None) -> None:
    """Read a generation-mode record whose fields are texts, and say what could be read.

    FILE is JSON or YAML in the form of the public predecessors, in which each field is a text or a
    list of texts. Nothing is guessed: a field that does not say one thing in known words and units
    is left out and named. Exits 0 if our record is complete, and 4 if something is left to fill in.
    """
    conversion = convert(read_document(file))
    if output is not None:
        write(indented_json(conversion.record), output)
    write(indented_json(conversion) if format_ == "json" else _for_people(conversion), None)
    verdict = Verdict.PASS if conversion.complete else Verdict.INCOMPLETE
    click.get_current_context().exit(verdict.exit_code)


def _for_people(conversion: Conversion) -> str:
    to = text.console()
    titles = ("field", "state", "into, or why not")
    grid = text.grid(*titles, wraps=titles)
    for one in conversion.fields:
        style = _STYLE.get(one.state, "red")
        grid.add_row(escape(one.field), f"[{style}]{one.state.value}[/]", escape(_said(one)))
    to.print(grid)
    if conversion.absent:
        to.print(f"\nstill to fill in: {escape(', '.join(conversion.absent))}")
    read = sum(one.state is State.READ for one in conversion.fields)
    outcome = "complete" if conversion.complete else "incomplete"
    to.print(f"\n{outcome}: {read} of {len(conversion.fields)} fields read in full")
    return text.printed(to)


def _said(one: FieldReport) -> str:
    return "; ".join(part for part in (", ".join(one.into), one.why) if part)
