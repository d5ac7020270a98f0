"""The catalogues of spec/, typed. Fields that name something elsewhere have the name of its kind.

`references` finds every such name, whatever the catalogue; `check` looks whether it exists.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, NamedTuple, TypeVar

from msgspec import Meta, Struct

from genconform.document import Document, decode, read_document
from genconform.errors import MalformedInput
from genconform.tree import Tree

Text = Annotated[str, Meta(min_length=1)]
Names = tuple[Text, ...]


class Entry(Struct, frozen=True, rename="camel", forbid_unknown_fields=True):
    """Base of everything in a catalogue."""


class Enforcement(Entry, frozen=True):
    """What makes something hold: rules and routes, claims proved in Lean, runs of the probe."""

    rules: Names = ()
    claims: Names = ()
    runs: Names = ()

    def __bool__(self) -> bool:
        """Whether there is anything."""
        return bool(self.rules or self.claims or self.runs)


class Invariant(Entry, frozen=True):
    """Something that must hold; where nothing enforces it, `not_mechanised` says why."""

    id: Text
    text: Text
    enforced: Enforcement
    not_covered: Text
    not_mechanised: str = ""


class Failure(Entry, frozen=True):
    """A way to go wrong, what catches it, and committed inputs that go wrong in that way.

    `fixtures` are expected-invalid ones as SUITE/FILE, `mutations` authors' ones as SUITE/ID.
    """

    id: Text
    text: Text
    enforced: Enforcement
    not_covered: Text
    fixtures: Names = ()
    mutations: Names = ()
    not_mechanised: str = ""


class GovernedStage(Entry, frozen=True):
    """One of the eighteen governed stages: the stages, routes, rules and records that bear it."""

    id: Text
    text: Text
    stages: Names
    routes: Names
    not_covered: Text
    rules: Names = ()
    suites: Names = ()


class Boundary(Entry, frozen=True):
    """An owner, what it hands over, and the events, fields and records that carry that."""

    id: Text
    gives: Names
    kinds: Names
    authority: Literal["none"]
    not_covered: Text
    fields: Names = ()
    suites: Names = ()


class Source(Entry, frozen=True):
    """A work that is cited: what for, its limit, what it bears on, and how far it was run here."""

    id: Text
    kind: Literal["design", "paper", "documentation", "software"]
    about: Text
    used_for: Text
    limit: Text
    status: Literal["not_reproduced", "partly_exercised", "out_of_reach"]
    modes: Names = ()
    mechanisms: Names = ()
    caches: Names = ()
    runs: Names = ()
    suites: Names = ()
    because: str = ""


_E = TypeVar("_E", bound=Entry)


class Catalogue(NamedTuple):
    """A file of entries: where it is, what its list is called, what stands in it."""

    path: str
    entry: type[Entry]

    @property
    def name(self) -> str:
        """The name of its list and of its count."""
        return _LISTS[self.entry]


_LISTS: dict[type[Entry], str] = {
    Invariant: "invariants",
    Failure: "failures",
    GovernedStage: "stages",
    Boundary: "boundaries",
    Source: "sources",
}
INVARIANTS = Catalogue("spec/invariants.yaml", Invariant)
FAILURES = Catalogue("spec/failures.yaml", Failure)
GOVERNED_STAGES = Catalogue("spec/eighteen-stages.yaml", GovernedStage)
BOUNDARIES = Catalogue("spec/boundaries.yaml", Boundary)
SOURCES = Catalogue("spec/sources.yaml", Source)
CATALOGUES = (INVARIANTS, FAILURES, GOVERNED_STAGES, BOUNDARIES, SOURCES)


class Read(NamedTuple):
    """A catalogue as read: the document, its entries, and how many it declares."""

    document: Document
    name: str
    entries: tuple[Any, ...]
    declared: int

    def pointer(self, index: int) -> str:
        """Where an entry stands."""
        return f"/{self.name}/{index}"


class _Head(Struct, frozen=True):
    version: Literal[1]
    counts: Mapping[str, int]


def read(tree: Tree, catalogue: Catalogue) -> Read:
    """Read a catalogue of a tree.

    Raises:
        UsageError: it cannot be read.
        MalformedInput: it is broken.
    """
    document = read_document(tree.path(catalogue.path), catalogue.path)
    declared = decode(document, _Head).counts
    name = catalogue.name
    if set(declared) != {name} or set(document.value) != {"version", "counts", name}:
        raise MalformedInput(
            "not a catalogue",
            location=document.location(""),
            expected=f"version, counts of {name} alone, and {name}",
            actual=", ".join(document.value),
        )
    entries = decode(document, tuple[catalogue.entry, ...], document.value[name], f"/{name}")  # type: ignore[name-defined]
    return Read(document, name, entries, declared[name])


class Reference(NamedTuple):
    """A name in an entry: the kind of thing that it names, and where it stands in the entry."""

    kind: str
    name: str
    pointer: str


KINDS = frozenset(
    (
        *("rules", "claims", "runs", "fixtures", "mutations", "suites"),
        *("stages", "routes", "kinds", "fields"),
        *("modes", "mechanisms", "caches"),
    )
)
"""The kinds of things that entries name, which are also the names of the fields that do."""


def references(entry: Entry, pointer: str = "") -> Iterator[Reference]:
    """Every name in an entry that stands for something elsewhere."""
    cls = type(entry)
    for attribute, name in zip(cls.__struct_fields__, cls.__struct_encode_fields__, strict=True):
        value, place = getattr(entry, attribute), f"{pointer}/{name}"
        if isinstance(value, Entry):
            yield from references(value, place)
        elif attribute in KINDS:
            for index, named in enumerate(value):
                yield Reference(attribute, named, f"{place}/{index}")
