"""Ollama: the last object of a response, with its durations in nanoseconds.

Whether `prompt_eval_count` counts the cached part in is not told, so neither is assumed.
"""

from __future__ import annotations

from msgspec import UNSET

from genconform.trace.adapters.base import Adapter, Payload, Shape, take
from genconform.trace.observed.model import Clock

_NANO = 1e-9


def _text(payload: Payload) -> None:
    text = payload.text("response")
    payload.put_text(payload.text("message/content") if text is UNSET else text)


ADAPTER = Adapter(
    name="ollama",
    title="Ollama",
    switch_on="nothing: the last object of each response has the durations",
    shapes=(
        Shape(
            name="generate",
            needs=("total_duration", "eval_count"),
            lacks=("usage",),
            finish="done_reason",
            model="model",
            takes=(
                take("promptTokens", "prompt_eval_count"),
                take("cachedTokens", "prompt_eval_cached_count"),
                take("outputTokens", "eval_count"),
                take("totalSeconds", "total_duration", scale=_NANO, clock=Clock.ARRIVAL),
                take("loadSeconds", "load_duration", scale=_NANO),
                take("promptSeconds", "prompt_eval_duration", scale=_NANO),
                take("generationSeconds", "eval_duration", scale=_NANO, clock=Clock.GENERATION),
            ),
            more=_text,
        ),
    ),
)
