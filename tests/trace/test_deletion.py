"""Deleting any one piece of evidence changes the verdict, to the route or rule it bears on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from genconform.finding import Verdict
from genconform.trace import format as trace_format
from tests.trace.bearing import FAST, bears_on
from tests.trace.building import KINDS, Json, Trace, every_kind_of_run, passes, real_traces, rules

TRACES = [*every_kind_of_run(), *real_traces()]
Path = tuple[str | int, ...]


def paths(value: Any, path: Path = ()) -> Iterator[Path]:
    """Every field below a value: objects, leaves, and those of objects in lists."""
    if isinstance(value, dict):
        for key, below in value.items():
            yield (*path, key)
            yield from paths(below, (*path, key))
    elif isinstance(value, list):
        for index, below in enumerate(value):
            yield from paths(below, (*path, index))


def field(kind: str, path: Path) -> str:
    return "/".join([kind, *(step for step in path if isinstance(step, str))])


def at(value: Any, path: Path) -> Any:
    for step in path:
        value = value[step]
    return value


def leaves(trace: Trace, kind: str, path: Path) -> set[str]:
    """The field itself, or those at the ends below an object."""
    value = at(trace.evidence(kind), path)
    if isinstance(value, dict) and value and field(kind, path) != "selectMode/mode/settings":
        return {leaf for key in value for leaf in leaves(trace, kind, (*path, key))}
    return {field(kind, path)}


def without(trace: Trace, kind: str, path: Path) -> Trace:
    changed = trace.copy()
    del at(changed.evidence(kind), path[:-1])[path[-1]]
    return changed


def deletions(trace: Trace) -> Iterator[tuple[str, Path]]:
    for kind in KINDS:
        for path in paths(trace.evidence(kind)):
            yield kind, path


@pytest.mark.parametrize("trace", TRACES, ids=lambda trace: trace.name)
class TestDeletion:
    def test_nothing_deleted_passes(self, trace: Trace) -> None:
        assert passes(trace.judged()), trace.judged().findings

    def test_is_found_by_what_the_field_bears_on(self, trace: Trace) -> None:
        for kind, path in deletions(trace):
            expected = {bears_on(leaf, trace) for leaf in leaves(trace, kind, path)}
            judged = without(trace, kind, path).rebind().judged()
            assert judged.verdict is Verdict.FAIL, (kind, path)
            assert rules(judged)[0] in expected, (kind, path, rules(judged))

    def test_is_found_as_well_where_the_digest_is_the_old_one(self, trace: Trace) -> None:
        for kind, path in deletions(trace):
            expected = {bears_on(leaf, trace) for leaf in leaves(trace, kind, path)}
            judged = without(trace, kind, path).judged()
            assert judged.verdict is Verdict.FAIL, (kind, path)
            assert expected & set(rules(judged)), (kind, path, rules(judged))

    def test_names_the_field_that_is_missing(self, trace: Trace) -> None:
        for kind, path in deletions(trace):
            deleted = at(trace.evidence(kind), path)
            if isinstance(deleted, dict) or path[0] in ("mode", "promotionsRequested"):
                continue  # of which the whole document is compared
            judged = without(trace, kind, path).rebind().judged()
            pointer = "/evidence/" + "/".join(map(str, path))
            line = KINDS.index(kind) + 2
            named = [(f.location.pointer, f.location.line, f.actual) for f in judged.findings]
            assert (pointer, line, "nothing") in named, (kind, path, judged.findings)


def schema_fields(kind: type, prefix: str) -> Iterator[str]:
    """Every leaf field that a type of evidence may hold."""
    for info in msgspec.structs.fields(kind):
        name = f"{prefix}/{info.encode_name}"
        if isinstance(info.default, msgspec.Struct):
            yield from schema_fields(type(info.default), name)
        else:
            yield name
            if info.encode_name == "promotionsRequested":
                yield name + "/kind"


def test_every_field_of_the_format_is_deleted_somewhere() -> None:
    """The map is exhaustive, and the runs of these tests hold every field that there is."""
    declared = {
        leaf
        for event in trace_format.EVENTS
        for info in msgspec.structs.fields(event)
        if info.encode_name == "evidence"
        for leaf in schema_fields(info.type, str(event.__struct_config__.tag))
        if not leaf.endswith("/effectsRequested")
    }
    held = {leaf for trace in TRACES for kind in KINDS for leaf in leaves(trace, kind, ())}
    below_settings = {leaf for leaf in held if leaf.startswith("selectMode/mode/settings/")}
    assert set(FAST) == declared
    held |= {field(kind, path) for trace in TRACES for kind, path in deletions(trace)}
    assert declared <= held - below_settings


def test_there_are_runs_of_each_kind() -> None:
    def shape(trace: Trace) -> Json:
        return {
            "mode": trace.header["run"]["mode"],
            "fallback": "fallback" in trace.evidence("verifyDraft"),
        }

    shapes = [shape(trace) for trace in TRACES]
    assert {"mode": "autoregressive", "fallback": False} in shapes
    assert {"mode": "speculative", "fallback": False} in shapes
    assert {"mode": "speculative", "fallback": True} in shapes
