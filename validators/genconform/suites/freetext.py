"""Reads the free-text form of the generation-mode record, and says what it could not read.

In that form, which public predecessors use, every field is a text or a list of texts. A field is
read only where its text says one thing in words and units that are known here; nothing is guessed.
What was read makes a draft of our record, and `absent` says what the draft still lacks.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any, NamedTuple, get_args

from msgspec import Struct, structs

from genconform.document import Document, escape
from genconform.errors import MalformedInput
from genconform.suites.generation_mode import (
    DEFINITIONS,
    EvidenceKind,
    GenerationModeRecord,
    MeasurementState,
)
from genconform.trace.format import Decision, GenerationMode, RiskTier


class State(StrEnum):
    """How much of a field was read."""

    READ = "read"
    PARTLY = "partly"
    UNREAD = "unread"
    MISSING = "missing"
    UNKNOWN = "unknown"


class FieldReport(Struct, frozen=True, omit_defaults=True):
    """A field of the free-text form: how much was read, into which pointers, and why not all."""

    field: str
    state: State
    into: tuple[str, ...] = ()
    why: str = ""


class Conversion(Struct, frozen=True):
    """A draft of our record, what became of each field, and what the draft still lacks."""

    complete: bool
    record: dict[str, Any]
    fields: tuple[FieldReport, ...]
    absent: tuple[str, ...]


class Taken(NamedTuple):
    """What was read from a field, by pointer into our record, and why that is not all of it."""

    values: Mapping[str, Any] = MappingProxyType({})
    why: str = ""


Reader = Callable[[str], Taken]


def convert(document: Document) -> Conversion:
    """Read a free-text record, field by field.

    Raises:
        MalformedInput: it is not an object of texts and lists of texts.
    """
    given = _texts(document)
    reports, draft = [], _draft()
    for field, reader in FIELDS.items():
        names = [name for name in (field, *ALIASES.get(field, ())) if name in given]
        if not names:
            reports.append(FieldReport(field, State.MISSING, why="the field is not there"))
            continue
        taken = reader(given[names[0]])
        for pointer, value in taken.values.items():
            _put(draft, pointer, value)
        reports.append(_report(names[0], taken))
    if draft.get("measurementState") in ("not_run", "planned"):
        draft["dispatched"] = False  # what was not run is not in use
    known = {*FIELDS, *(name for names in ALIASES.values() for name in names)}
    reports += [
        FieldReport(name, State.UNKNOWN, why="no field of the free-text form")
        for name in given
        if name not in known
    ]
    lacking = tuple(absent(draft))
    unread = any(one.state is not State.READ for one in reports)
    return Conversion(not lacking and not unread, draft, tuple(reports), lacking)


def absent(draft: Mapping[str, Any]) -> Iterator[str]:
    """The pointers of everything that our record needs and a draft has not.

    A record that was not run needs nothing measured.
    """
    yield from _absent(GenerationModeRecord, draft, "")
    if draft.get("measurementState") == "run" and "measured" not in draft:
        yield "/measured"


def _absent(type_: type[Struct], value: Mapping[str, Any], at: str) -> Iterator[str]:
    for field in structs.fields(type_):
        pointer = f"{at}/{field.encode_name}"
        if field.encode_name not in value:
            if field.required:
                yield pointer
            continue
        inner = next((one for one in (field.type, *get_args(field.type)) if _is_struct(one)), None)
        items = value[field.encode_name]
        if inner is not None and isinstance(items, dict):
            yield from _absent(inner, items, pointer)
        elif inner is not None and isinstance(items, list):
            for index, item in enumerate(items):
                yield from _absent(inner, item, f"{pointer}/{index}")


def _is_struct(type_: Any) -> bool:
    return isinstance(type_, type) and issubclass(type_, Struct)


def _texts(document: Document) -> dict[str, str]:
    """Every field as one text; the items of a list are separated by new lines."""
    if not isinstance(document.value, dict):
        raise MalformedInput(
            "not a free-text record",
            location=document.location(""),
            expected="an object of texts and lists of texts",
        )
    return {name: _text(document, name, value) for name, value in document.value.items()}


def _text(document: Document, name: str, value: Any) -> str:
    items = value if isinstance(value, list) else [value]
    if not all(isinstance(item, str) for item in items):
        raise MalformedInput(
            f"{name} is neither a text nor a list of texts",
            location=document.location(f"/{escape(name)}"),
            expected='"2 s" or ["one", "two"]; a record with numbers may already be ours',
            actual=repr(value),
        )
    return "\n".join(items)


def _draft() -> dict[str, Any]:
    return {"record": "generation-mode"}


def _put(draft: dict[str, Any], pointer: str, value: Any) -> None:
    *parents, last = pointer.split("/")[1:]
    for parent in parents:
        draft = draft.setdefault(parent, {})
    draft[last] = value


def _report(name: str, taken: Taken) -> FieldReport:
    state = State.READ if not taken.why else State.PARTLY if taken.values else State.UNREAD
    return FieldReport(name, state, tuple(taken.values), taken.why)


# --- readers -----------------------------------------------------------------------------------

_QUANTITY = re.compile(
    r"(?<![\w.])(?P<number>\d+(?:,\d{3})*(?:\.\d+)?)\s*(?P<unit>%|[A-Za-z]+(?: passes)?)?"
)
_SECONDS = {
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1.0),
    **dict.fromkeys(("ms", "millisecond", "milliseconds"), 1e-3),
    **dict.fromkeys(("min", "minute", "minutes"), 60.0),
}
_PASSES = dict.fromkeys(("pass", "passes", "forward passes", "decode passes"), 1.0)
_BYTES = {
    **dict.fromkeys(("B", "byte", "bytes"), 1.0),
    **{f"{prefix}B": 1000.0**power for power, prefix in enumerate("kMGT", 1)},
    **{f"{prefix}iB": 1024.0**power for power, prefix in enumerate("KMGT", 1)},
    "KB": 1000.0,
}
_TOKENS = dict.fromkeys(("token", "tokens"), 1.0)
_NO_SHARE = "no least share of accepted tokens"
_NOTHING = ("", "none", "n/a", "not_applicable", "not_run", "not_measured")
"""Words by which a field says that there is nothing to read."""


def _if_any(reader: Reader) -> Reader:
    def read(text: str) -> Taken:
        return Taken() if _words(text) in _NOTHING else reader(text)

    return read


def _words(text: str) -> str:
    return re.sub(r"[\s_-]+", "_", text.strip().lower())


def _amount(text: str, units: Mapping[str, float]) -> tuple[float | None, str]:
    """The one quantity in a text in one of these units, or why there is none."""
    found = [(match["number"], match["unit"] or "") for match in _QUANTITY.finditer(text)]
    if not found:
        return None, "no number in it"
    if len(found) > 1:
        return None, "more than one number in it"
    number, unit = found[0]
    if unit not in units:
        known = ", ".join(units)
        return None, f"the unit {unit!r} is not one of {known}" if unit else "a number without unit"
    return float(number.replace(",", "")) * units[unit], ""


def _quantity(pointer: str, units: Mapping[str, float], *, whole: bool = False) -> Reader:
    def read(text: str) -> Taken:
        amount, why = _amount(text, units)
        if amount is None:
            return Taken(why=why)
        if whole and not amount.is_integer():
            return Taken(why=f"{amount} is not a whole number")
        return Taken({pointer: int(amount) if whole else round(amount, 9)})

    return read


def _one_of(pointer: str, literal: Any) -> Reader:
    known = get_args(literal)

    def read(text: str) -> Taken:
        word = _words(text)
        if word in known:
            return Taken({pointer: word})
        return Taken(why=f"{text!r} is not one of {', '.join(known)}")

    return read


def _as_is(pointer: str) -> Reader:
    def read(text: str) -> Taken:
        return Taken({pointer: text.strip()}) if text.strip() else Taken(why="it is empty")

    return read


_PART_WORDS = {
    "none": ("none", "no_draft", "not_applicable", "n/a"),
    "model": ("model",),
    "heads": ("head", "heads"),
    "cache": ("cache", "n_gram", "retrieval"),
    "layers": ("layer", "layers", "early_exit"),
    "program": ("program", "checker", "validator", "script", "test", "tests"),
}


def _part(pointer: str) -> Reader:
    def read(text: str) -> Taken:
        words = f"_{_words(text)}_"
        kinds = [
            kind
            for kind, names in _PART_WORDS.items()
            if any(f"_{name}_" in words for name in names)
        ]
        if len(kinds) != 1:
            said = "more than one kind" if kinds else "no kind"
            return Taken(why=f"{said} of {', '.join(_PART_WORDS)} in it")
        return Taken({f"{pointer}/kind": kinds[0], f"{pointer}/id": text.strip()})

    return read


_PREDICATE_WORDS = {
    "greedy-token-identity": ("greedy", "token_identity", "exact_match", "token_identical"),
    "rejection-sampling": ("rejection_sampling",),
    "task-check": ("task_check", "task_passes", "tests_pass", "unit_tests"),
}


def _predicate(text: str) -> Taken:
    at, words = "/setup/acceptancePredicate", _words(text)
    names = [name for name, said in _PREDICATE_WORDS.items() if any(one in words for one in said)]
    if len(names) != 1:
        return Taken(why=f"not one of {', '.join(_PREDICATE_WORDS)} in it")
    amount, why = _amount(text, {"%": 0.01})
    if amount is None or amount > 1:
        return Taken({f"{at}/name": names[0]}, f"{_NO_SHARE}: {why or 'more than 100 %'}")
    share = round(amount, 9)
    return Taken({f"{at}/name": names[0], f"{at}/minimumAcceptedShare": share})


def _wall(text: str) -> Taken:
    amount, why = _amount(text, _SECONDS)
    if amount is None:
        return Taken(why=why)
    seconds = round(amount, 9)
    return Taken(
        {"/measured/costs/totalSeconds": seconds, "/measured/spent/latencySeconds": seconds},
        "the total alone, not what queue, prefill, decode, verification and fallback took",
    )


_SCORE = re.compile(
    r"\bscore\s*(?:of|:|=)?\s*(?P<score>[01](?:\.\d+)?)\b.*?"
    r"\b(?:minimum|at least|target)\s*(?:of|:|=)?\s*(?P<minimum>[01](?:\.\d+)?)\b",
    re.IGNORECASE | re.DOTALL,
)


def _quality(text: str) -> Taken:
    at = "/measured/quality"
    found = _SCORE.search(text)
    if found is not None:
        score, minimum = float(found["score"]), float(found["minimum"])
        if max(score, minimum) > 1:
            return Taken(why="a score is a share from 0 to 1")
        values = {"predicate": "score-at-least", "score": score, "minimumScore": minimum}
        values["passed"] = score >= minimum
        return Taken({f"{at}/{name}": value for name, value in values.items()})
    passed = {"pass": True, "passed": True, "fail": False, "failed": False}.get(_words(text))
    if passed is None:
        return Taken(why="neither pass, fail, nor `score 0.95, minimum 0.9`")
    return Taken({f"{at}/passed": passed}, "a verdict without its score and the least that passes")


def _fallback(text: str) -> Taken:
    words = f"_{_words(text)}_"
    modes = [mode for mode in get_args(GenerationMode) if f"_{mode}_" in words]
    if _words(text) in _NOTHING:
        return Taken()
    if len(modes) != 1:
        return Taken(why="not one generation mode in it")
    why = "a mode, and nothing that shows that it executes"
    return Taken({"/fallback/mode": modes[0]}, why)


def _items(pointer: str, items: list[dict[str, str]], why: str) -> Taken:
    """What was read of a list; no list where all of it is wrong, an empty one for no text."""
    return Taken({pointer: items} if items or not why else {}, why)


def _metrics(text: str) -> Taken:
    names, unknown = [], []
    for line in text.splitlines():
        words = f"_{_words(line)}_"
        named = [name for name in DEFINITIONS if f"_{name}_" in words.replace(":", "_")]
        names += named
        unknown += [] if named else [line]
    titles = ("name", "numerator", "denominator", "unit")
    metrics = [
        dict(zip(titles, (name, *DEFINITIONS[name]), strict=True)) for name in dict.fromkeys(names)
    ]
    why = f"no metric of ours in {'; '.join(unknown)!r}" if unknown else ""
    return _items("/metrics", metrics, why)


_REF = re.compile(
    r"(?P<kind>[a-z][a-z _-]*?)\s*:\s*(?P<id>\S+)"
    r"(?:\s+\(?sha256[:=]\s*(?P<sha256>[0-9a-f]{64})\)?)?"
)


def _evidence(text: str) -> Taken:
    refs, faults = [], []
    for line in text.splitlines():
        found = _REF.fullmatch(line.strip())
        kind = _words(found["kind"]) if found else ""
        if found is None or kind not in get_args(EvidenceKind):
            faults.append(f"{line!r} is not KIND: ID sha256:DIGEST")
            continue
        given = {"kind": kind, "id": found["id"], "sha256": found["sha256"]}
        refs.append({name: value for name, value in given.items() if value})
        if not found["sha256"]:
            faults.append(f"{found['id']} has no digest")
    return _items("/evidenceRefs", refs, "; ".join(faults))


_NON_CLAIM_WORDS: dict[str, tuple[str, ...]] = {
    "no-speed-claim-beyond-this-run": ("speed", "throughput", "latency"),
    "no-support-transition": ("support", "promotion", "evidence transition"),
    "no-transfer-to-other-models": ("other model", "model transfer"),
    "no-transfer-to-other-workloads": ("workload", "other task", "benchmark"),
    "no-hardware-claim": ("hardware", "device", "gpu"),
}


def _non_claims(text: str) -> Taken:
    claims, faults = [], []
    for line in text.splitlines():
        low = line.lower()
        said = [
            claim
            for claim, words in _NON_CLAIM_WORDS.items()
            if claim == low.strip() or any(word in low for word in words)
        ]
        exact = [claim for claim in said if claim == low.strip()] or said
        if len(exact) == 1:
            claims.append({"claim": exact[0], "text": line.strip()})
        else:
            faults.append(f"{line!r} is not one known non-claim")
    return _items("/nonClaims", claims, "; ".join(faults))


FIELDS: dict[str, Reader] = {
    "task_id": _as_is("/taskId"),
    "risk_tier": _one_of("/riskTier", RiskTier),
    "latency_budget": _quantity("/budget/latencySeconds", _SECONDS),
    "compute_budget": _quantity("/budget/computePasses", _PASSES, whole=True),
    "memory_budget": _quantity("/budget/memoryBytes", _BYTES, whole=True),
    "context_packet_id": _as_is("/setup/contextPacketId"),
    "generation_mode": _one_of("/setup/generationMode", GenerationMode),
    "draft_source": _part("/setup/draftSource"),
    "verifier": _part("/setup/verifier"),
    "acceptance_predicate": _predicate,
    "proposed_tokens_or_spans": _if_any(
        _quantity("/measured/work/proposedTokens", _TOKENS, whole=True)
    ),
    "accepted_tokens_or_spans": _if_any(
        _quantity("/measured/work/acceptedTokens", _TOKENS, whole=True)
    ),
    "wall_clock_time": _if_any(_wall),
    "quality_or_pass_result": _if_any(_quality),
    "repair_or_fallback": _fallback,
    "promotion_decision": _one_of("/promotionDecision", Decision),
    "measurement_status": _one_of("/measurementState", MeasurementState),
    "metric_definitions": _metrics,
    "evidence_refs": _evidence,
    "non_claims": _non_claims,
}
"""What reads each field of the free-text form."""

ALIASES: dict[str, tuple[str, ...]] = {
    "proposed_tokens_or_spans": ("proposed_tokens", "proposed_spans"),
    "accepted_tokens_or_spans": ("accepted_tokens", "accepted_spans"),
}
"""Other names under which a field goes."""
