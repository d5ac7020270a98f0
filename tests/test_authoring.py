"""docs/authoring.md, followed to the letter in a copy of the tree."""

from __future__ import annotations

from pathlib import Path

import pytest

from genconform.tree import Tree
from tests.walkthrough import add_the_rest, follow

PAGE = Path(__file__).parents[1] / "docs/authoring.md"


def test_the_page_does_what_it_says(
    copied_tree: Tree, tree: Tree, tmp_path_factory: pytest.TempPathFactory
) -> None:
    checkout = add_the_rest(copied_tree, tree)
    assert follow(PAGE, checkout, tmp_path_factory.mktemp("own")) == 8
