"""What a run owes beside the lifecycle: each has a rule of its own in spec/rules.yaml.

The lifecycle asks that budgets are set; these ask that they were kept. It lets the slow baseline
through without a word; these ask that a baseline declares what others are compared with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec import UNSET, Struct, UnsetType

from genconform.lifecycle.packet import EventKind
from genconform.trace.rules import select
from genconform.trace.shown import Shown, Unmet

_DECLARED_BY_A_BASELINE = (
    select.risk_tier,
    select.quality_target,
    select.verifier_identity,
    select.independent_evaluator,
    select.matched_baseline,
    select.latency_budget,
    select.compute_memory_budget,
)


class Obligation(Struct, frozen=True):
    """A rule that is asked of an event once the lifecycle has accepted it."""

    id: str
    kinds: tuple[EventKind, ...]
    unmet: Callable[[Shown], Iterator[Unmet]]

    @property
    def meaning(self) -> str:
        """What it asks."""
        return " ".join((self.unmet.__doc__ or "").split())


def _baseline_declared(shown: Shown) -> Iterator[Unmet]:
    """An autoregressive run declares its risk, its judges, its budgets and itself as baseline."""
    if shown.autoregressive:
        for rule in _DECLARED_BY_A_BASELINE:
            yield from filter(None, rule(shown))


def _fallback_declared(shown: Shown) -> Iterator[Unmet]:
    """A fast mode names what it will fall back on, whatever its risk."""
    if not shown.autoregressive:
        yield from filter(None, select.slow_fallback(shown))


def _texts_private(shown: Shown) -> Iterator[Unmet]:
    """A run that is not public shows no text."""
    if not shown.run.public:
        for field, text in _texts(shown):
            if text is not UNSET:
                yield Unmet(field, "no text, for the run is not public", f"{len(text)} characters")


def _texts(shown: Shown) -> tuple[tuple[str, str | UnsetType], ...]:
    """The texts that the latest event may show."""
    if shown.now is EventKind.BIND_CONTEXT:
        return (("request/promptText", shown.bind.request.prompt_text),)
    if shown.now is EventKind.VERIFY_DRAFT:
        fallback = shown.verify.fallback.output.text
        return (("output/text", shown.verify.output.text), ("fallback/output/text", fallback))
    return (("output/text", shown.account.output.text),)


def _latency_kept(shown: Shown) -> Iterator[Unmet]:
    """usefulWork.wallSeconds is within latencyBudgetSeconds, where it is within the deadline."""
    if any(_deadline_kept(shown)):
        return  # what is worse is said already
    yield from _kept(
        "usefulWork/wallSeconds",
        shown.account.useful_work.wall_seconds,
        shown.select.latency_budget_seconds,
        "seconds, the latencyBudgetSeconds",
    )


def _deadline_kept(shown: Shown) -> Iterator[Unmet]:
    """usefulWork.wallSeconds is within deadlineSeconds."""
    yield from _kept(
        "usefulWork/wallSeconds",
        shown.account.useful_work.wall_seconds,
        shown.bind.deadline_seconds,
        "seconds, the deadlineSeconds",
    )


def _compute_kept(shown: Shown) -> Iterator[Unmet]:
    """The passes of drafting, verifying and falling back are within computeBudgetPasses."""
    passes = (
        shown.generate.generation_cost.draft_forward_passes,
        shown.verify.verification.verifier_forward_passes,
        shown.verify.fallback.forward_passes,
    )
    yield from _kept(
        "verifierCost/forwardPasses",
        sum(count for count in passes if count is not UNSET),
        shown.select.compute_budget_passes,
        "passes of all models together, the computeBudgetPasses",
    )


def _memory_kept(shown: Shown) -> Iterator[Unmet]:
    """cleanup.cacheBytesAllocated is within memoryBudgetBytes."""
    yield from _kept(
        "cleanup/cacheBytesAllocated",
        shown.close.cleanup.cache_bytes_allocated,
        shown.select.memory_budget_bytes,
        "bytes, the memoryBudgetBytes",
    )


def _kept(
    field: str, used: float | UnsetType, budget: float | UnsetType, what: str
) -> Iterator[Unmet]:
    """What was used is within a budget that was set; one that was not is another rule's to find."""
    if used is not UNSET and budget is not UNSET and used > budget:
        yield Unmet(field, f"at most {budget} {what}", used)


OBLIGATIONS = (
    Obligation("trace.baseline.undeclared", (EventKind.SELECT_MODE,), _baseline_declared),
    Obligation("trace.fallback.undeclared", (EventKind.SELECT_MODE,), _fallback_declared),
    Obligation("trace.budget.latency-exceeded", (EventKind.ACCOUNT_OUTCOME,), _latency_kept),
    Obligation("trace.deadline.exceeded", (EventKind.ACCOUNT_OUTCOME,), _deadline_kept),
    Obligation("trace.budget.compute-exceeded", (EventKind.ACCOUNT_OUTCOME,), _compute_kept),
    Obligation("trace.budget.memory-exceeded", (EventKind.CLOSE,), _memory_kept),
    Obligation(
        "trace.text.not-public",
        (EventKind.BIND_CONTEXT, EventKind.VERIFY_DRAFT, EventKind.ACCOUNT_OUTCOME),
        _texts_private,
    ),
)
