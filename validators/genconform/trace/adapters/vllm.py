"""vLLM: responses with per-request metrics, bench results, KV cache events, its Prometheus page.

Its accepted count leaves the bonus token out, and its mean acceptance length counts it in. Its
per-request time to first token starts at scheduling; the bench's and Prometheus' at arrival.
"""

from __future__ import annotations

from typing import Any

from msgspec import UNSET, UnsetType

from genconform.digest.canonical import canonical_digest
from genconform.trace.adapters.base import Adapter, Json, Payload, Shape, Take, take
from genconform.trace.observed.model import CacheEvent, CacheKey, Clock, Scope

_SPEC = "metrics/speculative_decoding/"
_PROMETHEUS = "prometheus/vllm:"
_EVENT_FIELDS = (
    "type",
    "block_hashes",
    "parent_block_hash",
    "token_ids",
    "block_size",
    "lora_id",
    "medium",
    "lora_name",
    "extra_keys",
    "group_idx",
)
_TAKEN = ("type", "parent_block_hash", "token_ids", "block_size", "lora_name")

_RESPONSE = Shape(
    name="response",
    needs=("metrics", "choices"),
    id="id",
    model="model",
    finish="choices/0/finish_reason",
    token_ids="choices/0/token_ids",
    cached_inside_prompt=True,
    bonus_counted=True,
    takes=(
        take("promptTokens", "usage/prompt_tokens"),
        take("outputTokens", "usage/completion_tokens"),
        take("totalTokens", "usage/total_tokens"),
        take("cachedTokens", "usage/prompt_tokens_details/cached_tokens"),
        take("acceptanceHistogram", _SPEC + "acceptance_histogram", is_list=True),
        take("verifySteps", _SPEC + "num_spec_steps"),
        take("acceptedTokens", _SPEC + "num_accepted_draft_tokens"),
        take("proposedTokens", _SPEC + "num_draft_tokens"),
        take("tokensPerDraft", _SPEC + "num_spec_tokens"),
        take("meanAcceptedLength", _SPEC + "mean_acceptance_length"),
        take("acceptanceRate", _SPEC + "draft_acceptance_rate"),
        take("acceptedPerStep", _SPEC + "per_step_accepted", is_list=True),
        take("proposedPerStep", _SPEC + "per_step_drafted", is_list=True),
        take(
            "timeToFirstTokenSeconds",
            "metrics/time_to_first_token_ms",
            scale=1e-3,
            clock=Clock.SCHEDULING,
        ),
        take("generationSeconds", "metrics/generation_time_ms", scale=1e-3),
        take("queueSeconds", "metrics/queue_time_ms", scale=1e-3, clock=Clock.ARRIVAL),
        take("interTokenSeconds", "metrics/mean_itl_ms", scale=1e-3),
        take("tokensPerSecond", "metrics/tokens_per_second"),
    ),
    more=lambda payload: payload.put_text(text_of_choice(payload)),
)


def text_of_choice(payload: Payload) -> str | UnsetType:
    """The text of the only choice, of a chat or of a completion.

    One that calls tools is more than its text, and so has none here.
    """
    if payload.one_of_several("choices") or payload.peek("choices/0/message/tool_calls"):
        return UNSET
    text = payload.text("choices/0/message/content")
    return payload.text("choices/0/text") if text is UNSET else text


def _interval(name: str, path: str, **how: Any) -> Take:
    return take(name, path, scope=Scope.INTERVAL, **how)


def _bench_rate(payload: Payload) -> None:
    """The rate, which versions write as a share or in percent: the one that agrees with counts."""
    path = "spec_decode_acceptance_rate"
    one = _interval("acceptanceRate", path)
    payload.take(one)
    known = payload.known("acceptanceRate", "acceptedTokens", "proposedTokens")
    if known is None:
        return
    rate, accepted, proposed = known
    if proposed and abs(rate / 100 - accepted / proposed) < abs(rate - accepted / proposed):
        payload.add("acceptanceRate", rate / 100, path, one)


_BENCH = Shape(
    name="bench",
    needs=("output_throughput", "mean_ttft_ms"),
    bonus_counted=True,
    about_a_request=False,
    takes=(
        _interval("tokensPerSecond", "output_throughput"),
        _interval("outputTokens", "total_output_tokens"),
        _interval("promptTokens", "total_input_tokens"),
        _interval("totalSeconds", "duration"),
        _interval("requests", "completed"),
        _interval("timeToFirstTokenSeconds", "mean_ttft_ms", scale=1e-3, clock=Clock.CLIENT_SEND),
        _interval("interTokenSeconds", "mean_itl_ms", scale=1e-3),
        _interval("meanAcceptedLength", "spec_decode_acceptance_length"),
        _interval("verifySteps", "spec_decode_num_drafts"),
        _interval("proposedTokens", "spec_decode_draft_tokens"),
        _interval("acceptedTokens", "spec_decode_accepted_tokens"),
    ),
    model="model_id",
    more=_bench_rate,
    adds=("acceptanceRate",),
)


def _process(name: str, key: str, **how: Any) -> Take:
    return take(name, _PROMETHEUS + key, scope=Scope.PROCESS, **how)


_PAGE = Shape(
    name="prometheus",
    needs=("prometheus/vllm:prefix_cache_queries",),
    about_a_request=False,
    takes=(
        _process("verifySteps", "spec_decode_num_drafts"),
        _process("proposedTokens", "spec_decode_num_draft_tokens"),
        _process("acceptedTokens", "spec_decode_num_accepted_tokens"),
        _process("acceptedPerPosition", "spec_decode_num_accepted_tokens_per_pos", is_list=True),
        _process("cacheQueryTokens", "prefix_cache_queries"),
        _process("cacheHitTokens", "prefix_cache_hits"),
        _process("preemptions", "num_preemptions"),
        _process("promptTokens", "prompt_tokens"),
        _process("outputTokens", "generation_tokens"),
    ),
)


def _cache_events(payload: Payload) -> None:
    events = payload.peek("events")
    if not isinstance(events, list):
        raise payload.wrong("events", "not a list of events", "a list", events)
    payload.facts["events"] = tuple(
        _cache_event(payload, f"events/{place}", _named(event))
        for place, event in enumerate(events)
    )
    for place, event in enumerate(events):
        keys = _EVENT_FIELDS if isinstance(event, dict) else range(len(_EVENT_FIELDS))
        taken = (key for key, name in zip(keys, _EVENT_FIELDS, strict=True) if name in _TAKEN)
        payload.use(*(f"events/{place}/{key}" for key in taken))


def _named(event: Any) -> Any:
    """An event by field names; on the wire it is a list that begins with its kind."""
    if isinstance(event, list):
        return dict(zip(_EVENT_FIELDS, event, strict=False))
    return event


def _cache_event(payload: Payload, path: str, event: Any) -> CacheEvent:
    kind = event.get("type") if isinstance(event, dict) else None
    if kind == "BlockStored":
        return _stored(payload, path, event)
    if kind == "BlockRemoved":
        return CacheEvent("removed")
    if kind == "AllBlocksCleared":
        return CacheEvent("cleared")
    expected = "BlockStored, BlockRemoved or AllBlocksCleared"
    raise payload.wrong(path, "not a known cache event", expected, kind)


def _stored(payload: Payload, path: str, event: Json) -> CacheEvent:
    ids, size = event.get("token_ids"), event.get("block_size")
    if not isinstance(ids, list) or not isinstance(size, int) or size < 1:
        raise payload.wrong(path, "not a stored block", "token_ids and block_size", event)
    name = event.get("lora_name")
    key = CacheKey(adapter=name) if isinstance(name, str) and name else CacheKey()
    # A block with a parent is within a prompt; whose prompt it is, its first block says.
    begins = event.get("parent_block_hash") is None
    content = canonical_digest(ids[:size]) if begins else UNSET
    return CacheEvent("stored", key, content, len(ids), size, canonical_digest(ids))


_KV_EVENTS = Shape(
    name="kv_events", needs=("events", "ts"), about_a_request=False, more=_cache_events
)

ADAPTER = Adapter(
    name="vllm",
    title="vLLM",
    switch_on=(
        "per-request metrics in responses, with detailed speculative metrics for each step; "
        "return_token_ids for the output's tokens; KV events for whose cache was hit"
    ),
    shapes=(_RESPONSE, _BENCH, _KV_EVENTS, _PAGE),
)
