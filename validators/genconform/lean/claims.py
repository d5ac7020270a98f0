"""What is claimed: the checker's own restatement, proved by the package and audited for axioms."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from msgspec import Struct

from genconform.document import decode, read_document
from genconform.lean.build import Outcome
from genconform.lean.package import Module

REGISTRY_PATH = "validators/genconform/lean/claims.yaml"
ALLOWED_AXIOMS = frozenset({"propext", "Quot.sound"})
_REGISTRY = Path(__file__).with_name("claims.yaml")


class Claim(Struct, frozen=True, forbid_unknown_fields=True):
    """A statement in Lean. `proof` is a term; "" stands for the theorem of the claim's name."""

    name: str
    statement: str
    proof: str = ""

    @property
    def theorem(self) -> str:
        """The name of the theorem that proves it in the package."""
        return self.name[0].lower() + self.name[1:]


class Source(Struct, frozen=True, forbid_unknown_fields=True, rename="camel"):
    """The claims that one module makes, and the words that it defines.

    `all_words` says that every definition of the module stands here, so that none can be changed
    and nothing said of it.
    """

    module: str
    namespace: str
    claims: tuple[Claim, ...] = ()
    words: tuple[Claim, ...] = ()
    all_words: bool = True

    @property
    def opened(self) -> str:
        """The namespaces in which the statements are to be read: its own and those around it."""
        parts = self.namespace.split(".")
        return " ".join(".".join(parts[:count]) for count in range(2, len(parts) + 1))


class Tag(Struct, frozen=True, forbid_unknown_fields=True):
    """A name that documents elsewhere use for a part of the formal model."""

    tag: str
    covers: str
    claims: tuple[str, ...]


class Registry(Struct, frozen=True, forbid_unknown_fields=True):
    """All that is claimed."""

    version: int
    sources: tuple[Source, ...]
    tags: tuple[Tag, ...]

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The claims of all sources, without the words."""
        return tuple(claim for source in self.sources for claim in source.claims)


def load_registry() -> Registry:
    """The registry that came with this package.

    Raises:
        MalformedInput: it is broken.
    """
    return decode(read_document(_REGISTRY, REGISTRY_PATH), Registry)


_CLAIM = re.compile(
    r"^(?:/-- (?P<doc>(?:(?!-/).)*?)\s-/\n)?def (?P<name>[A-Z]\w*) : Prop :=", re.M | re.S
)


def claims_in(module: Module) -> dict[str, str]:
    """The claims that a module defines, each with its English sentence on one line."""
    return {
        match["name"]: " ".join((match["doc"] or "").split())
        for match in _CLAIM.finditer(module.text)
    }


def proving_module(modules: dict[str, Module], claim: Claim, source: Source) -> str | None:
    """The module in which the theorem of a claim stands."""
    theorem = re.compile(rf"^theorem {re.escape(claim.theorem)}\b", re.M)
    for module in modules.values():
        inside = f"namespace {source.namespace}\n" in module.code
        if inside and theorem.search(module.code):
            return module.name
    return None


@dataclass(frozen=True)
class Audit:
    """A Lean file of our own that restates claims, and which lines of it are about which."""

    text: str
    lines: tuple[tuple[int, str], ...]

    def subject(self, line: int) -> str:
        """The claim that a line of the file is about, or ""."""
        return next((name for start, name in reversed(self.lines) if start <= line), "")


def audit_of(registry: Registry, imports: list[str]) -> Audit:
    """Write the audit of a registry, on top of some modules.

    It opens namespaces and stands in none, as a definition of the package in a namespace of the
    same name would be taken before the one that is meant.
    """
    text = "".join(f"import {name}\n" for name in imports)
    lines = []
    for source in registry.sources:
        text += f"\nsection\nopen {source.opened}\n"
        for word in source.words:
            lines.append((text.count("\n") + 1, word.name))
            text += _restated(word, source)
        for claim in source.claims:
            lines.append((text.count("\n") + 1, claim.name))
            text += _restated(claim, source) + _same(claim, source)
        text += "end\n"
    return Audit(text, tuple(lines))


def _restated(claim: Claim, source: Source) -> str:
    name = "restated_" + claim.name.replace(".", "_")
    proof = _indented(claim.proof) or f"_root_.{source.namespace}.{claim.theorem}"
    return (
        f"theorem {name} :\n    {_indented(claim.statement)} :=\n  {proof}\n#print axioms {name}\n"
    )


def _same(claim: Claim, source: Source) -> str:
    """That the package's claim is the one stated here, so that neither is weakened alone."""
    defined = f"_root_.{source.namespace}.{claim.name}"
    return f"example :\n    ({_indented(claim.statement)}) = {defined} :=\n  rfl\n"


def _indented(text: str) -> str:
    return text.strip().replace("\n", "\n    ")


_AXIOMS = re.compile(
    r"'[^']+' (?:does not depend on any axioms|depends on axioms: \[(?P<list>[^\]]*)\])"
)


def axioms_found(audit: Audit, outcome: Outcome) -> dict[str, tuple[str, ...]]:
    """The axioms that Lean names for each restated claim; those that failed are left out."""
    failed = {audit.subject(message.line) for message in outcome.errors}
    found = {}
    for message in outcome.messages:
        match = _AXIOMS.fullmatch(message.text.strip())
        subject = audit.subject(message.line)
        if message.severity == "information" and match and subject not in failed:
            names = re.split(r",\s*", match["list"]) if match["list"] else []
            found[subject] = tuple(sorted(names))
    return found


def unlisted(registry: Registry, modules: dict[str, Module]) -> Iterator[tuple[str, str]]:
    """Claims that stand on one side alone: the name, and the module that should have it."""
    for source in registry.sources:
        module = modules.get(source.module)
        defined = claims_in(module) if module else {}
        listed = {claim.name for claim in source.claims}
        for name in sorted(set(defined) ^ listed):
            yield name, source.module


_DEFINITION = re.compile(r"^(?:def|abbrev|structure|inductive) ([\w.]+)", re.M)


def unstated(registry: Registry, modules: dict[str, Module]) -> Iterator[tuple[str, str]]:
    """Definitions that are neither a claim nor a word: the name, and its module."""
    for source in registry.sources:
        if source.all_words and source.module in modules:
            module = modules[source.module]
            said = {word.name for word in source.words} | set(claims_in(module))
            for name in _DEFINITION.findall(module.code):
                if name not in said:
                    yield name, source.module
