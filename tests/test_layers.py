"""Each part of the package imports only from parts before it, and the halves never meet."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import genconform

PACKAGE = Path(genconform.__file__).parent
LAYERS = (
    "finding",
    "errors",
    "tree",
    "document",
    "context",
    "processes",
    "spec",
    "digest",
    "lifecycle",
    "trace",
    "mutation",
    "suites",
    "lean",
    "agreement",
    "catalogue",
    "explain",
    "report",
    "cache",
    "checks",
    "cli",
    "__main__",
)
MODULES = sorted(PACKAGE.rglob("*.py"))


def imported(source: str) -> Iterator[str]:
    """The full names of the modules that a source imports, anywhere in it."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "imports are absolute"
            assert node.module is not None
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def layer_of(module: str) -> str | None:
    """The part of the package that a module is in; None for anything else, and for the root."""
    package, _, rest = module.partition(".")
    layer = rest.partition(".")[0]
    return layer if package == "genconform" and layer in LAYERS else None


def out_of_order(layer: str, source: str) -> list[str]:
    """What a source of a layer imports from the layers after it."""
    later = LAYERS[LAYERS.index(layer) + 1 :]
    return [module for module in imported(source) if layer_of(module) in later]


def test_every_module_is_in_a_layer() -> None:
    parts = {path.relative_to(PACKAGE).parts[0].removesuffix(".py") for path in MODULES}
    assert parts - {"__init__"} == set(LAYERS)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_module_imports_only_from_layers_before_its_own(path: Path) -> None:
    source = path.read_text()
    layer = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    if layer == "__init__":
        assert not [module for module in imported(source) if layer_of(module)]
    else:
        assert out_of_order(layer, source) == []
    assert not [module for module in imported(source) if module.startswith("genconform_probe")]


@pytest.mark.parametrize("name", ["machine", "packet", "space"])
def test_what_is_written_by_hand_does_not_read_the_table(name: str) -> None:
    source = (PACKAGE / "lifecycle" / f"{name}.py").read_text()
    assert {layer_of(module) for module in imported(source)} <= {"lifecycle", None}
    hand_written = {"machine", "packet", "space"}
    for module in imported(source):
        if module.startswith("genconform.lifecycle."):
            assert module.split(".")[2] in hand_written


@pytest.mark.parametrize(
    "source",
    [
        "from genconform.cli import main",
        "import genconform.report",
        "def late():\n    from genconform import checks",
    ],
)
def test_an_import_from_a_later_layer_is_found(source: str) -> None:
    assert out_of_order("lifecycle", source)
    assert not out_of_order("__main__", source)
