"""The Lean package as text: its modules, what they import, and what they may not say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from genconform.errors import UsageError
from genconform.finding import Location

FOLDER = "lean"
EMBEDDED = "lean/embedded"
TOOLCHAIN_FILE = "lean/lean-toolchain"
ROOT = "AsiStackProofs"
INIT = "Init"
_IMPORT = re.compile(r"^import ([A-Za-z0-9_.]+) *$", re.M)


@dataclass(frozen=True)
class Module:
    """One Lean file: its module name, its path in a checkout, its text."""

    name: str
    path: str
    text: str

    @cached_property
    def code(self) -> str:
        """The text with comments blanked out, its lines kept."""
        return without_comments(self.text)

    @cached_property
    def imports(self) -> tuple[str, ...]:
        """The modules that it imports by name, in order; `import Init`, implicit, is not one."""
        return tuple(_IMPORT.findall(self.code))

    def strange_imports(self) -> Iterator[tuple[int, str]]:
        """Line numbers and lines that say `import` in any but the plain way."""
        for number, line in enumerate(self.code.split("\n"), 1):
            if re.search(r"\bimport\b", line) and not _IMPORT.fullmatch(line):
                yield number, line.strip()


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
        "lean.source.native-decide": "native_decide native bv_decide bv_check ofReduceBool "
        "ofReduceNat trustCompiler reduceBool reduceNat",
        "lean.source.skip-kernel": "skipKernelTC",
        "lean.source.option": "set_option",
        "lean.source.unsafe": "unsafe implemented_by extern csimp lcProof lcUnreachable lcCast",
        "lean.source.partial": "partial partial_fixpoint opaque module public meta",
        "lean.source.meta": "macro macro_rules syntax elab elab_rules notation notation3 infix "
        "infixl infixr prefix postfix declare_syntax_cat initialize builtin_initialize run_cmd "
        "run_elab run_meta run_tac by_elab simproc binder_predicate unif_hint",
        # An instance decides what a sign means: a Bool as a proposition, a numeral, a decision.
        "lean.source.instance": "instance class attribute @[",
        # What the kernel computes on its own, or what Init alone may define.
        "lean.source.core": "prelude init_quot Lean Init Char String",
        # What could keep a word from being seen here: a text, a character, a quoted name, and the
        # mark of a comment glued to a sign, with which Lean may read it as something else.
        "lean.source.hidden": "\" ' « -- /-",
    }.items()
}
_RULE_OF = {word: rule for rule, words in REFUSED.items() for word in words}
# ASCII alone makes a word here: whatever else Lean would take for a part of it, it still is seen.
_TOKEN = re.compile(r"[A-Za-z_][A-Za-z0-9_!?']*|#\w+|@\[|--|/-|[\"'«]|[^\x00-\x7f]")
_SIGNS = frozenset("¬·×₀₁₂₃₄₅₆₇₈₉←→↔∀∃∈∉∧∨≠≤≥⊢▸⟨⟩αβγ")  # noqa: RUF001


def refusals(module: Module) -> Iterator[Refusal]:
    """Every refused word outside comments, and every command that prints or runs."""
    for number, line in enumerate(module.code.split("\n"), 1):
        for token in _TOKEN.findall(line):
            rule = _rule_against(token)
            if rule is not None:
                yield Refusal(rule, token, Location(module.path, line=number))


def _rule_against(token: str) -> str | None:
    if token.startswith("#"):
        return "lean.source.meta"
    if not token.isascii():
        return None if token in _SIGNS else _RULE_OF.get(token, "lean.source.hidden")
    return _RULE_OF.get(token)


def without_comments(text: str) -> str:
    """The text with comments blanked out, its lines kept. Block comments nest.

    A comment's mark that is glued to a sign is kept, as it may be none: in `x <-- y` Lean sees an
    arrow and a minus.
    """
    kept: list[str] = []
    position, depth = 0, 0
    while match := (_IN_COMMENT if depth else _IN_CODE).search(text, position):
        before, mark = text[position : match.start()], match[0]
        glued = depth == 0 and _GLUED.match(text, match.start())
        kept.append(_blank(before) if depth else before)
        kept.append(mark[:2] + _blank(mark[2:]) if glued else _blank(mark))
        depth += {"/-": 1, "-/": -1}.get(mark, 0)
        position = match.end()
    rest = text[position:]
    kept.append(_blank(rest) if depth else rest)
    return "".join(kept)


_IN_CODE = re.compile(r"/-|--[^\n]*")
_IN_COMMENT = re.compile(r"/-|-/")
# After a sign, but for brackets and commas, Lean may count a part of the mark to the sign.
_GLUED = re.compile(r"(?<=[^\w\s'()\[\]{}⟨⟩,;])(?:/-|--)")


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)
