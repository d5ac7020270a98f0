"""The published schemas say of a line what the reader says of it; jsonschema is the oracle."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from jsonschema import Draft202012Validator

from genconform.trace.format import Header, TraceEvent
from genconform.tree import find_tree
from tests.trace.building import KINDS, Json, Trace, every_kind_of_run, real_traces
from tests.trace.test_reading import leaf_paths


def validator(name: str) -> Draft202012Validator:
    schema = json.loads(find_tree().path(f"spec/schemas/{name}.schema.json").read_bytes())
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


HEADER, EVENT = validator("trace-header"), validator("trace-event")
EVIDENCE = {kind: validator(f"evidence-{kind}") for kind in KINDS}


def read(line: Json, into: Any) -> bool:
    try:
        msgspec.json.decode(json.dumps(line), type=into)
    except msgspec.ValidationError:
        return False
    return True


@pytest.mark.parametrize("trace", [*every_kind_of_run(), *real_traces()], ids=lambda t: t.name)
def test_honest_lines_are_valid(trace: Trace) -> None:
    HEADER.validate(trace.header)
    for event in trace.events:
        EVENT.validate(event)
        EVIDENCE[event["kind"]].validate(event["evidence"])


def changed_lines() -> Iterator[tuple[int, Json]]:
    """Each leaf set to values of every type, and each object given a field more."""
    fallback = every_kind_of_run()[7]
    for trace in (every_kind_of_run()[3], fallback):
        for place, path in leaf_paths(trace):
            line = trace.header if place == 0 else trace.events[place - 1]
            for value in (None, "text", -1, 2.5, 10**16, True, ["text"], {"a": 1}):
                yield place, with_value(line, path, value)
            yield place, with_value(line, (*path[:-1], "extra"), 1)


def with_value(line: Json, path: tuple[Any, ...], value: Any) -> Json:
    copy: Json = json.loads(json.dumps(line))
    parent: Any = copy
    for step in path[:-1]:
        parent = parent[step]
    parent[path[-1]] = value
    return copy


def test_changed_lines_are_valid_where_they_can_be_read() -> None:
    for place, line in changed_lines():
        if place == 0:
            assert HEADER.is_valid(line) is read(line, Header), line
            continue
        valid = read(line, TraceEvent)
        assert EVENT.is_valid(line) is valid, line
        evidence = line["evidence"]
        if isinstance(evidence, dict) and read({**line, "evidence": {}}, TraceEvent):
            assert EVIDENCE[line["kind"]].is_valid(evidence) is valid, line


def test_an_unknown_claim_is_not_valid() -> None:
    trace = every_kind_of_run()[0]
    trace.events[0]["claims"] = {"deadline": True}
    EVENT.validate(trace.events[0])
    trace.events[0]["claims"] = {"worksWell": True}
    assert not EVENT.is_valid(trace.events[0])
