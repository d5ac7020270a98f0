"""`genconform trace import` and `pair`: what engines and providers report, as traces."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO, NoReturn

import click
from msgspec import UNSET
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from genconform.cli.options import give, reporting, write
from genconform.errors import UsageError
from genconform.finding import Finding, Verdict, combine, report_of
from genconform.report import FORMATS, text
from genconform.trace.adapters.registry import ADAPTERS, AUTO, adapters_named
from genconform.trace.observed.importing import Import
from genconform.trace.observed.judge import JudgedObservation
from genconform.trace.observed.pairing import Comparison, Pair, pair
from genconform.trace.observed.sources import holds_imported, judged_of, open_source, recording
from genconform.trace.observed.stored import written
from genconform.trace.observed.story import tell

_PATH = click.Path(path_type=Path, readable=False)
_STANDARD = Path("-")
_SHOWN_AT_MOST = 20

_from = click.option(
    "--from",
    "source",
    metavar="ENGINE",
    default=AUTO,
    show_default=True,
    help="What wrote it; --list names them. `auto` recognises each record and says by what.",
)
_model = click.option(
    "--model",
    metavar="NAME",
    help="The model that ran, where the source does not tell. Kept as declared, not observed.",
)


def _declared(model: str | None) -> dict[str, str]:
    return {"model": model} if model else {}


@click.command("import")
@click.argument("source_path", metavar="[SOURCE]", type=_PATH, required=False)
@_from
@_model
@click.option("--public", is_flag=True, help="Keep texts and token ids, not their digests alone.")
@click.option("--out", type=_PATH, help="Write the traces here instead of to standard output.")
@click.option("--list", "list_", is_flag=True, help="Name the adapters, and what to switch on.")
@click.option(
    "--format",
    "format_",
    type=click.Choice(list(FORMATS)),
    default="text",
    show_default=True,
    help="How the report on the import is written.",
)
def import_(
    source_path: Path | None,
    source: str,
    model: str | None,
    public: bool,
    out: Path | None,
    list_: bool,
    format_: str,
) -> None:
    """Make traces of what an engine or a provider reports.

    SOURCE is JSON, JSON Lines, a log of many requests, or a Prometheus page; `-` is standard input.
    Each record becomes a trace of what it shows. One that cannot be read is named, costs no other,
    and makes the exit code 3, or 4 where its shape is not known. The report goes to standard error,
    or with --out to standard output.
    """
    if list_:
        write(_list(), None)
        return
    if source_path is None:
        raise UsageError("there is nothing to import", expected="SOURCE, or --list")
    imported = Import(adapters_named(source), public=public, declared=_declared(model))
    name = "standard input" if source_path == _STANDARD else source_path.as_posix()
    with ExitStack() as stack:
        stream = _opened(source_path, stack)
        target = _target(out, stack)
        for seen in imported.read(stream, name):
            target.write(written(seen))
        target.flush()
    report = report_of([imported.result(name)])
    if out is not None:
        give(report, format_, None)
    click.echo(FORMATS[format_](report), nl=False, err=True)
    click.get_current_context().exit(report.verdict.exit_code)


def _opened(path: Path, stack: ExitStack) -> BinaryIO:
    return sys.stdin.buffer if path == _STANDARD else stack.enter_context(open_source(path))


def _target(out: Path | None, stack: ExitStack) -> BinaryIO:
    return sys.stdout.buffer if out is None else written_to(out, stack)


def written_to(out: Path, stack: ExitStack) -> BinaryIO:
    """A file to write, closed with the stack.

    Raises:
        UsageError: it cannot be written.
    """
    try:
        return stack.enter_context(out.open("wb"))
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise UsageError(
            f"cannot write {out}: {reason}", remedy="Name a file in a folder that exists."
        ) from error


def _list() -> str:
    to = text.console()
    grid = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("--from", "shapes", "to be judged by more, switch on"):
        grid.add_column(title, no_wrap=title == "--from")
    for adapter in ADAPTERS:
        shapes = ", ".join(shape.name for shape in adapter.shapes)
        grid.add_row(adapter.name, escape(shapes), escape(adapter.switch_on))
    to.print(grid)
    return text.printed(to)


@click.command("pair")
@click.argument("baseline", type=_PATH)
@click.argument("candidate", type=_PATH)
@_from
@_model
@reporting
def pair_(
    baseline: Path,
    candidate: Path,
    source: str,
    model: str | None,
    format_: str,
    output: Path | None,
) -> None:
    """Compare two recordings of the same requests.

    Each is a file of imported traces, or a log as an engine wrote it. Requests are matched by
    prompt, and compared where settings, model and the cached part are the same. Exits 0 if outputs
    are the same and useful work a second has an interval, 1 if something differs that may not, and
    4 if what is needed is not observed.
    """
    declared = _declared(model)
    sides = [recording(path, source, declared) for path in (baseline, candidate)]
    paired = pair(sides[0][0], sides[1][0])
    unread = [result for _, result in sides if result.verdict is not Verdict.PASS]
    report = report_of([*unread, paired.result(f"{baseline.name} and {candidate.name}")])
    give(report, format_, output, lambda given: _table(paired.comparison) + text.render(given))


def _table(shown: Comparison) -> str:
    to = text.console()
    grid = Table(box=None, pad_edge=False, header_style="bold")
    for title in ("baseline", "candidate", "output", "accepted", "cached", "tokens/s", ""):
        grid.add_column(title, overflow="fold")
    for one in shown.pairs:
        grid.add_row(*map(text.plain, _row(one)))
    to.print(grid)
    said = f"{shown.compared} of {len(shown.pairs)} pairs compared"
    to.print(said if shown.clock is UNSET else f"{said}, by {shown.clock}", soft_wrap=True)
    return text.printed(to) + "\n"


def _row(one: Pair) -> tuple[str, ...]:
    part = "" if one.first_divergence is UNSET else f" from token {one.first_divergence}"
    output = {True: "identical", False: f"differs{part}"}.get(bool(one.identical), "")
    drafted = (
        "" if one.proposed_tokens is UNSET else f"{one.accepted_tokens} of {one.proposed_tokens}"
    )
    rates = ""
    if one.baseline_rate is not UNSET and one.candidate_rate is not UNSET:
        times = one.candidate_rate / one.baseline_rate
        rates = f"{one.baseline_rate:.1f} → {one.candidate_rate:.1f}, {times:.2f} times"
    return (
        one.baseline,
        one.candidate,
        "not shown" if one.identical is UNSET else output,
        drafted,
        "" if one.cached_tokens is UNSET else str(one.cached_tokens),
        rates,
        "" if one.left_out is UNSET else f"left out: {one.left_out}",
    )


# --- explain ---------------------------------------------------------------------------------


def is_imported_file(path: Path) -> bool:
    """Whether a file holds imported traces.

    Raises:
        UsageError: it cannot be read.
    """
    with open_source(path) as stream:
        return holds_imported(stream)


def explain_imported(path: Path, id_: str | None) -> NoReturn:
    """Tell what one imported trace shows, or list those of the file where it has several.

    Raises:
        UsageError: there is no trace of this id.
    """
    judged, faults = judged_of(path)
    to = text.console()
    if id_ is None and len(judged) != 1:
        _print_all(to, judged)
        chosen = judged
    else:
        chosen = [one for one in judged if id_ in (None, one.observation.id)]
        if not chosen:
            raise UsageError(f"{path.as_posix()} has no trace {id_}")
        for one in chosen:
            _print_one(to, one)
    for finding in faults:
        _print_finding(to, finding)
    write(text.printed(to), None)
    verdicts = [*(one.verdict for one in chosen), *(Verdict.MALFORMED for _ in faults)]
    click.get_current_context().exit(combine(verdicts).exit_code)


def _print_one(to: Console, judged: JudgedObservation) -> None:
    name, verdict = text.plain(judged.observation.id), text.styled(judged.verdict)
    to.print(f"[bold]{name}[/]: {verdict}", soft_wrap=True)
    for line in tell(judged):
        to.print(f"    {text.plain(line)}", soft_wrap=True)
    for finding in judged.findings:
        _print_finding(to, finding)


def _print_all(to: Console, judged: list[JudgedObservation]) -> None:
    for one in judged[:_SHOWN_AT_MOST]:
        seen = one.observation
        numbers = f"{len(seen.numbers)} numbers, {len(one.decided)} of 49 booleans decided"
        to.print(
            f"{text.plain(seen.id)}: {text.styled(one.verdict)}, {seen.adapter} {seen.shape}, "
            f"{numbers}",
            soft_wrap=True,
        )
        for finding in one.findings:
            _print_finding(to, finding)
    if len(judged) > _SHOWN_AT_MOST:
        to.print(f"… and {len(judged) - _SHOWN_AT_MOST} more; --run ID tells one", soft_wrap=True)


def _print_finding(to: Console, finding: Finding) -> None:
    to.print(
        f"  [red]✗[/] [bold]{text.plain(finding.rule)}[/] {text.plain(finding.location)}: "
        f"{text.plain(finding.message)}",
        soft_wrap=True,
    )
