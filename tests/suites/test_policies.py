"""Policies and speed claims: what is recomputed cannot be talked away."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from genconform.digest.canonical import canonical_digest
from genconform.suites import (
    VALID,
    Fixture,
    Suite,
    mode_selections,
    precision_routing,
    speed_claims,
)
from genconform.suites import memory_policies as memory
from genconform.suites.replay import judged
from genconform.tree import Tree, find_tree

PAGE = (Path(__file__).parents[2] / "spec/policies.md").read_text(encoding="utf-8")


def valid(suite: Suite) -> dict[str, Fixture]:
    return {fixture.stem: fixture for fixture in suite.fixtures(find_tree(), VALID)}


def test_the_page_tells_of_every_object_mechanism_and_ground() -> None:
    for name in (*memory.OBJECTS, *memory.MECHANISMS, *mode_selections.REFUSED_BY):
        assert f"| `{name}` |" in PAGE, name
    assert all(f"`{handling}`" in PAGE for handling in (*memory.EXACT_HANDLING, "skip"))


def test_every_mechanism_has_a_valid_record() -> None:
    seen = {one.document.value["policy"]["mechanism"] for one in valid(memory.SUITE).values()}
    assert seen == set(memory.MECHANISMS)


@pytest.mark.parametrize("mechanism", sorted(memory.MECHANISMS))
@pytest.mark.parametrize("exactness", ["exact", "approximate"])
@pytest.mark.parametrize("skips", [False, True])
def test_only_what_may_guess_may_be_approximate(
    mechanism: str, exactness: str, skips: bool, tree: Tree
) -> None:
    """All mechanisms, both words for it, with and without a miss that is skipped."""
    fixtures = valid(memory.SUITE).values()
    base = next(one for one in fixtures if one.document.value["policy"]["mechanism"] == mechanism)
    record = copy.deepcopy(base.document.value)
    record["policy"]["exactness"] = exactness
    record["policy"]["missHandling"] = ["fetch", "skip"] if skips else ["fetch"]
    found = judged(memory.SUITE, base.with_content(record), tree).rules
    honest = (exactness == "approximate") == skips
    allowed = not skips or memory.MECHANISMS[mechanism].may_approximate
    assert ("memory.exactness.unfit" not in found) == (honest and allowed)


@pytest.mark.parametrize("arm", speed_claims.ARMS)
@pytest.mark.parametrize("index", range(4))
def test_no_attempt_can_be_left_out(arm: str, index: int, tree: Tree) -> None:
    base = valid(speed_claims.SUITE)["kept"]
    record = copy.deepcopy(base.document.value)
    del record["observed"][arm]["attempts"][index]
    record["observedDigest"] = canonical_digest(record["observed"])
    found = judged(speed_claims.SUITE, base.with_content(record), tree).rules
    assert {"speed.cohort.incomplete", "speed.failures.vanished"} <= set(found)


@pytest.mark.parametrize("part", ["queue", "prefill", "decode", "verification", "fallback"])
def test_no_second_can_be_left_off_the_bill(part: str, tree: Tree) -> None:
    base = valid(speed_claims.SUITE)["kept"]
    record = copy.deepcopy(base.document.value)
    seconds: dict[str, Any] = record["observed"]["candidate"]["attempts"][3]["seconds"]
    assert seconds[part] > 0
    seconds[part] = 0.0
    record["observedDigest"] = canonical_digest(record["observed"])
    found = judged(speed_claims.SUITE, base.with_content(record), tree).rules
    assert "speed.cost.uncharged" in found


@pytest.mark.parametrize(
    ("sensitivity", "format_"),
    [(0.0, "int8"), (0.249, "int8"), (0.25, "float16"), (0.749, "float16"), (0.75, "float32")],
)
def test_a_threshold_that_is_reached_routes_to_the_wider_format(
    sensitivity: float, format_: str, tree: Tree
) -> None:
    base = valid(precision_routing.SUITE)["routed"]
    record = copy.deepcopy(base.document.value)
    decision = record["decisions"][0]
    decision["inputs"]["estimatedSensitivity"] = sensitivity
    decision["inputsDigest"] = canonical_digest(decision["inputs"])
    decision["attempts"][0]["format"] = format_
    assert judged(precision_routing.SUITE, base.with_content(record), tree).rules == ()
    decision["attempts"][0]["format"] = "float32" if format_ != "float32" else "int8"
    found = judged(precision_routing.SUITE, base.with_content(record), tree).rules
    assert found == ("precision.choice.differs",)
