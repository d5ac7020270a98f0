"""The suite `precision-routing`: which number format serves which request, by a frozen policy.

The policy routes by inputs that are known before the run, escalates to the next wider format when
an error is too large, and is compared with one format for all. spec/policies.md is the page.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import fmean
from typing import Annotated, Literal

from msgspec import Meta

from genconform.digest.canonical import canonical_digest
from genconform.suites.record import (
    Count,
    Digest,
    Fault,
    Rate,
    Record,
    RecordRules,
    Seconds,
    Share,
    Text,
    ratio,
    unequal,
    unequal_fields,
    unless,
)

Error = Annotated[float, Meta(ge=0)]


class Format(Record, frozen=True):
    """A number format of the weights."""

    name: Text
    bits: Annotated[int, Meta(ge=1, le=64)]


class Policy(Record, frozen=True):
    """A policy, frozen before the run.

    A request gets the format whose place is the number of `thresholds` that its sensitivity
    reaches. Errors are relative to the widest format. `envelope_error` is the most that may be
    delivered; above `escalate_above_error` the next wider format is tried.
    """

    inputs: tuple[Text, ...]
    formats: Annotated[tuple[Format, ...], Meta(min_length=2)]
    thresholds: tuple[Share, ...]
    escalate_above_error: Error
    envelope_error: Error
    deadline_seconds: Seconds
    static_baseline: Text


class Attempt(Record, frozen=True):
    """One format tried on one request."""

    format: Text
    seconds: Seconds
    measured_error: Error


class Decision(Record, frozen=True):
    """What was routed where. The total holds routing and every attempt.

    `inputs` gives each frozen input's value, its digest was taken before the run. `delivered` says
    whether an output was given in time and within the envelope.
    """

    request_id: Text
    inputs: dict[str, float]
    inputs_digest: Digest
    routing_seconds: Seconds
    attempts: Annotated[tuple[Attempt, ...], Meta(min_length=1)]
    total_seconds: Seconds
    delivered: bool
    passed: bool


class BaselineRun(Record, frozen=True):
    """The same request in the one format of the baseline."""

    request_id: Text
    format: Text
    seconds: Seconds
    measured_error: Error
    passed: bool


class Totals(Record, frozen=True):
    """Sums over all requests, and the gain: baseline seconds over routed seconds."""

    requests: Count
    escalations: Count
    delivered: Count
    routed_passed: Count
    baseline_passed: Count
    routed_seconds: Seconds
    baseline_seconds: Seconds
    mean_routed_error: Error
    mean_baseline_error: Error
    seconds_ratio: Rate


class PrecisionRoutingRecord(Record, frozen=True):
    """A policy and what it did. `about` is for readers."""

    version: Literal[1]
    about: Text
    policy: Policy
    policy_digest: Digest
    decisions: Annotated[tuple[Decision, ...], Meta(min_length=1)]
    baseline: tuple[BaselineRun, ...]
    totals: Totals
    recommended: Literal["routed", "static"]


rules = RecordRules(PrecisionRoutingRecord)
_Faults = Iterator[Fault]
SENSITIVITY = "estimatedSensitivity"
"""The input that thresholds are compared with."""


def _decisions(record: PrecisionRoutingRecord) -> Iterator[tuple[str, Decision]]:
    for index, decision in enumerate(record.decisions):
        yield f"/decisions/{index}", decision


@rules.rule("precision.policy.digest-differs")
def policy_has_its_digest(record: PrecisionRoutingRecord) -> _Faults:
    """The policy is the one that was frozen."""
    digest = canonical_digest(record.policy)
    yield from unequal("/policyDigest", record.policy_digest, digest, "not that of the policy")


@rules.rule("precision.policy.unordered")
def policy_is_ordered(record: PrecisionRoutingRecord) -> _Faults:
    """Formats widen, a threshold lies between each two, escalation comes before the envelope."""
    policy = record.policy
    bits = [one.bits for one in policy.formats]
    yield from unless(_rises(bits), "/policy/formats", "formats do not widen", "rising bits", bits)
    thresholds = list(policy.thresholds)
    right = _rises(thresholds) and len(thresholds) == len(bits) - 1
    message = "not one rising threshold between each two formats"
    yield from unless(right, "/policy/thresholds", message, len(bits) - 1, thresholds)
    escalates, envelope = policy.escalate_above_error, policy.envelope_error
    message = "escalates only when the envelope has been left"
    pointer = "/policy/escalateAboveError"
    yield from unless(escalates <= envelope, pointer, message, envelope, escalates)


def _rises(values: Sequence[float]) -> bool:
    return all(low < high for low, high in pairwise(values))


@rules.rule("precision.input.unfrozen")
def inputs_are_frozen(record: PrecisionRoutingRecord) -> _Faults:
    """Nothing is routed by but the inputs of the policy, with the values that were frozen."""
    for pointer, decision in _decisions(record):
        names = sorted(decision.inputs)
        message = "not the inputs that the policy froze"
        yield from unequal(f"{pointer}/inputs", names, sorted(record.policy.inputs), message)
        digest = canonical_digest(decision.inputs)
        message = "the digest is not that of the inputs"
        yield from unequal(f"{pointer}/inputsDigest", decision.inputs_digest, digest, message)


@rules.rule("precision.choice.differs")
def choice_follows(record: PrecisionRoutingRecord) -> _Faults:
    """The first format is the one that the thresholds give."""
    formats = record.policy.formats
    for pointer, decision in _decisions(record):
        sensitivity = decision.inputs.get(SENSITIVITY, 1.0)
        place = min(bisect_right(record.policy.thresholds, sensitivity), len(formats) - 1)
        chosen, expected = decision.attempts[0].format, formats[place].name
        message = f"not the format for a sensitivity of {sensitivity}"
        yield from unequal(f"{pointer}/attempts/0/format", chosen, expected, message)


@rules.rule("precision.escalation.unfit")
def escalation_follows(record: PrecisionRoutingRecord) -> _Faults:
    """After an error that is too large comes the next wider format, and after no other one."""
    names = [one.name for one in record.policy.formats]
    above = record.policy.escalate_above_error
    for pointer, decision in _decisions(record):
        for index, attempt in enumerate(decision.attempts):
            wider = names[names.index(attempt.format) + 1 :] if attempt.format in names else []
            wanted = wider[0] if wider and attempt.measured_error > above else None
            later = decision.attempts[index + 1 :]
            tried = later[0].format if later else None
            message = f"an error of {attempt.measured_error} in {attempt.format}"
            yield from unequal(f"{pointer}/attempts/{index}", tried, wanted, message)


@rules.rule("precision.delivery.unfit")
def delivery_is_within(record: PrecisionRoutingRecord) -> _Faults:
    """An output is delivered if and only if it is within envelope and deadline; no other passes."""
    policy = record.policy
    for pointer, decision in _decisions(record):
        within = decision.attempts[-1].measured_error <= policy.envelope_error
        in_time = decision.total_seconds <= policy.deadline_seconds
        message = f"within the envelope is {within}, within the deadline is {in_time}"
        fits = within and in_time
        yield from unequal(f"{pointer}/delivered", decision.delivered, fits, message)
        message = "an output passed that was not delivered"
        passed = decision.passed and not decision.delivered
        yield from unequal(f"{pointer}/passed", passed, False, message)


@rules.rule("precision.escalation.uncharged")
def all_attempts_are_charged(record: PrecisionRoutingRecord) -> _Faults:
    """The seconds of a request are those of routing it and of every attempt."""
    for pointer, decision in _decisions(record):
        spent = decision.routing_seconds + sum(one.seconds for one in decision.attempts)
        message = "not routing and every attempt"
        yield from unequal(f"{pointer}/totalSeconds", decision.total_seconds, spent, message)


@rules.rule("precision.baseline.unmatched")
def baseline_is_matched(record: PrecisionRoutingRecord) -> _Faults:
    """The baseline ran the same requests, all in the one format that was frozen."""
    routed = [decision.request_id for decision in record.decisions]
    baseline = [run.request_id for run in record.baseline]
    yield from unequal("/baseline", baseline, routed, "not the requests that were routed")
    static = record.policy.static_baseline
    known = [one.name for one in record.policy.formats]
    message = "not one of the formats"
    yield from unless(static in known, "/policy/staticBaseline", message, ", ".join(known), static)
    for index, run in enumerate(record.baseline):
        message = "the baseline is one format for all"
        yield from unequal(f"/baseline/{index}/format", run.format, static, message)


@rules.rule("precision.totals.unbalanced")
def totals_follow(record: PrecisionRoutingRecord) -> _Faults:
    """Every total is that of the lists."""
    routed, baseline = record.decisions, record.baseline
    attempts = [attempt for decision in routed for attempt in decision.attempts]
    routed_seconds = sum(decision.total_seconds for decision in routed)
    baseline_seconds = sum(run.seconds for run in baseline)
    expected = {
        "requests": len(routed),
        "escalations": len(attempts) - len(routed),
        "delivered": sum(decision.delivered for decision in routed),
        "routed_passed": sum(decision.passed for decision in routed),
        "baseline_passed": sum(run.passed for run in baseline),
        "routed_seconds": routed_seconds,
        "baseline_seconds": baseline_seconds,
        "mean_routed_error": fmean(attempt.measured_error for attempt in attempts),
        "mean_baseline_error": fmean(run.measured_error for run in baseline) if baseline else 0.0,
        "seconds_ratio": ratio(baseline_seconds, routed_seconds),
    }
    yield from unequal_fields("/totals", record.totals, expected, "not that of the lists")


@rules.rule("precision.recommendation.unfit")
def recommendation_follows(record: PrecisionRoutingRecord) -> _Faults:
    """Routing is recommended only where it is faster and passes no fewer tasks than one format."""
    totals = record.totals
    better = totals.seconds_ratio > 1 and totals.routed_passed >= totals.baseline_passed
    expected = "routed" if better else "static"
    message = f"ratio {totals.seconds_ratio}, passed {totals.routed_passed}"
    yield from unequal("/recommended", record.recommended, expected, message)


SUITE = rules.suite(
    "precision-routing",
    "which number format serves which request, by a frozen policy",
    free={"/about": "a sentence for the reader"},
)
