"""What one observation must agree with itself in. Each rule is judged only where all it needs is.

A rule sees one observation and yields what is wrong with it. Its id stands in spec/rules.yaml, and
an input that breaks it in fixtures/engine-observations/invalid.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from math import isclose

from msgspec import UNSET

from genconform.finding import Level
from genconform.trace.observed.model import Fault, Observation, Origin

Rule = Callable[[Observation], Iterable[Fault]]

RULES: dict[str, Rule] = {}
"""Every rule over one observation, by id."""

LEVELS: dict[str, Level] = {}
"""The level of those rules that are not errors."""

ROUNDING = 5e-3
"""Absolute and relative: sources write rates with two to four digits."""

NUMERIC_TIE = 1e-3
"""Logits this close are a tie, which the order of additions decides."""

_NO_DRAFTING = ("none", "disabled", "autoregressive", "plain")
_LENGTH_FINISHES = ("length", "limit", "max_tokens", "MAX_TOKENS", "max_output_tokens")


def rule(id_: str, level: Level = Level.ERROR) -> Callable[[Rule], Rule]:
    """Register a rule."""

    def register(function: Rule) -> Rule:
        RULES[id_] = function
        if level is not Level.ERROR:
            LEVELS[id_] = level
        return function

    return register


def at(number: str) -> str:
    """Where a number stands in an observation."""
    return f"/numbers/{number}"


def near(one: float, other: float) -> bool:
    """Whether two numbers are the same but for rounding."""
    return isclose(one, other, rel_tol=ROUNDING, abs_tol=ROUNDING)


# --- drafts ----------------------------------------------------------------------------------


@rule("observed.accepted.exceeds-proposed")
def accepted_exceeds_proposed(seen: Observation) -> Iterator[Fault]:
    """Only what was proposed can be accepted."""
    if found := seen.totals("proposedTokens", "acceptedTokens"):
        proposed, accepted = found
        if accepted > proposed:
            message = "more was accepted than proposed"
            yield Fault(at("acceptedTokens"), message, f"at most {proposed}", accepted)


@rule("observed.rate.out-of-range")
def rate_out_of_range(seen: Observation) -> Iterator[Fault]:
    """A reported rate is a share."""
    rate = seen.total("acceptanceRate")
    if rate is not UNSET and rate > 1:
        yield Fault(at("acceptanceRate"), "the rate is no share", "from 0 to 1", rate)


@rule("observed.rate.zeroed")
def rate_zeroed(seen: Observation) -> Iterator[Fault]:
    """A rate of 0 has no accepted tokens beside it: else a renamed count was read as zero."""
    found = seen.totals("acceptanceRate", "acceptedTokens")
    if found and found[0] == 0 and found[1] > 0:
        message = "the rate is 0 though tokens were accepted; a count was renamed and read as zero"
        expected = f"a rate that {found[1]} accepted tokens give"
        yield Fault(at("acceptanceRate"), message, expected, found[0])


@rule("observed.rate.differs")
def rate_differs(seen: Observation) -> Iterator[Fault]:
    """A reported rate is that of the counts beside it."""
    found = seen.totals("acceptanceRate", "proposedTokens", "acceptedTokens")
    if found is None:
        return
    rate, proposed, accepted = found
    if not proposed or accepted > proposed or rate > 1 or (rate == 0 and accepted):
        return  # other rules' to say
    if not near(rate, accepted / proposed):
        expected = f"{accepted / proposed:.4g}, {accepted} of {proposed}"
        yield Fault(at("acceptanceRate"), "the rate is not that of the counts", expected, rate)


@rule("observed.length.differs")
def length_differs(seen: Observation) -> Iterator[Fault]:
    """A reported mean length is that of the counts, by the convention of its source.

    The first step and what is trimmed at the end may make up two tokens in all.
    """
    found = seen.totals("meanAcceptedLength", "verifySteps", "acceptedTokens")
    if found is None or seen.bonus_counted is UNSET or not found[1]:
        return
    length, steps, accepted = found
    wanted = accepted / steps + bool(seen.bonus_counted)
    if abs(length - wanted) > 2 / steps + ROUNDING:
        how = "with" if seen.bonus_counted else "without"
        yield Fault(
            at("meanAcceptedLength"),
            "the mean length is not that of the counts",
            f"{wanted:.4g}, {accepted} accepted in {steps} steps {how} the bonus token",
            length,
        )


@rule("observed.histogram.differs")
def histogram_differs(seen: Observation) -> Iterator[Fault]:
    """A histogram of accepted lengths sums to the steps, and weighted by length to the accepted."""
    histogram = seen.series("acceptanceHistogram")
    if histogram is UNSET:
        return
    steps, accepted = seen.total("verifySteps"), seen.total("acceptedTokens")
    most = seen.total("tokensPerDraft")
    weighted = sum(length * count for length, count in enumerate(histogram))
    where = at("acceptanceHistogram")
    if steps is not UNSET and sum(histogram) != steps:
        yield Fault(where, "it does not sum to the steps", steps, sum(histogram))
    if accepted is not UNSET and weighted != accepted:
        yield Fault(where, "its lengths do not sum to the accepted tokens", accepted, weighted)
    longest = max((length for length, count in enumerate(histogram) if count), default=0)
    if most is not UNSET and longest > most:
        yield Fault(where, "a step accepted more than a draft holds", f"at most {most}", longest)


@rule("observed.steps.differ")
def steps_differ(seen: Observation) -> Iterator[Fault]:
    """What is listed a step sums to the totals; no step accepts more than was proposed to it."""
    for series, total in (("acceptedPerStep", "acceptedTokens"),
                          ("proposedPerStep", "proposedTokens")):  # fmt: skip
        listed, wanted = seen.series(series), seen.total(total)
        if listed is not UNSET and wanted is not UNSET and sum(listed) != wanted:
            yield Fault(at(series), f"it does not sum to {total}", wanted, sum(listed))
    accepted, proposed = seen.series("acceptedPerStep"), seen.series("proposedPerStep")
    steps = seen.total("verifySteps")
    if accepted is not UNSET and steps is not UNSET and len(accepted) != steps:
        yield Fault(at("acceptedPerStep"), "it does not list every step", steps, len(accepted))
    if accepted is UNSET or proposed is UNSET:
        return
    if len(accepted) != len(proposed):
        where = at("acceptedPerStep")
        yield Fault(where, "the lists are of different steps", len(proposed), len(accepted))
        return
    for step, (kept, drafted) in enumerate(zip(accepted, proposed, strict=True)):
        if kept > drafted:
            where = f"{at('acceptedPerStep')}/{step}"
            yield Fault(where, "a step accepts more than it proposed", drafted, kept)


@rule("observed.tokens.unclosed")
def tokens_unclosed(seen: Observation) -> Iterator[Fault]:
    """Emitted = accepted + verify steps + plain steps + first - trimmed, where all are observed."""
    names = ("acceptedTokens", "verifySteps", "plainSteps", "firstTokens")
    found = seen.each(*names, "trimmedTokens", "outputTokens")
    if found is None or any(seen.numbers[name].origin is not Origin.OBSERVED for name in names):
        return
    *added, trimmed, output = found
    if sum(added) - trimmed != output:
        said = " + ".join(map(str, added)) + f" - {trimmed} = {sum(added) - trimmed}"
        yield Fault(at("outputTokens"), "the tokens do not close", said, output)


@rule("observed.fallback.untold")
def fallback_untold(seen: Observation) -> Iterator[Fault]:
    """Who says speculative has drafted or tells of the fallback; who says none has not drafted."""
    mode, proposed = seen.told.mode, seen.number("proposedTokens")
    if mode is UNSET:
        return
    if proposed is UNSET and seen.absent_drafts_mean_none is True:
        proposed = 0
    if mode in _NO_DRAFTING:
        if proposed is not UNSET and proposed > 0:
            yield Fault("/told/mode", "tokens were drafted in a mode without drafts", 0, proposed)
    elif "specul" in mode and proposed == 0 and seen.told.fallback is UNSET:
        yield Fault(
            "/told/fallback",
            "nothing was drafted in a speculative mode, and no fallback was told",
            "drafted tokens, or the fallback",
        )


@rule("observed.vocabulary.differs")
def vocabulary_differs(seen: Observation) -> Iterator[Fault]:
    """A draft whose tokens were accepted has the target's vocabulary."""
    if not any(seen.each("acceptedTokens") or ()):
        return
    target, draft = seen.models.target, seen.models.draft
    for name in ("vocabulary_size", "tokenizer_digest"):
        one, other = getattr(target, name), getattr(draft, name)
        if UNSET not in (one, other) and one != other:
            where = f"/models/draft/{'vocabularySize' if 'size' in name else 'tokenizerDigest'}"
            message = "tokens of another vocabulary were accepted as the target's"
            yield Fault(where, message, one, other)
            return


# --- usage -----------------------------------------------------------------------------------


@rule("observed.usage.part-exceeds-whole")
def part_exceeds_whole(seen: Observation) -> Iterator[Fault]:
    """A part of the output is not more than the output."""
    output = seen.number("outputTokens")
    if output is UNSET:
        return
    names = ["acceptedPredictionTokens", "rejectedPredictionTokens"]
    if not _thinks_apart(seen):
        names.append("reasoningTokens")
    for name in names:
        part = seen.number(name)
        if part is not UNSET and part > output:
            yield Fault(at(name), "a part is more than the output", f"at most {output}", part)


def _thinks_apart(seen: Observation) -> bool:
    """Whether reasoning is counted beside the output, not within it."""
    return seen.adapter == "gemini"


@rule("observed.usage.negative-step")
def negative_step(seen: Observation) -> Iterator[Fault]:
    """What a cache gave is within the prompt: the rest is a counter's step, never below 0."""
    found = seen.totals("promptTokens", "cachedTokens")
    if found is None or seen.cached_inside_prompt is UNSET:
        return
    prompt, cached = found
    if cached > prompt:
        message = f"{prompt - cached} tokens are left to compute"
        yield Fault(at("cachedTokens"), message, f"at most {prompt}, the prompt", cached)


@rule("observed.usage.total-differs")
def total_differs(seen: Observation) -> Iterator[Fault]:
    """Totals are the sums of their parts."""
    yield from _sum(seen, "totalTokens", "promptTokens", "outputTokens", apart=_thinks_apart(seen))
    yield from _sum(seen, "promptTokens", "uncachedPromptTokens", "cachedTokens")
    yield from _sum(seen, "cacheWrittenTokens", "cacheWritten5mTokens", "cacheWritten1hTokens")


def _sum(seen: Observation, whole: str, *parts: str, apart: bool = False) -> Iterator[Fault]:
    """The whole is the sum of its parts; of some there may be one more, where it is told."""
    found = seen.each(whole, *parts)
    if found is None:
        return
    total, *added = found
    more = {"promptTokens": "cacheWrittenTokens", "totalTokens": "reasoningTokens"}.get(whole)
    if more and (whole == "promptTokens" or apart):
        added += seen.each(more) or ()
    if total != sum(added):
        message = f"it is not the sum of {', '.join(parts)}"
        yield Fault(at(whole), message, " + ".join(map(str, added)), total)


@rule("observed.finish.differs")
def finish_differs(seen: Observation) -> Iterator[Fault]:
    """No more comes out than was asked for, and who ended at the limit came to it."""
    found = seen.each("maxNewTokens", "outputTokens")
    if found is None or "outputs" in seen.numbers:
        return
    most, output = found
    if output > most:
        yield Fault(
            at("outputTokens"), "more came out than was asked for", f"at most {most}", output
        )
    elif output < most and seen.output.finish in _LENGTH_FINISHES:
        message = "it ended at the limit, and did not come to it"
        yield Fault("/output/finish", message, f"{most} tokens", output)


@rule("observed.tokens.differ")
def tokens_differ(seen: Observation) -> Iterator[Fault]:
    """As many tokens are listed as are counted."""
    listed, output = seen.output.token_ids, seen.number("outputTokens")
    if listed is not UNSET and output is not UNSET and len(listed) != output:
        yield Fault("/output/tokenIds", "other than so many tokens are listed", output, len(listed))


@rule("observed.charge.abort-free")
def abort_free(seen: Observation) -> Iterator[Fault]:
    """An aborted request that streamed is charged for what it streamed."""
    found = seen.each("chunks", "chargedTokens")
    if found is None or seen.told.aborted is not True:
        return
    chunks, charged = found
    if charged == 0 and chunks > 0:
        message = f"{chunks} chunks came before the abort, and nothing was charged"
        yield Fault(at("chargedTokens"), message, "at least one token", charged)


# --- time ------------------------------------------------------------------------------------


@rule("observed.time.out-of-order")
def out_of_order(seen: Observation) -> Iterator[Fault]:
    """A request begins before it ends, and its first token comes within it, by the same clock."""
    stamps = seen.each("startedAtSeconds", "endedAtSeconds")
    if stamps and stamps[1] < stamps[0]:
        began, ended = stamps
        yield Fault(at("endedAtSeconds"), "it ends before it begins", f"at least {began}", ended)
    arrivals = seen.series("chunkArrivalMicroseconds")
    if arrivals is not UNSET and list(arrivals) != sorted(arrivals):
        yield Fault(at("chunkArrivalMicroseconds"), "chunks are not in the order of time")
    for part, whole in (
        ("timeToFirstTokenSeconds", "totalSeconds"),
        ("timeToFirstChunkSeconds", "clientSeconds"),
        ("timeToFirstChunkSeconds", "totalSeconds"),
        ("generationSeconds", "totalSeconds"),
        ("generationSeconds", "clientSeconds"),
    ):
        found = seen.each(part, whole)
        if found is None or not _within(seen, part, whole):
            continue
        short, long = found
        if short > long and not near(short, long):
            yield Fault(at(part), f"it is longer than {whole}", f"at most {long}", short)


def _within(seen: Observation, part: str, whole: str) -> bool:
    """Whether the part's clock surely starts no earlier than the whole's."""
    if part == "generationSeconds":
        return True
    if seen.numbers[part].clock is UNSET or seen.numbers[whole].clock is UNSET:
        return part == "timeToFirstChunkSeconds" and seen.adapter == "otel_genai"
    return seen.numbers[part].clock == seen.numbers[whole].clock


# --- outputs ---------------------------------------------------------------------------------


def first_divergence(one: tuple[int, ...], other: tuple[int, ...]) -> int | None:
    """The first place, from 0, at which two outputs differ; None where they are the same."""
    for place, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return place
    return None if len(one) == len(other) else min(len(one), len(other))


def _divergence(seen: Observation) -> tuple[int, float] | None:
    """Where the output leaves the reference, and by which margin of logits; -1 if not told."""
    if seen.reference is UNSET or seen.output.token_ids is UNSET or not seen.request.greedy:
        return None
    place = first_divergence(seen.reference.token_ids, seen.output.token_ids)
    if place is None:
        return None
    margins = seen.reference.margins
    return place, margins[place] if margins is not UNSET and place < len(margins) else -1


@rule("observed.text.diverges")
def text_diverges(seen: Observation) -> Iterator[Fault]:
    """A greedy output is the reference's, but for numeric ties."""
    found = _divergence(seen)
    if found is not None and found[1] > NUMERIC_TIE:
        place, margin = found
        message = f"it leaves the reference at token {place}, by a logit margin of {margin}"
        yield Fault(f"/output/tokenIds/{place}", message, *_differing(seen, place))


@rule("observed.text.undecided", Level.WARNING)
def text_undecided(seen: Observation) -> Iterator[Fault]:
    """Where a greedy output leaves the reference in a numeric tie, nothing is concluded."""
    found = _divergence(seen)
    if found is not None and found[1] <= NUMERIC_TIE:
        place, margin = found
        why = "no margin is told" if margin < 0 else f"a numeric tie, by a margin of {margin}"
        message = f"it leaves the reference at token {place}, and that is inconclusive: {why}"
        yield Fault(f"/output/tokenIds/{place}", message, *_differing(seen, place))


def _differing(seen: Observation, place: int) -> tuple[int | str, int | str]:
    assert seen.reference is not UNSET
    assert seen.output.token_ids is not UNSET
    wanted, found = seen.reference.token_ids, seen.output.token_ids
    return (
        wanted[place] if place < len(wanted) else "the end",
        found[place] if place < len(found) else "the end",
    )
