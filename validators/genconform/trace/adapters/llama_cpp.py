"""llama.cpp's server: completions, its OpenAI-compatible answers, its Prometheus page.

`prompt_n` leaves the cached part out; `tokens_cached` is what the slot holds afterwards, not what a
cache gave. `draft_n` is left out where nothing was drafted. Verify steps and queueing are not told.
"""

from __future__ import annotations

from typing import Any

from genconform.trace.adapters.base import Adapter, Payload, Shape, Take, take
from genconform.trace.adapters.vllm import text_of_choice
from genconform.trace.observed.model import Clock, Scope

_PROMETHEUS = "prometheus/llamacpp:"
_USAGE = "usage/prompt_tokens_details/cached_tokens"


def _timings(*, usage: bool) -> tuple[Take, ...]:
    return (
        take("cachedTokens", "timings/cache_n", *([_USAGE] if usage else [])),
        take("uncachedPromptTokens", "timings/prompt_n"),
        take("promptSeconds", "timings/prompt_ms", scale=1e-3, clock=Clock.SCHEDULING),
        take("promptTokensPerSecond", "timings/prompt_per_second"),
        take(
            "outputTokens", "timings/predicted_n", *(["usage/completion_tokens"] if usage else [])
        ),
        take("generationSeconds", "timings/predicted_ms", scale=1e-3, clock=Clock.GENERATION),
        take("interTokenSeconds", "timings/predicted_per_token_ms", scale=1e-3),
        take("tokensPerSecond", "timings/predicted_per_second"),
        take("proposedTokens", "timings/draft_n"),
        take("acceptedTokens", "timings/draft_n_accepted"),
    )


def _prompt(payload: Payload) -> None:
    known = payload.known("uncachedPromptTokens", "cachedTokens")
    if known is not None:
        payload.derive("promptTokens", sum(known), "uncachedPromptTokens + cachedTokens")


def _chat(payload: Payload) -> None:
    _prompt(payload)
    payload.put_text(text_of_choice(payload))


def _page(name: str, key: str, **how: Any) -> Take:
    return take(name, _PROMETHEUS + key, scope=Scope.PROCESS, **how)


ADAPTER = Adapter(
    name="llama_cpp",
    title="llama.cpp server",
    switch_on=(
        "return_tokens for the output's tokens, timings_per_token in streams, --metrics for its "
        "Prometheus page; the request must be kept beside the response"
    ),
    shapes=(
        Shape(
            name="completion",
            needs=("timings", "stop_type"),
            finish="stop_type",
            model="model",
            text="content",
            token_ids="tokens",
            cached_inside_prompt=False,
            bonus_counted=False,
            absent_drafts_mean_none=True,
            takes=(
                *_timings(usage=False),
                take("promptTokens", "tokens_evaluated"),
                take("heldTokens", "tokens_cached"),
            ),
            more=_prompt,
        ),
        Shape(
            name="chat",
            needs=("timings", "choices"),
            lacks=("stop_type",),
            id="id",
            finish="choices/0/finish_reason",
            model="model",
            cached_inside_prompt=True,
            bonus_counted=False,
            absent_drafts_mean_none=True,
            takes=(
                *_timings(usage=True),
                take("promptTokens", "usage/prompt_tokens"),
                take("totalTokens", "usage/total_tokens"),
            ),
            more=_chat,
        ),
        Shape(
            name="prometheus",
            needs=("prometheus/llamacpp:tokens_predicted",),
            about_a_request=False,
            takes=(
                _page("uncachedPromptTokens", "prompt_tokens"),
                _page("cachedTokens", "prompt_tokens_cached"),
                _page("promptSeconds", "prompt_seconds"),
                _page("outputTokens", "tokens_predicted"),
                _page("generationSeconds", "tokens_predicted_seconds"),
                _page("proposedTokens", "spec_decode_num_draft_tokens"),
                _page("acceptedTokens", "spec_decode_num_accepted_tokens"),
                _page("verifySteps", "spec_decode_num_drafts"),
                _page(
                    "acceptedPerPosition", "spec_decode_num_accepted_tokens_per_pos", is_list=True
                ),
            ),
        ),
    ),
)
