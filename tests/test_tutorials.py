"""The tutorials, followed to the letter in a copy of the tree."""

from __future__ import annotations

from pathlib import Path

import pytest

from genconform.tree import Tree
from tests.conftest import CommandLine
from tests.walkthrough import follow

FOLDER = Path(__file__).parents[1] / "docs/tutorials"
PAGES = {"maintainer": 11, "spec-author": 14, "auditor": 14, "inference-engineer": 10}
"""The pages, and how many commands each has: none is passed for having fewer than it shows."""


@pytest.fixture
def bound(copied_tree: Tree, genconform_here: CommandLine) -> Tree:
    """The copy with a manifest of its own, whatever the state of the checkout's."""
    assert genconform_here("digest", "bind", "--root", copied_tree.root).returncode == 0
    return copied_tree


@pytest.mark.parametrize("name", PAGES)
def test_the_page_does_what_it_says(
    name: str, bound: Tree, tmp_path_factory: pytest.TempPathFactory
) -> None:
    ran = follow(FOLDER / f"{name}.md", bound.root, tmp_path_factory.mktemp("own"))
    assert ran == PAGES[name]


def test_every_tutorial_is_followed() -> None:
    assert {path.stem for path in FOLDER.glob("*.md")} == set(PAGES)
