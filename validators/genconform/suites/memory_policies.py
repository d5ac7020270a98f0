"""The suite `memory-policies`: where and when a model's state lives, and what that did in one run.

An exact policy changes where and when state lives, never its value. spec/policies.md is the page
on the format.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct, to_builtins

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
from genconform.suites.roof import Roof

Object = Literal[
    "weight_shard",
    "kv_cache_page",
    "activation_page",
    "expert_or_neuron_block",
    "recurrent_state",
    "draft_verifier_state",
]
Mechanism = Literal[
    "layer_streaming",
    "planned_heterogeneous_placement",
    "demand_paging",
    "virtual_memory_kv",
    "predictive_kv_prefetch",
    "hot_cold_sparse_placement",
    "speculation_with_offload",
]
Lifetime = Literal["checkpoint", "request", "pass", "step"]
Prediction = Literal["none", "known_order", "learned"]
MissHandling = Literal["stall", "fetch", "recompute", "exact_route", "skip"]
EXACT_HANDLING = ("stall", "fetch", "recompute", "exact_route")
"""What may become of a miss under an exact policy: the state is had after all."""


class ObjectRow(Struct, frozen=True):
    """How long an object lives, and while what holds it may be used again."""

    lifetime: Lifetime
    reuse_valid_while: str


OBJECTS: dict[str, ObjectRow] = {
    "weight_shard": ObjectRow("checkpoint", "checkpoint-shard-checksum-and-dtype-are-the-same"),
    "kv_cache_page": ObjectRow("request", "cache-key-and-token-prefix-are-the-same"),
    "activation_page": ObjectRow("pass", "input-of-the-pass-is-the-same"),
    "expert_or_neuron_block": ObjectRow("checkpoint", "checkpoint-block-and-routing-are-the-same"),
    "recurrent_state": ObjectRow("request", "all-tokens-before-it-are-the-same"),
    "draft_verifier_state": ObjectRow("step", "accepted-prefix-is-the-same"),
}
"""The objects of physical memory."""


class MechanismRow(Struct, frozen=True):
    """What a mechanism moves, how it knows what comes next, and whether it may drop anything."""

    objects: tuple[str, ...]
    predictions: tuple[str, ...]
    may_approximate: bool = False
    proposes_tokens: bool = False


MECHANISMS: dict[str, MechanismRow] = {
    "layer_streaming": MechanismRow(("weight_shard",), ("none", "known_order")),
    "planned_heterogeneous_placement": MechanismRow(tuple(OBJECTS), ("none", "known_order")),
    "demand_paging": MechanismRow(("weight_shard", "expert_or_neuron_block"), ("none",)),
    "virtual_memory_kv": MechanismRow(("kv_cache_page",), ("none",)),
    "predictive_kv_prefetch": MechanismRow(("kv_cache_page",), ("learned",), may_approximate=True),
    "hot_cold_sparse_placement": MechanismRow(
        ("weight_shard", "expert_or_neuron_block"), ("learned",), may_approximate=True
    ),
    "speculation_with_offload": MechanismRow(
        ("weight_shard", "kv_cache_page", "draft_verifier_state"),
        ("none", "known_order"),
        proposes_tokens=True,
    ),
}
"""The mechanisms, kept apart. Loading the next known layer early is no prediction; predicting a
page is no proposal of a token."""


class Placement(Record, frozen=True):
    """Where an object lives, and how much of it there."""

    object: Object
    lifetime: Lifetime
    reuse_valid_while: Text
    tier: Literal["device", "host", "disk"]
    resident_bytes: Count


class Quality(Record, frozen=True):
    """The least share of the reference's task success that an approximate policy must keep."""

    metric: Literal["taskScore"]
    minimum_against_reference: Share


class Policy(Record, frozen=True):
    """A policy, frozen before the run. `device_budget_bytes` bounds what lives on the device."""

    mechanism: Mechanism
    exactness: Literal["exact", "approximate"]
    prediction: Prediction
    miss_handling: tuple[MissHandling, ...]
    placements: tuple[Placement, ...]
    device_budget_bytes: Count
    reloaded_bytes_per_token: Count
    sustained_bytes_per_second: Rate
    quality: Quality | None
    fallback: Literal["resident_baseline", "smaller_batch", "none"]


class StatedRoof(Record, frozen=True):
    """The I/O roof as the record states it; no rate where nothing is reloaded."""

    least_seconds_per_token: Seconds
    most_tokens_per_second: Rate | None


class Misses(Record, frozen=True):
    """Times that state was not where it was needed, and what became of each."""

    total: Count
    stall: Count
    fetch: Count
    recompute: Count
    exact_route: Count
    skip: Count


class Reads(Record, frozen=True):
    """Bytes read from a slower tier: on demand, and ahead of need, used or not."""

    total_bytes: Count
    demand_bytes: Count
    prefetched_bytes: Count
    used_prefetched_bytes: Count
    unused_prefetched_bytes: Count
    bytes_per_emitted_token: Rate
    bytes_per_accepted_token: Rate


class Output(Record, frozen=True):
    """What came out, beside the fully resident reference; scores by the policy's metric."""

    digest: Digest
    reference_digest: Digest
    identical: bool
    score: Share
    reference_score: Share


class Receipt(Record, frozen=True):
    """What one run under the policy did. Wall seconds hold everything, stalls included."""

    id: Digest
    policy_digest: Digest
    run_id: Text
    emitted_tokens: Count
    accepted_tokens: Count
    proposed_tokens: Count
    wall_seconds: Seconds
    stall_seconds: Seconds
    tokens_per_second: Rate
    peak_device_bytes: Count
    misses: Misses
    reads: Reads
    output: Output


class MemoryPolicyRecord(Record, frozen=True):
    """A policy, its roof, and a receipt. `about` is for readers."""

    version: Literal[1]
    about: Text
    policy: Policy
    policy_digest: Digest
    roof: StatedRoof
    receipt: Receipt

    @property
    def row(self) -> MechanismRow:
        """What the mechanism does."""
        return MECHANISMS[self.policy.mechanism]

    @property
    def exact(self) -> bool:
        """Whether state keeps its value."""
        return self.policy.exactness == "exact"


rules = RecordRules(MemoryPolicyRecord)
_Faults = Iterator[Fault]


# --- the policy ------------------------------------------------------------------------------


@rules.rule("memory.policy.digest-differs")
def policy_has_its_digest(record: MemoryPolicyRecord) -> _Faults:
    """The policy that ran is the one that was frozen."""
    digest = canonical_digest(record.policy)
    for pointer, stated in (
        ("/policyDigest", record.policy_digest),
        ("/receipt/policyDigest", record.receipt.policy_digest),
    ):
        yield from unequal(pointer, stated, digest, "the digest is not that of the policy")


@rules.rule("memory.object.misdescribed")
def objects_are_as_known(record: MemoryPolicyRecord) -> _Faults:
    """Each object has its own lifetime and condition of reuse, and is one the mechanism moves."""
    for index, placement in enumerate(record.policy.placements):
        row, pointer = OBJECTS[placement.object], f"/policy/placements/{index}"
        message = f"not so for {placement.object}"
        yield from unequal(f"{pointer}/lifetime", placement.lifetime, row.lifetime, message)
        condition = placement.reuse_valid_while
        yield from unequal(f"{pointer}/reuseValidWhile", condition, row.reuse_valid_while, message)
        moved = placement.object in record.row.objects
        message = f"{record.policy.mechanism} does not move it"
        wanted = ", ".join(record.row.objects)
        yield from unless(moved, f"{pointer}/object", message, wanted, placement.object)


@rules.rule("memory.prediction.unfit")
def prediction_fits(record: MemoryPolicyRecord) -> _Faults:
    """Loading what is known to come next is no prediction; a learned one is not called known."""
    prediction = record.policy.prediction
    known = record.row.predictions
    message = f"{record.policy.mechanism} does not know what comes next in this way"
    yield from unless(
        prediction in known, "/policy/prediction", message, ", ".join(known), prediction
    )


@rules.rule("memory.exactness.unfit")
def exactness_fits(record: MemoryPolicyRecord) -> _Faults:
    """A policy is approximate if and only if a miss may be skipped, where the mechanism can."""
    skips = "skip" in record.policy.miss_handling
    message = "approximate if and only if a miss may be skipped"
    yield from unequal("/policy/exactness", not record.exact, skips, message)
    if skips and not record.row.may_approximate:
        message = f"{record.policy.mechanism} may not skip"
        yield Fault("/policy/missHandling", message, ", ".join(EXACT_HANDLING))


@rules.rule("memory.miss.unhandled")
def misses_can_be_handled(record: MemoryPolicyRecord) -> _Faults:
    """The policy says what becomes of a miss, and every miss came to one of those ends."""
    handling, misses = record.policy.miss_handling, record.receipt.misses
    wanted = ", ".join(EXACT_HANDLING)
    yield from unless(bool(handling), "/policy/missHandling", "a miss has no way out", wanted, None)
    for name in (*EXACT_HANDLING, "skip"):
        count = getattr(misses, name)
        message = "misses came to an end that the policy does not allow"
        yield from unless(
            not count or name in handling, f"/receipt/misses/{_camel(name)}", message, 0, count
        )


def _camel(name: str) -> str:
    return "exactRoute" if name == "exact_route" else name


@rules.rule("memory.fallback.missing")
def fallback_is_named(record: MemoryPolicyRecord) -> _Faults:
    """A policy names what serves the request when it cannot."""
    if record.policy.fallback == "none":
        yield Fault(
            "/policy/fallback", "nothing to fall back on", "resident_baseline, smaller_batch"
        )


@rules.rule("memory.roof.miscalculated")
def roof_is_right(record: MemoryPolicyRecord) -> _Faults:
    """The stated roof is W/B and B/W."""
    roof = _roof(record)
    message = "not the bytes reloaded a token over the bandwidth"
    stated = record.roof.least_seconds_per_token
    yield from unequal("/roof/leastSecondsPerToken", stated, roof.least_seconds_per_token, message)
    rate, most = record.roof.most_tokens_per_second, roof.most_tokens_per_second
    if rate is None or most is None:
        yield from unless(rate is most, "/roof/mostTokensPerSecond", message, most, rate)
    else:
        message = "not the bandwidth over the bytes reloaded a token"
        yield from unequal("/roof/mostTokensPerSecond", rate, most, message)


def _roof(record: MemoryPolicyRecord) -> Roof:
    policy = record.policy
    return Roof(policy.reloaded_bytes_per_token, policy.sustained_bytes_per_second)


# --- the run ---------------------------------------------------------------------------------


@rules.rule("memory.receipt.id-differs")
def receipt_has_its_id(record: MemoryPolicyRecord) -> _Faults:
    """A receipt's id is the digest of what was observed."""
    receipt = to_builtins(record.receipt)
    del receipt["id"], receipt["policyDigest"]
    message = "the id is not the digest of the receipt"
    yield from unequal("/receipt/id", record.receipt.id, canonical_digest(receipt), message)


@rules.rule("memory.roof.exceeded")
def roof_is_kept(record: MemoryPolicyRecord) -> _Faults:
    """No run is faster than reading allows, and none has read less than it must.

    Each pass over the weights emits one token of its own, beside accepted proposals.
    """
    receipt, policy = record.receipt, record.policy
    accepted = receipt.accepted_tokens if record.row.proposes_tokens else 0
    passes = receipt.emitted_tokens - accepted
    least = passes * _roof(record).least_seconds_per_token
    message = "faster than the weights can be read: some of them were not"
    yield from unless(
        receipt.wall_seconds >= least, "/receipt/wallSeconds", message, least, receipt.wall_seconds
    )
    needed = passes * policy.reloaded_bytes_per_token
    read = receipt.reads.total_bytes
    message = "less was read than is reloaded for each pass"
    yield from unless(read >= needed, "/receipt/reads/totalBytes", message, needed, read)


@rules.rule("memory.misses.unbalanced")
def misses_add_up(record: MemoryPolicyRecord) -> _Faults:
    """Every miss came to some end; stalls take seconds, and only stalls do."""
    misses = record.receipt.misses
    ends = sum(getattr(misses, name) for name in (*EXACT_HANDLING, "skip"))
    yield from unequal("/receipt/misses/total", misses.total, ends, "not the sum of the ends")
    stalled = record.receipt.stall_seconds > 0
    message = "seconds if and only if something stalled"
    yield from unequal("/receipt/stallSeconds", stalled, misses.stall > 0, message)


@rules.rule("memory.reads.unbalanced")
def reads_add_up(record: MemoryPolicyRecord) -> _Faults:
    """Bytes read sum to their parts, unused ones included, and rates follow from them."""
    receipt, reads = record.receipt, record.receipt.reads
    expected = {
        "total_bytes": reads.demand_bytes + reads.prefetched_bytes,
        "prefetched_bytes": reads.used_prefetched_bytes + reads.unused_prefetched_bytes,
        "bytes_per_emitted_token": ratio(reads.total_bytes, receipt.emitted_tokens),
        "bytes_per_accepted_token": ratio(reads.total_bytes, receipt.accepted_tokens),
    }
    message = "does not follow from the bytes and tokens counted"
    yield from unequal_fields("/receipt/reads", reads, expected, message)
    rate = ratio(receipt.emitted_tokens, receipt.wall_seconds)
    message = "not emitted tokens over wall seconds"
    yield from unequal("/receipt/tokensPerSecond", receipt.tokens_per_second, rate, message)


@rules.rule("memory.prediction.counted-as-proposal")
def pages_are_no_tokens(record: MemoryPolicyRecord) -> _Faults:
    """Predicting a page is not proposing a token: only speculation proposes."""
    receipt = record.receipt
    proposes, proposed = record.row.proposes_tokens, receipt.proposed_tokens
    message = "tokens are proposed if and only if the mechanism speculates"
    yield from unequal("/receipt/proposedTokens", proposed > 0, proposes, message)
    most = min(receipt.emitted_tokens, proposed) if proposes else 0
    accepted = receipt.accepted_tokens
    fits = accepted <= most if proposes else accepted == receipt.emitted_tokens
    message = "more is accepted than was proposed, or, without proposals, not all that was emitted"
    yield from unless(
        fits, "/receipt/acceptedTokens", message, most or receipt.emitted_tokens, accepted
    )


@rules.rule("memory.capacity.exceeded")
def capacity_is_kept(record: MemoryPolicyRecord) -> _Faults:
    """What lives on the device, and its peak, fit the budget."""
    policy, peak = record.policy, record.receipt.peak_device_bytes
    placed = sum(one.resident_bytes for one in policy.placements if one.tier == "device")
    message = "less than is placed on the device, or more than its budget"
    fits = placed <= peak <= policy.device_budget_bytes
    wanted = f"{placed} to {policy.device_budget_bytes} bytes"
    yield from unless(fits, "/receipt/peakDeviceBytes", message, wanted, peak)


@rules.rule("memory.output.differs")
def exact_output_is_identical(record: MemoryPolicyRecord) -> _Faults:
    """Under an exact policy the output is the reference's, and `identical` says what is so."""
    output = record.receipt.output
    same = output.digest == output.reference_digest
    yield from unequal(
        "/receipt/output/identical", output.identical, same, "not what the digests say"
    )
    if record.exact and not same:
        message = "an exact policy changed the output"
        yield Fault("/receipt/output/digest", message, output.reference_digest, output.digest)
    if same:
        message = "the same output has another score"
        yield from unequal("/receipt/output/score", output.score, output.reference_score, message)


@rules.rule("memory.approximate.unmeasured")
def approximation_is_measured(record: MemoryPolicyRecord) -> _Faults:
    """An approximate policy was given a quality to keep, and kept it; an exact one needs none."""
    quality, output = record.policy.quality, record.receipt.output
    message = "a quality to keep, if and only if the policy is approximate"
    yield from unequal("/policy/quality", quality is not None, not record.exact, message)
    if quality:
        least = quality.minimum_against_reference * output.reference_score
        message = "the quality was not kept"
        yield from unless(
            output.score >= least, "/receipt/output/score", message, least, output.score
        )


SUITE = rules.suite(
    "memory-policies",
    "where and when a model's state lives, and what that did in a run",
    free={"/about": "a sentence for the reader"},
)
