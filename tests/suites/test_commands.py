"""`genconform mutate` and `genconform replay`, as a user runs them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from genconform.tree import Tree
from tests.conftest import CommandLine
from tests.suites.conftest import CAUGHT


def report(text: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(text)
    return value


def write_suite(tree: Tree, text: str) -> None:
    Path(tree.path("mutations/mine.yaml")).write_text(text)


def test_mutate_says_what_became_of_everything(
    genconform: CommandLine, lifecycle_tree: Tree
) -> None:
    done = genconform("mutate", "--root", lifecycle_tree.root)
    assert (done.returncode, done.stderr) == (0, "")
    assert "drop            53           0         0" in done.stdout
    assert "mutants 624, killed 617, equivalent 7, survived 0; score 100 %" in done.stdout
    assert done.stdout.splitlines()[-1] == (
        "pass: 5 of 6 passed (conditions, order, routes, coverage, table); not_applicable rules"
    )


def test_mutate_gives_the_same_bytes_in_any_folder(
    genconform: CommandLine, lifecycle_tree: Tree, tmp_path: Path
) -> None:
    arguments = ("mutate", "routes", "order", "conditions", "table", "--format", "json")
    here = genconform(*arguments)
    there = genconform(*arguments, "--root", lifecycle_tree.root, cwd=tmp_path)
    assert here.stdout == there.stdout


def test_mutate_names_the_killer_of_each_mutant(genconform_here: CommandLine) -> None:
    done = genconform_here("mutate", "table", "--format", "json")
    details = report(done.stdout)["checks"][0]["details"]
    assert details["score"] == 100
    killed = {one["id"]: one for one in details["mutants"] if one["outcome"] == "killed"}
    assert killed["drop:contextBound:requireRiskTier"] == {
        "id": "drop:contextBound:requireRiskTier",
        "outcome": "killed",
        "killedBy": "order/contextBound.riskTier.before.qualityTarget",
        "expected": "requireRiskTier",
        "actual": "requireQualityTarget",
    }
    listed = genconform_here("mutate", "table", "--killers").stdout
    assert all(f"{name}: killed by {one['killedBy']}" in listed for name, one in killed.items())


def test_mutate_shows_how_equivalents_are_known(genconform_here: CommandLine) -> None:
    listed = genconform_here("mutate", "table", "--survivors").stdout
    assert "skip:closed:requested: equivalent, for all of 128 cases come out the same" in listed
    assert "drop:contextBound:requireRiskTier" not in listed


def test_mutate_runs_the_suites_that_are_named(genconform_here: CommandLine) -> None:
    done = genconform_here("mutate", "routes", "--format", "json")
    assert done.returncode == 0
    checks = report(done.stdout)["checks"]
    assert [(check["id"], check["counts"]) for check in checks] == [
        ("routes", {"mutations": 51, "caught": 51})
    ]


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        (CAUGHT, 0, "mine   pass     mutations 1, caught 1"),
        (CAUGHT.replace("riskTier", "highRisk"), 1, "mutations/mine.yaml:3 at /mutations/0"),
        (CAUGHT.replace("riskTier", "riskTeir"), 3, "perhaps riskTier"),
        (CAUGHT.replace("set:", "sets:"), 3, "unknown field 'sets'"),
        ("suite: [", 3, "not YAML"),
        ("", 3, "the file is empty"),
    ],
)
def test_mutate_exits_with_what_it_found(
    genconform: CommandLine, lifecycle_tree: Tree, text: str, code: int, said: str
) -> None:
    write_suite(lifecycle_tree, text)
    done = genconform("mutate", "mine", "--root", lifecycle_tree.root)
    assert (done.returncode, done.stderr) == (code, "")
    assert said in done.stdout


def test_survivors_fail_the_threshold(genconform_here: CommandLine, lifecycle_tree: Tree) -> None:
    Path(lifecycle_tree.path("mutations/conditions.yaml")).unlink()
    root = ("--root", lifecycle_tree.root)
    failed = genconform_here("mutate", "table", "--survivors", *root)
    assert failed.returncode == 1
    assert "substitute:taskVersion" in failed.stdout
    assert "set: {taskVersion: 2}" in failed.stdout
    assert "a score of at least 100 %" in failed.stdout
    assert genconform_here("mutate", "table", "--threshold", "95", *root).returncode == 0
    assert genconform_here("mutate", "table", "--threshold", "99.9", *root).returncode == 1


def test_the_export_is_written_beside_the_report(
    genconform_here: CommandLine, tmp_path: Path
) -> None:
    done = genconform_here("mutate", "table", "--export", tmp_path / "mutants.json")
    assert done.returncode == 0
    exported = report((tmp_path / "mutants.json").read_text())
    assert len(exported["files"]["spec/lifecycle.yaml"]["mutants"]) == 624


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["mutate", "rootes"], "there is no mutation suite named 'rootes'"),
        (["mutate", "routes", "--export", "x.json"], "Add 'table' to the suites"),
        (["mutate", "routes", "--threshold", "50"], "Add 'table' to the suites"),
        (["mutate", "--threshold", "101"], "not in the range 0<=x<=100"),
        (["mutate", "--threshold", "nan"], "nan is no number"),
        (["mutate", "--surviving"], "No such option"),
        (
            ["mutate", "table", "--export", "no/such/folder/x.json"],
            "cannot write no/such/folder/x.json",
        ),
        (["mutate", "--root", "no/such/folder"], "is not a genconform tree"),
        (["replay", "lifecyle"], "there is no fixture suite named 'lifecyle'"),
        (["replay", "--format", "yaml"], "'yaml' is not one of"),
    ],
)
def test_wrong_usage_is_said_in_one_paragraph(
    genconform_here: CommandLine, arguments: list[str], said: str, tmp_path: Path
) -> None:
    done = genconform_here(*arguments, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr


def test_replay_says_how_many_of_how_many(genconform: CommandLine) -> None:
    done = genconform("replay", "lifecycle")
    assert (done.returncode, done.stderr) == (0, "")
    rows = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert "lifecycle valid 4/4" in rows
    assert "lifecycle expected invalid 10/10" in rows
    assert "lifecycle route.rejectWrongStage 2/2" in rows
    assert "result" in done.stdout


def test_replay_gives_the_same_bytes_in_any_folder(
    genconform: CommandLine, copied_tree: Tree, tmp_path: Path
) -> None:
    arguments = ("replay", "lifecycle", "--format", "json")
    here = genconform(*arguments)
    there = genconform(*arguments, "--root", copied_tree.root, cwd=tmp_path)
    assert here.stdout == there.stdout
    details = report(here.stdout)["checks"][0]["details"]
    assert len(details["result"]) == 64
    assert details["byRule"]["route.requireTaskSet"] == {"expected": 1, "caught": 1}


def test_replay_fails_where_a_fixture_is_not_as_named(
    genconform: CommandLine, lifecycle_tree: Tree
) -> None:
    folder = Path(lifecycle_tree.path("fixtures/lifecycle"))
    shutil.copy(folder / "valid/verified.json", folder / "invalid/requireRights.json")
    done = genconform("replay", "lifecycle", "--root", lifecycle_tree.root)
    assert done.returncode == 1
    assert "fixture.invalid.passed" in done.stdout
    assert "fixtures/lifecycle/invalid/requireRights.json" in done.stdout


def test_replay_of_nothing_is_incomplete(genconform: CommandLine, lifecycle_tree: Tree) -> None:
    shutil.rmtree(lifecycle_tree.path("fixtures/lifecycle/invalid"))
    done = genconform("replay", "lifecycle", "--root", lifecycle_tree.root)
    assert done.returncode == 4
    assert done.stdout.splitlines()[-1].startswith("incomplete")


def test_mutations_are_a_check_of_validate_all(
    genconform: CommandLine, lifecycle_tree: Tree
) -> None:
    options = ("--only", "mutations", "--format", "json", "--root", lifecycle_tree.root)
    done = genconform("validate-all", *options)
    assert done.returncode == 0
    mutations = next(one for one in report(done.stdout)["checks"] if one["id"] == "mutations")
    assert mutations["counts"]["mutants"] == 624
    assert mutations["counts"]["survived"] == 0
