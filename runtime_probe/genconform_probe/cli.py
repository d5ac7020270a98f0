"""`genconform probe`: run real models under recording."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from genconform.errors import UsageError
from genconform.finding import Location
from genconform_probe import summary
from genconform_probe.checkpoints import CHECKPOINTS, verified_digests
from genconform_probe.faults import FAULTS, NO_FAULT
from genconform_probe.libraries import require_model_libraries
from genconform_probe.modes import MODE_NAMES, load_modes
from genconform_probe.tasks import held_out_problems

if TYPE_CHECKING:
    from genconform_probe.session import Outcome, Plan


@click.group()
def probe() -> None:
    """Run real models and record what they did, for `genconform trace check` to judge."""


@probe.command()
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    required=True,
    help="Folder for the traces, one file a run; made if it is not there.",
)
@click.option(
    "--mode",
    "modes",
    type=click.Choice(MODE_NAMES),
    multiple=True,
    help="Run this mode; repeatable. All by default.",
)
@click.option(
    "--fault",
    "faults",
    type=click.Choice(list(FAULTS)),
    multiple=True,
    help="Make runs go wrong in this way; repeatable.",
)
@click.option("--prompts", type=click.IntRange(min=1, max=5000), default=20, show_default=True)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option(
    "--public/--no-public",
    default=False,
    show_default=True,
    help="Write prompts and outputs in the clear, or their digests alone.",
)
@click.option(
    "--checkpoints",
    type=click.Path(path_type=Path),
    help="Folder of other models, with their digests.json, instead of the package's own.",
)
@click.option(
    "--format", "format_", type=click.Choice(["text", "json"]), default="text", show_default=True
)
def run(
    out: Path,
    modes: tuple[str, ...],
    faults: tuple[str, ...],
    prompts: int,
    seed: int,
    public: bool,
    checkpoints: Path | None,
    format_: str,
) -> None:
    """Record held-out prompts in each mode, each beside its matched baseline.

    The summary says what ran, not whether it conforms: `genconform trace check` does, on the
    folder. With --fault, only the modes that the fault touches are run, and only under it.
    """
    require_model_libraries()
    checkpoints = checkpoints or CHECKPOINTS
    verified_digests(checkpoints)
    _make_folder(out)
    if sys.stderr.isatty():
        click.echo("loading torch and the models ...", err=True)
    from genconform_probe.models import load_models
    from genconform_probe.session import Plan
    from genconform_probe.session import run as run_plan

    plan = Plan(
        problems=tuple(held_out_problems(prompts, seed)),
        modes=load_modes(name for name in MODE_NAMES if not modes or name in modes),
        faults=tuple(FAULTS[name] for name in FAULTS if name in faults) or (NO_FAULT,),
        seed=seed,
        public=public,
    )
    if not plan.jobs:
        raise UsageError(
            "no chosen fault touches a chosen mode, so nothing would run",
            actual=f"--mode {', '.join(modes)} and --fault {', '.join(faults)}",
            remedy="Leave --mode out to run every mode that the fault touches.",
        )
    outcomes = list(_with_progress(run_plan(plan, load_models(checkpoints), out), plan))
    click.echo(_render(outcomes, out, format_), nl=False)


def _make_folder(out: Path) -> None:
    """Make the folder, and see to it that earlier traces in it are not mixed with new ones."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        earlier = sorted(out.glob("*.jsonl"))
    except OSError as error:
        raise UsageError(
            "the folder for the traces cannot be made",
            location=Location(file=str(out)),
            actual=error.strerror or str(error),
            remedy="Name a folder that you may write to.",
        ) from error
    if earlier:
        raise UsageError(
            "the folder holds traces already",
            location=Location(file=str(out)),
            actual=f"{len(earlier)} .jsonl files, the first {earlier[0].name}",
            remedy="Name an empty folder, or remove them.",
        )


def _with_progress(outcomes: Iterator[Outcome], plan: Plan) -> Iterator[Outcome]:
    """Pass outcomes on; on a terminal a bar shows how many are done."""
    columns = (
        BarColumn(20),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.description}"),
    )
    hidden = not sys.stderr.isatty()
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=hidden) as bar:
        task = bar.add_task("", total=len(plan.jobs) * len(plan.problems))
        for outcome in outcomes:
            bar.update(task, advance=1, description=outcome.path.name)
            yield outcome


def _render(outcomes: list[Outcome], out: Path, format_: str) -> str:
    summaries = summary.summarize(outcomes)
    if format_ == "text":
        judging = f"{len(outcomes)} traces, to be judged with: genconform trace check {out}"
        return f"{summary.text(summaries)}\n{judging}\n"
    document = {"runs": len(outcomes), "modes": summaries}
    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode() + "\n"
