"""OpenTelemetry's GenAI conventions, as OTLP JSON: spans are requests, metrics are a process's.

Integers may be written as texts. Cached tokens are inside the input tokens.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from genconform.trace.adapters.base import Adapter, Json, Payload, Shape, Take, take
from genconform.trace.observed.model import Clock, Scope

_USAGE = "attributes/gen_ai.usage."
_NANO = 1e-9


def _named(attributes: Any) -> Json:
    """Attributes by key; OTLP lists them as key and typed value."""
    named = {}
    for one in attributes if isinstance(attributes, list) else ():
        if isinstance(one, dict) and isinstance(one.get("key"), str):
            named[one["key"]] = _plain(one.get("value"))
    return named


def _plain(value: Any) -> Any:
    if not isinstance(value, dict) or len(value) != 1:
        return value
    (kind, inner), *_ = value.items()
    if kind == "arrayValue" and isinstance(inner, dict):
        return [_plain(item) for item in inner.get("values", [])]
    if kind == "intValue" and isinstance(inner, str) and inner.lstrip("-").isdigit():
        return int(inner)
    return inner


def _each(holder: Any, *keys: str, at: str = "") -> Iterator[tuple[str, Json]]:
    """Every object that lists within lists hold, with its place."""
    key, *rest = keys
    items = holder.get(key) if isinstance(holder, dict) else None
    for place, item in enumerate(items if isinstance(items, list) else ()):
        here = f"{at}/{key}/{place}"
        if rest:
            yield from _each(item, *rest, at=here)
        elif isinstance(item, dict):
            yield here, item


def _spans(payload: Json) -> Iterator[tuple[str, Json]]:
    for at, span in _each(payload, "resourceSpans", "scopeSpans", "spans"):
        attributes = _named(span.get("attributes"))
        if any(key.startswith("gen_ai.") for key in attributes):
            yield at, span | {"attributes": attributes}


def _finish(payload: Payload) -> None:
    reasons = payload.get("attributes/gen_ai.response.finish_reasons")
    if isinstance(reasons, list) and reasons and isinstance(reasons[0], str):
        payload.output["finish"] = reasons[0]
    known = payload.known("startedAtSeconds", "endedAtSeconds")
    if known is not None and known[1] >= known[0]:
        nanos = int(payload.get("endTimeUnixNano")) - int(payload.get("startTimeUnixNano"))
        payload.derive("totalSeconds", nanos * _NANO, "endTimeUnixNano - startTimeUnixNano")


_SPANS = Shape(
    name="spans",
    needs=("resourceSpans",),
    id="spanId",
    model="attributes/gen_ai.response.model",
    cached_inside_prompt=True,
    parts=_spans,
    takes=(
        take("promptTokens", _USAGE + "input_tokens", texts=True),
        take("outputTokens", _USAGE + "output_tokens", texts=True),
        take("cachedTokens", _USAGE + "cache_read.input_tokens", texts=True),
        take("cacheWrittenTokens", _USAGE + "cache_creation.input_tokens", texts=True),
        take("reasoningTokens", _USAGE + "reasoning.output_tokens", texts=True),
        take("maxNewTokens", "attributes/gen_ai.request.max_tokens", texts=True),
        take(
            "timeToFirstChunkSeconds",
            "attributes/gen_ai.response.time_to_first_chunk",
            texts=True,
            clock=Clock.CLIENT_SEND,
        ),
        take("startedAtSeconds", "startTimeUnixNano", scale=_NANO, texts=True),
        take("endedAtSeconds", "endTimeUnixNano", scale=_NANO, texts=True),
    ),
    more=_finish,
)

_METERS: dict[str, tuple[str, Take]] = {
    "gen_ai.server.request.duration": (
        "totalSeconds",
        take("totalSeconds", "sum", scope=Scope.PROCESS, clock=Clock.ARRIVAL, texts=True),
    ),
    "gen_ai.server.time_per_output_token": (
        "interTokenSeconds",
        take("interTokenSeconds", "sum", scope=Scope.PROCESS, texts=True),
    ),
    "gen_ai.server.time_to_first_token": (
        "timeToFirstTokenSeconds",
        # Covers queueing and the prompt.
        take(
            "timeToFirstTokenSeconds", "sum", scope=Scope.PROCESS, clock=Clock.ARRIVAL, texts=True
        ),
    ),
}
_COUNT = take("requests", "count", scope=Scope.PROCESS, texts=True)


def _points(payload: Json) -> Iterator[tuple[str, Json]]:
    for at, meter in _each(payload, "resourceMetrics", "scopeMetrics", "metrics"):
        if meter.get("name") in _METERS:
            for below, point in _each(meter.get("histogram"), "dataPoints"):
                yield f"{at}/histogram{below}", point | {"_meter": meter["name"]}


def _mean(payload: Payload) -> None:
    """The mean over the requests of the process, from the histogram's sum and count."""
    name, one = _METERS[payload.value["_meter"]]
    payload.take(one)
    payload.take(_COUNT)
    known = payload.known(name, "requests")
    if known is not None and known[1]:
        how = Take(name, ("sum",), scope=Scope.PROCESS, clock=one.clock, formula="sum / count")
        payload.add(name, known[0] / known[1], "sum", how)


_METRICS = Shape(
    name="metrics",
    needs=("resourceMetrics",),
    about_a_request=False,
    parts=_points,
    more=_mean,
    adds=tuple(name for name, _ in _METERS.values()),
)

ADAPTER = Adapter(
    name="otel_genai",
    title="OpenTelemetry GenAI",
    switch_on="an exporter that writes OTLP JSON; usage attributes on spans of requests",
    shapes=(_SPANS, _METRICS),
)
