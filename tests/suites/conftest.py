"""A tree that is quick to copy, for tests that break a fixture or a mutation."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from genconform.tree import Tree, find_tree

CAUGHT = """\
suite: mine
mutations:
  - id: first
    base: witness/verified
    at: contextBound
    set: {riskTier: false}
    expect: requireRiskTier
"""
"""The file of an author suite whose one mutation is caught as it says."""


@pytest.fixture
def lifecycle_tree(tree: Tree, tmp_path: Path) -> Tree:
    """A copy of spec/ and of what bears on the suite `lifecycle`."""
    for folder in ("spec", "fixtures/lifecycle"):
        shutil.copytree(tree.path(folder), tmp_path / folder)
    (tmp_path / "mutations").mkdir()
    for name in ("routes", "order", "conditions"):
        shutil.copy(tree.path(f"mutations/{name}.yaml"), tmp_path / "mutations")
    return find_tree(tmp_path)
