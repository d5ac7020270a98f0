"""The manifest: any change to a bound file is found, named, and shown with both digests."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from genconform.context import Context
from genconform.digest.check import run
from genconform.digest.manifest import BOUND_FOLDERS, MANIFEST_PATH, bind, compare, load_manifest
from genconform.errors import GenconformError
from genconform.finding import Finding, Verdict
from genconform.tree import Tree
from tests.conftest import CommandLine


def findings(tree: Tree) -> tuple[Finding, ...]:
    return run(Context(tree)).findings


@pytest.fixture
def bound(copied_tree: Tree, genconform: CommandLine) -> Tree:
    """A copied tree whose manifest was just bound."""
    assert genconform("digest", "bind", "--root", copied_tree.root).returncode == 0
    return copied_tree


def test_the_committed_manifest_is_up_to_date(tree: Tree) -> None:
    assert compare(load_manifest(tree), bind(tree)) == ()


def test_every_bound_folder_has_files(tree: Tree) -> None:
    paths = [file.path for file in bind(tree).files]
    for folder in BOUND_FOLDERS:
        assert any(path.startswith(folder + "/") for path in paths), folder


def test_a_bound_tree_passes_and_counts_its_files(bound: Tree) -> None:
    result = run(Context(bound))
    assert result.verdict is Verdict.PASS
    assert result.counts["bound"] == result.counts["unchanged"] == len(bind(bound).files)


@pytest.mark.parametrize("folder", BOUND_FOLDERS)
def test_one_flipped_bit_is_found_and_named(bound: Tree, folder: str) -> None:
    name = max(file.path for file in bind(bound).files if file.path.startswith(folder + "/"))
    path = bound.path(name)
    data = bytearray(path.read_bytes())
    before = hashlib.sha256(data).hexdigest()
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    (finding,) = findings(bound)
    assert (finding.rule, finding.location.file) == ("digest.file.changed", name)
    assert finding.expected == before
    assert finding.actual == hashlib.sha256(data).hexdigest()


def test_a_changed_comment_is_a_change_of_layout_alone(bound: Tree) -> None:
    path = bound.path("spec/lifecycle.yaml")
    path.write_text("# another comment\n" + path.read_text())
    (finding,) = findings(bound)
    assert finding.rule == "digest.file.changed"
    assert "content did not" in finding.message


def link_to_nothing(path: Path) -> None:
    path.symlink_to("nowhere")


def link_to_a_folder(path: Path) -> None:
    path.symlink_to(path.parent, target_is_directory=True)


@pytest.mark.parametrize("made", [os.mkfifo, link_to_nothing, link_to_a_folder])
def test_what_is_no_plain_file_is_named_and_hides_no_other(
    bound: Tree, made: Callable[[Path], None]
) -> None:
    made(bound.path("spec/odd.yaml"))
    bound.path("spec/rules.yaml").unlink()
    odd, missing = findings(bound)
    assert (odd.rule, odd.location.file) == ("digest.file.unreadable", "spec/odd.yaml")
    assert (missing.rule, missing.location.file) == ("digest.file.missing", "spec/rules.yaml")
    with pytest.raises(GenconformError, match=r"spec/odd\.yaml"):
        bind(bound)


def test_a_bound_file_that_cannot_be_read_any_more_is_found_once(bound: Tree) -> None:
    path = bound.path("spec/rules.yaml")
    path.unlink()
    link_to_nothing(path)
    (finding,) = findings(bound)
    assert (finding.rule, finding.location.file) == ("digest.file.unreadable", "spec/rules.yaml")


def test_a_manifest_of_another_version_binds_nothing(bound: Tree) -> None:
    manifest = json.loads(bound.path(MANIFEST_PATH).read_text())
    bound.path(MANIFEST_PATH).write_text(json.dumps(manifest | {"version": 2}))
    (finding,) = findings(bound)
    assert (finding.rule, finding.location.pointer) == ("digest.manifest.unreadable", "/version")


def test_a_manifest_that_has_a_file_twice_binds_nothing(bound: Tree) -> None:
    manifest = json.loads(bound.path(MANIFEST_PATH).read_text())
    manifest["files"].insert(0, manifest["files"][3] | {"sha256": "0" * 64})
    bound.path(MANIFEST_PATH).write_text(json.dumps(manifest))
    (finding,) = findings(bound)
    assert finding.rule == "digest.manifest.unreadable"
    assert "a file stands twice" in finding.message


def test_a_missing_file_is_named(bound: Tree) -> None:
    bound.path("spec/rules.yaml").unlink()
    (finding,) = findings(bound)
    assert (finding.rule, finding.location.file) == ("digest.file.missing", "spec/rules.yaml")


def test_an_extra_file_is_named(bound: Tree) -> None:
    bound.path("spec/more.yaml").write_text("a: 1\n")
    (finding,) = findings(bound)
    assert (finding.rule, finding.location.file) == ("digest.file.extra", "spec/more.yaml")


@pytest.mark.parametrize("content", [None, "", "{", '{"version": 1}', '{"version": 1, "files": 3}'])
def test_without_a_readable_manifest_nothing_passes(bound: Tree, content: str | None) -> None:
    path = bound.path(MANIFEST_PATH)
    path.unlink()
    if content is not None:
        path.write_text(content)
    result = run(Context(bound))
    assert result.verdict is Verdict.FAIL
    assert [finding.rule for finding in result.findings] == ["digest.manifest.unreadable"]


def test_an_empty_manifest_is_no_pass(bound: Tree) -> None:
    bound.path(MANIFEST_PATH).write_text('{"version": 1, "files": []}')
    assert run(Context(bound)).verdict is Verdict.FAIL


def test_bind_says_what_it_changes_and_verify_then_passes(
    bound: Tree, genconform: CommandLine
) -> None:
    bound.path("spec/rules.yaml").write_text("version: 1\nrules: []\n")
    bound.path("spec/more.yaml").write_text("a: 1\n")
    failed = genconform("digest", "verify", "--root", bound.root)
    assert failed.returncode == 1
    assert "spec/rules.yaml" in failed.stdout
    rebound = genconform("digest", "bind", "--root", bound.root)
    assert "changed spec/rules.yaml\n" in rebound.stdout
    assert "added   spec/more.yaml\n" in rebound.stdout
    assert genconform("digest", "verify", "--root", bound.root).returncode == 0


def test_validate_all_fails_on_a_changed_file(bound: Tree, genconform: CommandLine) -> None:
    path = bound.path("spec/lifecycle.yaml")
    path.write_text(path.read_text() + "\n")
    done = genconform("validate-all", "--only", "digests", "--root", bound.root)
    assert done.returncode == 1
    assert "spec/lifecycle.yaml" in done.stdout


def test_explain_shows_the_first_difference(tmp_path: Path, genconform: CommandLine) -> None:
    left, right = tmp_path / "left.json", tmp_path / "right.yaml"
    left.write_text('{"b": [1, 2], "a": 1.0}')
    right.write_text("a: 1\nb: [1, 3]\n")
    done = genconform("digest", "explain", left, right)
    assert done.returncode == 1
    assert done.stdout.startswith("/b/1\n")
    right.write_text("a: 1\nb:\n  - 1\n  - 2\n")
    same = genconform("digest", "explain", left, right)
    assert same.returncode == 0
    assert same.stdout.startswith("the same document")
