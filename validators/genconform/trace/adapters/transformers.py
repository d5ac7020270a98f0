"""transformers: the sequences that `generate` gives, and a log of what a streamer was given.

    {"sequences": [[...]], "streamer": [{"seconds": 0.0, "tokens": [...]}, ...]}

A streamer is given the prompt first; each later entry is what came with one call of `put`, by the
clock of the process. Drafts and caches are not shown.
"""

from __future__ import annotations

from typing import Any

from genconform.trace.adapters.base import Adapter, Payload, Shape, take
from genconform.trace.observed.model import Clock

_CLOCK = take("timeToFirstTokenSeconds", "streamer", clock=Clock.GENERATION)


def _streamed(payload: Payload) -> None:
    calls = payload.get("streamer")
    if calls is None:
        return  # where the prompt ends and the output begins is not told
    sequences = payload.get("sequences")
    if not isinstance(calls, list) or len(calls) < 2 or not all(map(_is_call, calls)):
        expected = "the prompt and at least one more call, each with seconds and tokens"
        raise payload.wrong("streamer", "not a streamer's log", expected, calls)
    prompt, *rest = calls
    output = tuple(one for call in rest for one in call["tokens"])
    payload.derive("promptTokens", len(prompt["tokens"]), "tokens of the streamer's first call")
    payload.derive("outputTokens", len(output), "tokens of its later calls")
    if isinstance(sequences, list) and len(sequences) == 1:
        whole = [*prompt["tokens"], *output]
        if sequences[0] != whole:
            raise payload.wrong("sequences/0", "not what the streamer was given", "the same tokens",
                                sequences[0])  # fmt: skip
    payload.put_tokens(output)
    arrivals = tuple(round((call["seconds"] - prompt["seconds"]) * 1e6) for call in rest)
    first = rest[0]["seconds"] - prompt["seconds"]
    last = rest[-1]["seconds"] - prompt["seconds"]
    if list(arrivals) != sorted(arrivals) or first < 0:
        raise payload.wrong("streamer", "the calls are not in the order of time", "rising", last)
    formula = "seconds of each later call, less those of the first"
    payload.derive("chunkArrivalMicroseconds", arrivals, formula)
    payload.add("timeToFirstTokenSeconds", first, "streamer", _CLOCK)
    payload.add("totalSeconds", last, "streamer", _CLOCK)


def _is_call(call: Any) -> bool:
    return (
        isinstance(call, dict)
        and isinstance(call.get("seconds"), int | float)
        and isinstance(call.get("tokens"), list)
        and all(isinstance(one, int) and one >= 0 for one in call["tokens"])
    )


ADAPTER = Adapter(
    name="transformers",
    title="transformers",
    switch_on="a streamer that writes down when it was given which tokens",
    shapes=(
        Shape(
            name="generate",
            needs=("sequences",),
            more=_streamed,
            adds=("timeToFirstTokenSeconds", "totalSeconds"),
        ),
    ),
)
