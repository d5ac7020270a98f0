"""The Lean package as text: its modules, what they import, and what they may not say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from genconform.errors import UsageError
from genconform.finding import Location

FOLDER = "lean"
EMBEDDED = "lean/embedded"
TOOLCHAIN_FILE = "lean/lean-toolchain"
ROOT = "AsiStackProofs"
INIT = "Init"


@dataclass(frozen=True)
class Module:
    """One Lean file: its module name, its path in a checkout, its text."""

    name: str
    path: str
    text: str

    @property
    def imports(self) -> tuple[str, ...]:
        """The modules that it imports by name, in order; `import Init`, implicit, is not one."""
        return tuple(re.findall(r"^import ([\w.]+)$", self.text, re.M))


@dataclass(frozen=True)
class Refusal:
    """A word that a source may not use: the rule that says so, the word, and its line."""

    rule: str
    word: str
    location: Location


def load_modules(folder: Path, root: str, shown: str) -> dict[str, Module]:
    """The modules root.lean and root/**.lean of a folder, by name.

    Args:
        folder: where they are on disk.
        root: the name of the root module.
        shown: the folder's path in a checkout.

    Raises:
        UsageError: the root is missing, or a file is not UTF-8 text.
    """
    files = [folder / f"{root}.lean", *sorted((folder / root).rglob("*.lean"))]
    modules = {}
    for file in files:
        relative = file.relative_to(folder)
        path = f"{shown}/{relative.as_posix()}"
        try:
            text = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(
                f"cannot read the Lean module: {error}", location=Location(path)
            ) from error
        name = ".".join(relative.with_suffix("").parts)
        modules[name] = Module(name, path, text)
    return modules


def in_order(modules: dict[str, Module]) -> list[Module]:
    """The modules so that each stands after those that it imports."""
    ordered: dict[str, Module] = {}

    def visit(module: Module, above: tuple[str, ...]) -> None:
        if module.name in above:
            raise UsageError("the module imports itself", location=Location(module.path))
        for name in module.imports:
            if name in modules:
                visit(modules[name], (*above, module.name))
        ordered.setdefault(module.name, module)

    for module in modules.values():
        visit(module, ())
    return list(ordered.values())


def reachable(modules: dict[str, Module], root: str) -> set[str]:
    """The names of the modules that the root imports, at any remove, and the root's own."""
    found: set[str] = set()
    waiting = [root]
    while waiting:
        name = waiting.pop()
        if name in modules and name not in found:
            found.add(name)
            waiting.extend(modules[name].imports)
    return found


# What a checked source may not say, by the rule that refuses it. A word is refused wherever it is
# a whole token or a whole component of a dotted name.
REFUSED: dict[str, frozenset[str]] = {
    rule: frozenset(words.split())
    for rule, words in {
        "lean.source.sorry": "sorry sorryAx admit stop",
        "lean.source.axiom": "axiom",
        "lean.source.native-decide": "native_decide ofReduceBool reduceBool reduceNat",
        "lean.source.skip-kernel": "skipKernelTC",
        "lean.source.option": "set_option",
        "lean.source.unsafe": "unsafe implemented_by extern csimp lcProof lcUnreachable lcCast",
        "lean.source.partial": "partial partial_fixpoint opaque",
        "lean.source.meta": "macro macro_rules syntax elab elab_rules notation notation3 infix "
        "infixl infixr prefix postfix declare_syntax_cat initialize builtin_initialize run_cmd "
        "run_elab run_meta simproc",
        # What the kernel computes on its own, or what Init alone may define.
        "lean.source.core": 'prelude init_quot Lean Init Char String "',
    }.items()
}
_RULE_OF = {word: rule for rule, words in REFUSED.items() for word in words}
# A string could hide terms that are put into it, so that none is let through.
_TOKEN = re.compile(r"[^\W\d][\w!?']*|«[^»]*»|#\w+|\"")


def refusals(module: Module) -> Iterator[Refusal]:
    """Every refused word outside comments, and every command that prints or runs."""
    for number, line in enumerate(without_comments(module.text).split("\n"), 1):
        for token in _TOKEN.findall(line):
            rule = "lean.source.meta" if token.startswith("#") else _RULE_OF.get(token.strip("«»"))
            if rule is not None:
                yield Refusal(rule, token, Location(module.path, line=number))


def without_comments(text: str) -> str:
    """The text with comments blanked out, its lines kept. Block comments nest."""
    kept: list[str] = []
    position, depth = 0, 0
    while match := (_IN_COMMENT if depth else _IN_CODE).search(text, position):
        before, mark = text[position : match.start()], match[0]
        kept.append(_blank(before) if depth else before)
        kept.append(_blank(mark))
        depth += {"/-": 1, "-/": -1}.get(mark, 0)
        position = match.end()
    rest = text[position:]
    kept.append(_blank(rest) if depth else rest)
    return "".join(kept)


_IN_CODE = re.compile(r"/-|--[^\n]*")
_IN_COMMENT = re.compile(r"/-|-/")


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)
