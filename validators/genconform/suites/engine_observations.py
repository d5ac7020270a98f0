"""The suite `engine-observations`: what engines and providers report, judged by what it shows.

A fixture is a log as a source wrote it, one record a line; the source is recognised.
"""

from __future__ import annotations

import io
from collections.abc import Iterator

from genconform.finding import Finding
from genconform.suites import Fixture, Suite
from genconform.trace.adapters.registry import ADAPTERS
from genconform.trace.observed.importing import Import
from genconform.trace.observed.judge import judge_all
from genconform.tree import Tree


def judge(fixture: Fixture, _: Tree) -> Iterator[Finding]:
    """What is found in the records of a log, and what kept any of them from being read."""
    yield from findings(fixture)


def findings(fixture: Fixture, *, without: str = "") -> Iterator[Finding]:
    """The same, with one rule left out."""
    source = Import(ADAPTERS, public=True, declared={})
    observations = source.read(io.BytesIO(fixture.data), fixture.name)
    for judged in judge_all(observations, fixture.name, without=without):
        yield from judged.findings
    yield from source.result(fixture.name).findings


SUITE = Suite(
    "engine-observations", "what engines and providers report, judged by what it shows", judge
)
