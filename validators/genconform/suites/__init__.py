"""Fixture suites: committed inputs that must pass, and inputs that one rule must catch.

A suite is a module here that defines SUITE, a folder fixtures/NAME with valid/ and invalid/, and
its rules in spec/rules.yaml. The name of a file in invalid/ starts with the id of the rule that
catches it, or with the route. Nothing else needs to change for a new one.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import PurePosixPath
from typing import Any

from genconform.document import Document, parse_document, read_bytes
from genconform.errors import MalformedInput, UsageError
from genconform.finding import Finding
from genconform.mutation.author import Mutation
from genconform.mutation.change import change_at_pointer
from genconform.tree import Tree

FOLDER = "fixtures"
VALID, INVALID = "valid", "invalid"


@dataclass(frozen=True)
class Fixture:
    """An input by its path in a checkout, as bytes.

    `changed` is its content after a mutation, `unmade` why it has none: it is the change of
    another fixture, and cannot be made.
    """

    name: str
    data: bytes
    changed: Document | None = None
    unmade: MalformedInput | None = None

    @cached_property
    def document(self) -> Document:
        """The content, of a fixture that is YAML or JSON.

        Raises:
            MalformedInput: it is neither, or was not made.
        """
        if self.unmade is not None:
            raise self.unmade
        return self.changed or parse_document(self.data, self.name)

    @property
    def stem(self) -> str:
        """The name of the file, without folders and ending."""
        return PurePosixPath(self.name).stem

    def with_content(self, value: Any) -> Fixture:
        """This fixture with another content, whose places are those of the file."""
        document = Document(self.name, value, self.document.lines)
        return Fixture(self.name, self.data, document)


def changed_document(fixture: Fixture, mutation: Mutation) -> Fixture:
    """A document with one value at a pointer set or removed.

    Raises:
        Unfit: the mutation cannot be made on this document.
    """
    return fixture.with_content(change_at_pointer(fixture.document.value, mutation))


@dataclass(frozen=True)
class Suite:
    """One kind of fixture.

    Attributes:
        name: also that of its folder below fixtures/.
        summary: one line for a person.
        judge: all that its rules find in a fixture; a MalformedInput that it raises is a fault of
            the fixture.
        change: makes an author's change to a valid fixture, or raises Unfit.
        prefix: what authors write before a valid fixture's name; by default the suite's name.
    """

    name: str
    summary: str
    judge: Callable[[Fixture, Tree], Iterable[Finding]]
    change: Callable[[Fixture, Mutation], Fixture] = changed_document
    prefix: str = ""

    def fixtures(self, tree: Tree, kind: str) -> list[Fixture]:
        """The fixtures in its folder `valid` or `invalid`, by name."""
        folder = tree.path(f"{FOLDER}/{self.name}/{kind}")
        paths = sorted(folder.iterdir()) if folder.is_dir() else []
        named = [(tree.name(path), path) for path in paths if not path.name.startswith(".")]
        return [Fixture(name, read_bytes(path, name)) for name, path in named]

    def artifacts(self, tree: Tree) -> dict[str, str]:
        """The files that its verdict rests on beside its fixtures, by role; those that there are.

        The code of its module, the schema of its records, the pins of facts from outside, and
        the mutations that are named as it is.
        """
        roles = {
            "validator": f"validators/genconform/suites/{self.name.replace('-', '_')}.py",
            "schema": f"spec/schemas/{self.name}.schema.json",
            "pins": f"{FOLDER}/{self.name}/pins.yaml",
            "mutations": f"mutations/{self.name}.yaml",
        }
        return {role: path for role, path in roles.items() if tree.path(path).is_file()}

    def carried(self, fixture: Fixture) -> dict[str, Any]:
        """What a valid fixture comes to that others may count or read, by name."""
        return {}


def all_suites() -> tuple[Suite, ...]:
    """Every suite, by name."""
    found = (_suite_in(module) for module in _modules())
    return tuple(sorted((suite for suite in found if suite), key=lambda suite: suite.name))


def suites_named(names: Iterable[str]) -> tuple[Suite, ...]:
    """The suites of these names, or every one for no names; others are not even imported.

    Raises:
        UsageError: a name is not a suite's.
    """
    wanted = dict.fromkeys(names)
    return tuple(_named(name) for name in wanted) if wanted else all_suites()


def _named(name: str) -> Suite:
    """The suite of this name, which its module has too but for the dashes."""
    module = name.replace("-", "_")
    suite = _suite_in(module) if module in _modules() else None
    if suite is None or suite.name != name:
        known = ", ".join(suite.name for suite in all_suites())
        raise UsageError(f"there is no fixture suite named {name!r}", expected=f"one of {known}")
    return suite


def _modules() -> set[str]:
    return {each.name for each in pkgutil.iter_modules(__path__)}


def _suite_in(module: str) -> Suite | None:
    suite = getattr(import_module(f"{__name__}.{module}"), "SUITE", None)
    return suite if isinstance(suite, Suite) else None
