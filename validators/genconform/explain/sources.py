"""What topics are made from: the spec, the registries, the authors' changes, read once a tree."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

import yaml
from msgspec import UNSET

from genconform.catalogue.entries import (
    FAILURES,
    GOVERNED_STAGES,
    INVARIANTS,
    Failure,
    GovernedStage,
    Invariant,
    read,
)
from genconform.document import Document, read_document
from genconform.explain.topic import Example, Kind, Reference
from genconform.lean.claims import Claim, Source, claims_in, load_registry, proving_module
from genconform.lean.package import FOLDER as LEAN
from genconform.lean.package import ROOT, Module, load_modules
from genconform.mutation.author import Placed, load_authored
from genconform.spec.modes import ModeRegistry, load_modes
from genconform.spec.rules import ROUTE_PREFIX, Rule, load_rules
from genconform.spec.table import TABLE_PATH, Line, Table, parse_table
from genconform.tree import Tree

_NAMED_IN_LEAN = re.compile(r"\.([a-z]\w*)")


class ProvedClaim(NamedTuple):
    """A claim of Lean, its module, its English sentence, and the path of its proof."""

    claim: Claim
    source: Source
    sentence: str
    path: str

    @property
    def names(self) -> frozenset[str]:
        """The fields, stages and routes that its statement speaks of."""
        return frozenset(_NAMED_IN_LEAN.findall(self.claim.statement))


class PlacedLine(NamedTuple):
    """A line of the table; `stage` is "" for one that is asked at every stage, numbers from 1."""

    line: Line
    stage: str
    number: int
    pointer: str


class Sources:
    """The documents of a tree, each read when it is first asked for."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree

    @cached_property
    def document(self) -> Document:
        """The table's document, which knows the lines of the file."""
        return read_document(self.tree.path(TABLE_PATH), TABLE_PATH)

    @cached_property
    def table(self) -> Table:
        """The lifecycle."""
        return parse_table(self.document)

    def at(self, pointer: str) -> str:
        """A place in the table's file."""
        location = self.document.location(pointer)
        return f"{location.file}:{location.line}"

    @cached_property
    def lines(self) -> dict[str, PlacedLine]:
        """The first line of each route."""
        table = self.table
        placed = [
            PlacedLine(line, "", number, f"/commonLines/{number - 1}")
            for number, line in enumerate(table.common_lines, 1)
        ] + [
            PlacedLine(line, stage, number, f"/stageLines/{stage}/{number - 1}")
            for stage, lines in table.stage_lines.items()
            for number, line in enumerate(lines, 1)
        ]
        first: dict[str, PlacedLine] = {}
        for one in placed:
            first.setdefault(one.line.route, one)
        return first

    @cached_property
    def rules(self) -> dict[str, Rule]:
        """The rules but for those of the routes, which are topics of their own."""
        every = load_rules(self.tree)
        return {id_: rule for id_, rule in every.items() if not id_.startswith(ROUTE_PREFIX)}

    @cached_property
    def modes(self) -> ModeRegistry:
        """The generation modes."""
        return load_modes(self.tree)

    @cached_property
    def invariants(self) -> tuple[Invariant, ...]:
        """What must hold."""
        return read(self.tree, INVARIANTS).entries

    @cached_property
    def failures(self) -> tuple[Failure, ...]:
        """What may go wrong."""
        return read(self.tree, FAILURES).entries

    @cached_property
    def governed(self) -> tuple[GovernedStage, ...]:
        """The eighteen governed stages."""
        return read(self.tree, GOVERNED_STAGES).entries

    @cached_property
    def mutations(self) -> tuple[Placed, ...]:
        """The authors' changes, those of the suite `routes` first."""
        placed = load_authored(self.tree).mutations
        return tuple(sorted(placed, key=lambda one: one.suite != "routes"))

    @cached_property
    def claims(self) -> dict[str, ProvedClaim]:
        """What is claimed in Lean, by name."""
        modules = load_modules(self.tree.path(LEAN), ROOT, LEAN)
        return {
            claim.name: ProvedClaim(claim, source, sentences[claim.name], path)
            for source in load_registry().sources
            if source.module in modules
            for sentences in [claims_in(modules[source.module])]
            for claim in source.claims
            if claim.name in sentences
            for path in [_path(modules, claim, source)]
        }

    def enforcing(self, rule: str) -> Iterator[Reference]:
        """The invariants and failure modes that a rule enforces or catches."""
        for kind, entries in ((Kind.INVARIANT, self.invariants), (Kind.FAILURE, self.failures)):
            yield from (Reference(kind, each.id) for each in entries if rule in each.enforced.rules)

    def claims_about(self, names: Iterable[str]) -> Iterator[Reference]:
        """The claims whose statements speak of one of these names."""
        wanted = set(names)
        for name, claim in self.claims.items():
            if wanted & claim.names:
                yield Reference(Kind.CLAIM, name)


def _path(modules: dict[str, Module], claim: Claim, source: Source) -> str:
    name = proving_module(modules, claim, source)
    return modules[name or source.module].path


_WRITTEN = ("id", "base", "at", "set", "pointer", "value", "remove", "expect", "why")


def mutation_example(placed: Placed, says: str) -> Example:
    """An author's change, as its file could hold it."""
    values = {name: getattr(placed.mutation, name) for name in _WRITTEN}
    given = {name: value for name, value in values.items() if value not in ("", {}, UNSET, False)}
    if not placed.mutation.remove and placed.mutation.value is not UNSET:
        given["value"] = placed.mutation.value
    text = yaml.safe_dump([given], sort_keys=False, default_flow_style=None, width=100)
    return Example(f"{says}, from `{placed.document.name}`:", text.rstrip(), "yaml")
