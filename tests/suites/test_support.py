"""What the support records hold is computed from replays, and drifts with what these rest on."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from genconform.document import decode
from genconform.errors import Unsupported
from genconform.finding import Verdict
from genconform.suites import VALID, replays, suites_named, support_lane, support_replay_probe
from genconform.suites.replay import replay
from genconform.suites.replays import Ran, ran
from genconform.tree import Tree
from scripts.record_support import LANE, PROBE, lane, probe, write
from tests.conftest import CommandLine


@pytest.fixture(scope="module")
def recorded(tree: Tree) -> support_lane.SupportLane:
    (fixture,) = support_lane.SUITE.fixtures(tree, VALID)
    return decode(fixture.document, support_lane.SupportLane)


def test_the_probe_replays_two_validators_that_rest_on_ten_files(tree: Tree) -> None:
    (fixture,) = support_replay_probe.SUITE.fixtures(tree, VALID)
    record = decode(fixture.document, support_replay_probe.SupportReplay)
    assert (record.totals.replays, record.totals.artifacts) == (2, 10)
    assert [one.exit_code for one in record.replays] == [0, 0]


def test_the_lane_comes_to_what_its_validators_say(
    recorded: support_lane.SupportLane, tree: Tree
) -> None:
    assert support_lane.totals_of(recorded, tree) == recorded.totals
    assert recorded.totals == support_lane.Totals(
        artifacts=16, task_records=68, controls=14, decisions=2
    )
    caught = [ran(suite, tree).check["counts"]["caught"] for suite in support_lane.COUNTED]
    assert caught == [6, 7, 1]


def test_recording_anew_changes_nothing(tree: Tree, tmp_path: Path) -> None:
    for path, record in ((PROBE, probe(tree)), (LANE, lane(tree))):
        write(tmp_path / "record.json", record)
        assert (tmp_path / "record.json").read_bytes() == tree.path(path).read_bytes(), (
            f"{path} is stale: run scripts/record_support.py"
        )


def _edit(path: str, old: str, new: str) -> Callable[[Tree], None]:
    def edit(tree: Tree) -> None:
        file = tree.path(path)
        text = file.read_text(encoding="utf-8")
        assert old in text
        file.write_text(text.replace(old, new, 1), encoding="utf-8")

    return edit


@pytest.mark.parametrize(
    ("edit", "rules"),
    [
        pytest.param(
            _edit("fixtures/task-bundle/valid/fg-public-safe-task-bundle-001.yaml", "#", "# "),
            {"support-lane.output.drifted"},
            id="a fixture's comment",
        ),
        pytest.param(
            _edit("mutations/theseus-task-bundle.yaml", "about:", "about: All"),
            {"support-lane.output.drifted"},
            id="a mutation suite",
        ),
        pytest.param(
            _edit("fixtures/task-bundle/valid/fg-public-safe-task-bundle-001.yaml", ": 35", ": 34"),
            {"support-lane.output.drifted", "support-lane.total.differs"},
            id="a price, so that the validator fails",
        ),
        pytest.param(
            _edit(
                "fixtures/evidence-transitions/valid/fast_generation_task_bundle_no_change.yaml",
                "validity: current",
                "validity: expired",
            ),
            {"support-lane.decision.unfounded"},
            id="a decision that is no longer current",
        ),
    ],
)
def test_a_change_below_is_drift(
    edit: Callable[[Tree], None], rules: set[str], copied_tree: Tree
) -> None:
    edit(copied_tree)
    (suite,) = suites_named(["support-lane"])
    result = replay(suite, copied_tree)
    assert result.verdict is Verdict.FAIL
    (valid,) = suite.fixtures(copied_tree, VALID)
    assert {finding.rule for finding in suite.judge(valid, copied_tree)} == rules


def test_a_replay_is_the_same_bytes_on_every_run_and_in_any_folder(
    genconform: CommandLine, copied_tree: Tree, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    here = genconform("replay", "--format", "json")
    there = genconform("replay", "--format", "json", "--root", copied_tree.root, cwd=elsewhere)
    assert here.stdout == there.stdout
    checks = {check["id"]: check for check in json.loads(here.stdout)["checks"]}
    assert {"support-lane", "task-bundle", "claim-ledger"} <= checks.keys()
    for check in checks.values():
        counts = check["counts"]
        assert counts["passed"] == counts["valid"]
        assert counts["caught"] == counts["expected_invalid"]
        assert counts["bound"] >= counts["valid"] + counts["expected_invalid"]
        assert len(check["details"]["result"]) == 64


def test_a_validator_that_says_no_report_is_drift_not_a_crash() -> None:
    assert Ran(4, "0" * 64, b"no report").check == {}
    assert Ran(4, "0" * 64, b'{"checks": []}').check == {}


def test_a_validator_that_does_not_end_is_unsupported(
    tree: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replays, "_LIMIT_SECONDS", 0.001)
    with pytest.raises(Unsupported, match="did not end"):
        ran("claim-ledger", tree)
