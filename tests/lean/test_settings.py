"""The package's own files: what a stock toolchain would be asked to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from genconform.lean.settings import LAKEFILE, settings_files, settings_findings
from genconform.tree import Tree


def messages(tree: Tree) -> list[str]:
    return [f"{found.location}: {found.message}" for found in settings_findings(tree)]


def test_the_package_as_it_is_has_nothing_to_find(tree: Tree) -> None:
    assert messages(tree) == []


@pytest.mark.parametrize(
    ("added", "key"),
    [
        ('\n[[require]]\nname = "batteries"\n', "require"),
        ('\nmoreLeanArgs = ["-D", "debug.skipKernelTC=true"]\n', "lean_lib"),
        ("\nprecompileModules = true\n", "lean_lib"),
        ('\n[[lean_exe]]\nname = "run"\n', "lean_exe"),
    ],
)
def test_a_setting_of_its_own_is_found(copied_tree: Tree, added: str, key: str) -> None:
    with copied_tree.path(LAKEFILE).open("a", encoding="utf-8") as file:
        file.write(added)
    (message,) = messages(copied_tree)
    assert message.startswith(f"{LAKEFILE}: the file sets {key};")


def test_a_second_lakefile_is_found(copied_tree: Tree) -> None:
    copied_tree.path("lean/lakefile.lean").write_text("import Lake", encoding="utf-8")
    assert "lakefile.lean: the file stands before lakefile.toml" in messages(copied_tree)[0]


@pytest.mark.parametrize("text", ["name = ", ""])
def test_a_lakefile_that_says_nothing_is_found(copied_tree: Tree, text: str) -> None:
    copied_tree.path(LAKEFILE).write_text(text, encoding="utf-8")
    assert messages(copied_tree)


def test_a_missing_toolchain_file_is_found(copied_tree: Tree) -> None:
    copied_tree.path("lean/lean-toolchain").unlink()
    assert "names another toolchain" in messages(copied_tree)[0]


def test_every_file_that_is_read_is_named_for_the_cache(tree: Tree) -> None:
    read = dict(settings_files(tree))
    assert {Path(path).name for path in read} == {
        "lean-toolchain",
        "lakefile.toml",
        "lakefile.lean",
    }
    assert read["lean/lakefile.lean"] == ""
