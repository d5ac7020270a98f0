"""Gemini: `usageMetadata`. Cached tokens are inside the prompt, thoughts outside candidates."""

from __future__ import annotations

from genconform.trace.adapters.base import Adapter, Shape, take

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
            text="candidates/0/content/parts/0/text",
            cached_inside_prompt=True,
            takes=(
                take("promptTokens", "usageMetadata/promptTokenCount"),
                take("cachedTokens", "usageMetadata/cachedContentTokenCount"),
                take("outputTokens", "usageMetadata/candidatesTokenCount"),
                take("reasoningTokens", "usageMetadata/thoughtsTokenCount"),
                take("totalTokens", "usageMetadata/totalTokenCount"),
            ),
        ),
    ),
)
