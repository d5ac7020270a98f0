"""Text Generation Inference: `details` of a response. What was proposed is not observable."""

from __future__ import annotations

from typing import Any

from genconform.trace.adapters.base import Adapter, Payload, Shape, take


def _tokens(payload: Payload) -> None:
    tokens = payload.peek("details/tokens")
    if isinstance(tokens, list) and tokens:
        ids: Any = [token.get("id") if isinstance(token, dict) else None for token in tokens]
        if not all(isinstance(one, int) and one >= 0 for one in ids):
            raise payload.wrong("details/tokens", "not a list of tokens", "an id each", tokens)
        payload.put_tokens(tuple(ids))
        payload.use(*(f"details/tokens/{place}/id" for place in range(len(ids))))
    prefill = payload.peek("details/prefill")
    if isinstance(prefill, list) and prefill:
        payload.derive("promptTokens", len(prefill), "tokens listed in prefill")


ADAPTER = Adapter(
    name="tgi",
    title="Text Generation Inference",
    switch_on="details: true; decoder_input_details: true for the prompt's tokens",
    shapes=(
        Shape(
            name="generate",
            needs=("details/generated_tokens",),
            finish="details/finish_reason",
            text="generated_text",
            takes=(take("outputTokens", "details/generated_tokens"),),
            more=_tokens,
        ),
    ),
)
