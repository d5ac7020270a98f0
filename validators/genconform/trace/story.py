"""The story of one run, for people: what happened at each stage, as far as the evidence tells."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec import UNSET, Struct, UnsetType

from genconform.finding import Finding
from genconform.lifecycle.machine import Route
from genconform.lifecycle.packet import EventKind, Stage
from genconform.trace.format import Output
from genconform.trace.judge import JudgedRun
from genconform.trace.shown import Shown

_UNKNOWN = "?"
_DIGITS_OF_A_DIGEST = 12


class Chapter(Struct, frozen=True):
    """One event: the stage that it found and the one that it left the request in."""

    kind: EventKind
    before: Stage
    after: Stage
    route: Route
    accepted: bool
    sentences: tuple[str, ...]
    findings: tuple[Finding, ...]


class Story(Struct, frozen=True):
    """A run's chapters, and the kinds of event that were not there or not asked."""

    title: str
    subjects: str
    chapters: tuple[Chapter, ...]
    untold: tuple[EventKind, ...]


def tell(run: JudgedRun) -> Story:
    """The story of a judged run."""
    header = run.header
    stages = list(Stage)
    chapters = tuple(
        Chapter(
            event.event.kind,
            stages[place],
            stages[place + event.accepted],
            event.route,
            event.accepted,
            tuple(_TELLERS[event.event.kind](run.shown)),
            event.findings,
        )
        for place, event in enumerate(run.events)
    )
    identity, subjects = header.identity, header.subjects
    draft = "" if subjects.draft is UNSET else f", draft {_short(subjects.draft)}"
    return Story(
        f"{header.run.mode} run {header.run.id}",
        f"task {identity.task_id} version {identity.task_version}, "
        f"target {_short(subjects.target)}{draft}, tokenizer {_short(subjects.tokenizer)}",
        chapters,
        tuple(EventKind)[len(chapters) :],
    )


def _bind(shown: Shown) -> Iterator[str]:
    bind = shown.bind
    request = bind.request
    yield (
        f"prompt {_short(request.prompt_digest)} of {_count(request.prompt_tokens, 'token')}, "
        f"for at most {_count(request.max_new_tokens, 'new token')}"
    )
    if request.prompt_text is not UNSET:
        yield f"prompt text: {request.prompt_text!r}"
    yield (
        f"for {_text(bind.consumer.name)}, within {_seconds(bind.deadline_seconds)}, "
        f"by right of {_text(bind.rights.license)}"
    )


def _select(shown: Shown) -> Iterator[str]:
    select = shown.select
    target, predicate = select.quality_target, select.acceptance_predicate
    yield f"{_text(select.mode.name)} at {_text(select.risk_tier)} risk"
    yield (
        f"{_text(target.metric)} must be at least the baseline's plus "
        f"{_text(target.minimum_against_baseline)}"
    )
    if not shown.autoregressive:
        yield (
            f"{_share(predicate.minimum_accepted_share)} of the proposed tokens must be accepted, "
            f"else {_text(select.slow_fallback.mode)} runs"
        )
    yield (
        f"budgets: {_seconds(select.latency_budget_seconds)}, "
        f"{_count(select.compute_budget_passes, 'pass')}, "
        f"{_count(select.memory_budget_bytes, 'byte')} of cache"
    )


def _generate(shown: Shown) -> Iterator[str]:
    proposal, cost = shown.generate.proposal, shown.generate.generation_cost
    steps = UNSET if proposal.proposed_per_step is UNSET else len(proposal.proposed_per_step)
    yield (
        f"{_count(proposal.proposed_tokens, 'token')} proposed in {_count(steps, 'step')}, "
        f"by {_count(cost.draft_forward_passes, 'pass')} in {_seconds(cost.draft_seconds)}"
    )


def _verify(shown: Shown) -> Iterator[str]:
    seen, fallback = shown.verify.verification, shown.verify.fallback
    yield (
        f"{_text(seen.accepted_tokens)} of "
        f"{_count(shown.generate.proposal.proposed_tokens, 'proposed token')} accepted, "
        f"{_text(seen.rejected_tokens)} rejected, {_text(seen.emitted_tokens)} emitted, "
        f"by {_count(seen.verifier_forward_passes, 'verifier pass')}"
    )
    if fallback.mode is not UNSET:
        yield (
            f"verification failed: {_text(shown.verify.residual.reason)}; {fallback.mode} ran, "
            f"{_count(fallback.forward_passes, 'pass')} in {_seconds(fallback.seconds)}"
        )
    else:
        quality = shown.verify.quality
        yield f"score {_text(quality.score)}, the baseline's {_text(quality.baseline_score)}"


def _account(shown: Shown) -> Iterator[str]:
    account = shown.account
    work, costs, baseline = account.useful_work, account.costs, account.baseline_result
    yield f"delivered {_output(account.output)}; the task's check: {_verdict(account.task.passed)}"
    yield (
        f"{_seconds(costs.total_seconds)}: {_seconds(costs.generation_seconds)} generating, "
        f"{_seconds(costs.verification_seconds)} verifying, "
        f"{_seconds(costs.fallback_seconds)} falling back, {_seconds(costs.other_seconds)} else"
    )
    yield (
        f"the baseline took {_seconds(baseline.seconds)} for "
        f"{_count(baseline.tokens, 'token')}: {_verdict(baseline.passed)}"
    )
    yield (
        f"useful solutions per second: {_rate(work.useful_solutions, work.wall_seconds)}, "
        f"the baseline's {_rate(_passes(baseline.passed), baseline.seconds)}"
    )


def _decide(shown: Shown) -> Iterator[str]:
    decide = shown.decide
    requested = decide.promotions_requested
    kinds = "?" if requested is UNSET else ", ".join(_text(one.kind) for one in requested)
    yield f"decided: {_text(decide.receipt.decision)}; promotions asked for: {kinds or 'none'}"
    if decide.non_claims is not UNSET:
        yield f"not claimed: {', '.join(decide.non_claims)}"


def _close(shown: Shown) -> Iterator[str]:
    close = shown.close
    yield (
        f"{_count(close.residual.open_items, 'item')} left open, "
        f"{_count(close.cleanup.cache_bytes_released, 'byte')} of cache given back of "
        f"{_count(close.cleanup.cache_bytes_allocated, 'byte')}"
    )


_TELLERS: dict[EventKind, Callable[[Shown], Iterator[str]]] = dict(
    zip(EventKind, (_bind, _select, _generate, _verify, _account, _decide, _close), strict=True)
)


def _text(value: object) -> str:
    return _UNKNOWN if value is UNSET else str(value)


def _short(digest: str | UnsetType) -> str:
    return _UNKNOWN if digest is UNSET else digest[:_DIGITS_OF_A_DIGEST]


def _count(value: int | UnsetType, noun: str) -> str:
    plural = "es" if noun.endswith("s") else "s"
    return (
        f"{_UNKNOWN if value is UNSET else format(value, ',')} {noun}{'' if value == 1 else plural}"
    )


def _seconds(value: float | UnsetType) -> str:
    return f"{_UNKNOWN if value is UNSET else format(value, '.3f')} s"


def _share(value: float | UnsetType) -> str:
    return _UNKNOWN if value is UNSET else format(value, ".0%")


def _output(output: Output) -> str:
    text = "" if output.text is UNSET else f" {output.text!r}"
    return f"{_count(output.tokens, 'token')} {_short(output.digest)}{text}"


def _verdict(passed: bool | UnsetType) -> str:
    return _UNKNOWN if passed is UNSET else "passed" if passed else "not passed"


def _passes(passed: bool | UnsetType) -> int | UnsetType:
    return UNSET if passed is UNSET else int(passed)


def _rate(count: int | UnsetType, seconds: float | UnsetType) -> str:
    if count is UNSET or seconds is UNSET or seconds <= 0:
        return _UNKNOWN
    return format(count / seconds, ".3f")
