"""Hypothesis strategies for combinations of the spaces, and for cases of any kind."""

from __future__ import annotations

from typing import Any

import msgspec
from hypothesis import strategies as st

from genconform.lifecycle.packet import (
    BOOLEAN_NAMES,
    Case,
    Counters,
    Event,
    EventKind,
    Identity,
    Packet,
    Stage,
    State,
)
from genconform.lifecycle.space import StageSpace, spaces

COMBINATIONS: st.SearchStrategy[tuple[StageSpace, int]] = st.sampled_from(spaces()).flatmap(
    lambda space: st.tuples(st.just(space), st.integers(0, space.size - 1))
)

# Few values, so that those which should differ are sometimes the same.
TEXTS = st.sampled_from(["a", "b", "sha256:c", '"\\', "é\U0001f600"]) | st.text(min_size=1)
VERSIONS = st.integers(0, 3) | st.integers(0, 2**70)
IDENTITIES = st.builds(
    Identity,
    **{
        field.name: VERSIONS if field.name == "task_version" else TEXTS
        for field in msgspec.structs.fields(Identity)
    },
)
STATES = st.builds(
    State,
    st.sampled_from(Stage),
    IDENTITIES,
    st.lists(TEXTS, max_size=4).map(tuple),
    st.builds(Counters, *[st.integers(0, 2) | VERSIONS] * len(Counters.__struct_fields__)),
)


@st.composite
def _cases(draw: st.DrawFn) -> Case:
    """Any case; the event often names what the state names, and often repeats a digest."""
    state = draw(STATES)
    identity = msgspec.structs.astuple(draw(st.just(state.identity) | IDENTITIES))
    digest = draw(st.sampled_from(state.consumed_event_digests or ("fresh",)) | TEXTS)
    booleans = draw(st.tuples(*[st.booleans()] * len(BOOLEAN_NAMES)))
    fields: tuple[Any, ...] = (*identity, digest, *booleans)
    return Case(state, Event(draw(st.sampled_from(EventKind)), Packet(*fields)))


CASES = _cases()
