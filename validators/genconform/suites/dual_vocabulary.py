"""The suite `dual-vocabulary`: generation in an internal vocabulary, delivered in a surface one.

Internal steps are no surface tokens. Compiling into the internal vocabulary, rendering out of it
and falling back when that fails are part of the bill. spec/policies.md is the page.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal

from msgspec import Meta

from genconform.digest.canonical import canonical_digest
from genconform.suites.record import (
    Count,
    Digest,
    Fault,
    Rate,
    Record,
    RecordRules,
    Seconds,
    Text,
    ratio,
    unequal,
    unequal_fields,
    unless,
)


class Vocabulary(Record, frozen=True):
    """A vocabulary by digest, with the number of its entries."""

    digest: Digest
    entries: Annotated[int, Meta(ge=1)]


class Setup(Record, frozen=True):
    """What translates between which vocabularies, frozen before the run."""

    internal: Vocabulary
    surface: Vocabulary
    compiler_digest: Digest
    renderer_digest: Digest


class Item(Record, frozen=True):
    """One request: steps taken, surface tokens delivered, and the bill in seconds.

    `round_trip` is whether it could be rendered, and what was rendered compiles to the same steps.
    """

    task_id: Text
    internal_steps: Count
    surface_tokens: Count
    compilation_seconds: Seconds
    generation_seconds: Seconds
    rendering_seconds: Seconds
    verification_seconds: Seconds
    fallback_seconds: Seconds
    total_seconds: Seconds
    round_trip: bool
    fallback: Literal["none", "surface_generation"]
    passed: bool


class BaselineItem(Record, frozen=True):
    """The same request, generated in the surface vocabulary."""

    task_id: Text
    surface_tokens: Count
    total_seconds: Seconds
    passed: bool


class Totals(Record, frozen=True):
    """Sums over all items, failed ones included. Steps and tokens are never added together."""

    internal_steps: Count
    surface_tokens: Count
    compilation_seconds: Seconds
    generation_seconds: Seconds
    rendering_seconds: Seconds
    verification_seconds: Seconds
    fallback_seconds: Seconds
    total_seconds: Seconds
    passed: Count
    baseline_surface_tokens: Count
    baseline_seconds: Seconds
    baseline_passed: Count


class Rates(Record, frozen=True):
    """What follows from the totals; every rate is over all of the seconds."""

    internal_steps_per_second: Rate
    surface_tokens_per_second: Rate
    useful_solutions_per_second: Rate
    baseline_surface_tokens_per_second: Rate
    baseline_useful_solutions_per_second: Rate
    surface_tokens_per_internal_step: Rate


class Claim(Record, frozen=True):
    """What is said of the route against the baseline, and in which unit."""

    unit: Literal["internal_steps", "surface_tokens", "useful_solutions"]
    ratio: Rate


class DualVocabularyRecord(Record, frozen=True):
    """A run in two vocabularies. `about` is for readers."""

    version: Literal[1]
    about: Text
    setup: Setup
    setup_digest: Digest
    items: Annotated[tuple[Item, ...], Meta(min_length=1)]
    baseline: tuple[BaselineItem, ...]
    totals: Totals
    rates: Rates
    claim: Claim


rules = RecordRules(DualVocabularyRecord)
_Faults = Iterator[Fault]
_PARTS = ("compilation", "generation", "rendering", "verification", "fallback")


@rules.rule("vocabulary.setup.digest-differs")
def setup_has_its_digest(record: DualVocabularyRecord) -> _Faults:
    """The setup is the one that was frozen."""
    digest = canonical_digest(record.setup)
    yield from unequal("/setupDigest", record.setup_digest, digest, "not that of the setup")


@rules.rule("vocabulary.setup.same")
def vocabularies_differ(record: DualVocabularyRecord) -> _Faults:
    """There are two vocabularies; with one there is nothing to account."""
    internal, surface = record.setup.internal, record.setup.surface
    differ = internal.digest != surface.digest
    message = "both vocabularies are the same"
    yield from unless(differ, "/setup/internal/digest", message, "another", internal.digest)


@rules.rule("vocabulary.cost.uncharged")
def parts_are_charged(record: DualVocabularyRecord) -> _Faults:
    """An item's seconds are those of compiling, generating, rendering, verifying, falling back."""
    for index, item in enumerate(record.items):
        spent = sum(getattr(item, f"{part}_seconds") for part in _PARTS)
        message = "not the sum of the parts"
        yield from unequal(f"/items/{index}/totalSeconds", item.total_seconds, spent, message)
        translated = item.compilation_seconds > 0 and item.rendering_seconds > 0
        message = "compiling and rendering take time"
        place = f"/items/{index}/compilationSeconds"
        yield from unless(translated, place, message, "above 0", item.compilation_seconds)


@rules.rule("vocabulary.rendering.unhandled")
def failed_rendering_falls_back(record: DualVocabularyRecord) -> _Faults:
    """What cannot be rendered, or is not the same when rendered, is generated on the surface."""
    for index, item in enumerate(record.items):
        pointer = f"/items/{index}"
        expected = "none" if item.round_trip else "surface_generation"
        message = "a fallback if and only if rendering failed or lost something"
        yield from unequal(f"{pointer}/fallback", item.fallback, expected, message)
        charged, fell_back = item.fallback_seconds > 0, item.fallback != "none"
        message = "seconds if and only if it fell back"
        yield from unequal(f"{pointer}/fallbackSeconds", charged, fell_back, message)


@rules.rule("vocabulary.baseline.unmatched")
def baseline_is_matched(record: DualVocabularyRecord) -> _Faults:
    """The baseline ran the same tasks."""
    ran = [item.task_id for item in record.items]
    baseline = [item.task_id for item in record.baseline]
    yield from unequal("/baseline", baseline, ran, "not the tasks that were run")


@rules.rule("vocabulary.totals.unbalanced")
def totals_follow(record: DualVocabularyRecord) -> _Faults:
    """Every total is the sum over the items."""
    items, baseline = record.items, record.baseline
    seconds = [f"{part}_seconds" for part in (*_PARTS, "total")]
    expected = {
        name: sum(getattr(item, name) for item in items)
        for name in (*seconds, "internal_steps", "surface_tokens", "passed")
    } | {
        "baseline_surface_tokens": sum(item.surface_tokens for item in baseline),
        "baseline_passed": sum(item.passed for item in baseline),
        "baseline_seconds": sum(item.total_seconds for item in baseline),
    }
    yield from unequal_fields("/totals", record.totals, expected, "not the sum over the items")


@rules.rule("vocabulary.rates.miscalculated")
def rates_follow(record: DualVocabularyRecord) -> _Faults:
    """Every rate is over all of the seconds, translation and fallback included."""
    totals = record.totals
    seconds, baseline = totals.total_seconds, totals.baseline_seconds
    expected = {
        "internal_steps_per_second": ratio(totals.internal_steps, seconds),
        "surface_tokens_per_second": ratio(totals.surface_tokens, seconds),
        "useful_solutions_per_second": ratio(totals.passed, seconds),
        "baseline_surface_tokens_per_second": ratio(totals.baseline_surface_tokens, baseline),
        "baseline_useful_solutions_per_second": ratio(totals.baseline_passed, baseline),
        "surface_tokens_per_internal_step": ratio(totals.surface_tokens, totals.internal_steps),
    }
    message = "does not follow from the totals"
    yield from unequal_fields("/rates", record.rates, expected, message)


@rules.rule("vocabulary.steps.substituted")
def steps_are_no_tokens(record: DualVocabularyRecord) -> _Faults:
    """A claim is in a unit that both routes have, and is the ratio of their rates."""
    rates, unit = record.rates, record.claim.unit
    if unit == "internal_steps":
        message = "the baseline takes no internal steps: they stand in for tokens"
        yield Fault("/claim/unit", message, "surface_tokens, useful_solutions", unit)
        return
    ours = getattr(rates, f"{unit}_per_second")
    theirs = getattr(rates, f"baseline_{unit}_per_second")
    message = "not the ratio of the two rates"
    yield from unequal("/claim/ratio", record.claim.ratio, ratio(ours, theirs), message)


SUITE = rules.suite(
    "dual-vocabulary",
    "generation in an internal vocabulary, delivered in a surface one",
    free={"/about": "a sentence for the reader"},
)
