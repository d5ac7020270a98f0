"""The registry of claims and the package say the same, and neither can be weakened alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from genconform.lean.build import Build, Outcome
from genconform.lean.claims import (
    Audit,
    Claim,
    Registry,
    Source,
    audit_of,
    axioms_found,
    load_registry,
)
from genconform.lean.package import ROOT, Module
from tests.lean.conftest import Pristine


def changed(registry: Registry, change: Callable[[Claim], Claim]) -> Registry:
    def of(source: Source) -> Source:
        return msgspec.structs.replace(source, claims=tuple(map(change, source.claims)))

    return msgspec.structs.replace(registry, sources=tuple(map(of, registry.sources)))


def audited(pristine: Pristine, folder: Path, registry: Registry) -> tuple[Audit, Outcome]:
    build = Build(pristine.build.toolchain, folder)
    build.adopt(pristine.build, pristine.modules)
    audit = audit_of(registry, [ROOT])
    return audit, build.run_text("Audit", audit.text)


def test_a_claim_that_is_weakened_in_the_registry_alone_is_found(
    pristine: Pristine, tmp_path: Path
) -> None:
    def weaken(claim: Claim) -> Claim:
        if claim.name != "RunsRefine":
            return claim
        return Claim(claim.name, "True", "trivial")

    audit, outcome = audited(pristine, tmp_path, changed(load_registry(), weaken))
    assert {audit.subject(error.line) for error in outcome.errors} == {"RunsRefine"}
    assert "RunsRefine" not in axioms_found(audit, outcome)


def test_a_claim_and_its_witness_are_not_taken_for_each_other(
    pristine: Pristine, tmp_path: Path
) -> None:
    statements = {claim.name: claim.statement for claim in load_registry().claims}

    def swap(claim: Claim) -> Claim:
        other = {"VerifiedWitness": "FallbackWitness", "FallbackWitness": "VerifiedWitness"}
        name = other.get(claim.name, claim.name)
        return msgspec.structs.replace(claim, statement=statements[name])

    audit, outcome = audited(pristine, tmp_path, changed(load_registry(), swap))
    wrong = {audit.subject(error.line) for error in outcome.errors}
    assert wrong == {"VerifiedWitness", "FallbackWitness"}


def test_no_definition_of_the_package_is_taken_for_a_word_of_the_checker(
    pristine: Pristine, tmp_path: Path
) -> None:
    build = Build(pristine.build.toolchain, tmp_path)
    build.adopt(pristine.build, pristine.modules)
    names = ["Audit", *(f"Audit{number}" for number in range(len(load_registry().sources)))]
    text = f"import {ROOT}\n" + "".join(
        f"def {name}.{word} : Nat := 0\n"
        for name in names
        for word in ("Accepted", "Reviewed", "Spec.Bound")
    )
    shadow = Module("Shadow", "Shadow.lean", text)
    (compiled,) = build.compile({"Shadow": shadow}, 1, lambda _: None)
    assert compiled.outcome is not None
    assert compiled.outcome.clean
    audit = audit_of(load_registry(), [ROOT, "Shadow"])
    outcome = build.run_text("Audit", audit.text)
    assert outcome.errors == ()
    assert len(axioms_found(audit, outcome)) == len(audit.lines)


def test_every_statement_is_about_what_it_is_named_for() -> None:
    for source in load_registry().sources:
        for word in source.words:
            assert word.name.split(".")[-1] in word.statement, word.name


@pytest.mark.parametrize("source", load_registry().sources, ids=lambda source: source.module)
def test_no_name_is_stated_twice(source: Source) -> None:
    names = [claim.name for claim in (*source.words, *source.claims)]
    assert len(names) == len(set(names))
