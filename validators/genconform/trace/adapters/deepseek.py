"""DeepSeek: OpenAI's answer, whose usage tells cached and uncached parts of the prompt apart."""

from __future__ import annotations

from genconform.trace.adapters.base import Adapter, Shape, take
from genconform.trace.adapters.vllm import text_of_choice

ADAPTER = Adapter(
    name="deepseek",
    title="DeepSeek",
    switch_on='stream_options {"include_usage": true} in streams',
    shapes=(
        Shape(
            name="chat",
            needs=("usage/prompt_cache_hit_tokens", "usage/completion_tokens"),
            id="id",
            model="model",
            finish="choices/0/finish_reason",
            cached_inside_prompt=True,
            takes=(
                take("promptTokens", "usage/prompt_tokens"),
                take(
                    "cachedTokens",
                    "usage/prompt_cache_hit_tokens",
                    "usage/prompt_tokens_details/cached_tokens",
                ),
                take("uncachedPromptTokens", "usage/prompt_cache_miss_tokens"),
                take("outputTokens", "usage/completion_tokens"),
                take("totalTokens", "usage/total_tokens"),
                take("reasoningTokens", "usage/completion_tokens_details/reasoning_tokens"),
            ),
            more=lambda payload: payload.put_text(text_of_choice(payload)),
        ),
    ),
)
