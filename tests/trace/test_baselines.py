"""Runs judged together: what one tells of its baseline is what the baseline's own run tells."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from genconform.finding import CheckResult, Verdict
from genconform.trace.baselines import Baselines
from genconform.trace.files import check_path
from genconform.tree import Tree
from tests.conftest import CommandLine
from tests.trace.building import Trace, digest, named

FILE = "fixtures/traces/valid/speculative-and-baseline.jsonl"
LIES = {
    "tokens": 20,
    "passed": False,
    "outputDigest": named("another output"),
}


@pytest.fixture
def pair(tree: Tree) -> tuple[Trace, Trace]:
    """A speculative run as it was recorded, and its baseline."""
    lines = [json.loads(line) for line in tree.path(FILE).read_text().splitlines()]
    runs = [Trace("run", lines[at], lines[at + 1 : at + 8]) for at in (0, 8)]
    fast, slow = sorted(runs, key=lambda run: str(run.header["run"]["mode"]), reverse=True)
    return fast, slow


def lie(fast: Trace, name: str, value: Any) -> Trace:
    """The run telling something else of its baseline, and nothing in it to show that."""
    changed = fast.copy()
    told = changed.evidence("accountOutcome")
    told["baselineResult"][name] = value
    if name in ("outputDigest", "tokens", "passed"):
        _make_consistent(changed, name, value)
    return changed.rebind()


def _make_consistent(run: Trace, name: str, value: Any) -> None:
    """Another output, count or verdict is told of the run too, whose output is the same."""
    account, verify = run.evidence("accountOutcome"), run.evidence("verifyDraft")
    if name == "passed":
        account["task"]["passed"] = value
        account["usefulWork"]["usefulSolutions"] = int(value)
        run.evidence("decide")["basis"]["taskPassed"] = value
    elif name == "outputDigest":
        verify["output"]["digest"] = verify["reference"]["outputDigest"] = value
        account["output"]["digest"] = account["task"]["outputDigest"] = value
        run.evidence("decide")["basis"]["outputDigest"] = value
        run.evidence("close")["acknowledgment"]["outputDigest"] = value
        run.evidence("close")["result"]["outputDigest"] = value
    else:
        verify["output"]["tokens"] = verify["verification"]["emittedTokens"] = value
        account["output"]["tokens"] = account["usefulWork"]["deliveredTokens"] = value
        account["usefulWork"]["verifiedTokens"] = value
    decide = run.evidence("decide")
    decide["receipt"]["basisDigest"] = digest(decide["basis"])


def together(folder: Path, *runs: Trace) -> CheckResult | None:
    """What comes of judging the runs, each in a file of its own, of which each conforms."""
    baselines = Baselines()
    for number, run in enumerate(runs):
        path = folder / f"{number}.jsonl"
        path.write_bytes(run.data())
        alone = check_path(path, baselines)
        assert alone.verdict is Verdict.PASS, alone.findings
    return baselines.check()


@pytest.mark.parametrize("turned", [False, True], ids=["baseline last", "baseline first"])
def test_a_baseline_that_came_out_as_it_is_told_is_fine(
    pair: tuple[Trace, Trace], tmp_path: Path, turned: bool
) -> None:
    found = together(tmp_path, *(reversed(pair) if turned else pair))
    assert found is not None
    assert (found.verdict, found.findings) == (Verdict.PASS, ())
    assert found.counts == {"compared": 1, "contradicted": 0}


@pytest.mark.parametrize("name", LIES)
@pytest.mark.parametrize("turned", [False, True], ids=["baseline last", "baseline first"])
def test_a_lie_about_the_baseline_is_found_where_it_stands(
    pair: tuple[Trace, Trace], tmp_path: Path, name: str, turned: bool
) -> None:
    fast, slow = pair
    runs = (lie(fast, name, LIES[name]), slow)
    found = together(tmp_path, *(reversed(runs) if turned else runs))
    assert found is not None
    assert found.verdict is Verdict.FAIL
    assert found.counts == {"compared": 1, "contradicted": 1}
    (finding,) = found.findings
    assert finding.rule == "trace.baseline.contradicted"
    assert finding.location.pointer == f"/evidence/baselineResult/{name}"
    assert finding.location.line == 6
    assert finding.actual == LIES[name]
    assert finding.expected == slow.evidence("accountOutcome")["baselineResult"][name]


def test_another_baseline_of_the_same_name_is_found(
    pair: tuple[Trace, Trace], tmp_path: Path
) -> None:
    fast, slow = pair
    slow.header["environment"]["dtype"] = "float16"
    slow.evidence("selectMode")["baseline"]["dtype"] = "float16"
    found = together(tmp_path, fast, slow.rebind_identity())
    assert found is not None
    assert [one.location.pointer for one in found.findings] == ["/identity/baselineDigest"]


def test_a_baseline_may_have_been_recorded_at_another_time(
    pair: tuple[Trace, Trace], tmp_path: Path
) -> None:
    fast, slow = pair
    slow.evidence("accountOutcome")["baselineResult"]["seconds"] += 1e-3
    found = together(tmp_path, fast, slow.rebind())
    assert found is not None
    assert found.verdict is Verdict.PASS


def test_one_of_several_recordings_of_the_baseline_is_enough(
    pair: tuple[Trace, Trace], tmp_path: Path
) -> None:
    fast, slow = pair
    found = together(tmp_path, lie(slow, "passed", False), fast, slow)
    assert found is not None
    assert found.verdict is Verdict.PASS


def test_a_baseline_that_is_not_there_is_not_compared(
    pair: tuple[Trace, Trace], tmp_path: Path
) -> None:
    assert together(tmp_path, pair[0]) is None
    assert together(tmp_path, pair[1]) is None


def test_the_command_fails_on_a_lie_across_files(
    pair: tuple[Trace, Trace], tmp_path: Path, genconform: CommandLine
) -> None:
    (tmp_path / "slow.jsonl").write_bytes(pair[1].data())
    for run, code in ((pair[0], 0), (lie(pair[0], "tokens", 20), 1)):
        (tmp_path / "fast.jsonl").write_bytes(run.data())
        done = genconform("trace", "check", ".", cwd=tmp_path)
        assert done.returncode == code
        assert ("trace.baseline.contradicted" in done.stdout) is bool(code)
