"""Every adapter, and which of them knows a payload."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from msgspec import UNSET

from genconform.errors import Unsupported, UsageError
from genconform.finding import Location
from genconform.trace.adapters import (
    anthropic,
    client,
    deepseek,
    gemini,
    llama_cpp,
    mlx_lm,
    ollama,
    openai,
    otel_genai,
    sglang,
    spec_bench,
    tensorrt_llm,
    tgi,
    transformers,
    vllm,
)
from genconform.trace.adapters.base import Adapter, Json, Shape, find

ADAPTERS: tuple[Adapter, ...] = tuple(
    module.ADAPTER
    for module in (
        vllm, sglang, llama_cpp, tensorrt_llm, tgi, transformers, mlx_lm, ollama, openai,
        anthropic, gemini, deepseek, otel_genai, spec_bench, client,
    )
)  # fmt: skip
AUTO = "auto"
_KEYS_NAMED = 12


class Known(NamedTuple):
    """The adapter and the shape of a payload."""

    adapter: Adapter
    shape: Shape

    @property
    def why(self) -> str:
        """What it was recognised by."""
        return f"{self.adapter.name} {self.shape.name}: it has {', '.join(self.shape.needs)}"


def adapters_named(name: str) -> tuple[Adapter, ...]:
    """The adapter of this name, or all of them for `auto`. A client's notes may stand in any log.

    Raises:
        UsageError: there is none of this name.
    """
    if name == AUTO:
        return ADAPTERS
    found = [one for one in ADAPTERS if one.name == name]
    if not found:
        known = ", ".join((AUTO, *(one.name for one in ADAPTERS)))
        raise UsageError(f"there is no adapter named {name!r}", expected=f"one of {known}")
    return (*found, client.ADAPTER)


def recognise(payload: Json, among: Iterable[Adapter], place: Location) -> Known:
    """The one shape that fits a payload.

    Raises:
        Unsupported: none fits, or several do; the keys that were seen are named.
    """
    fitting = list(_fitting(payload, among))
    if len(fitting) == 1:
        return fitting[0]
    if not fitting:
        raise Unsupported(
            "no adapter knows this shape",
            location=place,
            expected="a payload that `genconform trace import --list` names",
            actual="the keys " + _keys(payload),
        )
    raise Unsupported(
        "several adapters know this shape",
        location=place,
        expected="--from with one of " + ", ".join(known.adapter.name for known in fitting),
        actual="the keys " + _keys(payload),
    )


def _fitting(payload: Json, among: Iterable[Adapter]) -> Iterator[Known]:
    for adapter in among:
        for shape in adapter.shapes:
            if all(find(payload, path) is not UNSET for path in shape.needs) and all(
                find(payload, path) is UNSET for path in shape.lacks
            ):
                yield Known(adapter, shape)


def _keys(payload: Json) -> str:
    named = [ascii(key)[1:-1][:40] for key in list(payload)[:_KEYS_NAMED]]
    more = len(payload) - len(named)
    return (", ".join(named) or "of an empty object") + (f" and {more} more" if more > 0 else "")
