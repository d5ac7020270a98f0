"""OpenAI, Azure, and the many servers that answer as they do.

Cached tokens are inside the prompt count. Predictions are the client's own text, not a draft
model's, and rejected ones are charged. Some Azure models do not report cached tokens at all.
"""

from __future__ import annotations

from genconform.trace.adapters.base import Adapter, Payload, Shape, take
from genconform.trace.adapters.vllm import text_of_choice

_OTHERS = (
    "metrics",
    "timings",
    "meta_info",
    "choices/0/speculative_decoding",
    "usage/prompt_cache_hit_tokens",
)
_DETAILS = "usage/completion_tokens_details/"
_CHAT = (
    take("promptTokens", "usage/prompt_tokens"),
    take("outputTokens", "usage/completion_tokens"),
    take("totalTokens", "usage/total_tokens"),
    take("cachedTokens", "usage/prompt_tokens_details/cached_tokens"),
    take("reasoningTokens", _DETAILS + "reasoning_tokens"),
    take("acceptedPredictionTokens", _DETAILS + "accepted_prediction_tokens"),
    take("rejectedPredictionTokens", _DETAILS + "rejected_prediction_tokens"),
)


def _text(payload: Payload) -> None:
    payload.put_text(text_of_choice(payload))


def _like_openai(name: str, needs: tuple[str, ...], lacks: tuple[str, ...]) -> Shape:
    return Shape(
        name=name,
        needs=needs,
        lacks=lacks,
        id="id",
        model="model",
        finish="choices/0/finish_reason",
        token_ids="choices/0/token_ids",
        cached_inside_prompt=True,
        takes=_CHAT,
        more=_text,
    )


ADAPTER = Adapter(
    name="openai",
    title="OpenAI, Azure and compatible servers",
    switch_on='stream_options {"include_usage": true} in streams',
    shapes=(
        _like_openai(
            "chat",
            ("usage/prompt_tokens", "usage/completion_tokens"),
            (*_OTHERS, "prompt_filter_results"),
        ),
        _like_openai("azure", ("usage/prompt_tokens", "prompt_filter_results"), _OTHERS),
        _like_openai(
            "without_usage",
            ("choices", "object"),
            (*_OTHERS, "usage/prompt_tokens", "usage/input_tokens"),
        ),
        Shape(
            name="responses",
            needs=("usage/input_tokens", "usage/output_tokens", "object", "output"),
            id="id",
            model="model",
            finish="status",
            cached_inside_prompt=True,
            takes=(
                take("promptTokens", "usage/input_tokens"),
                take("outputTokens", "usage/output_tokens"),
                take("totalTokens", "usage/total_tokens"),
                take("cachedTokens", "usage/input_tokens_details/cached_tokens"),
                take("reasoningTokens", "usage/output_tokens_details/reasoning_tokens"),
            ),
        ),
    ),
)
