"""The tools that had a part in a verdict, by package URL."""

from __future__ import annotations

import platform
import re
from importlib.metadata import PackageNotFoundError, requires, version
from urllib.parse import quote

from msgspec import Struct

_REQUIREMENT = re.compile(r"(?P<name>[A-Za-z0-9._-]+)(?:.*extra == ['\"](?P<extra>[\w-]+)['\"])?")
_JUDGING = {None, "probe", "lean"}


class Component(Struct, frozen=True, order=True):
    """A tool that had a part in the verdict: its name, and a package URL with its version."""

    name: str
    uri: str


def installed_tools() -> tuple[Component, ...]:
    """Python, genconform, and of its own, its probes' and its Lean's packages those installed."""
    wanted = {name for name, extra in requirements() if extra in _JUDGING}
    found = [(name, installed_version(name)) for name in {"genconform", *wanted}]
    packages = [Component(name, f"pkg:pypi/{name}@{quote(v)}") for name, v in found if v]
    python = Component("python", f"pkg:generic/python@{platform.python_version()}")
    return tuple(sorted([*packages, python]))


def requirements() -> list[tuple[str, str | None]]:
    """Each package that genconform asks for, with the extra that asks for it, if it is one's."""
    try:
        asked = requires("genconform") or []
    except PackageNotFoundError:  # run from source that nobody installed
        asked = []
    found = []
    for requirement in asked:
        match = _REQUIREMENT.match(requirement)
        if match is not None:
            found.append((normalized(match["name"]), match["extra"]))
    return found


def normalized(name: str) -> str:
    """A package's name as the index writes it (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def installed_version(name: str) -> str | None:
    """The version of an installed package, or None."""
    try:
        return version(name)
    except PackageNotFoundError:
        return None
