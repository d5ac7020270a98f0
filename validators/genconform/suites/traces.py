"""The suite `traces`: recorded runs, judged from their evidence alone."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from typing import Any

from msgspec import UNSET

from genconform.digest.canonical import canonical_digest
from genconform.finding import Finding
from genconform.lifecycle.packet import Stage
from genconform.lifecycle.space import KIND_OF
from genconform.mutation.author import Mutation, Unfit, one_of
from genconform.mutation.change import change_at_pointer
from genconform.spec.rules import ROUTE_PREFIX
from genconform.suites import Fixture, Suite
from genconform.trace.judge import judge_file
from genconform.tree import Tree

_DIGEST = "/eventDigest"


def judge(fixture: Fixture, _: Tree) -> Iterator[Finding]:
    """What the judge finds in a file of recorded runs, or in a file that is none.

    Of a rejected event, the route that it took. What else it is short of the judge tells people,
    who mend all at once; it catches nothing.
    """
    judged = judge_file(io.BytesIO(fixture.data), fixture.name)
    taken = {ROUTE_PREFIX + event.route for run in judged.runs for event in run.events}
    for finding in judged.findings:
        if finding.rule in taken or not finding.rule.startswith(ROUTE_PREFIX):
            yield finding


def change_line(fixture: Fixture, mutation: Mutation) -> Fixture:
    """The file with one value of one line set or removed: of an event, or of the header.

    Events are then bound by digest again, lest every change be caught by that alone; a change of
    an event's own digest stays.

    Raises:
        Unfit: no event leaves the stage, or the change cannot be made on its line.
    """
    if mutation.pointer is UNSET:
        raise Unfit("this base is a trace", "/set", "`pointer`, and `value` or `remove`")
    lines = [json.loads(line) for line in fixture.data.splitlines()]
    place = _place(lines, mutation)
    lines[place] = change_at_pointer(lines[place], mutation)
    if mutation.pointer != _DIGEST:
        _bind(lines)
    data = b"".join(json.dumps(line, separators=(",", ":")).encode() + b"\n" for line in lines)
    return Fixture(fixture.name, data)


def _place(lines: list[Any], mutation: Mutation) -> int:
    """Which line a mutation changes: the header, or the first event that leaves the stage `at`."""
    if not mutation.at:
        return 0
    stages = [stage.value for stage in Stage if stage is not Stage.CLOSED]
    if mutation.at not in stages:
        raise Unfit("no event leaves this stage", "/at", one_of(mutation.at, stages), mutation.at)
    kind = KIND_OF[Stage(mutation.at)]
    return next(place for place, line in enumerate(lines) if line.get("kind") == kind)


def _bind(lines: list[Any]) -> None:
    """Give each event the digest of its content, where it still has a digest and a run."""
    run_id = None
    for line in lines:
        match line:
            case {"run": {"id": run_id}}:
                pass
            case {"eventDigest": _}:
                bound = {key: line.get(key) for key in ("kind", "identity", "evidence")}
                line["eventDigest"] = canonical_digest({"runId": run_id} | bound)


SUITE = Suite("traces", "recorded runs, judged from their evidence", judge, change_line)
