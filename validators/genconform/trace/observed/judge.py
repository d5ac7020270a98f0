"""The verdict on observations: a contradiction fails, and what is not shown is not observed.

Nothing that an engine reports of itself can pass: what was promised beforehand, and what it was
held to, is not in it. So there are two verdicts here, fail and not observed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from msgspec import UNSET, Struct

from genconform.finding import Finding, Level, Location, Verdict
from genconform.lifecycle.packet import BOOLEAN_NAMES, EventKind
from genconform.trace.derive import DERIVATIONS
from genconform.trace.format import (
    BoundIdentity,
    Environment,
    Evidence,
    Header,
    Run,
    Subjects,
)
from genconform.trace.observed.claims import judge_claim
from genconform.trace.observed.evidence import evidence_of
from genconform.trace.observed.model import Fault, Observation
from genconform.trace.observed.rules import LEVELS, RULES
from genconform.trace.observed.session import SESSION_RULES, History
from genconform.trace.rules.base import Derivation
from genconform.trace.shown import Shown, Unmet

BOUND = frozenset(
    {
        "contextPacket",
        "taskSet",
        "consumer",
        "fastModeRequested",
        "generationMode",
        "verifierIdentity",
        "matchedBaseline",
        "independentEvaluator",
        "generator",
        "observedVerification",
        "verificationPassed",
        "fallbackResidual",
        "consumerAcknowledgment",
        "residualClosure",
        "resultDigestBound",
        "usefulDenominator",
    }
)
"""The booleans that depend on what a header bound before anything ran, as models, slots and mode.

No report shows that it was bound.
"""

_UNBOUND: Any = UNSET
HEADER = Header(
    "genconform-trace",
    1,
    Run("observation", _UNBOUND, public=False),
    BoundIdentity(*[_UNBOUND] * len(BoundIdentity.__struct_fields__)),
    Subjects(_UNBOUND, _UNBOUND, _UNBOUND),
    Environment(*[_UNBOUND] * len(Environment.__struct_fields__)),
)
"""The header of a run that bound nothing, as no report of an engine does."""

_ATTRIBUTES = dict(zip(EventKind, Shown.__struct_fields__[1:8], strict=True))
TEXTS = ("promptText", "text")


class JudgedObservation(Struct, frozen=True, gc=False):
    """An observation, the booleans that it decides, and what was found.

    A boolean that is not in `decided` is not observed.
    """

    observation: Observation
    evidence: dict[EventKind, Evidence]
    decided: dict[str, bool]
    findings: tuple[Finding, ...]

    @property
    def verdict(self) -> Verdict:
        """FAIL on a contradiction, else NOT_OBSERVED."""
        wrong = any(finding.level is Level.ERROR for finding in self.findings)
        return Verdict.FAIL if wrong else Verdict.NOT_OBSERVED

    @property
    def undecided(self) -> tuple[str, ...]:
        """The booleans that are not observed."""
        return tuple(name for name in BOOLEAN_NAMES if name not in self.decided)


def judge_all(
    observations: Iterable[Observation], name: str, *, without: str = ""
) -> Iterator[JudgedObservation]:
    """Judge the observations of one log in their order. `without` leaves one rule out."""
    history = History()
    for seen in observations:
        yield judge_observation(seen, history, name, without=without)


def judge_observation(
    seen: Observation, history: History, name: str, *, without: str = ""
) -> JudgedObservation:
    """Judge one observation after those in the history, and add it to them."""
    found = [*_own(seen), *_of_session(seen, history)]
    evidence = evidence_of(seen)
    decided, broken = decide(evidence)
    findings = [_finding(id_, fault, seen, name) for id_, fault in (*found, *broken)]
    kept = tuple(one for one in findings if one.rule != without)
    return JudgedObservation(seen, evidence, decided, kept)


def _own(seen: Observation) -> Iterator[tuple[str, Fault]]:
    for id_, rule in RULES.items():
        for fault in rule(seen):
            yield id_, fault


def _of_session(seen: Observation, history: History) -> Iterator[tuple[str, Fault]]:
    for rule in SESSION_RULES:
        yield from rule(seen, history)
    history.add(seen)
    for place, claim in enumerate(seen.claims):
        yield from judge_claim(claim, place, history)


def _finding(id_: str, fault: Fault, seen: Observation, name: str) -> Finding:
    at = seen.numbers.get(fault.pointer.removeprefix("/numbers/").partition("/")[0])
    pointer = at.at if at is not None and fault.pointer.startswith("/numbers/") else fault.pointer
    place = Location(name, pointer or fault.pointer, seen.line)
    level = LEVELS.get(id_, Level.ERROR)
    return Finding(id_, level, f"{seen.id}: {fault.message}", place, fault.expected, fault.actual)


def decide(
    evidence: dict[EventKind, Evidence],
) -> tuple[dict[str, bool], list[tuple[str, Fault]]]:
    """The booleans that evidence decides, and a fault for each obligation that it shows unmet.

    A boolean is decided only where everything that its rule reads is there.
    """
    shown: Any = {_ATTRIBUTES[kind]: found for kind, found in evidence.items()}
    all_shown = Shown(HEADER, **shown)
    decided: dict[str, bool] = {}
    broken: list[tuple[str, Fault]] = []
    for kind in evidence:
        for derivation in DERIVATIONS[kind]:
            if derivation.name in BOUND or not _all_there(all_shown, derivation):
                continue
            unmet = [one for one in derivation.rule(_at(all_shown, kind)) if one is not None]
            decided[derivation.name] = bool(unmet) is derivation.presumed
            if unmet:
                broken.append(_broken(derivation, unmet[0]))
    return decided, broken


def _at(shown: Shown, kind: EventKind) -> Shown:
    fields = {name: getattr(shown, name) for name in Shown.__struct_fields__}
    return Shown(**(fields | {"now": kind}))


def _broken(derivation: Derivation, unmet: Unmet) -> tuple[str, Fault]:
    message = f"{derivation.name} is shown not to be so"
    actual = unmet.actual if isinstance(unmet.actual, int | float | str) else None
    fault = Fault(f"/evidence/{unmet.field}", message, unmet.expected, actual)
    return f"route.{derivation.routes[0].value}", fault


def _all_there(shown: Shown, derivation: Derivation) -> bool:
    for field in derivation.reads:
        if field.rpartition("/")[2] in TEXTS:
            continue
        value: Any = shown
        for name in _path(field):
            value = getattr(value, name, UNSET)
        if value is UNSET:
            return False
    return True


@cache
def _path(field: str) -> tuple[str, ...]:
    """The attributes that lead to a field of evidence."""
    kind, *rest = field.split("/")
    snake = [re.sub("(?<!^)(?=[A-Z])", "_", name).lower() for name in rest]
    return (_ATTRIBUTES[EventKind(kind)], *snake)
