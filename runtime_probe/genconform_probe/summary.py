"""What a session's runs add up to, by mode and fault, every time beside its baseline's."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from genconform_probe.session import Outcome


class Summary(msgspec.Struct, frozen=True, rename="camel"):
    """The runs of one mode under one fault. Nothing here is a verdict: that is the judge's."""

    mode: str
    fault: str
    prompts: int
    task_success: int
    """Delivered outputs that the task's own check found right."""
    baseline_task_success: int
    token_identical: int
    """Outputs of the mode that equal the baseline's, token by token."""
    fallbacks: int
    proposed_tokens: int
    accepted_tokens: int
    delivered_tokens: int
    draft_passes: int
    verifier_passes: int
    fallback_passes: int
    baseline_passes: int
    draft_seconds: float
    verifier_seconds: float
    fallback_seconds: float
    wall_seconds: float
    baseline_seconds: float


class Recorded(msgspec.Struct, frozen=True):
    """What `probe run` gives as JSON."""

    runs: int
    modes: tuple[Summary, ...]


def summarize(outcomes: Iterable[Outcome]) -> list[Summary]:
    """Add up runs by mode and fault, in the order in which they first came."""
    groups: dict[tuple[str, str], list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        groups[outcome.mode, outcome.fault].append(outcome)
    return [_add_up(mode, fault, runs) for (mode, fault), runs in groups.items()]


def _add_up(mode: str, fault: str, runs: list[Outcome]) -> Summary:
    results = [run.result for run in runs]
    accounts = [result.account for result in results]
    fallbacks = [result.fallback for result in results if result.fallback is not None]
    return Summary(
        mode=mode,
        fault=fault,
        prompts=len(runs),
        task_success=sum(result.delivered.passed for result in results),
        baseline_task_success=sum(result.baseline.answer.passed for result in results),
        token_identical=sum(run.identical for run in runs),
        fallbacks=len(fallbacks),
        proposed_tokens=sum(account.proposed_tokens for account in accounts),
        accepted_tokens=sum(account.accepted_tokens for account in accounts),
        delivered_tokens=sum(len(result.delivered.ids) for result in results),
        draft_passes=sum(account.draft_passes for account in accounts),
        verifier_passes=sum(account.verifier_passes for account in accounts),
        fallback_passes=sum(fallback.passes for fallback in fallbacks),
        baseline_passes=sum(result.baseline.passes for result in results),
        draft_seconds=sum(account.draft_seconds for account in accounts),
        verifier_seconds=sum(account.verifier_seconds for account in accounts),
        fallback_seconds=sum(fallback.seconds for fallback in fallbacks),
        wall_seconds=sum(result.wall_seconds for result in results),
        baseline_seconds=sum(result.baseline.seconds for result in results),
    )


def text(summaries: Iterable[Summary]) -> str:
    """A paragraph a mode, for people."""
    return "\n".join(map(_paragraph, summaries))


def _paragraph(s: Summary) -> str:
    title = s.mode if s.fault == "none" else f"{s.mode}, fault {s.fault}"
    lines = [
        f"{title}: {s.prompts} prompts",
        f"  task success     {s.task_success} of {s.prompts}"
        f" (baseline {s.baseline_task_success} of {s.prompts})",
        f"  token-identical  {s.token_identical} of {s.prompts}",
        f"  accepted         {s.accepted_tokens} of {s.proposed_tokens} proposed tokens,"
        f" {s.fallbacks} fallbacks",
        f"  passes           {s.draft_passes} draft, {s.verifier_passes} verifier,"
        f" {s.fallback_passes} fallback (baseline {s.baseline_passes})",
        f"  seconds          {s.wall_seconds:.3f}: {s.draft_seconds:.3f} drafting,"
        f" {s.verifier_seconds:.3f} verifying, {s.fallback_seconds:.3f} fallback"
        f" (baseline {s.baseline_seconds:.3f})",
    ]
    return "\n".join(lines) + "\n"
