"""Stages, events, packets and states: the frozen types that the lifecycle speaks of.

Names follow Python's habits here and are camelCase outside: `request_well_formed` is read and
written as `requestWellFormed`.

None of these can be part of a reference cycle, so Python's cycle collector is told to pass them
by (gc=False), which makes many of them cheaper to make.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

Text = Annotated[str, Meta(min_length=1)]
Natural = Annotated[int, Meta(ge=0)]


class Stage(StrEnum):
    """The eight stages of a request, in order."""

    # Enum hashes by name in Python code; the hash of str is the same for our use and native.
    __hash__ = str.__hash__

    REQUESTED = "requested"
    CONTEXT_BOUND = "contextBound"
    MODE_SELECTED = "modeSelected"
    DRAFT_GENERATED = "draftGenerated"
    VERIFIED = "verified"
    ACCOUNTED = "accounted"
    DECIDED = "decided"
    CLOSED = "closed"


class EventKind(StrEnum):
    """The seven kinds of event, in the order of the stages that they leave."""

    __hash__ = str.__hash__

    BIND_CONTEXT = "bindContext"
    SELECT_MODE = "selectMode"
    GENERATE_DRAFT = "generateDraft"
    VERIFY_DRAFT = "verifyDraft"
    ACCOUNT_OUTCOME = "accountOutcome"
    DECIDE = "decide"
    CLOSE = "close"


class Identity(Struct, frozen=True, rename="camel", forbid_unknown_fields=True, gc=False):
    """The ten values that say which request this is. No event may change one."""

    task_id: Text
    task_version: Natural
    context_digest: Text
    task_set_digest: Text
    consumer_digest: Text
    mode_digest: Text
    baseline_digest: Text
    verifier_digest: Text
    result_digest: Text
    residual_digest: Text


class Counters(Struct, frozen=True, rename="camel", forbid_unknown_fields=True, gc=False):
    """What a request has done so far."""

    receipts: Natural
    drafts: Natural
    verifications: Natural
    fallbacks: Natural
    useful_outcomes: Natural
    decisions: Natural
    support_assignments: Natural
    external_effects: Natural


NO_COUNTS = Counters(0, 0, 0, 0, 0, 0, 0, 0)


class Packet(Struct, frozen=True, rename="camel", forbid_unknown_fields=True, gc=False):
    """What an event brings: identity values, its own digest, and 49 booleans.

    The meaning of each boolean, and the evidence that makes it true, is in spec/lifecycle.yaml.
    """

    task_id: Text
    task_version: Natural
    context_digest: Text
    task_set_digest: Text
    consumer_digest: Text
    mode_digest: Text
    baseline_digest: Text
    verifier_digest: Text
    result_digest: Text
    residual_digest: Text
    event_digest: Text
    # read at every stage
    external_effect_requested: bool
    # first read at requested
    request_well_formed: bool
    context_packet: bool
    task_set: bool
    consumer: bool
    deadline: bool
    rights: bool
    # first read at contextBound
    fast_mode_requested: bool
    generation_mode: bool
    risk_tier: bool
    quality_target: bool
    verifier_identity: bool
    independent_evaluator: bool
    acceptance_predicate: bool
    matched_baseline: bool
    latency_budget: bool
    compute_memory_budget: bool
    high_risk: bool
    risk_override: bool
    slow_fallback: bool
    high_risk_review: bool
    # first read at modeSelected
    generator: bool
    draft_artifact: bool
    proposed_output: bool
    generation_cost: bool
    search_bound: bool
    # first read at draftGenerated
    observed_verification: bool
    verification_passed: bool
    fallback_executable: bool
    fallback_residual: bool
    accepted_output: bool
    quality_pass: bool
    # first read at verified
    verifier_cost: bool
    fallback_cost: bool
    task_success: bool
    baseline_result: bool
    useful_denominator: bool
    cost_metric_separation: bool
    output_digest: bool
    # first read at accounted
    raw_speed_promotion_requested: bool
    support_promotion_requested: bool
    evidence_transition: bool
    decision_receipt: bool
    decision_non_claims: bool
    # first read at decided
    consumer_acknowledgment: bool
    residual_closure: bool
    descendant_references: bool
    result_digest_bound: bool
    cleanup: bool


class Event(Struct, frozen=True, rename="camel", forbid_unknown_fields=True, gc=False):
    """One attempt to leave a stage."""

    kind: EventKind
    packet: Packet


class State(Struct, frozen=True, rename="camel", forbid_unknown_fields=True, gc=False):
    """Where a request stands."""

    stage: Stage
    identity: Identity
    consumed_event_digests: tuple[Text, ...]
    counters: Counters


class Case(Struct, frozen=True, rename="camel", forbid_unknown_fields=True, gc=False):
    """A question to the lifecycle: what becomes of this event in this state?"""

    state: State
    event: Event


IDENTITY_NAMES: tuple[str, ...] = tuple(
    field.encode_name for field in msgspec.structs.fields(Identity)
)
BOOLEAN_NAMES: tuple[str, ...] = tuple(
    field.encode_name for field in msgspec.structs.fields(Packet) if field.type is bool
)
