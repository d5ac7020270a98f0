"""The check `probe`: real runs of the committed models conform.

It records held-out prompts in every mode, and some whose draft is made to fail, and hands the
traces to the judge. What it asks beside the judge's verdict is whether the probe was worth judging:
that exact modes gave the baseline's tokens, that the models do their tasks, and that the failure
that was forced took the way that it should.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from genconform.checks import Check
from genconform.context import Context
from genconform.finding import CheckResult, Finding, Level, Location, verdict_of
from genconform.lifecycle.machine import Route
from genconform.trace.judge import JudgedFile, judge_file
from genconform.trace.timeline import listed, timeline
from genconform_probe.libraries import require_model_libraries

if TYPE_CHECKING:
    from genconform_probe.models import Models
    from genconform_probe.session import Outcome

CHECK = Check(
    "probe",
    "real runs of real models conform",
    "genconform_probe.check:run",
    inputs=("runtime_probe/genconform_probe",),
)

SEED = 0
PROMPTS = 20
FAILING_PROMPTS = 5
FAULT = "corrupted-draft"
MINIMUM_SUCCESS = 0.9
"""Task success must be above this share."""


def run(_: Context) -> CheckResult:
    """Record and judge.

    Raises:
        Unsupported: torch or transformers is not installed, or a checkpoint is missing.
        CheckpointChanged: a checkpoint is not the one that its digest names.
    """
    require_model_libraries()
    from genconform_probe.models import load_models

    return examine(load_models())


def examine(models: Models) -> CheckResult:
    """Record and judge runs of these models."""
    from genconform_probe.faults import FAULTS
    from genconform_probe.modes import load_modes
    from genconform_probe.session import Plan
    from genconform_probe.session import run as record
    from genconform_probe.tasks import held_out_problems

    modes = load_modes()
    sound = Plan(tuple(held_out_problems(PROMPTS, SEED)), modes, seed=SEED)
    failing = Plan(
        tuple(held_out_problems(FAILING_PROMPTS, SEED)), modes, (FAULTS[FAULT],), seed=SEED
    )
    with tempfile.TemporaryDirectory() as folder:
        outcomes = list(record(sound, models, Path(folder)))
        failures = list(record(failing, models, Path(folder)))
        judged = [_judge(outcome) for outcome in outcomes]
        judged_failures = [_judge(outcome) for outcome in failures]
    return conclude(outcomes, judged, judged_failures)


def conclude(
    outcomes: list[Outcome], judged: list[JudgedFile], judged_failures: list[JudgedFile]
) -> CheckResult:
    """The result over sound runs, with their verdicts, and the verdicts on runs made to fail."""
    findings = [finding for file in (*judged, *judged_failures) for finding in file.findings]
    findings += _differing(outcomes)
    findings += _failing_too_often(outcomes)
    findings += _not_fallen_back(judged_failures)
    counts = {
        "traces": len(judged) + len(judged_failures),
        "conforming": sum(not file.findings for file in (*judged, *judged_failures)),
        "tokenIdentical": sum(outcome.identical for outcome in outcomes),
        "tasksDone": _done(outcomes),
        "fallbacks": sum(map(_fell_back, judged_failures)),
    }
    runs = [
        listed(run) | {"timeline": timeline(run, timed=False)}
        for file in (*judged, *judged_failures)
        for run in file.runs
    ]
    return CheckResult(
        CHECK.id,
        verdict_of(findings, counts["traces"]),
        counts,
        tuple(findings),
        details={"runs": runs},
    )


def _judge(outcome: Outcome) -> JudgedFile:
    with outcome.path.open("rb") as stream:
        return judge_file(stream, outcome.path.name)


def _differing(outcomes: Iterable[Outcome]) -> list[Finding]:
    return [
        Finding(
            "probe.output.differs",
            Level.ERROR,
            f"{outcome.mode} put out other tokens than its matched baseline",
            Location(outcome.path.name),
            expected=outcome.result.baseline.answer.digest,
            actual=outcome.result.candidate.digest,
        )
        for outcome in outcomes
        if not outcome.identical
    ]


def _done(outcomes: Iterable[Outcome]) -> int:
    return sum(outcome.result.delivered.passed for outcome in outcomes)


def _failing_too_often(outcomes: list[Outcome]) -> list[Finding]:
    done = _done(outcomes)
    if done > MINIMUM_SUCCESS * len(outcomes):
        return []
    return [
        Finding(
            "probe.task.success",
            Level.ERROR,
            "the models do too few of their tasks for their runs to show anything",
            expected=f"more than {MINIMUM_SUCCESS:.0%} of {len(outcomes)} runs",
            actual=f"{done} runs",
        )
    ]


def _not_fallen_back(judged: Iterable[JudgedFile]) -> list[Finding]:
    return [
        Finding(
            "probe.fault.missed",
            Level.ERROR,
            f"a run under the fault {FAULT} did not close by way of a fallback",
            Location(file.name),
            expected=f"the route {Route.ACTIVATE_FALLBACK.value}",
            actual=", ".join(event.route.value for run in file.runs for event in run.events),
        )
        for file in judged
        if not _fell_back(file)
    ]


def _fell_back(file: JudgedFile) -> bool:
    return any(event.route is Route.ACTIVATE_FALLBACK for run in file.runs for event in run.events)
