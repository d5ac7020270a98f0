"""What is claimed of observations, held to what they show.

Numbers are compared only if they count the same: by the same clock, with the same tokens, about a
request. A comparison of unlike numbers is what is found, never its result.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import UNSET

from genconform.trace.observed.model import Claim, Fault, Quantity, Scope
from genconform.trace.observed.rules import near
from genconform.trace.observed.session import Found, History, Kept

EQUAL = 0.02
"""Times that are claimed equal may differ by this share."""

_WITH_BONUS = ("meanAcceptedLength", "emittedPerStep")


def judge_claim(claim: Claim, place: int, history: History) -> Iterator[Found]:
    """What is wrong with the claim at this place of a record's list."""
    where = f"/claims/{place}"
    subject = history.kept.get(claim.of)
    if claim.kind == "value":
        yield from _value(claim, where, subject)
        return
    other = None if claim.against is UNSET else history.kept.get(claim.against)
    if other is None:
        message = f"a claim that {claim.of} is {_words(claim)} names no baseline that was seen"
        told = "nothing" if claim.against is UNSET else claim.against
        yield "observed.claim.no-baseline", Fault(f"{where}/against", message, "a record", told)
        return
    yield from _comparison(claim, where, subject, other)


def _words(claim: Claim) -> str:
    return f"{claim.kind} by {claim.number}"


def _number(claim: Claim, kept: Kept | None) -> Quantity | None:
    found = None if kept is None else kept.numbers.get(claim.number)
    return None if found is None or isinstance(found.value, tuple) else found


def _unseen(claim: Claim, where: str) -> Found:
    message = f"{claim.number} of {claim.of} was not observed"
    return "observed.claim.unobserved", Fault(f"{where}/number", message, "a number that was seen")


def _borrowed(claim: Claim, where: str, found: Quantity) -> Iterator[Found]:
    if found.scope is not Scope.REQUEST:
        message = f"{claim.number} is about a {found.scope.value}, and says nothing about a request"
        expected = "a number about the request"
        yield (
            "observed.scope.borrowed",
            Fault(f"{where}/number", message, expected, found.scope.value),
        )


# --- comparisons -----------------------------------------------------------------------------


def _comparison(claim: Claim, where: str, subject: Kept | None, other: Kept) -> Iterator[Found]:
    one, two = _number(claim, subject), _number(claim, other)
    if one is None or two is None or subject is None:
        yield _unseen(claim, where)
        return
    if one.scope is not two.scope:
        yield from _borrowed(claim, where, one if one.scope is not Scope.REQUEST else two)
        return
    unlike = list(_unlike(claim, where, (one, two), (subject, other)))
    yield from unlike
    if not unlike:
        yield from _false(claim, where, one, two)


def _unlike(
    claim: Claim, where: str, numbers: tuple[Quantity, Quantity], kept: tuple[Kept, Kept]
) -> Iterator[Found]:
    one, two = numbers
    if one.clock != two.clock and claim.number.endswith("Seconds"):
        clocks = [_said(quantity.clock) for quantity in numbers]
        message = f"{claim.number} starts at {clocks[0]} in one and at {clocks[1]} in the other"
        yield "observed.clock.mixed", Fault(f"{where}/number", message, clocks[1], clocks[0])
    if claim.number in _WITH_BONUS and kept[0].bonus_counted is not kept[1].bonus_counted:
        message = "one counts the bonus token and the other does not"
        yield "observed.bonus.mixed", Fault(f"{where}/number", message)
    if claim.number == "uncachedPromptTokens" and (
        kept[0].cached_inside_prompt is not kept[1].cached_inside_prompt
    ):
        message = "one counts cached tokens inside the prompt and the other does not"
        yield "observed.prompt.mixed", Fault(f"{where}/number", message)


def _said(clock: object) -> str:
    return "a moment that is not told" if clock is UNSET else str(clock)


def _false(claim: Claim, where: str, one: Quantity, two: Quantity) -> Iterator[Found]:
    assert not isinstance(one.value, tuple)
    assert not isinstance(two.value, tuple)
    if claim.kind == "equal":
        largest = max(one.value, two.value)
        if largest and abs(one.value - two.value) > EQUAL * largest:
            message = f"{claim.number} is claimed equal, and is not within {EQUAL:.0%}"
            yield "observed.charge.unequal", Fault(where, message, two.value, one.value)
        return
    rate = claim.number.endswith("PerSecond")
    faster = one.value > two.value if rate else one.value < two.value
    if not faster:
        message = f"{claim.of} is claimed faster by {claim.number}, and is not"
        yield "observed.claim.contrary", Fault(where, message, two.value, one.value)


# --- values ----------------------------------------------------------------------------------


def _value(claim: Claim, where: str, subject: Kept | None) -> Iterator[Found]:
    if subject is None or claim.value is UNSET:
        yield _unseen(claim, where)
        return
    where = f"{where}/value"
    found = _number(claim, subject)
    if found is not None and found.scope is not Scope.REQUEST:
        yield from _borrowed(claim, where.removesuffix("/value"), found)
    elif claim.number == "meanAcceptedLength":
        yield from _length(claim, where, claim.value, subject)
    elif claim.number == "tokensPerSecond":
        yield from _rate(claim, where, claim.value, subject)
    elif found is None:
        yield _unseen(claim, where.removesuffix("/value"))
    elif claim.number == "promptTokens" and _is_uncached(claim.value, found, subject):
        message = "the prompt without its cached part is claimed as the whole"
        yield "observed.prompt.mixed", Fault(where, message, found.value, claim.value)
    elif isinstance(found.value, tuple) or not near(found.value, claim.value):
        yield from _differs(claim, where, found.value)


def _differs(claim: Claim, where: str, observed: object) -> Iterator[Found]:
    message = f"{claim.number} of {claim.of} is claimed to be another than was observed"
    yield "observed.claim.differs", Fault(where, message, observed, claim.value)


def _is_uncached(value: float, whole: Quantity, subject: Kept) -> bool:
    uncached = subject.numbers.get("uncachedPromptTokens")
    cached = subject.numbers.get("cachedTokens")
    if value == whole.value:
        return False
    if uncached is not None:
        return uncached.value == value
    if cached is None or isinstance(cached.value, tuple) or isinstance(whole.value, tuple):
        return False
    return whole.value - cached.value == value


def _plain(subject: Kept, *names: str) -> tuple[float, ...] | None:
    found = [subject.numbers[name].value for name in names if name in subject.numbers]
    plain = tuple(value for value in found if not isinstance(value, tuple))
    return plain if len(plain) == len(names) else None


def _length(claim: Claim, where: str, value: float, subject: Kept) -> Iterator[Found]:
    """The length by the claim's own convention; by the other one, the two were mixed up."""
    known = _plain(subject, "acceptedTokens", "verifySteps")
    if known is None or not known[1]:
        yield _unseen(claim, where.removesuffix("/value"))
        return
    bare = known[0] / known[1]
    bonus = subject.bonus_counted if claim.bonus_counted is UNSET else claim.bonus_counted
    wanted, other = (bare + 1, bare) if bonus is True else (bare, bare + 1)
    if near(value, wanted):
        return
    if near(value, other):
        message = "a length with the bonus token is compared with one without it"
        yield "observed.bonus.mixed", Fault(where, message, f"{wanted:.4g}", value)
    else:
        yield from _differs(claim, where, f"{wanted:.4g}")


def _rate(claim: Claim, where: str, value: float, subject: Kept) -> Iterator[Found]:
    """Tokens a second; a value that is the chunks a second was counted in chunks."""
    seconds = next(
        (one for name in ("clientSeconds", "totalSeconds") if (one := _plain(subject, name))), None
    )
    tokens, chunks = _plain(subject, "outputTokens"), _plain(subject, "chunks")
    if seconds is None or tokens is None or not seconds[0]:
        if (reported := _plain(subject, "tokensPerSecond")) is None:
            yield _unseen(claim, where.removesuffix("/value"))
        elif not near(value, reported[0]):
            yield from _differs(claim, where, reported[0])
        return
    rate = tokens[0] / seconds[0]
    if near(value, rate):
        return
    if chunks is not None and near(value, chunks[0] / seconds[0]):
        message = f"{chunks[0]} chunks are counted as tokens, of which there were {tokens[0]}"
        yield "observed.rate.chunks-as-tokens", Fault(where, message, f"{rate:.4g}", value)
    else:
        yield from _differs(claim, where, f"{rate:.4g}")
