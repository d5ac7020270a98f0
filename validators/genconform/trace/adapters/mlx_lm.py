"""MLX-LM: the responses of one `stream_generate`, {"responses": [{"token", "from_draft", ...}]}.

Accepted tokens are those that came from the draft; what was rejected is not observable.
"""

from __future__ import annotations

from typing import Any

from genconform.trace.adapters.base import Adapter, Payload, Shape, take

_LAST = take("acceptedTokens", "responses")


def _responses(payload: Payload) -> None:
    responses = payload.peek("responses")
    if not isinstance(responses, list) or not all(map(_is_response, responses)):
        expected = "a token and from_draft each"
        raise payload.wrong("responses", "not the responses of a request", expected, responses)
    last = len(responses) - 1
    told = ("token", "from_draft", "text")
    payload.use(*(f"responses/{place}/{key}" for place in range(last + 1) for key in told))
    payload.add("acceptedTokens", sum(one["from_draft"] for one in responses), "responses", _LAST)
    payload.put_tokens(tuple(one["token"] for one in responses))
    for name, key in (("promptTokens", "prompt_tokens"), ("outputTokens", "generation_tokens")):
        payload.take(take(name, f"responses/{last}/{key}"))
    payload.take(take("peakMemoryBytes", f"responses/{last}/peak_memory", scale=1e9))
    finish = payload.text(f"responses/{last}/finish_reason")
    if finish:
        payload.output["finish"] = finish
    texts = [one.get("text") for one in responses]
    if all(isinstance(text, str) for text in texts):
        payload.put_text("".join(texts))


def _is_response(one: Any) -> bool:
    return (
        isinstance(one, dict)
        and isinstance(one.get("from_draft"), bool)
        and isinstance(one.get("token"), int)
        and one["token"] >= 0
    )


ADAPTER = Adapter(
    name="mlx_lm",
    title="MLX-LM",
    switch_on="keep every GenerationResponse of stream_generate, in order",
    shapes=(
        Shape(
            name="stream_generate",
            needs=("responses/0/from_draft",),
            bonus_counted=False,
            more=_responses,
            adds=("promptTokens", "outputTokens", "acceptedTokens", "peakMemoryBytes"),
        ),
    ),
)
