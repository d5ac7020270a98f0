"""Mutants of the table before the kernel: a sample here, all of them in the record."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from genconform.lean.build import Build
from genconform.lean.certificate import certify
from genconform.lean.mutants import compile_encoding, put_before_kernel, sample
from genconform.lean.toolchain import Toolchain
from genconform.mutation.equivalence import Proof, prove
from genconform.mutation.operators import OPERATORS, mutants
from genconform.spec.table import load_table
from genconform.tree import Tree
from scripts.lean_mutants import RECORD, subject

PER_OPERATOR = 4
COUNTED = ("mutants", "refused")


@pytest.fixture(scope="module")
def build(tree: Tree, toolchain: Toolchain, tmp_path_factory: pytest.TempPathFactory) -> Build:
    build = Build(toolchain, tmp_path_factory.mktemp("mutants"))
    compile_encoding(tree, build)
    return build


def test_the_kernel_refuses_a_sample_of_every_operator(tree: Tree, build: Build) -> None:
    table = load_table(tree)
    chosen = sample(mutants(table), PER_OPERATOR)
    assert {mutant.operator for mutant in chosen} == set(OPERATORS)
    different = [mutant for mutant in chosen if not isinstance(prove(table, mutant), Proof)]
    assert len(different) >= 40
    said = list(put_before_kernel(build, table, different, certify()))
    assert [one for one in said if not one.refused or one.broken] == []


def test_the_kernel_lets_an_equivalent_mutant_through(tree: Tree, build: Build) -> None:
    table = load_table(tree)
    recorded = json.loads(RECORD.read_text(encoding="utf-8"))["letThroughAsEquivalent"]
    same = [mutant for mutant in mutants(table) if mutant.id in recorded[:2]]
    said = list(put_before_kernel(build, table, same, certify()))
    assert len(said) == 2
    assert [one for one in said if one.refused or one.broken] == []


def test_the_record_is_of_all_mutants_of_this_table(tree: Tree) -> None:
    record = json.loads(Path(RECORD).read_text(encoding="utf-8"))
    assert record["subject"] == subject(tree), "run scripts/lean_mutants.py"
    made = {mutant.id for mutant in mutants(load_table(tree))}
    assert {*record["refusedBy"], *record["letThroughAsEquivalent"]} == made
    assert record["mutants"] == len(made)
    assert record["refused"] == len(record["refusedBy"])


def test_the_record_says_what_the_python_side_proves(tree: Tree) -> None:
    record, table = json.loads(RECORD.read_text(encoding="utf-8")), load_table(tree)
    same = {mutant.id for mutant in mutants(table) if isinstance(prove(table, mutant), Proof)}
    assert set(record["letThroughAsEquivalent"]) == same
    theorems = {theorem.name for theorem in certify().theorems}
    assert set(record["refusedBy"].values()) <= theorems
    total = {name: sum(one[name] for one in record["operators"].values()) for name in COUNTED}
    assert total == {name: record[name] for name in COUNTED}
