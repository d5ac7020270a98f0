"""Author suites: mutations/*.yaml, one change each, with the route or rule that must catch it.

spec/mutations.md is the page on the format. What is wrong with a file is gathered, not raised at
the first fault, so that an author can mend all at once.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, TypeVar

from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import fields

from genconform.document import Document, decode, escape, read_document
from genconform.errors import GenconformError, MalformedInput
from genconform.finding import Location
from genconform.tree import Tree

FOLDER = "mutations"
# What reports call the mutants of the table, and the routes that mutations show.
RESERVED = TABLE_SUITE, RULES_SUITE, COVERAGE = "table", "rules", "coverage"
_T = TypeVar("_T", bound=Struct)
Name = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]


class Mutation(Struct, frozen=True, forbid_unknown_fields=True):
    """One change of an accepted input, and what must catch it.

    Attributes:
        id: names it within its suite.
        base: the accepted input, as `SUITE/NAME` or `witness/NAME`.
        expect: the rejecting route, or the rule, that catches it; it and no other.
        at: the stage whose event is changed, in a run or a trace.
        set: new values of the event: its `kind`, or values of its packet, by name.
        pointer: the JSON pointer of the change, in a document or an event's evidence.
        value: what stands there instead.
        remove: whether what stands there is taken away.
        why: one sentence for the reader.
    """

    id: Name
    base: str
    expect: str
    at: str = ""
    set: dict[str, Any] = {}
    pointer: str | UnsetType = UNSET
    value: Any = UNSET
    remove: bool = False
    why: str = ""


class AuthorSuite(Struct, frozen=True, forbid_unknown_fields=True):
    """A file of mutations. `suite` is the name of the file."""

    suite: Name
    mutations: tuple[Mutation, ...]
    about: str = ""


class Unfit(Exception):
    """A change that cannot be made: `field` is the pointer, within the mutation, to blame."""

    def __init__(
        self, message: str, field: str, expected: str | None = None, actual: str | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.field = field
        self.expected = expected
        self.actual = actual


@dataclass(frozen=True)
class Placed:
    """A mutation, its suite, and where it stands."""

    suite: str
    mutation: Mutation
    document: Document
    pointer: str

    @property
    def id(self) -> str:
        """The mutation's name among those of all suites."""
        return f"{self.suite}/{self.mutation.id}"

    @property
    def location(self) -> Location:
        """Where the mutation stands."""
        return self.document.location(self.pointer)

    def refused(self, unfit: Unfit) -> MalformedInput:
        """The error for a change that cannot be made, at the line to blame."""
        return MalformedInput(
            f"{self.mutation.id}: {unfit.message}",
            location=self.document.location(self.pointer + unfit.field),
            expected=unfit.expected,
            actual=unfit.actual,
        )


@dataclass(frozen=True)
class Fault:
    """Something that is wrong with the file of a suite."""

    suite: str
    error: GenconformError


@dataclass(frozen=True)
class Authored:
    """Author suites: their names, their mutations, and what is wrong with their files."""

    suites: tuple[str, ...] = ()
    mutations: tuple[Placed, ...] = ()
    faults: tuple[Fault, ...] = ()

    def __add__(self, other: Authored) -> Authored:
        return Authored(
            self.suites + other.suites,
            self.mutations + other.mutations,
            self.faults + other.faults,
        )


def load_authored(tree: Tree) -> Authored:
    """Read every author suite of a tree, in the order of their names."""
    folder = tree.path(FOLDER)
    paths = sorted(folder.iterdir()) if folder.is_dir() else []
    return sum((_read(path, tree.name(path)) for path in paths if _is_suite(path)), Authored())


def parse_suite(document: Document) -> Authored:
    """The mutations of one file, and everything that is wrong with it."""
    stem = PurePosixPath(document.name).stem
    if stem in RESERVED:
        return _taken(document)
    try:
        head = _decoded(document, _Head, document.value, "")
    except MalformedInput as error:
        return Authored((stem,), (), (Fault(stem, error),))
    faults: list[GenconformError] = []
    placed: list[Placed] = []
    if head.suite != stem:
        faults.append(_misnamed(document, head.suite, stem))
    for index, value in enumerate(head.mutations):
        pointer = f"/mutations/{index}"
        try:
            mutation = _decoded(document, Mutation, value, pointer)
            each = Placed(stem, mutation, document, pointer)
            _check_form(each, placed)
            placed.append(each)
        except MalformedInput as error:
            faults.append(error)
    return Authored((stem,), tuple(placed), tuple(Fault(stem, error) for error in faults))


def _taken(document: Document) -> Authored:
    name = PurePosixPath(document.name).name
    error = MalformedInput(
        "a suite cannot have this name",
        location=Location(document.name),
        expected=f"any other than {' and '.join(RESERVED)}, which reports call otherwise",
    )
    return Authored((name,), (), (Fault(name, error),))


def _misnamed(document: Document, name: str, stem: str) -> MalformedInput:
    return MalformedInput(
        "a suite is named as its file is",
        location=document.location("/suite"),
        expected=stem,
        actual=name,
    )


class _Head(Struct, frozen=True, forbid_unknown_fields=True):
    """An author suite whose mutations are still to be read, each on its own."""

    suite: Name
    mutations: Annotated[list[Any], Meta(min_length=1)]
    about: str = ""


def _is_suite(path: Path) -> bool:
    return not path.name.startswith(".") and path.suffix != ".md"


def _read(path: Path, name: str) -> Authored:
    try:
        if path.suffix != ".yaml":
            raise MalformedInput(
                "not an author suite", location=Location(name), expected="a file named *.yaml"
            )
        return parse_suite(read_document(path, name))
    except GenconformError as error:
        if error.message.startswith("not YAML"):
            error.expected = error.expected or _QUOTED
        return Authored((path.stem,), (), (Fault(path.stem, error),))


def _decoded(document: Document, into: type[_T], value: Any, pointer: str) -> _T:
    """Decode, but say what an unknown field may have been meant to be."""
    known = [field.name for field in fields(into)]
    for key in value if isinstance(value, dict) else ():
        if key not in known:
            raise MalformedInput(
                f"unknown field {key!r}",
                location=document.location(f"{pointer}/{escape(key)}"),
                expected=one_of(key, known),
            )
    return decode(document, into, value, pointer)


def _check_form(each: Placed, before: list[Placed]) -> None:
    """Refuse a mutation that does not say exactly one change, or whose id is taken.

    Raises:
        MalformedInput: at the line to blame.
    """
    mutation = each.mutation
    for unfit in form_faults(mutation):
        raise each.refused(unfit)
    for other in before:
        if other.mutation.id == mutation.id:
            first = f"the first is on line {other.location.line}"
            raise each.refused(Unfit("the id stands twice", "/id", "each id once", first))


def form_faults(mutation: Mutation) -> Iterator[Unfit]:
    """What keeps a mutation from saying exactly one change."""
    pointed = mutation.pointer is not UNSET
    valued = mutation.value is not UNSET
    if bool(mutation.set) == pointed:
        said = "both `set` and `pointer`" if pointed else "no change"
        yield Unfit("a mutation makes one kind of change", "", "`set`, or `pointer`", said)
    elif pointed and valued == mutation.remove:
        said = "both" if valued else "neither"
        yield Unfit("what becomes of the pointer's value?", "/pointer", _VALUE_OR_REMOVE, said)
    elif not pointed and (valued or mutation.remove):
        field = "/value" if valued else "/remove"
        yield Unfit("there is no pointer for it", field, "a `pointer`")


_LISTED_AT_MOST = 16
_QUOTED = "YAML, in which a text that holds a colon and a space stands in quotes"
_VALUE_OR_REMOVE = "`value: ...`, or `remove: true`"


def one_of(name: str, known: Iterable[str]) -> str:
    """What a name may have been meant to be: the nearest known ones, or all if they are few."""
    names = list(known)
    near = difflib.get_close_matches(name, names, n=3)
    if near:
        return "perhaps " + " or ".join(near)
    listed = ", ".join(names[:_LISTED_AT_MOST])
    more = len(names) - _LISTED_AT_MOST
    return f"one of {listed}" + (f", and {more} more" if more > 0 else "")
