"""`genconform trace`: judge recorded runs, and tell the story of one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
from rich.console import Console

from genconform.cli.options import give, reporting, write
from genconform.cli.progress import watched
from genconform.cli.trace_imported import explain_imported, import_, is_imported_file, pair_
from genconform.cli.trace_record import record
from genconform.errors import UsageError
from genconform.finding import CheckResult, Finding, Verdict, report_of
from genconform.report import text
from genconform.trace import files
from genconform.trace.baselines import Baselines
from genconform.trace.judge import JudgedFile, JudgedRun
from genconform.trace.story import Chapter, tell

_PATH = click.Path(path_type=Path, readable=False)  # reading it tells whether it can be read
_RUNS_NAMED = 8


@click.group()
def trace() -> None:
    """Recorded runs: judged by the lifecycle from their evidence alone."""


@trace.command()
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=_PATH)
@reporting
def check(paths: tuple[Path, ...], format_: str, output: Path | None) -> None:
    """Judge every run of every trace.

    PATH is a trace, or a folder whose files ending in .jsonl are traces. All are judged: a broken
    one hides none of the others. The verdict follows from evidence; what a recorder claims without
    it is a finding. Where a baseline's own run is among them, it must be as others tell of it.
    """
    found = [files.find(path) for path in paths]
    total = sum(len(entry.traces) for entry in found)
    give(report_of(watched(_results(found), total, "traces")), format_, output)


def _results(found: list[files.Found]) -> Iterator[CheckResult]:
    """The verdict on each file, and on what the files tell of one another."""
    baselines = Baselines()
    for entry in found:
        if not entry.traces:
            yield files.nothing_found(entry)
        for path in entry.traces:
            yield files.check_path(path, baselines)
    if (together := baselines.check()) is not None:
        yield together


@trace.command()
@click.argument("file", metavar="FILE", type=_PATH)
@click.option("--run", "run_id", metavar="ID", help="The run to tell, where the file has several.")
def explain(file: Path, run_id: str | None) -> None:
    """Tell the story of one run: each stage, its route, what it cost, what was missing."""
    if is_imported_file(file):
        explain_imported(file, run_id)
    judged = files.judge_path(file)
    run = _chosen(judged, run_id)
    to = text.console()
    if run is not None:
        _print_story(to, run)
    if judged.fault is not None:
        _print_findings(to, (judged.fault,))
    write(text.printed(to), None)
    verdict = judged.verdict if run is None or run_id is None else run.verdict
    click.get_current_context().exit(verdict.exit_code)


def _chosen(judged: JudgedFile, run_id: str | None) -> JudgedRun | None:
    """The run that was meant; none in a file that ends before its first run begins."""
    ids = [run.header.run.id for run in judged.runs]
    if run_id is None and len(ids) <= 1:
        return next(iter(judged.runs), None)
    if run_id in ids:
        return judged.runs[ids.index(run_id)]
    shown = ", ".join(ids[:_RUNS_NAMED]) + (", …" if len(ids) > _RUNS_NAMED else "")
    raise UsageError(
        f"{judged.name} has no run {run_id}" if run_id else f"{judged.name} has {len(ids)} runs",
        expected=f"--run with one of {shown}",
    )


def _print_story(to: Console, run: JudgedRun) -> None:
    story = tell(run)
    to.print(f"[bold]{text.plain(story.title)}[/]: {text.styled(run.verdict)}", soft_wrap=True)
    to.print(f"[dim]{text.plain(story.subjects)}[/]", soft_wrap=True)
    for number, chapter in enumerate(story.chapters, 1):
        _print_chapter(to, number, chapter)
    told = {finding for chapter in story.chapters for finding in chapter.findings}
    _print_findings(to, tuple(finding for finding in run.findings if finding not in told))
    if story.untold:
        kinds = ", ".join(kind.value for kind in story.untold)
        missing = "not there" if run.verdict is Verdict.INCOMPLETE else "not asked"
        to.print(f"[dim]{missing}: {kinds}[/]", soft_wrap=True)


def _print_chapter(to: Console, number: int, chapter: Chapter) -> None:
    style = "green" if chapter.accepted else "bold red"
    stays = "" if chapter.accepted else ", and the request stays"
    to.print(
        f"\n{number} {chapter.kind.value}: {chapter.before.value} → {chapter.after.value}"
        f"  [{style}]{chapter.route.value}[/]{stays}",
        soft_wrap=True,
    )
    for sentence in chapter.sentences:
        to.print(f"    {text.plain(sentence)}", soft_wrap=True)
    _print_findings(to, chapter.findings)


def _print_findings(to: Console, findings: tuple[Finding, ...]) -> None:
    for finding in findings:
        to.print(
            f"  [red]✗[/] [bold]{text.plain(finding.rule)}[/] {text.plain(finding.location)}: "
            f"{text.plain(finding.message)}",
            soft_wrap=True,
        )
        beside = {"expected": finding.expected, "found": finding.actual}
        told = [f"{word} {text.plain(it)}" for word, it in beside.items() if it is not None]
        if told:
            to.print(f"      {'; '.join(told)}", soft_wrap=True)


for _command in (import_, pair_, record):
    trace.add_command(_command)
