"""The published schemas say of a line what the reader says of it; jsonschema is the oracle."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from jsonschema import Draft202012Validator

from genconform.trace.format import EVENTS, Header, TraceEvent
from genconform.tree import find_tree
from tests.trace.building import KINDS, Json, Trace, every_kind_of_run, real_traces
from tests.trace.test_reading import leaf_paths


def schema(name: str) -> Json:
    read: Json = json.loads(find_tree().path(f"spec/schemas/{name}.schema.json").read_bytes())
    Draft202012Validator.check_schema(read)
    return read


HEADER, EVENT = (Draft202012Validator(schema(f"trace-{part}")) for part in ("header", "event"))
EVIDENCE = {kind: Draft202012Validator(schema(f"evidence-{kind}")) for kind in KINDS}
OF_KIND = {
    kind.kind.value: EVENT.evolve(schema={"$ref": f"#/$defs/{kind.__name__}"} | definitions)
    for definitions in [{"$defs": schema("trace-event")["$defs"]}]
    for kind in EVENTS
}
"""What the schema of events says of one kind."""


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
        elif line["kind"] in list(OF_KIND):
            valid = read(line, TraceEvent)
            assert OF_KIND[line["kind"]].is_valid(line) is valid, line
        else:
            assert not EVENT.is_valid(line)
            assert not read(line, TraceEvent)


def test_the_schemas_of_evidence_are_those_in_its_events() -> None:
    whole = schema("trace-event")["$defs"]
    assert [one["$ref"].rpartition("/")[2] for one in schema("trace-event")["anyOf"]] == [
        kind.__name__ for kind in EVENTS
    ]
    for kind in EVENTS:
        own = schema(f"evidence-{kind.kind.value}")
        assert own["$ref"] == whole[kind.__name__]["properties"]["evidence"]["$ref"]
        assert own["$defs"].items() <= whole.items()


def test_an_unknown_claim_is_not_valid() -> None:
    trace = every_kind_of_run()[0]
    trace.events[0]["claims"] = {"deadline": True}
    EVENT.validate(trace.events[0])
    trace.events[0]["claims"] = {"worksWell": True}
    assert not EVENT.is_valid(trace.events[0])
