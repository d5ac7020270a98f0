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


class Source(Struct, frozen=True, forbid_unknown_fields=True):
    """The claims that one module makes, and the words that it makes them in."""

    module: str
    namespace: str
    claims: tuple[Claim, ...]
    words: tuple[Claim, ...] = ()


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
        inside = f"namespace {source.namespace}\n" in module.text
        if inside and theorem.search(module.text):
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
    """Write the audit of a registry, on top of some modules."""
    text = "".join(f"import {name}\n" for name in imports)
    lines = []
    for index, source in enumerate(registry.sources):
        text += f"\nnamespace Audit{index}\nopen {source.namespace}\n"
        for claim in (*source.words, *source.claims):
            lines.append((text.count("\n") + 1, claim.name))
            text += _restated(claim, source)
        text += f"end Audit{index}\n"
    return Audit(text, tuple(lines))


def _restated(claim: Claim, source: Source) -> str:
    name = "restated_" + claim.name.replace(".", "_")
    statement = claim.statement.strip().replace("\n", "\n    ")
    proof = claim.proof.strip().replace("\n", "\n    ") or f"{source.namespace}.{claim.theorem}"
    return f"theorem {name} :\n    {statement} :=\n  {proof}\n#print axioms {name}\n"


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
