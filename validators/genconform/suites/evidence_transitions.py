"""The suite `evidence-transitions`: decisions about what evidence does to the support of a claim.

A decision binds what it looked at and the replay that it rests on. While it is current, both must
be as they were: a change is a trigger, and the decision is downgraded or made again.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Literal

from msgspec import UNSET, UnsetType

from genconform.document import decode, parse_document, read_bytes
from genconform.errors import UsageError
from genconform.suites import FOLDER
from genconform.suites.pins import as_pinned
from genconform.suites.record import (
    Digest,
    Fault,
    Placed,
    Record,
    RecordRules,
    Text,
    unequal,
    unequal_fields,
    unless,
)
from genconform.suites.replays import command, replayed, sha256_of
from genconform.suites.support import (
    BURDEN,
    TRIGGERS,
    BurdenItem,
    Date,
    Effect,
    Reviewer,
    Status,
    SupportState,
    Trigger,
    Validity,
    effect_of,
)
from genconform.trace.format import NON_CLAIMS, NonClaimKind

NAME = "evidence-transitions"


class ArtifactRef(Record, frozen=True):
    """A file of this tree, by the digest of its bytes."""

    path: Text
    sha256: Digest


class Verification(Record, frozen=True):
    """The replay that the decision rests on: the command, the verdict, and the result's digest."""

    suite: Text
    command: Text
    verdict: Literal["pass"]
    result: Digest


class Burden(Record, frozen=True):
    """Something that a raise must bring, and whether it has been brought."""

    item: BurdenItem
    met: bool


class Review(Record, frozen=True):
    """Whether the decision was accepted, and by whom."""

    status: Status
    reviewer: Reviewer


class EvidenceTransition(Record, frozen=True):
    """A decision about one claim."""

    record: Literal["evidence-transition"]
    id: Text
    claim_id: Text
    old_state: SupportState
    new_state: SupportState
    effect: Effect
    validity: Validity
    scope_boundary: Text
    reason: Text
    artifacts: tuple[ArtifactRef, ...]
    verification: Verification
    negative_results: tuple[Text, ...]
    downgrade_triggers: tuple[Trigger, ...]
    promotion_burden: tuple[Burden, ...]
    blockers: tuple[BurdenItem, ...]
    limitations: tuple[Text, ...]
    review: Review
    non_claims: tuple[NonClaimKind, ...]
    valid_until: Date | UnsetType = UNSET
    fired_trigger: Trigger | UnsetType = UNSET


class Reviewers(Record, frozen=True):
    """Those who decide here, as they declared themselves once for all decisions."""

    reviewers: tuple[Reviewer, ...]


rules = RecordRules(EvidenceTransition)
rules.placed("transition.decision.altered")(as_pinned(NAME))


@rules.placed("transition.artifact.changed")
def artifacts_are_as_decided(placed: Placed[EvidenceTransition]) -> Iterator[Fault]:
    """While the decision is current, what it looked at is as it was. A change is a trigger."""
    if placed.record.validity != "current":
        return
    for index, ref in enumerate(placed.record.artifacts):
        actual = sha256_of(ref.path, placed.tree)
        message = f"{ref.path} is not what was decided about; downgrade the decision or decide anew"
        yield from unequal(f"/artifacts/{index}/sha256", actual, ref.sha256, message)


@rules.placed("transition.verification.failed")
def verification_repeats(placed: Placed[EvidenceTransition]) -> Iterator[Fault]:
    """While the decision is current, its replay comes to the same. Another result is a trigger."""
    verification = placed.record.verification
    if placed.record.validity != "current":
        return
    try:
        result = replayed(verification.suite, placed.tree)
    except UsageError as error:
        yield Fault("/verification/suite", error.message, error.expected, verification.suite)
        return
    details: dict[str, Any] = {} if result.details is UNSET else result.details
    said = {
        "command": command(verification.suite),
        "verdict": result.verdict.value,
        "result": details.get("result"),
    }
    message = "the replay does not say so"
    yield from unequal_fields("/verification", verification, said, message)


@rules.placed("transition.reviewer.misdescribed")
def reviewer_is_known(placed: Placed[EvidenceTransition]) -> Iterator[Fault]:
    """The reviewer is described as in reviewers.yaml, not as it suits this decision."""
    path = f"{FOLDER}/{NAME}/reviewers.yaml"
    known = parse_reviewers(read_bytes(placed.tree.path(path), path), path)
    reviewer = placed.record.review.reviewer
    message = f"not as in {path}"
    yield from unequal("/review/reviewer", reviewer, known.get(reviewer.name), message)


@lru_cache
def parse_reviewers(data: bytes, name: str) -> dict[str, Reviewer]:
    """The reviewers of a file, by name.

    Raises:
        MalformedInput: it holds something else.
    """
    read = decode(parse_document(data, name), Reviewers)
    return {reviewer.name: reviewer for reviewer in read.reviewers}


@rules.rule("transition.validity.unfounded")
def validity_is_founded(transition: EvidenceTransition) -> Iterator[Fault]:
    """A decision is downgraded by a trigger, and expires only if it has a last day."""
    fired, ends = transition.fired_trigger, transition.valid_until is not UNSET
    downgraded, message = transition.validity == "downgraded", "downgraded by a trigger, or not"
    yield from unequal("/validity", downgraded, fired is not UNSET, message)
    expired, message = transition.validity == "expired", "it has no last day"
    yield from unless(ends or not expired, "/validity", message, "current", transition.validity)


@rules.rule("transition.effect.differs")
def effect_follows(transition: EvidenceTransition) -> Iterator[Fault]:
    """The effect is what lies between the old state and the new one."""
    expected = effect_of(transition.old_state, transition.new_state)
    message = f"from {transition.old_state} to {transition.new_state}"
    yield from unequal("/effect", transition.effect, expected, message)


@rules.rule("transition.burden.incomplete")
def burden_is_whole(transition: EvidenceTransition) -> Iterator[Fault]:
    """Every item of the burden is listed, in its order, and what is not met is a blocker."""
    items = tuple(one.item for one in transition.promotion_burden)
    yield from unequal("/promotionBurden", items, BURDEN, "not the burden of a raise")
    unmet = tuple(one.item for one in transition.promotion_burden if not one.met)
    yield from unequal("/blockers", transition.blockers, unmet, "not what stands in the way")


@rules.rule("transition.raise.unearned")
def raise_is_earned(transition: EvidenceTransition) -> Iterator[Fault]:
    """An accepted raise has met its whole burden, is reviewed independently, and expires."""
    if transition.effect != "raise" or transition.review.status != "accepted":
        return
    if transition.review.reviewer.kind == "controller":
        return
    unmet = [one.item for one in transition.promotion_burden if not one.met]
    yield from unless(not unmet, "/effect", "raised with its burden unmet", [], unmet)
    independence = transition.review.reviewer.independence
    message = "a raise needs an independent reviewer"
    at = "/review/reviewer/independence"
    if independence is not UNSET:
        yield from unequal(at, independence, "independent", message)
    ends, message = transition.valid_until is not UNSET, "a raise without a day on which it expires"
    yield from unless(ends, "/validUntil", message, "a day", None)


@rules.rule("transition.word.own")
def no_controller_decides(transition: EvidenceTransition) -> Iterator[Fault]:
    """No decision is accepted on the word of what it is about."""
    kind, message = transition.review.reviewer.kind, "a controller decides about itself"
    own = kind == "controller" and transition.review.status == "accepted"
    yield from unless(not own, "/review/reviewer/kind", message, "maintainer or reviewer", kind)


@rules.rule("transition.review.undeclared")
def independence_is_declared(transition: EvidenceTransition) -> Iterator[Fault]:
    """Who accepts a decision says how independent of it they are."""
    declared = transition.review.reviewer.independence is not UNSET
    needed = transition.review.status == "accepted"
    message = "the reviewer's independence is not declared"
    yield from unless(declared or not needed, "/review/reviewer", message, "independence", None)


@rules.rule("transition.trigger.missing")
def triggers_are_named(transition: EvidenceTransition) -> Iterator[Fault]:
    """Whatever may downgrade a decision may downgrade this one: it names every trigger."""
    message = "something that happens would not downgrade it"
    yield from unequal("/downgradeTriggers", transition.downgrade_triggers, TRIGGERS, message)


@rules.rule("transition.non-claims.missing")
def non_claims_are_made(transition: EvidenceTransition) -> Iterator[Fault]:
    """The decision says what it does not claim: every known non-claim, in their order."""
    message = "not what it must not claim"
    yield from unequal("/nonClaims", transition.non_claims, NON_CLAIMS, message)


def carried(transition: EvidenceTransition) -> dict[str, Any]:
    """The decision, if it was accepted and changes nothing."""
    accepted = transition.review.status == "accepted" and transition.effect == "no_change"
    return {"acceptedNoChangeDecisions": int(accepted)}


SUITE = rules.suite(
    NAME, "decisions about what evidence does to a claim's support", carries=carried
)
