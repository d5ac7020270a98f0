"""Spec-Bench: answers with decoding steps and accepted lengths, which count the bonus token in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from genconform.trace.adapters.base import Adapter, Json, Payload, Shape, take


def _choices(payload: Json) -> Iterator[tuple[str, Json]]:
    choices = payload["choices"]
    for place, choice in enumerate(choices if isinstance(choices, list) else ()):
        yield f"/choices/{place}", choice if isinstance(choice, dict) else {}


def _sums(payload: Payload) -> None:
    """What stands a turn, summed over turns."""
    for name, key in (
        ("verifySteps", "decoding_steps"),
        ("outputTokens", "new_tokens"),
        ("totalSeconds", "wall_time"),
    ):
        turns: Any = payload.get(key)
        if isinstance(turns, list):
            for place in range(len(turns)):
                payload.take(take(name, f"{key}/{place}"))
                payload.numbers.pop(name)
            payload.derive(name, sum(turns), f"sum of {key} over turns")
        else:
            payload.take(take(name, key))


ADAPTER = Adapter(
    name="spec_bench",
    title="Spec-Bench",
    switch_on="nothing: every answer has its steps and accepted lengths",
    shapes=(
        Shape(
            name="answer",
            needs=("question_id", "choices/0/decoding_steps"),
            bonus_counted=True,
            parts=_choices,
            takes=(take("emittedPerStep", "accept_lengths", is_list=True),),
            more=_sums,
        ),
    ),
)
