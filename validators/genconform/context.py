"""What a check is given: the tree, and how the user asked for it to be checked."""

from __future__ import annotations

from dataclasses import dataclass

from genconform.tree import Tree


@dataclass(frozen=True)
class Context:
    """The tree to check; `jobs` processes at most; `cache` whether earlier results may be used.

    With `raises` an error that is a fault of the check itself is raised, rather than reported as
    what came of the check.
    """

    tree: Tree
    jobs: int = 1
    cache: bool = True
    raises: bool = False
