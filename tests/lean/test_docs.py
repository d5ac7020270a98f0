"""The page on the formal part says what is proven, as of now."""

from __future__ import annotations

from genconform.lean.claims import load_registry
from genconform.tree import Tree
from scripts.lean_docs import PAGE, page


def test_the_page_is_fresh(tree: Tree) -> None:
    written = (tree.root / PAGE).read_text(encoding="utf-8")
    assert written == page(tree), "run scripts/lean_docs.py"


def test_every_claim_and_every_tag_is_on_the_page(tree: Tree) -> None:
    text, registry = page(tree), load_registry()
    for claim in registry.claims:
        assert f"`{claim.theorem}`" in text
    names = {claim.name for claim in registry.claims}
    for tag in registry.tags:
        assert f"`{tag.tag}`" in text
        assert set(tag.claims) <= names


def test_every_claim_has_a_sentence(tree: Tree) -> None:
    rows = [line for line in page(tree).split("\n") if line.startswith("| ")]
    assert not [row for row in rows if "|  |" in row]
