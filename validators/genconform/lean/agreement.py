"""Where the certificate and Lean differ: the stage, and the first packet, with both answers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import msgspec

from genconform.finding import Finding, Level, Location
from genconform.lean.build import Build, Message
from genconform.lean.cases import field_values
from genconform.lean.certificate import (
    NAMES,
    PATH,
    Certificate,
    Routes,
    Space,
    States,
    Theorem,
    digits_of,
    numerals_in,
)
from genconform.lifecycle.machine import Route
from genconform.lifecycle.packet import IDENTITY_NAMES, Counters, Stage

_MODEL = "lean/AsiStackProofs/FastGenerationRefinement/Model.lean"
_ENCODING = "lean/AsiStackProofs/FastGenerationRefinement/Encoding.lean"
_ROUTES = list(Route)
_STAGES = list(Stage)
_SIGNATURE_NAMES = (
    "stage",
    *(field.encode_name for field in msgspec.structs.fields(Counters)),
    "consumed",
    "latestDigest",
    *IDENTITY_NAMES,
)
_REWRITE = "If the change is meant, write it anew with `genconform lean certificate`."
_PREAMBLE = """\
import AsiStackProofs.FastGenerationRefinement.Encoding
namespace AsiStackProofs.FastGenerationRefinement
open Encoding
"""


@dataclass(frozen=True)
class Difference:
    """A case to which two parties give different answers; an answer is a route or a state."""

    theorem: Theorem
    index: int
    expected: str
    actual: str

    @property
    def place(self) -> str:
        """The case in words: its stage, its number, and the packet."""
        theorem = self.theorem
        if isinstance(theorem, Routes):
            own, common = theorem.numbers(self.index)
            number = common if theorem.space is Space.COMMON else own
            where = f"{theorem.stage}, case {number} of its {theorem.space} space"
        else:
            own, common = theorem.cases[self.index]
            where = f"{theorem.stage}, the state after case {own}/{common}"
        values = field_values(theorem.stage, own, common)
        false = [name for name, value in values.items() if not value]
        return f"{where} ({_listed('false', false)}, all else that is asked true)"


def staleness(text: str | None, certificate: Certificate) -> Iterator[Finding]:
    """A finding when the certificate's file is not what the machine answers now."""
    expected = certificate.render()
    if text == expected:
        return
    difference = _first_changed(numerals_in(text or ""), certificate)
    if text is None:
        message = "there is no certificate"
    elif difference is not None:
        message = f"the file does not hold the Python machine's answer: {difference.place}"
    else:
        message = "the file is not as it was written"
    yield Finding(
        "lean.agreement.stale",
        Level.ERROR,
        f"{message}. {_REWRITE}",
        Location(PATH, line=_first_changed_line(text or "", expected)),
        expected=difference.expected if difference else "the text that the machine's answers make",
        actual=difference.actual if difference else "another text",
    )


def disagreements(
    build: Build, text: str, errors: Iterable[Message], certificate: Certificate
) -> Iterator[Finding]:
    """What the kernel's refusals of a certificate's text come to.

    Where the names are not the same, codes cannot be compared and only that is said. Else, for
    each stage with a refused theorem that holds the machine's answers, the first case that differs.
    """
    refused = _theorem_names(text, errors)
    lists = {_AROUND_LISTED.sub("", name) for name in refused if name.startswith(NAMES)}
    if lists:
        yield from map(_names_differ, sorted(lists))
        return
    held = numerals_in(text)
    first: dict[Stage, Theorem] = {}
    for theorem in certificate.theorems:
        if theorem.name in refused and held[theorem.name] == theorem.numeral:
            first.setdefault(theorem.stage, theorem)
    for theorem in first.values():
        difference = locate(build, theorem)
        if difference is not None:
            yield Finding(
                "lean.agreement.differs",
                Level.ERROR,
                f"the Python machine and Lean answer differently: {difference.place}",
                Location(_MODEL),
                expected=f"{difference.expected} (Python)",
                actual=f"{difference.actual} (Lean)",
            )


def _theorem_names(text: str, messages: Iterable[Message]) -> set[str]:
    """The names of the theorems that messages about a certificate's text are about."""
    lines = text.split("\n")
    found = (re.match(r"theorem (\w+)", lines[message.line - 1]) for message in messages)
    return {match[1] for match in found if match}


# What is left of such a theorem's name is a stage, or the name of an enumeration.
_AROUND_LISTED = re.compile(f"^{NAMES}|_no_others$|_places$")


def _names_differ(listed: str) -> Finding:
    of_stage = listed in map(str, Stage)
    return Finding(
        "lean.agreement.differs",
        Level.ERROR,
        f"Lean and the Python machine ask for other fields at {listed}, or in another order"
        if of_stage
        else f"Lean and the Python machine do not have the same names of a {listed} in the same "
        "order",
        Location(_ENCODING if of_stage else _MODEL),
        expected=f"the fields that the Python machine asks for at {listed}, each at its own bit"
        if of_stage
        else f"the constructors of {listed} as the Python machine lists them, and no others",
        actual="others, or the same in another order",
    )


def locate(build: Build, theorem: Theorem) -> Difference | None:
    """The first case of a refused theorem on which Lean differs, by ever smaller theorems.

    None when Lean agrees with each part, so that the theorem was not refused for its answers.
    """
    if isinstance(theorem, States):
        index = _first_refused(build, theorem.split())
        return None if index is None else _read_state(build, theorem, index)
    first, part = 0, theorem
    for bits in (4, 0):
        parts = part.split(bits)
        index = _first_refused(build, parts)
        if index is None:
            return None
        part = parts[index]
        first += index * len(part.answers)
    return _read_route(build, theorem, first)


def _first_refused(build: Build, parts: list[Routes] | list[States]) -> int | None:
    start = _PREAMBLE.count("\n") + 1
    # Examples, as the parts of a theorem about states share its name; only their places matter.
    text = "".join(f"example : {part.statement} := by decide +kernel\n" for part in parts)
    outcome = build.run_text("Locate", _PREAMBLE + text)
    return min((message.line - start for message in outcome.errors), default=None)


def _read_route(build: Build, theorem: Routes, index: int) -> Difference:
    own, common = theorem.numbers(index)
    term = (
        f"ownCode .{theorem.stage} {own}"
        if theorem.space is Space.OWN
        else f"routeCode .{theorem.stage} {own} {common}"
    )
    return Difference(
        theorem,
        index,
        _ROUTES[theorem.answers[index]].value,
        _route_name(_reduced(build, term)),
    )


def _read_state(build: Build, theorem: States, index: int) -> Difference:
    own, common = theorem.cases[index]
    found = _reduced(build, f"after .{theorem.stage} {own} {common}")
    expected = theorem.answers[index]
    actual = None if found is None else digits_of(found, len(expected))
    return Difference(theorem, index, *_state_words(expected, actual))


def _reduced(build: Build, term: str) -> int | None:
    """The numeral that Lean reduces a term to."""
    outcome = build.run_text("Reduce", f"{_PREAMBLE}#reduce {term}\n")
    texts = [message.text for message in outcome.messages if message.text.isdigit()]
    return int(texts[0]) if texts else None


def _first_changed(found: dict[str, int], certificate: Certificate) -> Difference | None:
    for theorem in certificate.theorems:
        numeral = found.get(theorem.name, theorem.numeral)
        if numeral != theorem.numeral:
            return _changed_case(theorem, numeral)
    return None


def _changed_case(theorem: Theorem, numeral: int) -> Difference:
    if isinstance(theorem, States):
        count = len(theorem.answers[0])
        digits = digits_of(numeral, count * len(theorem.answers))
        answers = [digits[start : start + count] for start in range(0, len(digits), count)]
        index = _first_unequal(theorem.answers, answers)
        return Difference(theorem, index, *_state_words(theorem.answers[index], answers[index]))
    codes = digits_of(numeral, len(theorem.answers))
    index = _first_unequal(theorem.answers, codes)
    expected = _ROUTES[theorem.answers[index]].value
    return Difference(theorem, index, expected, _route_name(codes[index]))


def _first_unequal(expected: Iterable[object], actual: Iterable[object]) -> int:
    pairs = enumerate(zip(expected, actual, strict=True))
    return next((index for index, (one, other) in pairs if one != other), 0)


def _route_name(code: int | None) -> str:
    known = code is not None and code < len(_ROUTES)
    return _ROUTES[code].value if known and code is not None else f"no route (code {code})"


def _state_words(expected: tuple[int, ...], actual: tuple[int, ...] | None) -> tuple[str, str]:
    """Two states by the values in which they differ."""
    if actual is None:
        return "a state", "no numeral"
    pairs = list(zip(_SIGNATURE_NAMES, expected, actual, strict=True))
    differing = [(name, one, other) for name, one, other in pairs if one != other]
    return (
        ", ".join(f"{name} {_word(name, one)}" for name, one, _ in differing),
        ", ".join(f"{name} {_word(name, other)}" for name, _, other in differing),
    )


def _word(name: str, value: int) -> str:
    return _STAGES[value].value if name == "stage" and value < len(_STAGES) else str(value)


def _listed(word: str, names: list[str]) -> str:
    return f"{', '.join(names)} {word}" if names else f"none {word}"


def _first_changed_line(text: str, expected: str) -> int | None:
    lines, wanted = text.split("\n"), expected.split("\n")
    pairs = enumerate(zip(lines, wanted, strict=False), 1)
    different = (number for number, (line, other) in pairs if line != other)
    return next(different, min(len(lines), len(wanted)))
