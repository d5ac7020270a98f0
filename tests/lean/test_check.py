"""The check as a whole: what it reports, remembers, and says when the Python machine changes."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from genconform.cli import lean as cli
from genconform.context import Context
from genconform.finding import CheckResult, Level, Verdict
from genconform.lean import certificate as certificates
from genconform.lean import check as module
from genconform.lean.agreement import staleness
from genconform.lean.build import Build
from genconform.lean.certificate import PATH, Certificate, certify
from genconform.lean.check import check, run
from genconform.lean.toolchain import Toolchain
from genconform.lifecycle import machine
from genconform.lifecycle.machine import Route
from genconform.lifecycle.packet import Event, State
from genconform.tree import Tree
from tests.lean.conftest import Pristine

CASES = {
    "requested": 2**6,
    "contextBound": 2**14,
    "modeSelected": 2**5,
    "draftGenerated": 2**6,
    "verified": 2**8,
    "accounted": 2**8,
    "decided": 2**5,
    "closed": 1,
    "common": 8 * 2**7,
}


def test_the_report_says_what_was_checked_and_what_it_rests_on(pristine: Pristine) -> None:
    counts, note = pristine.result.counts, pristine.result.findings[0]
    assert {name: counts[f"agreement_{name}"] for name in CASES} == CASES
    assert counts["modules"] == counts["modules_clean"] == len(pristine.modules)
    assert counts["theorems"] == 45
    assert counts["theorems_with_axioms"] == 0
    assert note.level is Level.NOTE
    assert "embedded" in note.message
    assert note.actual["AcceptedIffAdmitted"] == []
    assert "embedded" in pristine.result.note


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, pristine: Pristine) -> list[str]:
    """Stands in for the checking itself, and counts how often it is done."""
    done: list[str] = []

    def check(*_: object) -> CheckResult:
        done.append("checked")
        return pristine.result

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(module, "check", check)
    return done


def test_an_unchanged_tree_is_checked_once(tree: Tree, counted: list[str]) -> None:
    assert run(Context(tree)) == run(Context(tree))
    assert counted == ["checked"]


def test_no_cache_believes_no_earlier_result(tree: Tree, counted: list[str]) -> None:
    run(Context(tree))
    run(Context(tree, cache=False))
    assert counted == ["checked"] * 2


def test_a_changed_source_is_checked_again(copied_tree: Tree, counted: list[str]) -> None:
    run(Context(copied_tree))
    model = copied_tree.path("lean/AsiStackProofs/FastGenerationRefinement/Model.lean")
    model.write_text(model.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    run(Context(copied_tree))
    assert counted == ["checked"] * 2


def test_a_failure_is_not_remembered(
    monkeypatch: pytest.MonkeyPatch, tree: Tree, counted: list[str], pristine: Pristine
) -> None:
    failed = msgspec.structs.replace(pristine.result, verdict=Verdict.FAIL)

    def check(*_: object) -> CheckResult:
        counted.append("failed")
        return failed

    monkeypatch.setattr(module, "check", check)
    run(Context(tree))
    run(Context(tree))
    assert counted == ["failed"] * 2


def test_a_cache_that_is_not_a_result_is_left_aside(
    tree: Tree, counted: list[str], tmp_path: Path
) -> None:
    run(Context(tree))
    for file in (tmp_path / "cache" / "genconform" / "lean").iterdir():
        file.write_bytes(b"{")
    assert run(Context(tree)).verdict is Verdict.PASS
    assert counted == ["checked"] * 2


def changed_machine(monkeypatch: pytest.MonkeyPatch, other: dict[Route, Route]) -> Certificate:
    """The certificate of a machine that gives other routes for some."""

    def route(state: State, event: Event) -> Route:
        taken = machine.route(state, event)
        return other.get(taken, taken)

    monkeypatch.setattr(certificates, "route", route)
    return certify.__wrapped__()


def test_a_change_of_the_python_machine_is_found_with_stage_and_packet(
    monkeypatch: pytest.MonkeyPatch, tree: Tree
) -> None:
    changed = changed_machine(monkeypatch, {Route.REQUIRE_RISK_TIER: Route.REQUIRE_QUALITY_TARGET})
    text = tree.path(PATH).read_text(encoding="utf-8")
    (finding,) = staleness(text, changed)
    assert finding.rule == "lean.agreement.stale"
    assert "contextBound, case 3 of its own space" in finding.message
    assert (finding.expected, finding.actual) == ("requireQualityTarget", "requireRiskTier")


def test_a_change_of_the_state_after_is_found(monkeypatch: pytest.MonkeyPatch, tree: Tree) -> None:
    def step(state: State, event: Event) -> tuple[State, Route]:
        after, taken = machine.step(state, event)
        counters = msgspec.structs.replace(after.counters, support_assignments=18)
        return msgspec.structs.replace(after, counters=counters), taken

    monkeypatch.setattr(certificates, "step", step)
    text = tree.path(PATH).read_text(encoding="utf-8")
    (finding,) = staleness(text, certify.__wrapped__())
    assert "the state after case" in finding.message
    assert finding.expected == "supportAssignments 18"
    assert finding.actual == "supportAssignments 17"


def test_the_committed_certificate_is_the_machines(tree: Tree) -> None:
    assert tree.path(PATH).read_text(encoding="utf-8") == certify().render()


def test_a_missing_certificate_is_found() -> None:
    (finding,) = staleness(None, certify())
    assert "there is no certificate" in finding.message


SHIM = """\
import os, sys
os.environ["LEAN_PATH"] += os.pathsep + {init!r}
os.execv({command[0]!r}, [*{command!r}, *sys.argv[1:]])
"""


def test_a_stock_toolchain_brings_its_own_init(
    tree: Tree, pristine: Pristine, tmp_path: Path
) -> None:
    """Stands in for a stock Lean: the embedded one, with Init where Lean itself would look."""
    build, package = tmp_path / "build", tmp_path / "sysroot"
    build.mkdir()
    Build(pristine.build.toolchain, package).adopt(
        pristine.build, [name for name in pristine.modules if name.startswith("Init")]
    )
    shim = tmp_path / "lean.py"
    command = list(pristine.build.toolchain.command)
    shim.write_text(SHIM.format(init=str(package), command=command), encoding="utf-8")
    stock = Build(
        Toolchain(
            (sys.executable, str(shim)), "stock", False, pristine.build.toolchain.environment
        ),
        build,
    )
    stock.adopt(pristine.build, [name for name in pristine.modules if not name.startswith("Init")])
    result = check(tree, stock, 1, lambda _: None)
    assert result.verdict is Verdict.PASS
    assert result.counts["modules"] == sum(not name.startswith("Init") for name in pristine.modules)
    assert "stock" in result.note
    assert "stock" in result.findings[0].message


def test_the_command_reports_and_exits_by_the_verdict(
    monkeypatch: pytest.MonkeyPatch, pristine: Pristine
) -> None:
    for verdict in (Verdict.PASS, Verdict.FAIL, Verdict.UNSUPPORTED):
        result = msgspec.structs.replace(pristine.result, verdict=verdict)
        monkeypatch.setattr(cli, "run_with_progress", lambda *_, result=result: result)
        done = CliRunner().invoke(cli.lean, ["check", "--format", "json"])
        assert done.exit_code == verdict.exit_code
        (reported,) = json.loads(done.output)["checks"]
        assert reported["findings"][0]["actual"]["RunsRefine"] == []


def test_the_certificate_can_be_printed(tree: Tree) -> None:
    done = CliRunner().invoke(cli.lean, ["certificate", "--print"])
    assert done.output == tree.path(PATH).read_text(encoding="utf-8")


def test_the_certificate_can_be_written_anew(copied_tree: Tree) -> None:
    written = copied_tree.path(PATH)
    written.write_text("", encoding="utf-8")
    done = CliRunner().invoke(cli.lean, ["certificate", "--root", str(copied_tree.root)])
    assert done.exit_code == 0
    assert written.read_text(encoding="utf-8") == certify().render()


def test_a_lean_that_says_nothing_proves_nothing(tree: Tree, tmp_path: Path) -> None:
    """Stands in for a Lean that ends with success, writes what it was asked to, and checks none."""
    silent = tmp_path / "lean.py"
    silent.write_text(
        "import sys\nif '-o' in sys.argv: open(sys.argv[sys.argv.index('-o') + 1], 'w')\n",
        encoding="utf-8",
    )
    toolchain = Toolchain((sys.executable, str(silent)), "silent", embedded=False)
    result = check(tree, Build(toolchain, tmp_path), 1, lambda _: None)
    assert result.verdict is Verdict.FAIL
    assert {found.rule for found in result.findings} == {"lean.axioms", "lean.trust"}
    assert result.counts["theorems"] == 0
    assert "no proof could be asked" in result.findings[-1].message


@pytest.mark.parametrize(
    ("end", "said"),
    [("os.kill(os.getpid(), signal.SIGTERM)", "ended by SIGTERM"), ("sys.exit(3)", "exit code 3")],
)
def test_a_lean_that_ends_without_a_word_is_a_failure(
    tree: Tree, tmp_path: Path, end: str, said: str
) -> None:
    ending = tmp_path / "lean.py"
    ending.write_text(f"import os, signal, sys\n{end}\n", encoding="utf-8")
    toolchain = Toolchain((sys.executable, str(ending)), "ending", embedded=False)
    result = check(tree, Build(toolchain, tmp_path), 1, lambda _: None)
    assert result.verdict is Verdict.FAIL
    assert {found.actual for found in result.findings if found.rule == "lean.compile"} == {said}
