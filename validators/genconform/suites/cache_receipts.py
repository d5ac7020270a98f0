"""The suite `cache-receipts`: what a cache did for one request, on a hit and on anything else.

Text equality is not state equality: state may be reused only if every part of its key is the same.
spec/receipts.md is the page on the format.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, structs

from genconform.digest.canonical import canonical_digest
from genconform.suites.record import (
    Count,
    Digest,
    Fault,
    Record,
    RecordRules,
    Seconds,
    Share,
    Text,
    in_spite_of,
    names,
    unequal,
    unequal_fields,
    unless,
)

Kind = Literal[
    "in_request_decode_kv",
    "exact_prompt_prefix_kv",
    "prompt_module",
    "persistent_or_disaggregated_kv",
    "non_prefix_chunk_kv",
    "exact_output_memo",
    "semantic_response_cache",
]
State = Literal["hit", "miss", "partial", "bypass", "invalid"]
Scope = Literal["request", "tenant", "public"]
PartDigest = Annotated[str, Meta(pattern="^([0-9a-f]{64}|none)$")]
NOBODY = "public"
"""The tenant of state that is shared with everyone."""


class KindRow(Struct, frozen=True):
    """What a kind of cache does.

    Attributes:
        match: what makes an entry the right one.
        avoids: the work that a hit saves.
        remains: the work that a hit leaves.
        exact: whether a hit gives what computing would have given.
        response: whether it holds answers, not model state.
    """

    match: str
    avoids: str
    remains: tuple[str, ...]
    exact: bool = True
    response: bool = False


KINDS: dict[str, KindRow] = {
    "in_request_decode_kv": KindRow(
        "state-of-this-sequence", "recomputing-earlier-tokens", ("decode", "verification")
    ),
    "exact_prompt_prefix_kv": KindRow(
        "identical-token-prefix", "prefill-of-prefix", ("prefill-of-rest", "decode", "verification")
    ),
    "prompt_module": KindRow(
        "identical-module-at-its-position",
        "prefill-of-module",
        ("prefill-of-rest", "decode", "verification"),
        exact=False,
    ),
    "persistent_or_disaggregated_kv": KindRow(
        "identical-token-prefix",
        "prefill-of-prefix",
        ("transfer", "prefill-of-rest", "decode", "verification"),
    ),
    "non_prefix_chunk_kv": KindRow(
        "identical-chunk-at-another-position",
        "prefill-of-most-of-chunk",
        ("selective-recomputation", "prefill-of-rest", "decode", "verification"),
        exact=False,
    ),
    "exact_output_memo": KindRow(
        "identical-request", "prefill-and-decode", ("verification", "delivery"), response=True
    ),
    "semantic_response_cache": KindRow(
        "similar-request",
        "prefill-and-decode",
        ("similarity-decision", "verification", "delivery"),
        exact=False,
        response=True,
    ),
}
"""The seven kinds. Modules and chunks are computed without all that stands before them in the
request, and a similar request is another one: none of the three is exact."""

REASONS: dict[str, tuple[str, ...]] = {
    "hit": ("whole-match",),
    "partial": ("prefix-ends-early", "blocks-missing"),
    "miss": ("no-entry", "below-minimum-length"),
    "bypass": ("policy-forbids", "caller-opted-out"),
    "invalid": (
        "key-differs",
        "expired",
        "epoch-advanced",
        "deleted",
        "scope-refused",
        "dependency-changed",
        "content-altered",
    ),
}
"""The reasons that each state may have."""

PRIVACY: dict[str, str] = {
    "request": "discarded-with-request",
    "tenant": "tenant-isolated",
    "public": "public-content-only",
}
"""How state of each sharing scope is kept from those whom it is not for."""

Reason = Literal[
    "whole-match",
    "prefix-ends-early",
    "blocks-missing",
    "no-entry",
    "below-minimum-length",
    "policy-forbids",
    "caller-opted-out",
    "key-differs",
    "expired",
    "epoch-advanced",
    "deleted",
    "scope-refused",
    "dependency-changed",
    "content-altered",
]


class Key(Record, frozen=True, omit_defaults=True):
    """All that state depends on. A part may be absent in the file, which a rule then finds."""

    provider: Text | UnsetType = UNSET
    model: Text | UnsetType = UNSET
    checkpoint_digest: Digest | UnsetType = UNSET
    tokenizer_digest: Digest | UnsetType = UNSET
    vocabulary_digest: Digest | UnsetType = UNSET
    adapter_digest: PartDigest | UnsetType = UNSET
    quantization: Text | UnsetType = UNSET
    runtime: Text | UnsetType = UNSET
    kernels: Text | UnsetType = UNSET
    precision: Text | UnsetType = UNSET
    position_scheme: Text | UnsetType = UNSET
    tokens_digest: Digest | UnsetType = UNSET
    tools_digest: PartDigest | UnsetType = UNSET
    output_schema_digest: PartDigest | UnsetType = UNSET
    tenant: Text | UnsetType = UNSET
    authority_epoch: Count | UnsetType = UNSET
    policy_epoch: Count | UnsetType = UNSET
    source_versions_digest: Digest | UnsetType = UNSET
    cache_format: Text | UnsetType = UNSET
    expires_at_seconds: Seconds | UnsetType = UNSET
    invalidation_epoch: Count | UnsetType = UNSET


class Authority(Record, frozen=True):
    """Whether reuse was allowed, and by what."""

    decision: Literal["allowed", "refused"]
    decided_by: Text


class Epochs(Record, frozen=True):
    """The epochs in force when the cache was asked."""

    authority_epoch: Count
    policy_epoch: Count
    invalidation_epoch: Count


class Similarity(Record, frozen=True):
    """How near a request is to the one that was answered, and how near it must be."""

    score: Share
    threshold: Share


class Lookup(Record, frozen=True):
    """What was asked of the cache, and when, in seconds of the cache's clock.

    `cacheable_tokens` is how many of the input an entry could hold, `minimum_tokens` how many the
    input must have for the cache to be asked, `bytes_per_token` what one token takes in it.
    """

    request_id: Text
    accessed_seconds: Seconds
    sharing: Scope
    caller_allows: bool
    minimum_tokens: Count
    cacheable_tokens: Count
    bytes_per_token: Count
    authority: Authority
    current: Epochs
    similarity: Similarity | None


class Dependency(Record, frozen=True):
    """A source that the input was made from, by version."""

    name: Text
    digest: Digest


class Entry(Record, frozen=True):
    """State that was found; `read_digest` is of what was read, where anything was."""

    id: Digest
    key: Key
    key_digest: Digest
    created_for_request: Text
    created_seconds: Seconds
    last_accessed_seconds: Seconds
    lifetime_seconds: Seconds
    sharing: Scope
    tokens: Count
    resident_tokens: Count
    resident_bytes: Count
    content_digest: Digest
    read_digest: Digest | None
    deletion: Literal["live", "marked", "deleted"]


class Lengths(Record, frozen=True):
    """Input tokens: all, those that an entry held, those that were computed."""

    total_input_tokens: Count
    matched_tokens: Count
    computed_tokens: Count


class Work(Record, frozen=True):
    """What a hit of the kind means, as in KINDS."""

    match: Text
    avoids: Text
    remains: tuple[Text, ...]


class Meters(Record, frozen=True):
    """What it took. A provider's own count is kept beside ours, never in its place."""

    read_bytes: Count
    transferred_bytes: Count
    written_tokens: Count
    written_bytes: Count
    evicted_tokens: Count
    evicted_bytes: Count
    storage_byte_seconds: Count
    recomputed_tokens: Count
    verification_tokens: Count
    output_tokens: Count
    provider_reported_cached_tokens: Count


class Times(Record, frozen=True):
    """Seconds. Time to first token is that of the engine; the queue comes before it."""

    temperature: Literal["cold", "warm"]
    queue_seconds: Seconds
    lookup_seconds: Seconds
    hash_seconds: Seconds
    transfer_seconds: Seconds
    prefill_seconds: Seconds
    time_to_first_token_seconds: Seconds
    time_per_output_token_seconds: Seconds
    verification_seconds: Seconds
    repair_seconds: Seconds
    fallback_seconds: Seconds
    completion_seconds: Seconds


class Outcome(Record, frozen=True):
    """What became of the output."""

    accepted_output: Literal["accepted", "rejected", "not_verified"]
    fallback: Literal["none", "recompute", "generate"]


class Cleanup(Record, frozen=True):
    """What was written and then kept or given back; what is kept has an owner."""

    retained_bytes: Count
    released_bytes: Count
    owner: Text | None


class Residual(Record, frozen=True):
    """What stays unresolved; where anything does, it has an owner."""

    open_items: tuple[Text, ...]
    owner: Text | None


class CacheReuseReceipt(Record, frozen=True):
    """A receipt; `entry` is absent where none was found or looked for. `about` is for readers."""

    version: Literal[1]
    about: Text
    receipt_id: Digest
    kind: Kind
    state: State
    reason: Reason
    lookup: Lookup
    key: Key
    key_digest: Digest
    dependencies: tuple[Dependency, ...]
    dependency_digest: Digest
    entry: Entry | None
    lengths: Lengths
    work: Work
    meters: Meters
    times: Times
    outcome: Outcome
    privacy_treatment: Literal["discarded-with-request", "tenant-isolated", "public-content-only"]
    reuse_disclosed: bool
    cleanup: Cleanup
    residual: Residual

    @property
    def row(self) -> KindRow:
        """What its kind does."""
        return KINDS[self.kind]

    @property
    def reused(self) -> bool:
        """Whether state of an entry was used."""
        return self.state in ("hit", "partial")


rules = RecordRules(CacheReuseReceipt)
_Faults = Iterator[Fault]


# --- the key ---------------------------------------------------------------------------------


@rules.rule("cache.key.part-missing")
def key_is_whole(receipt: CacheReuseReceipt) -> _Faults:
    """Every part of the key is there, in what was asked for and in what was found."""
    for pointer, key in _keys(receipt):
        for attribute, name in names(Key):
            if getattr(key, attribute) is UNSET:
                yield Fault(f"{pointer}/{name}", "a part of the key is not bound", "a value")


@rules.rule("cache.key.digest-differs")
def key_has_its_digest(receipt: CacheReuseReceipt) -> _Faults:
    """A key's digest is that of its parts."""
    digests = [receipt.key_digest, *([receipt.entry.key_digest] if receipt.entry else [])]
    for (pointer, key), digest in zip(_keys(receipt), digests, strict=True):
        message = "the digest is not that of the key's parts"
        yield from unequal(f"{pointer}Digest", digest, canonical_digest(key), message)


def _keys(receipt: CacheReuseReceipt) -> list[tuple[str, Key]]:
    asked = ("/key", receipt.key)
    return [asked, ("/entry/key", receipt.entry.key)] if receipt.entry else [asked]


@rules.rule("cache.epoch.not-current")
def key_is_current(receipt: CacheReuseReceipt) -> _Faults:
    """A request asks under the epochs that are in force."""
    current = structs.asdict(receipt.lookup.current)
    message = "the request asks under an epoch that is not in force"
    yield from unequal_fields("/key", receipt.key, current, message)


@rules.rule("cache.dependency.digest-differs")
def dependencies_have_their_digest(receipt: CacheReuseReceipt) -> _Faults:
    """The digest of the sources is that of the list, and the key holds it."""
    digest = canonical_digest(receipt.dependencies)
    message = "the digest is not that of the dependencies"
    yield from unequal("/dependencyDigest", receipt.dependency_digest, digest, message)
    yield from unequal(
        "/key/sourceVersionsDigest", receipt.key.source_versions_digest, digest, message
    )


# --- the entry -------------------------------------------------------------------------------


@rules.rule("cache.receipt.id-differs")
def receipt_has_its_id(receipt: CacheReuseReceipt) -> _Faults:
    """A receipt's id is the digest of what was asked and answered."""
    asked = {"kind": receipt.kind, "keyDigest": receipt.key_digest, "lookup": receipt.lookup}
    entry = receipt.entry
    answered = {
        "state": receipt.state,
        "reason": receipt.reason,
        "readDigest": entry.read_digest if entry else None,
        "lastAccessedSeconds": entry.last_accessed_seconds if entry else None,
    }
    message = "the id is not the digest of what was asked and answered"
    yield from unequal(
        "/receiptId", receipt.receipt_id, canonical_digest(asked | answered), message
    )


@rules.rule("cache.entry.id-differs")
def entry_has_its_id(receipt: CacheReuseReceipt) -> _Faults:
    """An entry's id is the digest of what it was made as."""
    if entry := receipt.entry:
        made = {
            "kind": receipt.kind,
            "keyDigest": entry.key_digest,
            "createdForRequest": entry.created_for_request,
            "createdSeconds": entry.created_seconds,
            "lifetimeSeconds": entry.lifetime_seconds,
            "sharing": entry.sharing,
            "tokens": entry.tokens,
            "contentDigest": entry.content_digest,
        }
        message = "the id is not the digest of what the entry was made as"
        yield from unequal("/entry/id", entry.id, canonical_digest(made), message)


@rules.rule("cache.entry.expiry-differs")
def entry_expires_as_keyed(receipt: CacheReuseReceipt) -> _Faults:
    """An entry expires its lifetime after it was made, as its key says."""
    if entry := receipt.entry:
        expiry = entry.created_seconds + entry.lifetime_seconds
        message = "the key's expiry is not creation plus lifetime"
        yield from unequal(
            "/entry/key/expiresAtSeconds", entry.key.expires_at_seconds, expiry, message
        )


@rules.rule("cache.entry.unfit")
def entry_fits_state(receipt: CacheReuseReceipt) -> _Faults:
    """An entry stands in the receipt where one was found, and only there; what is used was read."""
    found = receipt.state not in ("miss", "bypass")
    wanted = "an entry" if found else "no entry"
    yield from unless(bool(receipt.entry) == found, "/entry", "unfit for the state", wanted, None)
    if entry := receipt.entry:
        read = bool(entry.read_digest)
        ought = receipt.reused or receipt.reason == "content-altered"
        yield from unequal("/entry/readDigest", read, ought, "read if and only if it is used")
        gone = entry.deletion == "deleted"
        message = "nothing is resident if and only if the entry is deleted"
        yield from unequal("/entry/residentTokens", entry.resident_tokens == 0, gone, message)


_EPOCHS = ("authority_epoch", "policy_epoch", "invalidation_epoch")
_APART = {"tenant", "source_versions_digest", *_EPOCHS}


def refusals(receipt: CacheReuseReceipt) -> dict[str, Fault]:
    """Why an entry must not be used, by the reasons of an invalid state."""
    if (entry := receipt.entry) is None:
        return {}
    return dict([*_refused_for_its_key(receipt, entry), *_refused_for_its_fate(receipt, entry)])


def _refused_for_its_key(receipt: CacheReuseReceipt, entry: Entry) -> Iterator[tuple[str, Fault]]:
    """Reasons in what an entry was made for, which is not what was asked for."""
    key = receipt.key
    differing = {
        attribute: name
        for attribute, name in names(Key)
        if getattr(entry.key, attribute) != getattr(key, attribute)
    }
    similar = {"tokens_digest"} if receipt.kind == "semantic_response_cache" else set()
    state = next((attribute for attribute in differing if attribute not in _APART | similar), None)
    if state is not None:
        message = "the state was made under another key; that the text is the same is not enough"
        values = (getattr(key, state), getattr(entry.key, state))
        yield "key-differs", Fault(f"/entry/key/{differing[state]}", message, *values)
    if not differing.keys().isdisjoint(_EPOCHS):
        message = "the entry is of another epoch"
        yield "epoch-advanced", Fault("/entry/key", message, "the epochs in force")
    if "source_versions_digest" in differing:
        pointer = "/entry/key/sourceVersionsDigest"
        yield "dependency-changed", Fault(pointer, "a source of the entry has changed")
    foreign = entry.sharing == "request" and entry.created_for_request != receipt.lookup.request_id
    if "tenant" in differing or foreign:
        message = "the entry is not for this tenant or request"
        yield "scope-refused", Fault("/entry/sharing", message)


def _refused_for_its_fate(receipt: CacheReuseReceipt, entry: Entry) -> Iterator[tuple[str, Fault]]:
    """Reasons in what has become of an entry since it was made."""
    if receipt.lookup.accessed_seconds > entry.created_seconds + entry.lifetime_seconds:
        wanted = "a lookup before the entry expires"
        yield "expired", Fault("/lookup/accessedSeconds", "the entry has expired", wanted)
    if entry.deletion != "live":
        message = "the entry is deleted"
        yield "deleted", Fault("/entry/deletion", message, "live", entry.deletion)
    if entry.read_digest not in (None, entry.content_digest):
        digests = (entry.content_digest, entry.read_digest)
        yield "content-altered", Fault("/entry/readDigest", "other content was read", *digests)


REFUSED_BY: dict[str, str] = {
    "key-differs": "cache.state.differs",
    "expired": "cache.entry.expired",
    "epoch-advanced": "cache.entry.stale",
    "deleted": "cache.entry.deleted",
    "scope-refused": "cache.sharing.crossed",
    "dependency-changed": "cache.dependency.changed",
    "content-altered": "cache.content.altered",
}
"""The rule that catches an entry which is used in spite of each reason not to."""
for _reason, _id in REFUSED_BY.items():
    rules.rule(_id)(in_spite_of(_reason, refusals, lambda receipt: receipt.reused))


@rules.rule("cache.reason.unfit")
def reason_fits(receipt: CacheReuseReceipt) -> _Faults:
    """The reason is one of the state's, and the receipt shows it: it and, if invalid, no other."""
    known = REASONS[receipt.state]
    if receipt.reason not in known:
        yield Fault("/reason", "the state has no such reason", ", ".join(known), receipt.reason)
    elif receipt.state == "invalid":
        shown = sorted(refusals(receipt))
        yield from unequal("/reason", shown, [receipt.reason], "the entry shows other reasons")
    else:
        shown_reasons = [reason for reason in known if _shown(receipt)[reason]]
        message = "the receipt does not show the reason"
        yield from unequal("/reason", shown_reasons, [receipt.reason], message)


def _shown(receipt: CacheReuseReceipt) -> dict[str, bool]:
    """For each reason of a state other than invalid, whether the receipt shows it."""
    lengths, lookup = receipt.lengths, receipt.lookup
    stored = receipt.entry.tokens if receipt.entry else 0
    resident = receipt.entry.resident_tokens if receipt.entry else 0
    matched, cacheable = lengths.matched_tokens, lookup.cacheable_tokens
    short = lengths.total_input_tokens < lookup.minimum_tokens
    forbidden = lookup.authority.decision == "refused"
    return {
        "whole-match": 0 < matched == cacheable == stored == resident,
        "prefix-ends-early": 0 < matched == resident == stored < cacheable,
        "blocks-missing": 0 < matched == resident < stored <= cacheable,
        "no-entry": not short,
        "below-minimum-length": short,
        "policy-forbids": forbidden,
        "caller-opted-out": not lookup.caller_allows and not forbidden,
    }


# --- work and meters -------------------------------------------------------------------------


@rules.rule("cache.work.misdescribed")
def work_is_of_kind(receipt: CacheReuseReceipt) -> _Faults:
    """What counts as a match, what it avoids and what remains are as the kind has them."""
    row = receipt.row
    expected = {"match": row.match, "avoids": row.avoids, "remains": row.remains}
    message = f"not so in a cache of kind {receipt.kind}"
    yield from unequal_fields("/work", receipt.work, expected, message)


@rules.rule("cache.lengths.unbalanced")
def lengths_add_up(receipt: CacheReuseReceipt) -> _Faults:
    """Matched and computed tokens are all; nothing matches without reuse, nor beyond the input."""
    lengths = receipt.lengths
    matched, total = lengths.matched_tokens, lengths.total_input_tokens
    parts = matched + lengths.computed_tokens
    yield from unequal("/lengths/totalInputTokens", total, parts, "not matched plus computed")
    if not receipt.reused:
        yield from unequal("/lengths/matchedTokens", matched, 0, "matched tokens without reuse")
    bound, pointer = receipt.lookup.cacheable_tokens, "/lookup/cacheableTokens"
    yield from unless(bound <= total, pointer, "more could match than there is", total, bound)
    if receipt.row.response:
        yield from unequal(pointer, bound, total, "an answer is to all of the input")


@rules.rule("cache.meters.unbalanced")
def meters_add_up(receipt: CacheReuseReceipt) -> _Faults:
    """Every meter follows from tokens, bytes a token and times."""
    meters = receipt.meters
    message = "the meter is not what was used"
    yield from unequal_fields("/meters", meters, _metered(receipt), message)
    if entry := receipt.entry:
        held = meters.output_tokens if receipt.row.response else entry.resident_tokens
        expected = held * receipt.lookup.bytes_per_token
        pointer = "/entry/residentBytes"
        yield from unequal(
            pointer, entry.resident_bytes, expected, "not tokens times bytes a token"
        )


def _metered(receipt: CacheReuseReceipt) -> dict[str, int]:
    """What each meter that follows from others must read."""
    meters, entry = receipt.meters, receipt.entry
    read = entry.resident_bytes if receipt.reused and entry else 0
    moved = receipt.kind == "persistent_or_disaggregated_kv"
    idle = receipt.lookup.accessed_seconds - entry.last_accessed_seconds if entry else 0.0
    spared = receipt.row.response and receipt.state == "hit"
    verified = receipt.outcome.accepted_output != "not_verified"
    return {
        "read_bytes": read,
        "transferred_bytes": read if moved else 0,
        "written_bytes": meters.written_tokens * receipt.lookup.bytes_per_token,
        "evicted_bytes": meters.evicted_tokens * receipt.lookup.bytes_per_token,
        "storage_byte_seconds": round(entry.resident_bytes * idle) if entry else 0,
        "recomputed_tokens": 0 if spared else receipt.lengths.computed_tokens,
        "verification_tokens": meters.output_tokens if verified else 0,
        "provider_reported_cached_tokens": receipt.lengths.matched_tokens,
    }


@rules.rule("cache.times.unbalanced")
def times_add_up(receipt: CacheReuseReceipt) -> _Faults:
    """The first token waits for look-up, hashing, transfer and prefill; completion for all."""
    times, later = receipt.times, max(0, receipt.meters.output_tokens - 1)
    first = (
        times.lookup_seconds + times.hash_seconds + times.transfer_seconds + times.prefill_seconds
    )
    message = "not the sum of what comes before it"
    yield from unequal(
        "/times/timeToFirstTokenSeconds", times.time_to_first_token_seconds, first, message
    )
    done = (
        times.queue_seconds
        + times.time_to_first_token_seconds
        + later * times.time_per_output_token_seconds
        + times.verification_seconds
        + times.repair_seconds
        + times.fallback_seconds
    )
    yield from unequal("/times/completionSeconds", times.completion_seconds, done, message)


@rules.rule("cache.warmth.unfit")
def warmth_fits(receipt: CacheReuseReceipt) -> _Faults:
    """A request is warm if and only if state was reused for it."""
    expected = "warm" if receipt.reused else "cold"
    yield from unequal(
        "/times/temperature", receipt.times.temperature, expected, "unfit for the state"
    )


# --- what came of it -------------------------------------------------------------------------


@rules.rule("cache.approximate.unverified")
def approximate_is_verified(receipt: CacheReuseReceipt) -> _Faults:
    """Output that rests on inexact reuse is verified; similarity is shown where it decides."""
    similarity = receipt.lookup.similarity
    decides = receipt.kind == "semantic_response_cache" and receipt.reused
    pointer = "/lookup/similarity"
    yield from unless(
        (similarity is not None) == decides,
        pointer,
        "shown if and only if it decides",
        decides,
        None,
    )
    if similarity and similarity.score < similarity.threshold:
        yield Fault(pointer, "too far from the request", similarity.threshold, similarity.score)
    if (
        receipt.reused
        and not receipt.row.exact
        and receipt.outcome.accepted_output == "not_verified"
    ):
        yield Fault(
            "/outcome/acceptedOutput", "inexact reuse is not verified", "accepted or rejected"
        )


@rules.rule("cache.outcome.unrepaired")
def rejection_is_repaired(receipt: CacheReuseReceipt) -> _Faults:
    """Rejected output is served by a fallback, whose seconds are charged; no other has one."""
    served = "generate" if receipt.row.response else "recompute"
    expected = served if receipt.outcome.accepted_output == "rejected" else "none"
    fallback = receipt.outcome.fallback
    yield from unequal(
        "/outcome/fallback", fallback, expected, "unfit for what became of the output"
    )
    charged = receipt.times.fallback_seconds > 0
    message = "seconds if and only if there was a fallback"
    yield from unequal("/times/fallbackSeconds", charged, fallback != "none", message)


@rules.rule("cache.authority.exceeded")
def authority_is_kept(receipt: CacheReuseReceipt) -> _Faults:
    """State is reused only where authority and caller allow it; a refusal bypasses the cache."""
    allowed = receipt.lookup.authority.decision == "allowed" and receipt.lookup.caller_allows
    message = "asked of the cache if and only if authority and caller allow it"
    yield from unequal("/state", receipt.state != "bypass", allowed, message)


@rules.rule("cache.sharing.unfit")
def scope_fits(receipt: CacheReuseReceipt) -> _Faults:
    """State within a request is for it alone; the tenant and the entry follow from the scope."""
    scope, entry = receipt.lookup.sharing, receipt.entry
    alone = receipt.kind == "in_request_decode_kv"
    message = "the scope of one request, if and only if the kind is within one"
    yield from unequal("/lookup/sharing", scope == "request", alone, message)
    everyone = receipt.key.tenant == NOBODY
    yield from unequal(
        "/key/tenant", everyone, scope == "public", "the tenant of public state alone"
    )
    if entry:
        yield from unequal(
            "/entry/sharing", entry.sharing, scope, "another scope than was asked for"
        )


@rules.rule("cache.privacy.untreated")
def privacy_is_kept(receipt: CacheReuseReceipt) -> _Faults:
    """State is kept from others as its scope asks."""
    expected = PRIVACY[receipt.lookup.sharing]
    yield from unequal(
        "/privacyTreatment", receipt.privacy_treatment, expected, "unfit for the scope"
    )


@rules.rule("cache.reuse.undisclosed")
def reuse_is_disclosed(receipt: CacheReuseReceipt) -> _Faults:
    """Whoever receives the output is told that state was reused, and only then."""
    message = "reuse is disclosed if and only if there was any"
    yield from unequal("/reuseDisclosed", receipt.reuse_disclosed, receipt.reused, message)


@rules.rule("cache.cleanup.open")
def cleanup_is_done(receipt: CacheReuseReceipt) -> _Faults:
    """What was written is kept by an owner or given back; what stays open has an owner too."""
    cleanup, residual = receipt.cleanup, receipt.residual
    held = cleanup.retained_bytes + cleanup.released_bytes
    written = receipt.meters.written_bytes
    yield from unequal("/cleanup/releasedBytes", held, written, "not all that was written")
    if receipt.kind == "in_request_decode_kv":
        message = "state of a request outlives it"
        yield from unequal("/cleanup/retainedBytes", cleanup.retained_bytes, 0, message)
    message = "an owner if and only if there is something to own"
    owned = cleanup.owner is not None
    yield from unequal("/cleanup/owner", owned, cleanup.retained_bytes > 0, message)
    owned = residual.owner is not None
    yield from unequal("/residual/owner", owned, bool(residual.open_items), message)


SUITE = rules.suite(
    "cache-receipts",
    "what a cache did for one request, on a hit or not",
    free={
        "/about": "a sentence for the reader",
        "/residual/openItems/*": "a sentence for the owner; that there is one is checked",
        "/residual/owner": "a name; that there is one where something is open is checked",
        "/cleanup/owner": "a name; that there is one where something is kept is checked",
    },
)
