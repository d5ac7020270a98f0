"""A judged run as a report shows it: its events in order, its tokens a step, what it cost."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET, UnsetType, to_builtins

from genconform.trace.judge import JudgedRun
from genconform.trace.story import tell

_STEPS_AT_MOST = 512


def listed(run: JudgedRun) -> dict[str, Any]:
    """A run as a report lists it: its verdict, where it came to, and by which routes."""
    return {
        "id": run.header.run.id,
        "mode": run.header.run.mode,
        "verdict": run.verdict.value,
        "stage": run.state.stage.value,
        "routes": [event.route.value for event in run.events],
    }


def timeline(run: JudgedRun, *, timed: bool = True) -> dict[str, Any]:
    """What happened, as far as the evidence tells: what it does not show is left out.

    `events` has for each event its kind, the stages before and after, the route, the story's
    sentences and the rules of the findings. `tokens` has the proposed and the accepted tokens of
    each step, the first of a run that is very long; `passes` forward passes, `seconds` wall time,
    both by what they were spent on. With `timed` false there are no seconds and no sentences,
    which tell them: another run on the same input gives the same.
    """
    told = _timeline(run)
    if not timed:
        del told["seconds"]
        for event in told["events"]:
            del event["says"]
    return told


def _timeline(run: JudgedRun) -> dict[str, Any]:
    shown = run.shown
    proposal, seen = shown.generate.proposal, shown.verify.verification
    costs = shown.account.costs
    return {
        "events": [
            {
                "kind": chapter.kind.value,
                "before": chapter.before.value,
                "after": chapter.after.value,
                "route": chapter.route.value,
                "accepted": chapter.accepted,
                "says": list(chapter.sentences),
                "rules": [finding.rule for finding in chapter.findings],
            }
            for chapter in tell(run).chapters
        ],
        "tokens": {
            "proposed": _steps(proposal.proposed_per_step),
            "accepted": _steps(seen.accepted_per_step),
        },
        "passes": _there(
            generation=shown.generate.generation_cost.draft_forward_passes,
            verification=seen.verifier_forward_passes,
            fallback=shown.verify.fallback.forward_passes,
        ),
        "seconds": _there(
            generation=costs.generation_seconds,
            verification=costs.verification_seconds,
            fallback=costs.fallback_seconds,
            other=costs.other_seconds,
            baseline=shown.account.baseline_result.seconds,
        ),
    }


def _steps(counts: tuple[int, ...] | UnsetType) -> list[int]:
    return [] if counts is UNSET else list(counts[:_STEPS_AT_MOST])


def _there(**values: object) -> dict[str, Any]:
    return {name: to_builtins(value) for name, value in values.items() if value is not UNSET}
