"""A build of the unbroken package, and copies of its sources to break."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from msgspec import Struct, field

from genconform.document import decode, read_document
from genconform.finding import CheckResult
from genconform.lean.build import Build
from genconform.lean.check import check
from genconform.lean.package import EMBEDDED, FOLDER, INIT, ROOT, Module, load_modules
from genconform.lean.toolchain import Toolchain, find_toolchain
from genconform.tree import Tree, find_tree

GATE_INPUTS = Path(__file__).parent / "gate_inputs"


class Edit(Struct, frozen=True, rename={"with_": "with"}, forbid_unknown_fields=True):
    """A change to one file: some text put in place of another, or added at the end."""

    file: str
    replace: str = ""
    with_: str = ""
    append: str = ""

    def apply(self, root: Path) -> None:
        path = root / self.file
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        if self.replace:
            assert text.count(self.replace) == 1, f"{self.file} has not once: {self.replace}"
            text = text.replace(self.replace, self.with_)
        path.write_text(text + (f"\n{self.append}\n" if self.append else ""), encoding="utf-8")


class GateInput(Struct, frozen=True, forbid_unknown_fields=True):
    """Edits to the package, the rules that must find them, and words that the findings hold."""

    expect: tuple[str, ...]
    edits: tuple[Edit, ...]
    says: tuple[str, ...] = field(default=())


def gate_input(name: str) -> GateInput:
    return decode(read_document(GATE_INPUTS / f"{name}.yaml"), GateInput)


@pytest.fixture(scope="session")
def toolchain(tree: Tree) -> Toolchain:
    return find_toolchain(tree.path(FOLDER))


@dataclass(frozen=True)
class Pristine:
    """The unbroken package, compiled once, and what the check says about it."""

    build: Build
    modules: dict[str, Module]
    result: CheckResult


@pytest.fixture(scope="session")
def pristine(
    tree: Tree, toolchain: Toolchain, tmp_path_factory: pytest.TempPathFactory
) -> Pristine:
    build = Build(toolchain, tmp_path_factory.mktemp("pristine"))
    result = check(tree, build, jobs=1, progress=lambda _: None)
    return Pristine(build, _modules(tree), result)


CheckBroken = Callable[[GateInput], CheckResult]


@pytest.fixture
def check_broken(tree: Tree, pristine: Pristine, tmp_path: Path) -> Iterator[CheckBroken]:
    """Checks a copy of the package with edits; compiles only what they reach."""

    def run(broken: GateInput) -> CheckResult:
        for folder in (FOLDER, "spec"):
            shutil.copytree(tree.path(folder), tmp_path / "tree" / folder)
        for edit in broken.edits:
            edit.apply(tmp_path / "tree")
        copy = find_tree(tmp_path / "tree")
        build = Build(pristine.build.toolchain, tmp_path / "build")
        build.folder.mkdir()
        build.adopt(pristine.build, _unreached(pristine.modules, _modules(copy)))
        return check(copy, build, jobs=1, progress=lambda _: None)

    yield run
    shutil.rmtree(tmp_path, ignore_errors=True)


def _modules(tree: Tree) -> dict[str, Module]:
    init = load_modules(tree.path(EMBEDDED), INIT, EMBEDDED)
    return init | load_modules(tree.path(FOLDER), ROOT, FOLDER)


def _unreached(before: dict[str, Module], after: dict[str, Module]) -> list[str]:
    """The modules that are as they were, and import nothing that is not."""

    def same(name: str) -> bool:
        return before.get(name) == after.get(name) and all(map(same, after[name].imports))

    return [name for name in after if name in before and same(name)]
