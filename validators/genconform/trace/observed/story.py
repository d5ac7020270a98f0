"""What an imported trace says, for people: numbers with their origin, and what is not observed."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import UNSET

from genconform.trace.adapters.registry import adapters_named
from genconform.trace.observed.judge import JudgedObservation
from genconform.trace.observed.model import NUMBERS, Observation, Origin, Quantity, Scope

_MOST_ITEMS = 12


def tell(judged: JudgedObservation) -> Iterator[str]:
    """The lines of one observation's story, without its findings."""
    seen = judged.observation
    yield f"from {seen.adapter} {seen.shape}, line {seen.line}, record {seen.payload_digest[:12]}"
    yield from _who(seen)
    yield from _conventions(seen)
    for name, found in seen.numbers.items():
        unit = NUMBERS[name].unit if name in NUMBERS else "?"
        yield f"{name}: {_value(found)} {unit}, {_how(found)}"
    known = ", ".join(f"{name} {str(is_so).lower()}" for name, is_so in judged.decided.items())
    yield f"of the lifecycle's booleans it decides {known or 'none'}"
    yield f"not observed: {', '.join(judged.undecided)}"
    if seen.unread:
        yield f"not read: {', '.join(seen.unread)}"
    yield f"to be judged by more: {adapters_named(seen.adapter)[0].switch_on}"


def _who(seen: Observation) -> Iterator[str]:
    request, output = seen.request, seen.output
    if seen.model is not UNSET:
        told = "" if seen.output.model is not UNSET else ", as declared"
        yield f"model {seen.model}{told}"
    if request.prompt_digest is not UNSET:
        yield f"prompt {request.prompt_digest[:12]} ({request.prompt_form})"
    if request.prompt_text is not UNSET:
        yield f"prompt text: {request.prompt_text!r}"
    if output.text is not UNSET:
        yield f"output text: {output.text!r}"
    if output.finish is not UNSET:
        yield f"ended by {output.finish}"


def _conventions(seen: Observation) -> Iterator[str]:
    if seen.cached_inside_prompt is not UNSET:
        where = "inside" if seen.cached_inside_prompt else "outside"
        yield f"its source counts cached tokens {where} the prompt"
    if seen.bonus_counted is not UNSET:
        how = "counts the bonus token in" if seen.bonus_counted else "leaves the bonus token out"
        yield f"its source's accepted length {how}"


def _value(found: Quantity) -> str:
    if not isinstance(found.value, tuple):
        return format(found.value, ".6g") if isinstance(found.value, float) else str(found.value)
    shown = ", ".join(map(str, found.value[:_MOST_ITEMS]))
    more = len(found.value) - _MOST_ITEMS
    return f"[{shown}{f', and {more} more' if more > 0 else ''}]"


def _how(found: Quantity) -> str:
    parts = [found.origin.value]
    if found.origin is Origin.DERIVED and found.formula is not UNSET:
        parts.append(f"as {found.formula}")
    if found.scope is not Scope.REQUEST:
        parts.append(f"of the {found.scope.value}")
    if found.clock is not UNSET:
        parts.append(f"from {found.clock.value} on")
    if found.at:
        parts.append(f"at {found.at}")
    return ", ".join(parts)
