"""Two recordings of the same requests, side by side: whether they match, and what that allows.

A speed is compared only over requests that were the same: prompt, settings, limit, model, and what
a cache gave. Useful are the tokens of outputs that are the baseline's own; others cost their
seconds and count none. What is not observed forbids the comparison as much as what differs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import exp, fsum, log, sqrt
from statistics import NormalDist, fmean
from typing import Any

from msgspec import UNSET, Struct, UnsetType, to_builtins

from genconform.finding import CheckResult, Finding, Level, Location, Verdict
from genconform.trace.observed.model import Observation, Recording
from genconform.trace.observed.rules import NUMERIC_TIE, first_divergence

LEAST_PAIRS = 5
CONFIDENCE = 0.95
_CLOCKS = ("clientSeconds", "totalSeconds")
_BY_PARTS = ("promptSeconds", "generationSeconds")


class Pair(Struct, frozen=True, rename="camel", omit_defaults=True):
    """One request in both recordings. `left_out` says why it is not compared, if it is not."""

    baseline: str
    candidate: str
    identical: bool | UnsetType = UNSET
    first_divergence: int | UnsetType = UNSET
    margin: float | UnsetType = UNSET
    proposed_tokens: float | UnsetType = UNSET
    accepted_tokens: float | UnsetType = UNSET
    cached_tokens: float | UnsetType = UNSET
    baseline_rate: float | UnsetType = UNSET
    candidate_rate: float | UnsetType = UNSET
    left_out: str | UnsetType = UNSET


class Comparison(Struct, frozen=True, rename="camel", omit_defaults=True):
    """The whole: every pair, and useful tokens a second over those that match."""

    pairs: tuple[Pair, ...]
    compared: int
    clock: str | UnsetType = UNSET
    baseline_rate: float | UnsetType = UNSET
    candidate_rate: float | UnsetType = UNSET
    ratio: float | UnsetType = UNSET
    low: float | UnsetType = UNSET
    high: float | UnsetType = UNSET
    conclusion: str | UnsetType = UNSET


class Paired(Struct, frozen=True):
    """The comparison, and what was found on the way to it."""

    comparison: Comparison
    findings: tuple[Finding, ...]

    @property
    def verdict(self) -> Verdict:
        """PASS where requests match, outputs are the same and an interval could be given."""
        if any(finding.level is Level.ERROR for finding in self.findings):
            return Verdict.FAIL
        alike = all(pair.identical is True for pair in self.comparison.pairs if not pair.left_out)
        shown = alike and self.comparison.ratio is not UNSET
        return Verdict.PASS if shown else Verdict.NOT_OBSERVED

    def result(self, name: str) -> CheckResult:
        """As a check's result."""
        shown = self.comparison
        identical = [pair.identical for pair in shown.pairs]
        counts = {
            "pairs": len(shown.pairs),
            "compared": shown.compared,
            "identical": identical.count(True),
            "diverging": identical.count(False),
        }
        details = {"comparison": to_builtins(shown)}
        said = "" if shown.conclusion is UNSET else shown.conclusion
        return CheckResult(name, self.verdict, counts, self.findings, said, details)


def pair(baseline: Recording, candidate: Recording) -> Paired:
    """Compare a candidate's recording with its baseline's."""
    matcher = _Matcher(baseline, candidate)
    couples = list(matcher.couples())
    judged = [(one, two, matcher.reason(one, two)) for one, two in couples]
    compared = [(one, two) for one, two, reason in judged if reason is None]
    clock = _clock(compared)
    if compared and clock is None:
        matcher.find("pair.clock.unlike", Level.WARNING, "no time of both starts at one moment")
    if compared and len(compared) < LEAST_PAIRS:
        message = f"{len(compared)} pairs are too few for an interval"
        matcher.find("pair.requests.few", Level.WARNING, message, f"at least {LEAST_PAIRS}")
    pairs = tuple(_pair(one, two, reason, clock) for one, two, reason in judged)
    for (one, two, _), both in zip(judged, pairs, strict=True):
        matcher.divergence(one, two, both)
    enough = clock is not None and len(compared) >= LEAST_PAIRS and not matcher.forbidden
    rates = _rates(compared, clock) if enough and clock is not None else {}
    shown = Comparison(pairs, len(compared), UNSET if clock is None else clock, **rates)
    return Paired(shown, tuple(matcher.findings))


class _Matcher:
    """Finds the pairs, and what keeps them from being compared."""

    def __init__(self, baseline: Recording, candidate: Recording) -> None:
        self.findings: list[Finding] = []
        self._baseline = baseline
        self._candidate = candidate

    @property
    def forbidden(self) -> bool:
        """Whether something that was found forbids any comparison."""
        return any(finding.level is Level.ERROR for finding in self.findings)

    def find(
        self,
        rule: str,
        level: Level,
        message: str,
        expected: Any = None,
        actual: Any = None,
        line: int | None = None,
    ) -> None:
        """Note a finding, about the candidate's line if there is one."""
        place = Location(self._candidate.name, line=line)
        self.findings.append(Finding(rule, level, message, place, expected, actual))

    def couples(self) -> Iterator[tuple[Observation, Observation]]:
        """The requests of both, by prompt, the first with the first and so on.

        A request of one alone is a finding, for what failed may not be left out.
        """
        wanted = _by_prompt(self._baseline.requests)
        found = _by_prompt(self._candidate.requests)
        for prompt in dict.fromkeys((*wanted, *found)):
            ours, theirs = wanted.get(prompt, []), found.get(prompt, [])
            if prompt is UNSET:
                self._unnamed(ours, theirs)
                continue
            yield from zip(ours, theirs, strict=False)
            if len(ours) != len(theirs):
                side = "candidate" if len(ours) > len(theirs) else "baseline"
                only = (ours if side == "candidate" else theirs)[min(len(ours), len(theirs))]
                message = f"the request {only.id} is not in the {side}'s recording"
                self.find("pair.request.missing", Level.ERROR, message, "each request in both")

    def _unnamed(self, ours: Sequence[Observation], theirs: Sequence[Observation]) -> None:
        message = "the prompts are not told, so that nothing pairs these requests"
        ids = ", ".join(one.id for one in (*ours, *theirs))
        self.find("pair.prompt.unknown", Level.WARNING, message, actual=ids)

    def reason(self, one: Observation, two: Observation) -> str | None:
        """Why two observations of a prompt are not compared."""
        for rule, name, left, right in (
            ("settings", "settings", _settings(one), _settings(two)),
            ("model", "model", one.model, two.model),
            ("cache", "cached part of the prompt", *_cached(one, two)),
        ):
            if left is UNSET or right is UNSET:
                if rule == "cache":
                    continue
                message = f"{two.id}: nothing is told of its {name}"
                self.find(f"pair.{rule}.unknown", Level.WARNING, message, line=two.line)
                return f"{name}: not told"
            if left != right:
                message = f"{two.id}: {name}: not the baseline's"
                self.find(f"pair.{rule}.differs", Level.ERROR, message, left, right, two.line)
                return f"{name}: not the baseline's"
        return None

    def divergence(self, one: Observation, two: Observation, shown: Pair) -> None:
        """What a difference of greedy outputs means."""
        if shown.identical is not False or not (one.request.greedy and two.request.greedy):
            return
        place = "" if shown.first_divergence is UNSET else f" from token {shown.first_divergence}"
        if shown.margin is not UNSET and shown.margin > NUMERIC_TIE:
            message = f"{two.id}: the output differs{place}, by a margin of {shown.margin}"
            self.find("pair.output.diverges", Level.ERROR, message, line=two.line)
        else:
            why = "no margin is told" if shown.margin is UNSET else "a numeric tie"
            message = f"{two.id}: the output differs{place}, inconclusively: {why}"
            self.find("pair.output.undecided", Level.WARNING, message, line=two.line)


def _by_prompt(requests: Iterable[Observation]) -> dict[str | UnsetType, list[Observation]]:
    by_prompt: dict[str | UnsetType, list[Observation]] = {}
    for one in requests:
        by_prompt.setdefault(one.request.prompt_digest, []).append(one)
    return by_prompt


def _settings(one: Observation) -> dict[str, Any] | UnsetType:
    """What sets the request up, its token limit included; where either is untold, nothing."""
    limit = one.number("maxNewTokens")
    if one.request.settings is UNSET or limit is UNSET:
        return UNSET
    return one.request.settings | {"maxNewTokens": limit}


def _cached(one: Observation, two: Observation) -> tuple[float | UnsetType, float | UnsetType]:
    return one.number("cachedTokens"), two.number("cachedTokens")


def _pair(one: Observation, two: Observation, reason: str | None, clock: str | None) -> Pair:
    identical, place = _same_output(one, two)
    rates: dict[str, float] = {}
    if reason is None and clock is not None:
        rates["baseline_rate"] = _tokens(one) / _seconds(one, clock)
        rates["candidate_rate"] = _useful(one, two) / _seconds(two, clock)
    return Pair(
        one.id,
        two.id,
        identical,
        place,
        _margin(one, two, place),
        two.number("proposedTokens"),
        two.number("acceptedTokens"),
        two.number("cachedTokens"),
        left_out=UNSET if reason is None else reason,
        **rates,
    )


def _same_output(one: Observation, two: Observation) -> tuple[bool | UnsetType, int | UnsetType]:
    """Whether two outputs are the same by token ids, else by digests; and where they part."""
    ours, theirs = one.output.token_ids, two.output.token_ids
    if ours is not UNSET and theirs is not UNSET:
        place = first_divergence(ours, theirs)
        return place is None, UNSET if place is None else place
    for name in ("digest", "text_digest"):
        left, right = getattr(one.output, name), getattr(two.output, name)
        if left is not UNSET and right is not UNSET:
            return left == right, UNSET
    return UNSET, UNSET


def _margin(one: Observation, two: Observation, place: int | UnsetType) -> float | UnsetType:
    for seen in (one, two):
        margins = UNSET if seen.reference is UNSET else seen.reference.margins
        if place is not UNSET and margins is not UNSET and place < len(margins):
            return margins[place]
    return UNSET


# --- rates -----------------------------------------------------------------------------------


def _clock(compared: Sequence[tuple[Observation, Observation]]) -> str | None:
    """The first time that all have, started by the same clock and above 0."""
    for name in (*_CLOCKS, "+".join(_BY_PARTS)):
        if compared and all(_alike(one, two, name) for one, two in compared):
            return name
    return None


def _alike(one: Observation, two: Observation, clock: str) -> bool:
    for name in clock.split("+"):
        ours, theirs = one.numbers.get(name), two.numbers.get(name)
        if ours is None or theirs is None or ours.clock != theirs.clock:
            return False
    return _seconds(one, clock) > 0 and _seconds(two, clock) > 0


def _seconds(one: Observation, clock: str) -> float:
    return sum(one.each(*clock.split("+")) or (0,))


def _tokens(one: Observation) -> float:
    return sum(one.each("outputTokens") or (0,))


def _useful(one: Observation, two: Observation) -> float:
    """The candidate's tokens, where its output is the baseline's own; else none."""
    return _tokens(two) if _same_output(one, two)[0] is True else 0


def _rates(compared: Sequence[tuple[Observation, Observation]], clock: str) -> dict[str, Any]:
    """Useful tokens a second of both, their ratio, and its interval.

    The interval is Student's on the logarithm of the ratio of totals, whose standard error is the
    jackknife's over pairs: a request's two sides are kept together. None is given where a single
    pair is all that is useful.
    """
    table = [
        (_tokens(one), _seconds(one, clock), _useful(one, two), _seconds(two, clock))
        for one, two in compared
    ]
    sums = [fsum(column) for column in zip(*table, strict=True)]
    rates = {
        "baseline_rate": sums[0] / sums[1],
        "candidate_rate": sums[2] / sums[3],
    }
    without = [[whole - part for whole, part in zip(sums, row, strict=True)] for row in table]
    if any(left <= 0 for row in without for left in row):
        return rates
    logs = [log(_ratio(row)) for row in without]
    middle, count = fmean(logs), len(logs)
    error = sqrt((count - 1) / count * fsum((one - middle) ** 2 for one in logs))
    ratio = _ratio(sums)
    factor = exp(student_quantile(count - 1) * error)
    low, high = ratio / factor, ratio * factor
    return rates | {
        "ratio": ratio,
        "low": low,
        "high": high,
        "conclusion": _conclusion(ratio, low, high),
    }


def _ratio(sums: Sequence[float]) -> float:
    """Candidate's over baseline's useful tokens a second."""
    return (sums[2] / sums[3]) / (sums[0] / sums[1])


def student_quantile(freedom: int) -> float:
    """The quantile of Student's t that bounds CONFIDENCE from both sides.

    By the expansion 26.7.5 of Abramowitz and Stegun, Handbook of Mathematical Functions; within
    0.2 % from four degrees of freedom on.
    """
    z = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + fsum(term / freedom**power for power, term in enumerate(terms, 1))


def _conclusion(ratio: float, low: float, high: float) -> str:
    interval = f"{ratio:.3f} times the baseline's useful tokens a second, {low:.3f} to {high:.3f}"
    if low > 1:
        return f"faster: {interval}"
    if high < 1:
        return f"slower: {interval}"
    return f"undecided: {interval}"
