"""A cache may reuse state only under the very key that it was made under; text is not enough."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genconform.digest.canonical import canonical_digest
from genconform.suites import VALID, Fixture
from genconform.suites.cache_receipts import (
    KINDS,
    PRIVACY,
    REASONS,
    REFUSED_BY,
    SUITE,
    Key,
    rules,
)
from genconform.suites.record import names
from genconform.suites.replay import judged
from genconform.tree import Tree, find_tree

PAGE = (Path(__file__).parents[2] / "spec/receipts.md").read_text(encoding="utf-8")
PARTS = [name for _, name in names(Key)]
FIXTURES = {fixture.stem: fixture for fixture in SUITE.fixtures(find_tree(), VALID)}
APART = {
    "tenant": "cache.sharing.crossed",
    "sourceVersionsDigest": "cache.dependency.changed",
    "authorityEpoch": "cache.entry.stale",
    "policyEpoch": "cache.entry.stale",
    "invalidationEpoch": "cache.entry.stale",
}


def sealed(receipt: dict[str, Any]) -> dict[str, Any]:
    """The receipt with every digest taken anew, as whoever wrote it would."""
    receipt = copy.deepcopy(receipt)
    entry, receipt["keyDigest"] = receipt["entry"], canonical_digest(receipt["key"])
    entry["keyDigest"] = canonical_digest(entry["key"])
    made = ("createdForRequest", "createdSeconds", "lifetimeSeconds", "sharing", "tokens")
    entry["id"] = canonical_digest(
        {
            "kind": receipt["kind"],
            "keyDigest": entry["keyDigest"],
            "contentDigest": entry["contentDigest"],
            **{name: entry[name] for name in made},
        }
    )
    receipt["receiptId"] = canonical_digest(
        {
            **{name: receipt[name] for name in ("kind", "keyDigest", "lookup", "state", "reason")},
            **{name: entry[name] for name in ("readDigest", "lastAccessedSeconds")},
        }
    )
    return receipt


def another(value: Any) -> Any:
    """Another value of the same kind."""
    if isinstance(value, str):
        return "f" * 64 if len(value) == 64 or value == "none" else value + "-2"
    return value + 1


def caught(base: Fixture, receipt: dict[str, Any], tree: Tree) -> tuple[str, ...]:
    return judged(SUITE, base.with_content(receipt), tree).rules


@pytest.mark.parametrize("name", ["prefix-hit", "prefix-partial", "module-hit", "persistent-hit"])
@pytest.mark.parametrize("part", [part for part in PARTS if part != "expiresAtSeconds"])
def test_an_entry_that_differs_in_one_part_of_its_key_is_never_used(
    name: str, part: str, tree: Tree
) -> None:
    base = FIXTURES[name]
    receipt = copy.deepcopy(base.document.value)
    receipt["entry"]["key"][part] = another(receipt["entry"]["key"][part])
    assert caught(base, sealed(receipt), tree) == (APART.get(part, "cache.state.differs"),)


@pytest.mark.parametrize("part", PARTS)
def test_a_key_that_leaves_out_a_part_is_found(part: str, tree: Tree) -> None:
    base = FIXTURES["prefix-hit"]
    receipt = copy.deepcopy(base.document.value)
    del receipt["key"][part], receipt["entry"]["key"][part]
    assert "cache.key.part-missing" in caught(base, sealed(receipt), tree)


@given(st.sets(st.sampled_from(sorted(REFUSED_BY)), min_size=1))
def test_every_reason_not_to_use_an_entry_is_named(reasons: set[str]) -> None:
    """However many there are at once, each is caught by its own rule."""
    base = FIXTURES["persistent-hit"]
    receipt = copy.deepcopy(base.document.value)
    entry = receipt["entry"]
    changes: dict[str, Any] = {
        "key-differs": lambda: entry["key"].update(kernels="others"),
        "expired": lambda: receipt["lookup"].update(accessedSeconds=5000.0),
        "epoch-advanced": lambda: entry["key"].update(policyEpoch=1),
        "deleted": lambda: entry.update(deletion="marked"),
        "scope-refused": lambda: entry["key"].update(tenant="somebody-else"),
        "dependency-changed": lambda: entry["key"].update(sourceVersionsDigest="0" * 64),
        "content-altered": lambda: entry.update(readDigest="0" * 64),
    }
    for reason in reasons:
        changes[reason]()
    found = set(caught(base, sealed(receipt), find_tree())) & set(REFUSED_BY.values())
    assert found == {REFUSED_BY[reason] for reason in reasons}


def test_every_kind_and_every_reason_has_a_receipt() -> None:
    seen = [fixture.document.value for fixture in FIXTURES.values()]
    assert {receipt["kind"] for receipt in seen} == set(KINDS)
    assert {(receipt["state"], receipt["reason"]) for receipt in seen} == {
        (state, reason) for state, known in REASONS.items() for reason in known
    }
    assert {receipt["privacyTreatment"] for receipt in seen} == set(PRIVACY.values())


def test_the_page_tells_of_everything() -> None:
    reasons = [reason for known in REASONS.values() for reason in known]
    for name in (*KINDS, *REASONS, *reasons, *PARTS):
        assert f"`{name}`" in PAGE, name


def test_refusals_have_rules() -> None:
    assert set(REFUSED_BY) == set(REASONS["invalid"])
    assert set(REFUSED_BY.values()) < set(rules.ids)
