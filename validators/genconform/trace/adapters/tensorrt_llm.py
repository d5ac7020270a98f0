"""TensorRT-LLM: an OpenAI-like answer whose choices tell of speculative decoding."""

from __future__ import annotations

from collections.abc import Iterator

from genconform.trace.adapters.base import Adapter, Json, Shape, Take, take
from genconform.trace.adapters.vllm import text_of_choice


def _of_choice(at: str) -> tuple[Take, ...]:
    spec = at + "speculative_decoding/"
    return (
        take("acceptanceRate", spec + "acceptance_rate"),
        take("acceptedTokens", spec + "total_accepted_draft_tokens"),
        take("proposedTokens", spec + "total_draft_tokens"),
        take("verifySteps", spec + "num_spec_steps"),
        take("acceptanceHistogram", spec + "acceptance_histogram", is_list=True),
        take("tokensPerDraft", spec + "num_spec_tokens"),
    )


def _choices(payload: Json) -> Iterator[tuple[str, Json]]:
    """Each choice apart: the usage is of all of them, and so of none."""
    for place, choice in enumerate(payload["choices"]):
        yield f"/choices/{place}", choice if isinstance(choice, dict) else {}


ADAPTER = Adapter(
    name="tensorrt_llm",
    title="TensorRT-LLM",
    switch_on="speculative decoding's counts in each choice",
    shapes=(
        Shape(
            name="response",
            needs=("choices/0/speculative_decoding",),
            lacks=("choices/1",),
            id="id",
            model="model",
            finish="choices/0/finish_reason",
            token_ids="choices/0/token_ids",
            cached_inside_prompt=True,
            bonus_counted=False,
            takes=(
                *_of_choice("choices/0/"),
                take("promptTokens", "usage/prompt_tokens"),
                take("outputTokens", "usage/completion_tokens"),
                take("totalTokens", "usage/total_tokens"),
                take("cachedTokens", "usage/prompt_tokens_details/cached_tokens"),
            ),
            more=lambda payload: payload.put_text(text_of_choice(payload)),
        ),
        Shape(
            name="choices",
            needs=("choices/0/speculative_decoding", "choices/1"),
            finish="finish_reason",
            text="text",
            token_ids="token_ids",
            bonus_counted=False,
            takes=_of_choice(""),
            parts=_choices,
        ),
    ),
)
