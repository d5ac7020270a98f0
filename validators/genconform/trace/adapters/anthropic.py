"""Anthropic: `input_tokens` leaves out what was read from a cache and what was written into one."""

from __future__ import annotations

from typing import Any

from genconform.trace.adapters.base import Adapter, Payload, Shape, take


def _whole_prompt(payload: Payload) -> None:
    known = payload.known("uncachedPromptTokens", "cachedTokens", "cacheWrittenTokens")
    if known is not None:
        formula = "input_tokens + cache_read_input_tokens + cache_creation_input_tokens"
        payload.derive("promptTokens", sum(known), formula)
    content: Any = payload.peek("content")
    if isinstance(content, list):
        texts: list[Any] = [one.get("text") if isinstance(one, dict) else None for one in content]
        if texts and all(isinstance(text, str) for text in texts):
            payload.put_text("".join(texts))
            payload.use(*(f"content/{place}/text" for place in range(len(texts))))


ADAPTER = Adapter(
    name="anthropic",
    title="Anthropic",
    switch_on="nothing: usage is in every response; in streams, keep the last message_delta's",
    shapes=(
        Shape(
            name="message",
            needs=("usage/input_tokens", "usage/output_tokens"),
            lacks=("output", "usage/input_tokens_details", "usage/total_tokens"),
            id="id",
            model="model",
            finish="stop_reason",
            cached_inside_prompt=False,
            takes=(
                take("uncachedPromptTokens", "usage/input_tokens"),
                take("outputTokens", "usage/output_tokens"),
                take("cachedTokens", "usage/cache_read_input_tokens"),
                take("cacheWrittenTokens", "usage/cache_creation_input_tokens"),
                take("cacheWritten5mTokens", "usage/cache_creation/ephemeral_5m_input_tokens"),
                take("cacheWritten1hTokens", "usage/cache_creation/ephemeral_1h_input_tokens"),
            ),
            more=_whole_prompt,
        ),
    ),
)
