"""From a payload of a known shape to observations: a pure function, the same for every adapter."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from genconform.finding import Location
from genconform.trace.adapters import beside as besides
from genconform.trace.adapters.base import Adapter, Json, Payload, Shape, leaves
from genconform.trace.observed.model import Observation

_MOST_UNREAD = 200


def observe(
    adapter: Adapter,
    shape: Shape,
    value: Json,
    digest: str,
    place: Location,
    declared: dict[str, str] | None = None,
) -> Iterator[Observation]:
    """The observations of one record, most often one.

    `declared` is what the user says of every record: `model`.

    Raises:
        MalformedInput: something in the payload is not what the shape says it is.
    """
    beside = besides.read_beside(value, place)
    parts = list(shape.parts(value))
    for number, (at, part) in enumerate(parts):
        payload = Payload(part, place, at)
        for one in shape.takes:
            payload.take(one)
        shape.more(payload)
        _take_facts(shape, payload)
        if len(parts) == 1:
            _add_client(payload, value, place)
        unread = [*payload.unread(), *(_around(value, parts) if number == 0 else ())]
        name = _id(beside, payload, shape, place, number if len(parts) > 1 else None)
        yield _observation(
            adapter, shape, payload, beside, digest, place, name, declared or {}, unread
        )


def _take_facts(shape: Shape, payload: Payload) -> None:
    """Take what is no number: the output, how it ended, the names of model and response."""
    payload.text(shape.id)
    if model := payload.text(shape.model):
        payload.output["model"] = model
    if "outputs" in payload.numbers:
        return  # what is told of all together is told of none
    if shape.text:
        payload.put_text(payload.text(shape.text))
    if shape.token_ids:
        payload.put_tokens(payload.ids(shape.token_ids))
    if finish := payload.text(shape.finish):
        payload.output["finish"] = finish


def _add_client(payload: Payload, value: Json, place: Location) -> None:
    """Take the client's own numbers, which stand at the top of the record."""
    if not any(key.startswith("_") for key in value):
        return
    top = Payload(value, place)
    for one in besides.NUMBERS:
        top.take(one)
    payload.numbers |= top.numbers


def _id(
    beside: besides.Beside, payload: Payload, shape: Shape, place: Location, part: int | None
) -> str:
    """The client's or the source's own name for the record, else its line."""
    own = beside.id or payload.text(shape.id) or f"line-{place.line or 1}"
    return own if part is None or own is payload.text(shape.id) else f"{own}-{part}"


def _observation(
    adapter: Adapter,
    shape: Shape,
    payload: Payload,
    beside: besides.Beside,
    digest: str,
    place: Location,
    name: str,
    declared: dict[str, str],
    unread: list[str],
) -> Observation:
    request = besides.request_facts(beside.request, Payload(_top(beside), place))
    cached_inside: bool | UnsetType = payload.facts.get(
        "cached_inside_prompt", shape.cached_inside_prompt
    )
    return Observation(
        id=name,
        adapter=adapter.name,
        shape=shape.name,
        line=place.line or 1,
        payload_digest=digest,
        numbers=payload.numbers,
        cached_inside_prompt=cached_inside,
        bonus_counted=shape.bonus_counted,
        absent_drafts_mean_none=shape.absent_drafts_mean_none,
        request=request,
        output=payload.finished(),
        cache=besides.cache_facts(beside, payload.facts.get("events", ())),
        models=beside.models,
        told=besides.told_facts(beside),
        reference=besides.reference_facts(beside),
        declared=declared,
        claims=beside.claims,
        unread=_bounded(unread),
    )


def _top(beside: besides.Beside) -> dict[str, Any]:
    return {"_request": beside.request}


def _around(value: Json, parts: list[tuple[str, Json]]) -> Iterator[str]:
    """What stands in a record around its parts, and the client's keys that are not known."""
    places = tuple(at + "/" for at, _ in parts)
    if "/" not in places:
        inside = (pointer for pointer in leaves(value) if not pointer.startswith("/_"))
        yield from (pointer for pointer in inside if not pointer.startswith(places))
    for key in value:
        if key.startswith("_") and key not in besides.KNOWN:
            yield "/" + key


def _bounded(unread: list[str]) -> tuple[str, ...]:
    if len(unread) <= _MOST_UNREAD:
        return tuple(unread)
    return (*unread[:_MOST_UNREAD], f"and {len(unread) - _MOST_UNREAD} more")


def private(observation: Observation) -> Observation:
    """The observation with digests in place of texts and token ids."""
    return msgspec.structs.replace(
        observation,
        request=msgspec.structs.replace(
            observation.request, prompt_text=UNSET, prompt_token_ids=UNSET, marker=UNSET
        ),
        output=msgspec.structs.replace(observation.output, text=UNSET, token_ids=UNSET),
        reference=UNSET,
    )
