"""Gemini: `usageMetadata`. Cached tokens are inside the prompt, thoughts outside candidates."""

from __future__ import annotations

from typing import Any

from genconform.trace.adapters.base import Adapter, Payload, Shape, take


def _text(payload: Payload) -> None:
    """The parts of the only candidate, if all of them are text that is no thought."""
    if payload.one_of_several("candidates"):
        return
    at = "candidates/0/content/parts"
    parts: Any = payload.peek(at)
    if isinstance(parts, list) and parts and all(map(_is_text, parts)):
        payload.put_text("".join(part["text"] for part in parts))
        payload.use(*(f"{at}/{place}/text" for place in range(len(parts))))


def _is_text(part: Any) -> bool:
    return isinstance(part, dict) and isinstance(part.get("text"), str) and not part.get("thought")


ADAPTER = Adapter(
    name="gemini",
    title="Gemini",
    switch_on="nothing: usageMetadata is in every response",
    shapes=(
        Shape(
            name="generateContent",
            needs=("usageMetadata/promptTokenCount",),
            id="responseId",
            model="modelVersion",
            finish="candidates/0/finishReason",
            cached_inside_prompt=True,
            takes=(
                take("promptTokens", "usageMetadata/promptTokenCount"),
                take("cachedTokens", "usageMetadata/cachedContentTokenCount"),
                take("outputTokens", "usageMetadata/candidatesTokenCount"),
                take("reasoningTokens", "usageMetadata/thoughtsTokenCount"),
                take("totalTokens", "usageMetadata/totalTokenCount"),
            ),
            more=_text,
        ),
    ),
)
