"""The tree that is checked: spec/, lean/, fixtures/, mutations/ and the package code.

A checkout and an installed wheel hold the same files in different folders. A `Tree` speaks of
them by their path in a checkout, which is also how manifests and findings name them.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path, PurePath, PurePosixPath

from genconform.errors import UsageError

_PACKAGE = Path(__file__).resolve().parent
_MARKER = PurePosixPath("spec/lifecycle.yaml")


@dataclass(frozen=True)
class Tree:
    """A root folder, and for an installed wheel the folders of the packages beside it."""

    root: Path
    packages: tuple[tuple[str, Path], ...] = ()

    def path(self, relative: str) -> Path:
        """The file or folder that has this path in a checkout; it need not exist."""
        base, below = self.place(relative)
        return base / below

    def place(self, relative: str) -> tuple[Path, str]:
        """The folder of this tree that holds a path of a checkout, and the path below it."""
        for prefix, folder in self.packages:
            if relative == prefix or relative.startswith(prefix + "/"):
                return folder, relative[len(prefix) :].lstrip("/")
        return self.root, relative

    def name(self, path: Path) -> str:
        """The path in a checkout, with forward slashes, of a file of this tree."""
        if path.is_relative_to(self.root):  # asked first: in a wheel it is in a package's folder
            return _shown(path.relative_to(self.root))
        for prefix, folder in self.packages:
            if path.is_relative_to(folder):
                return _shown(PurePosixPath(prefix) / path.relative_to(folder))
        raise ValueError(f"{path} is not in the tree")


def _shown(path: PurePath) -> str:
    """A path as text: UTF-8 whatever the locale, what is not UTF-8 as escapes."""
    return os.fsencode(path.as_posix()).decode("utf-8", "backslashreplace")


def find_tree(root: Path | None = None) -> Tree:
    """The tree at `root`, or the one that this package came with.

    Raises:
        UsageError: there is no spec/lifecycle.yaml below `root`.
    """
    if root is not None:
        if not (root / _MARKER).is_file():
            raise UsageError(
                f"{root} is not a genconform tree",
                expected=f"a folder that holds {_MARKER}",
                remedy="Point --root at a checkout, or leave it out to use the installed tree.",
            )
        return Tree(root.resolve())
    checkout = _PACKAGE.parents[1]
    if (checkout / _MARKER).is_file():
        return Tree(checkout)
    return Tree(_PACKAGE / "_tree", _installed_packages())


def folder(root: Path) -> Tree:
    """Any folder as a tree, in which every path means the file below it.

    Raises:
        UsageError: there is no such folder.
    """
    if not root.is_dir():
        raise UsageError(f"{root} is no folder", remedy="Point --root at an existing folder.")
    return Tree(root.resolve())


def _installed_packages() -> tuple[tuple[str, Path], ...]:
    packages = [("validators/genconform", _PACKAGE)]
    probe = find_spec("genconform_probe")
    if probe is not None and probe.origin is not None:
        packages.append(("runtime_probe/genconform_probe", Path(probe.origin).resolve().parent))
    return tuple(packages)
