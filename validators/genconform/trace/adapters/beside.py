"""What a client wrote beside an engine's payload: keys that begin with an underscore.

Engines leave out much that only the client or the operator knows: the request itself, the client's
own clock, which weights an adapter had. Such keys are the same for every source.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec
from msgspec import UNSET, Struct, UnsetType

from genconform.digest.canonical import canonical_digest, sha256_hex
from genconform.document import pointer_of
from genconform.errors import MalformedInput, mid_sentence
from genconform.finding import Location
from genconform.lifecycle.packet import Text
from genconform.trace.adapters.base import Json, Payload, Take, take
from genconform.trace.format import Count, Number
from genconform.trace.observed.model import (
    CacheEvent,
    CacheFacts,
    CacheKey,
    Claim,
    Clock,
    Models,
    ReferenceFacts,
    RequestFacts,
    Told,
)

_LIMITS = (
    "max_tokens",
    "max_completion_tokens",
    "max_output_tokens",
    "max_new_tokens",
    "n_predict",
    "num_predict",
    "maxOutputTokens",
)
_NO_SETTINGS = frozenset(
    {"prompt", "messages", "contents", "prompt_token_ids", "model", "marker", "user"}
    | {"stream", "stream_options", "return_tokens", "cache_prompt", "id_slot", "timings_per_token"}
    | {"adapter", "adapter_digest", "cache_salt", "epoch", "repeat", *_LIMITS}
)
_NESTED = ("options", "generationConfig", "parameters", "sampling_params")
NUMBERS: tuple[Take, ...] = (
    take("clientSeconds", "_client/seconds", "_client_seconds", clock=Clock.CLIENT_SEND),
    take("timeToFirstChunkSeconds", "_client/first_chunk_seconds", clock=Clock.CLIENT_SEND),
    take("chunks", "_client/chunks"),
    take(
        "chunkArrivalMicroseconds",
        "_client/arrival_microseconds",
        is_list=True,
        clock=Clock.CLIENT_SEND,
    ),
    take("plainSteps", "_steps/plain"),
    take("firstTokens", "_steps/first"),
    take("trimmedTokens", "_steps/trimmed"),
    take("chargedTokens", "_bill/output_tokens"),
    take("maxNewTokens", *(f"_request/{name}" for name in _LIMITS)),
    *(take("maxNewTokens", *(f"_request/{nest}/{x}" for x in _LIMITS)) for nest in _NESTED),
)


class _Cache(Struct, frozen=True, forbid_unknown_fields=True):
    """Which weights and which tenant a request's cache is of; or what happened to the cache."""

    adapter: Text | UnsetType = UNSET
    adapter_digest: Text | UnsetType = UNSET
    model: Text | UnsetType = UNSET
    salt: Text | UnsetType = UNSET
    epoch: Count | UnsetType = UNSET
    dtype: Text | UnsetType = UNSET
    empty_at_start: bool | UnsetType = UNSET
    event: Literal["cleared", "weightsUpdated"] | UnsetType = UNSET

    @property
    def key(self) -> CacheKey:
        return CacheKey(self.model, self.adapter, self.adapter_digest, self.salt, self.epoch)


class _Client(Struct, frozen=True, forbid_unknown_fields=True):
    """What the client saw of the stream."""

    seconds: Number | UnsetType = UNSET
    first_chunk_seconds: Number | UnsetType = UNSET
    chunks: Count | UnsetType = UNSET
    aborted: bool | UnsetType = UNSET
    arrival_microseconds: tuple[Count, ...] | UnsetType = UNSET
    error: Text | UnsetType = UNSET


class _Workload(Struct, frozen=True, forbid_unknown_fields=True):
    """What is known of all prompts together."""

    prompts: Literal["unrelated", "related"]


class _Reference(Struct, frozen=True, forbid_unknown_fields=True):
    """The plain run of the same request."""

    token_ids: tuple[Count, ...]
    margins: tuple[Number, ...] | UnsetType = UNSET


class Beside(Struct, frozen=True, rename=lambda name: "_" + name):
    """Every such key. Others that begin with an underscore are listed as unread."""

    request: Json = {}
    client: _Client = _Client()
    client_seconds: Number | UnsetType = UNSET
    steps: dict[str, Count] = {}
    bill: dict[str, Count] = {}
    cache: _Cache = _Cache()
    models: Models = Models()
    mode: Text | UnsetType = UNSET
    fallback: Text | UnsetType = UNSET
    reference: _Reference | UnsetType = UNSET
    workload: _Workload | UnsetType = UNSET
    claims: tuple[Claim, ...] = ()
    id: Text | UnsetType = UNSET


KNOWN = frozenset(Beside.__struct_encode_fields__)


def read_beside(payload: Json, place: Location) -> Beside:
    """The client's keys of a record.

    Raises:
        MalformedInput: one of them has not its shape.
    """
    own = {key: value for key, value in payload.items() if key in KNOWN}
    try:
        return msgspec.convert(own, Beside)
    except msgspec.ValidationError as error:
        message, _, path = str(error).partition(" - at `$")
        pointer = pointer_of(path.rstrip("`"))
        at = Location(place.file, pointer, place.line)
        raise MalformedInput(mid_sentence(message), location=at) from error


def request_facts(request: Json, payload: Payload) -> RequestFacts:
    """What was asked for, from the request as the client sent it.

    Raises:
        MalformedInput: a value has not its type.
    """
    facts: dict[str, Any] = {}
    prompt = request.get("prompt")
    messages = request.get("messages") or request.get("contents")
    if isinstance(prompt, str):
        digest = sha256_hex(prompt.encode("utf-8", "surrogatepass"))
        facts |= {"prompt_digest": digest, "prompt_form": "text", "prompt_text": prompt}
    elif messages is not None:
        facts |= {"prompt_digest": canonical_digest(messages), "prompt_form": "messages"}
    ids = payload.ids("_request/prompt_token_ids")
    if ids is not UNSET:
        facts["prompt_token_ids"] = ids
        if "prompt_digest" not in facts:
            facts |= {"prompt_digest": canonical_digest(ids), "prompt_form": "tokens"}
    for name in ("model", "marker"):
        text = payload.text(f"_request/{name}")
        if text:
            facts[name] = text
    if settings := _settings(request):
        facts["settings"] = settings
    return RequestFacts(**facts)


def _settings(request: Json) -> Json:
    """Everything that sets the request up beside its prompt and its token limit."""
    flat = dict(request)
    for nest in _NESTED:
        inner = flat.pop(nest, None)
        flat |= inner if isinstance(inner, dict) else {}
    return {key: flat[key] for key in sorted(flat) if key not in _NO_SETTINGS}


def cache_facts(beside: Beside, events: tuple[CacheEvent, ...]) -> CacheFacts:
    """The request's cache key, and what happened to the cache; the client's word is added."""
    told, request = beside.cache, beside.request
    key = told.key
    salt, adapter = request.get("cache_salt"), request.get("adapter")
    if key.salt is UNSET and isinstance(salt, str) and salt:
        key = msgspec.structs.replace(key, salt=salt)
    if key.adapter is UNSET and isinstance(adapter, str) and adapter:
        key = msgspec.structs.replace(key, adapter=adapter)
    completed = tuple(
        msgspec.structs.replace(event, key=_completed(event.key, key)) for event in events
    )
    if told.event is not UNSET:
        completed = (*completed, CacheEvent(told.event, key))
    return CacheFacts(key, told.dtype, told.empty_at_start, completed)


def _completed(key: CacheKey, other: CacheKey) -> CacheKey:
    """A key with what another knows of it beside."""
    missing = {
        name: getattr(other, name)
        for name in CacheKey.__struct_fields__
        if getattr(key, name) is UNSET
    }
    return msgspec.structs.replace(key, **missing)


def told_facts(beside: Beside) -> Told:
    """What was told of how the request was served."""
    unrelated: bool | UnsetType = UNSET
    if beside.workload is not UNSET:
        unrelated = beside.workload.prompts == "unrelated"
    return Told(beside.mode, beside.fallback, beside.client.aborted, unrelated)


def reference_facts(beside: Beside) -> ReferenceFacts | UnsetType:
    """The plain run of the same request."""
    if beside.reference is UNSET:
        return UNSET
    return ReferenceFacts(beside.reference.token_ids, beside.reference.margins)
