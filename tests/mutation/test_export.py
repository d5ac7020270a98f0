"""The export in the mutation-testing-elements schema."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from genconform.mutation.export import render_export
from genconform.mutation.operators import mutants
from genconform.mutation.score import Outcome, judge_mutants
from genconform.spec.table import TABLE_PATH, load_table
from genconform.suites.authored import try_all
from genconform.suites.lifecycle import changes_a_run
from genconform.suites.mutations import lifecycle_tests
from genconform.tree import Tree

SCHEMA = json.loads(Path(__file__).with_name("mutation-testing-report-schema.json").read_text())


def render(tree: Tree) -> str:
    """The export of a run in which some tests are missing, so that all outcomes occur."""
    table = load_table(tree)
    tests = [
        test
        for test in lifecycle_tests(tree, try_all(tree, changes_a_run))
        if not test.id.startswith("conditions/")
    ]
    return render_export(tree, list(judge_mutants(table, mutants(table), tests)), tests, 99.5)


@pytest.fixture(scope="module")
def rendered(tree: Tree) -> str:
    return render(tree)


@pytest.fixture(scope="module")
def exported(rendered: str) -> dict[str, Any]:
    report: dict[str, Any] = json.loads(rendered)
    return report


def test_it_keeps_to_the_schema(exported: dict[str, Any]) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(exported, SCHEMA)
    assert exported["schemaVersion"] == "2"
    assert exported["thresholds"] == {"high": 100, "low": 99}


def test_every_mutant_is_there_with_its_outcome(tree: Tree, exported: dict[str, Any]) -> None:
    shown = exported["files"][TABLE_PATH]["mutants"]
    assert [one["id"] for one in shown] == [one.id for one in mutants(load_table(tree))]
    assert {one["status"] for one in shown} == {"Killed", "Ignored", "Survived"}
    assert len(Outcome) == 3


def test_mutants_stand_at_the_lines_that_they_change(tree: Tree, exported: dict[str, Any]) -> None:
    file = exported["files"][TABLE_PATH]
    assert file["source"] == tree.path(TABLE_PATH).read_text()
    source = file["source"].splitlines()
    for mutant in file["mutants"]:
        start, end = mutant["location"]["start"], mutant["location"]["end"]
        lines = source[start["line"] - 1 : end["line"]]
        assert 1 <= len(lines) <= 3
        assert lines[0][start["column"] - 1] != " "
        assert len(lines[-1]) == end["column"] - 1
        if mutant["mutatorName"] in ("drop", "negate", "weaken", "accept", "swap"):
            route = mutant["id"].split(":")[2]
            assert f"route: {route}" in lines[0]


def test_a_line_of_several_rows_ends_at_its_last(exported: dict[str, Any]) -> None:
    mutants = exported["files"][TABLE_PATH]["mutants"]
    speed = next(one for one in mutants if one["id"] == "drop:accounted:blockRawSpeedProxy")
    location = speed["location"]
    assert location["end"]["line"] == location["start"]["line"] + 2


def test_killers_are_tests_of_the_report(exported: dict[str, Any]) -> None:
    tests = {test["id"] for file in exported["testFiles"].values() for test in file["tests"]}
    for mutant in exported["files"][TABLE_PATH]["mutants"]:
        assert ("killedBy" in mutant) == (mutant["status"] == "Killed")
        assert set(mutant.get("killedBy", [])) <= tests


def test_equivalent_mutants_say_how_that_is_known(exported: dict[str, Any]) -> None:
    ignored = [
        one for one in exported["files"][TABLE_PATH]["mutants"] if one["status"] == "Ignored"
    ]
    assert {one["statusReason"] for one in ignored} == {
        "equivalent: 128 cases visited, all the same"
    }


def test_the_same_input_gives_the_same_bytes(tree: Tree, rendered: str) -> None:
    assert render(tree) == rendered
