"""Remembered results: taken for the same inputs alone, and never a pass that was not one."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from genconform import cache
from genconform.cache import Dependencies, Snapshot, recall, remember
from genconform.checks import PLAN, Check, Finished, run_all
from genconform.context import Context
from genconform.finding import CheckResult, Finding, Level, Verdict
from genconform.report import FORMATS
from genconform.tree import Tree, folder
from tests.conftest import CommandLine

RESULT = CheckResult("a", Verdict.PASS, {"things": 1}, (Finding("r", Level.NOTE, "m"),), "note")
KEY = "0" * 64


@pytest.fixture(autouse=True)
def cache_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


def entry() -> Path:
    (path,) = cache.folder().iterdir()
    return path


# Entries


def test_a_pass_is_remembered_whole() -> None:
    assert recall(KEY, "a") is None
    remember(KEY, RESULT)
    assert recall(KEY, "a") == RESULT


@pytest.mark.parametrize("verdict", sorted(set(Verdict) - {Verdict.PASS}))
def test_nothing_but_a_pass_is_remembered(verdict: Verdict) -> None:
    remember(KEY, CheckResult("a", verdict, {}))
    assert recall(KEY, "a") is None


def test_a_result_stands_for_its_own_key_and_check_alone() -> None:
    remember(KEY, RESULT)
    assert recall(KEY, "b") is None
    entry().rename(cache.folder() / f"{'1' * 64}.json")
    assert recall("1" * 64, "a") is None


def test_a_broken_entry_is_as_good_as_none() -> None:
    remember(KEY, RESULT)
    whole = entry().read_bytes()
    for length in range(len(whole)):
        entry().write_bytes(whole[:length])
        assert recall(KEY, "a") is None
    for index in range(len(whole)):
        entry().write_bytes(whole[:index] + bytes([whole[index] ^ 1]) + whole[index + 1 :])
        assert recall(KEY, "a") is None, index


def test_an_entry_that_calls_a_failure_a_pass_is_not_believed() -> None:
    """Not even one that is whole: only what remember writes has the right form."""
    remember(KEY, RESULT)
    text = entry().read_text()
    entry().write_text(text.replace("pass", "fail"))
    assert recall(KEY, "a") is None


def test_runs_side_by_side_do_not_disturb_each_other() -> None:
    def work(number: int) -> None:
        key = f"{number % 4:064}"
        for _ in range(20):
            remember(key, RESULT)
            assert recall(key, "a") == RESULT

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    assert len(list(cache.folder().iterdir())) == 4


def test_the_oldest_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "_KEPT_AT_MOST", 3)
    for number in range(5):
        remember(f"{number:064}", RESULT)
    assert len(list(cache.folder().iterdir())) == 3
    assert recall(f"{4:064}", "a") == RESULT


def test_a_folder_that_cannot_be_written_remembers_nothing(cache_home: Path) -> None:
    cache_home.write_text("a file")
    remember(KEY, RESULT)
    assert recall(KEY, "a") is None


def test_a_relative_cache_home_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "somewhere")
    assert cache.folder() == Path.home() / ".cache" / "genconform" / "checks"


# Keys


@pytest.fixture
def small(tmp_path: Path) -> Tree:
    for name in ("spec/a.yaml", "spec/deep/b.yaml", "fixtures/c.yaml"):
        path = tmp_path / "tree" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    return folder(tmp_path / "tree")


OF = Dependencies("a", "genconform.spec.check:run", ("spec",), ("a-program",))


@pytest.mark.parametrize(
    "change",
    [
        lambda root: (root / "spec/a.yaml").write_text("more"),
        lambda root: (root / "spec/deep/b.yaml").write_text("more"),
        lambda root: (root / "spec/new.yaml").write_text(""),
        lambda root: (root / "spec/a.yaml").unlink(),
        lambda root: (root / "spec/a.yaml").rename(root / "spec/z.yaml"),
        lambda root: (root / "spec").rename(root / "gone"),
    ],
)
def test_a_change_of_an_input_is_another_key(small: Tree, change: Callable[[Path], object]) -> None:
    before = Snapshot(small).key(OF)
    assert Snapshot(small).key(OF) == before
    change(small.root)
    assert Snapshot(small).key(OF) != before


def test_another_file_is_the_same_key(small: Tree) -> None:
    before = Snapshot(small).key(OF)
    (small.root / "fixtures/c.yaml").write_text("more")
    assert Snapshot(small).key(OF) == before


@pytest.mark.parametrize(
    "other",
    [
        Dependencies("b", OF.target, OF.inputs, OF.programs),
        Dependencies("a", "genconform.spec.check:other", OF.inputs, OF.programs),
        Dependencies("a", OF.target, ("spec", "fixtures"), OF.programs),
        Dependencies("a", OF.target, OF.inputs, ("other",)),
    ],
)
def test_another_check_is_another_key(small: Tree, other: Dependencies) -> None:
    snapshot = Snapshot(small)
    assert snapshot.key(other) != snapshot.key(OF)


def test_another_version_of_a_package_is_another_key(
    small: Tree, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = Snapshot(small).key(OF)
    monkeypatch.setattr(cache, "_installed", lambda: ["numpy==0"])
    assert Snapshot(small).key(OF) != before


def test_a_program_that_appears_or_changes_is_another_key(
    small: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = Snapshot(small).key(OF)
    program = tmp_path / "bin" / "a-program"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent))
    there = Snapshot(small).key(OF)
    program.write_text("#!/bin/sh\nexit 1\n")
    assert len({before, there, Snapshot(small).key(OF)}) == 3


def test_a_change_of_the_code_that_checks_is_another_key(
    small: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = tmp_path / "code" / "a_package" / "__init__.py"
    module.parent.mkdir(parents=True)
    module.write_text("")
    monkeypatch.syspath_prepend(tmp_path / "code")
    of = Dependencies("a", "a_package:run", ("spec",))
    before = Snapshot(small).key(of)
    module.write_text("run = None")
    assert Snapshot(small).key(of) != before


# The plan


def test_a_change_of_one_mutation_file_runs_only_what_depends_on_it(copied_tree: Tree) -> None:
    dependencies = [of for check in PLAN if (of := check.dependencies)]

    def keys() -> dict[str, str]:
        snapshot = Snapshot(copied_tree)
        return {of.check: snapshot.key(of) for of in dependencies}

    before = keys()
    path = copied_tree.path("mutations/routes.yaml")
    path.write_text(path.read_text() + "\n")
    after = keys()
    assert {check for check in before if before[check] != after[check]} == {
        "mutations",
        "fixtures",
        "catalogues",
    }


def test_digests_are_never_remembered() -> None:
    (digests,) = (check for check in PLAN if check.id == "digests")
    assert digests.dependencies is None


_LISTEN = """
import sys
from pathlib import Path
from genconform.checks import PLAN
from genconform.context import Context
from genconform.tree import find_tree

tree, name = find_tree(Path(sys.argv[1])), sys.argv[2]
read = set()
def listen(event, arguments):
    if event == "open" and isinstance(arguments[0], str):
        path = Path(arguments[0]).resolve()
        if path.is_relative_to(tree.root):
            read.add(path.relative_to(tree.root).as_posix())
sys.addaudithook(listen)
(check,) = (check for check in PLAN if check.id == name)
check.run(Context(tree))
print("\\n".join(sorted(read)))
"""
# Minutes long; the one reads the table alone, the other asks a process of its own.
_TOO_SLOW = {"agreement", "lean"}


@pytest.mark.parametrize(
    "check", [check for check in PLAN if check.inputs and check.id not in _TOO_SLOW]
)
def test_a_check_reads_nothing_that_it_does_not_declare(copied_tree: Tree, check: Check) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _LISTEN, str(copied_tree.root), check.id],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    read = done.stdout.splitlines()
    assert read
    undeclared = [
        name for name in read if not any(name.startswith(folder) for folder in check.inputs)
    ]
    assert undeclared == []


# Runs


def counted(context: Context) -> CheckResult:
    """Passes, and leaves a mark each time that it runs."""
    mark = context.tree.root / "marks"
    mark.write_text((mark.read_text() if mark.exists() else "") + "x")
    return CheckResult("counted", Verdict.PASS, {"things": 1})


def failing(context: Context) -> CheckResult:
    counted(context)
    return CheckResult("counted", Verdict.FAIL, {})


def editing(context: Context) -> CheckResult:
    path = context.tree.root / "spec" / "a.yaml"
    path.write_text(path.read_text() + "edited meanwhile")
    return counted(context)


def ran(tree: Tree, function: str, *, inputs: tuple[str, ...] = ("spec",), use: bool = True) -> int:
    """How often a check ran in two runs of all."""
    check = Check("counted", "", f"tests.test_cache:{function}", inputs)
    for _ in range(2):
        ((_, done),) = list(run_all([check], Context(tree, cache=use)))
        assert isinstance(done, Finished)
    return len((tree.root / "marks").read_text())


def test_a_pass_is_not_run_again(small: Tree) -> None:
    assert ran(small, "counted") == 1


def test_it_is_where_the_cache_is_not_wanted(small: Tree) -> None:
    assert ran(small, "counted", use=False) == 2


def test_it_is_where_no_inputs_are_declared(small: Tree) -> None:
    assert ran(small, "counted", inputs=()) == 2


def test_a_failure_is_run_again(small: Tree) -> None:
    assert ran(small, "failing") == 2


def test_what_changed_while_it_was_looked_at_is_run_again(small: Tree) -> None:
    assert ran(small, "editing") == 2


# The command


@pytest.fixture
def validate(
    copied_tree: Tree, genconform_here: CommandLine
) -> Callable[..., subprocess.CompletedProcess[str]]:
    command = ["validate-all", "--root", copied_tree.root, "--only", "spec", "--only", "lifecycle"]
    return lambda *arguments: genconform_here(*command, "--jobs", "1", *arguments)


@pytest.mark.parametrize("format_", FORMATS)
def test_a_report_is_the_same_bytes_from_the_cache(
    validate: Callable[..., subprocess.CompletedProcess[str]], format_: str
) -> None:
    first, second = validate("--format", format_), validate("--format", format_)
    assert first.stdout == second.stdout
    assert "from the cache" not in first.stderr
    assert "from the cache: spec, lifecycle (--no-cache runs them)" in second.stderr


def test_no_cache_runs_every_check(
    validate: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    validate()
    assert "from the cache" not in validate("--no-cache").stderr


def test_the_cache_does_not_hide_a_fault_that_came_later(
    validate: Callable[..., subprocess.CompletedProcess[str]], copied_tree: Tree
) -> None:
    assert validate().returncode == 0
    path = copied_tree.path("spec/lifecycle.yaml")
    good = path.read_text()
    path.write_text(good.replace("rejectWrongStage", "rejectWrongPlace"))
    assert validate().returncode == 1
    assert validate().returncode == 1
    path.write_text(good)
    assert validate().returncode == 0
