"""Catalogues name what exists and say what is so: each way not to is found, by its own rule."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml

from genconform.catalogue.check import examine, recorded_mode
from genconform.catalogue.entries import (
    BOUNDARIES,
    CATALOGUES,
    FAILURES,
    GOVERNED_STAGES,
    INVARIANTS,
    SOURCES,
    Catalogue,
    read,
    references,
)
from genconform.catalogue.known import Known
from genconform.document import read_document
from genconform.finding import Verdict
from genconform.spec.modes import MODES_PATH
from genconform.tree import Tree, find_tree

Change = Callable[[Any], None]


@pytest.fixture(scope="module")
def known() -> Known:
    """What the tree that the tests stand in has to be named."""
    return Known(find_tree())


@pytest.fixture
def broken(tree: Tree, tmp_path: Path) -> Callable[[str, Change], Tree]:
    """Makes a tree whose spec/ has one file changed."""

    def make(path: str, change: Change) -> Tree:
        shutil.copytree(tree.path("spec"), tmp_path / "spec")
        content = read_document(tmp_path / path).value
        change(content)
        (tmp_path / path).write_text(yaml.safe_dump(content), encoding="utf-8")
        return find_tree(tmp_path)

    return make


def rules_of(tree: Tree, known: Known) -> set[str]:
    return {finding.rule for finding in examine(tree, known).findings}


def test_the_catalogues_hold(tree: Tree, known: Known) -> None:
    result = examine(tree, known)
    assert result.findings == ()
    assert result.verdict is Verdict.PASS
    assert result.counts == {
        "invariants": 18,
        "failures": 18,
        "stages": 18,
        "boundaries": 12,
        "sources": 44,
        "modes": 12,
    }


@pytest.mark.parametrize("catalogue", CATALOGUES, ids=lambda catalogue: catalogue.name)
def test_every_name_that_is_misspelt_is_found(
    catalogue: Catalogue, tree: Tree, known: Known, broken: Callable[[str, Change], Tree]
) -> None:
    """Kind by kind: the first name of each kind that the catalogue uses."""
    found = read(tree, catalogue)
    first: dict[str, tuple[int, list[str | int]]] = {}
    for index, entry in enumerate(found.entries):
        for reference in references(entry):
            steps = [int(s) if s.isdigit() else s for s in reference.pointer.split("/")[1:]]
            first.setdefault(reference.kind, (index, steps))
    assert first

    def misspell(content: Any) -> None:
        for index, steps in first.values():
            at = content[catalogue.name][index]
            for step in steps[:-1]:
                at = at[step]
            at[steps[-1]] += "x"

    result = examine(broken(catalogue.path, misspell), known)
    unknown = [one for one in result.findings if one.rule == "catalogue.reference.unknown"]
    assert len(unknown) == len(first)
    assert all(str(one.actual).endswith("x") for one in unknown)


def drop_first(name: str) -> Change:
    return lambda content: content[name].pop(0)


def twice(name: str) -> Change:
    return lambda content: content[name].__setitem__(1, deepcopy(content[name][0]))


def entry(list_: str, index: int, **values: Any) -> Change:
    def change(content: Any) -> None:
        content[list_][index].update(values)

    return change


def without(name: str, index: int, *keys: str) -> Change:
    def change(content: Any) -> None:
        for key in keys:
            content[name][index].pop(key, None)

    return change


NONE: dict[str, Any] = {}
BREAKS = [
    ("catalogue.count.differs", INVARIANTS.path, drop_first("invariants")),
    ("catalogue.count.differs", SOURCES.path, twice("sources")),
    ("catalogue.enforcement.missing", INVARIANTS.path, entry("invariants", 0, enforced=NONE)),
    ("catalogue.enforcement.missing", FAILURES.path, entry("failures", 0, notMechanised="x")),
    ("catalogue.fault.uncaught", FAILURES.path, without("failures", 0, "fixtures", "mutations")),
    (
        "catalogue.fault.uncaught",
        FAILURES.path,
        entry("failures", 0, fixtures=["speed-claims/speed.freeze.late.change.yaml"]),
    ),
    (
        "catalogue.fault.uncaught",
        FAILURES.path,
        entry("failures", 0, mutations=["routes/requested.taskSet.missing"]),
    ),
    ("catalogue.mapping.incomplete", GOVERNED_STAGES.path, entry("stages", 0, routes=[])),
    ("catalogue.mapping.incomplete", GOVERNED_STAGES.path, entry("stages", 0, stages=["closed"])),
    ("catalogue.mapping.incomplete", BOUNDARIES.path, entry("boundaries", 0, kinds=[], suites=[])),
    ("catalogue.source.untrue", SOURCES.path, entry("sources", 0, status="partly_exercised")),
    ("catalogue.source.untrue", SOURCES.path, entry("sources", 0, status="out_of_reach")),
    ("catalogue.source.untrue", SOURCES.path, entry("sources", 0, runs=["speculative"])),
    (
        "catalogue.source.untrue",
        SOURCES.path,
        entry("sources", 0, status="partly_exercised", runs=["speculative"], modes=["diffusion"]),
    ),
    ("catalogue.file.broken", BOUNDARIES.path, entry("boundaries", 0, authority="some")),
    ("catalogue.file.broken", SOURCES.path, entry("sources", 0, reproduced=True)),
    ("catalogue.file.broken", INVARIANTS.path, lambda content: content.pop("counts")),
    ("catalogue.file.broken", INVARIANTS.path, lambda content: content["counts"].clear()),
    ("catalogue.file.broken", MODES_PATH, drop_first("modes")),
    ("catalogue.file.broken", MODES_PATH, twice("modes")),
    ("catalogue.mode.untrue", MODES_PATH, entry("modes", 2, name="other_family")),
    (
        "catalogue.mode.untrue",
        MODES_PATH,
        entry("modes", 0, records=["fixtures/traces/valid/speculative.jsonl"]),
    ),
    ("catalogue.mode.untrue", MODES_PATH, entry("modes", 0, records=["README.md"])),
    (
        "catalogue.mode.untrue",
        MODES_PATH,
        entry("modes", 6, ran=["diffusion"], records=["fixtures/traces/valid/fallback.jsonl"]),
    ),
    ("catalogue.mode.untrue", MODES_PATH, entry("modes", 1, ran=[], records=[])),
    ("modes.entry.unproven", MODES_PATH, entry("modes", 3, status="routable")),
    ("modes.entry.fallback-unfit", MODES_PATH, entry("modes", 3, fallback=None)),
]


@pytest.mark.parametrize(
    ("rule", "path", "change"), BREAKS, ids=[f"{n}-{rule}" for n, (rule, _, _) in enumerate(BREAKS)]
)
def test_what_is_not_so_is_found(
    rule: str,
    path: str,
    change: Change,
    known: Known,
    broken: Callable[[str, Change], Tree],
) -> None:
    result = examine(broken(path, change), known)
    assert result.verdict is Verdict.FAIL
    found = [finding for finding in result.findings if finding.rule == rule]
    assert found
    assert all(finding.location.file == path for finding in found)


def test_a_catalogue_that_is_missing_is_found(known: Known, tree: Tree, tmp_path: Path) -> None:
    shutil.copytree(tree.path("spec"), tmp_path / "spec")
    (tmp_path / SOURCES.path).unlink()
    assert rules_of(find_tree(tmp_path), known) == {"catalogue.file.broken"}


def test_a_mode_of_the_probe_that_the_registry_does_not_tell_of_is_found(
    tree: Tree, tmp_path: Path
) -> None:
    for name in ("spec", "fixtures", "mutations", "lean", "validators"):
        (tmp_path / name).symlink_to(tree.path(name))
    probe = tmp_path / "runtime_probe/genconform_probe"
    shutil.copytree(tree.path("runtime_probe/genconform_probe/modes"), probe / "modes")
    shutil.copy(tree.path("runtime_probe/genconform_probe/faults.py"), probe)
    (probe / "modes/other.py").write_text('class D:\n    name = "diffusion"\n', encoding="utf-8")
    found = examine(find_tree(tmp_path), Known(find_tree(tmp_path))).findings
    assert [one.rule for one in found] == ["catalogue.mode.untrue"]
    assert "diffusion" in found[0].message


def test_a_claim_without_a_theorem_is_none(tmp_path: Path) -> None:
    (tmp_path / "spec").mkdir()
    (tmp_path / "spec/lifecycle.yaml").touch()
    folder = tmp_path / "lean/AsiStackProofs"
    folder.mkdir(parents=True)
    (folder / "A.lean").write_text("def One : Prop := x\ndef Two : Prop := y\ntheorem one : One\n")
    assert Known(find_tree(tmp_path)).claims == {"One"}


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"run": 1}', "\xff"])
def test_what_is_no_trace_has_no_mode(content: str, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(content, encoding="latin-1")
    assert recorded_mode(Tree(tmp_path), "a.jsonl") is None
    assert recorded_mode(Tree(tmp_path), "missing.jsonl") is None
