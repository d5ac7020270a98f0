"""What shows that the result was received and nothing was left open or taken."""

from __future__ import annotations

from msgspec import UNSET, UnsetType

from genconform.digest.canonical import canonical_digest
from genconform.lifecycle.machine import Route
from genconform.lifecycle.packet import EventKind
from genconform.trace.rules.base import Rules
from genconform.trace.shown import Comparisons, Shown, equal, given, holds

rules = Rules(EventKind.CLOSE)


@rules.shows(
    "consumerAcknowledgment",
    Route.REQUIRE_CONSUMER_ACKNOWLEDGMENT,
    reads="acknowledgment/consumerDigest acknowledgment/outputDigest accountOutcome/output/digest",
)
def consumer_acknowledgment(shown: Shown) -> Comparisons:
    """acknowledgment names the bound consumer and the delivered output."""
    acknowledgment = shown.close.acknowledgment
    return (
        equal(
            "acknowledgment/consumerDigest",
            acknowledgment.consumer_digest,
            shown.identity.consumer_digest,
            "the identity's consumerDigest",
        ),
        equal(
            "acknowledgment/outputDigest",
            acknowledgment.output_digest,
            shown.account.output.digest,
            "accountOutcome's output.digest",
        ),
    )


@rules.shows(
    "residualClosure",
    Route.REQUIRE_RESIDUAL_CLOSURE,
    reads="residual/slot residual/openItems residual/owner",
)
def residual_closure(shown: Shown) -> Comparisons:
    """residual is in the slot that was bound for this run, and open items have an owner."""
    residual = shown.close.residual
    unowned = residual.open_items != 0 and residual.owner is UNSET
    return (
        *_own_slot(shown, "residual", residual.slot, shown.identity.residual_digest),
        given("residual/openItems", residual.open_items),
        holds(not unowned, "residual/owner", "an owner of the open items", residual.owner),
    )


def _own_slot(shown: Shown, name: str, slot: str | UnsetType, bound: str) -> Comparisons:
    """The slot is the one that was bound, and it was reserved for this run."""
    reserved = canonical_digest({"slot": name, "runId": shown.run.id})
    return (
        equal(f"{name}/slot", slot, bound, f"the identity's {name}Digest"),
        equal(f"{name}/slot", slot, reserved, "the digest of this run's slot"),
    )


@rules.shows(
    "descendantReferences",
    Route.REQUIRE_DESCENDANT_REFERENCES,
    reads="descendants/references selectMode/baseline/runId verifyDraft/fallback/runId",
)
def descendant_references(shown: Shown) -> Comparisons:
    """descendants.references holds the baseline's run, and the fallback's where one ran."""
    listed = shown.close.descendants.references
    references = () if listed is UNSET else listed
    field = "descendants/references"
    wanted = [shown.select.baseline.run_id]
    if shown.fell_back:
        wanted.append(shown.verify.fallback.run_id)
    return [
        holds(run_id in references, field, f"a list that holds the run {run_id}", listed)
        for run_id in wanted
    ]


@rules.shows(
    "resultDigestBound",
    Route.REQUIRE_BOUND_RESULT_DIGEST,
    reads="result/slot result/outputDigest accountOutcome/output/digest",
)
def result_digest_bound(shown: Shown) -> Comparisons:
    """result binds the delivered output to the slot that was bound for this run."""
    result = shown.close.result
    return (
        *_own_slot(shown, "result", result.slot, shown.identity.result_digest),
        equal(
            "result/outputDigest",
            result.output_digest,
            shown.account.output.digest,
            "accountOutcome's output.digest",
        ),
    )


@rules.shows(
    "cleanup",
    Route.REQUIRE_CLEANUP,
    reads="cleanup/cacheBytesAllocated cleanup/cacheBytesReleased "
    "cleanup/hooksInstalled cleanup/hooksRemoved",
)
def cleanup(shown: Shown) -> Comparisons:
    """cleanup released as many cache bytes as were taken, and removed as many hooks."""
    taken = shown.close.cleanup
    allocated, installed = taken.cache_bytes_allocated, taken.hooks_installed
    return (
        given("cleanup/cacheBytesAllocated", allocated),
        given("cleanup/hooksInstalled", installed),
        equal(
            "cleanup/cacheBytesReleased",
            taken.cache_bytes_released,
            allocated,
            "cacheBytesAllocated",
        ),
        equal("cleanup/hooksRemoved", taken.hooks_removed, installed, "hooksInstalled"),
    )
