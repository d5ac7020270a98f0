"""The suite `speed-claims`: a claim about speed, with every attempt that it rests on.

Nothing is believed that can be recomputed: counts, rates, medians and what must be disclosed all
follow from the attempts. spec/policies.md is the page on the format.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from statistics import median
from typing import Annotated, Literal, get_args

from msgspec import Meta, structs

from genconform.digest.canonical import canonical_digest
from genconform.suites.record import (
    Count,
    Digest,
    Fault,
    Rate,
    Record,
    RecordRules,
    Seconds,
    Share,
    Text,
    names,
    ratio,
    unequal,
    unequal_fields,
    unless,
)
from genconform.trace.format import AUTOREGRESSIVE, Decision

Outcome = Literal["success", "failure", "timeout", "cancelled", "abstained"]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
ARMS = ("candidate", "baseline")
TRIGGERS = (
    "checkpoint-changed",
    "runtime-changed",
    "hardware-changed",
    "workload-changed",
    "verifier-changed",
    "serious-failure",
)
"""What ends a qualification before it expires."""


# --- frozen before the run -------------------------------------------------------------------


class Task(Record, frozen=True):
    """A task of the cohort, and the group of consumers that it is for."""

    task_id: Text
    group: Text


class Arm(Record, frozen=True):
    """How one side is set up. The two differ in their mode, and in nothing else."""

    mode: Text
    model_digest: Digest
    dtype: Text
    hardware: Text
    max_new_tokens: Count
    batch_size: Annotated[int, Meta(ge=1)]
    kv_cache: bool


class Verifier(Record, frozen=True):
    """What verifies, how well, and what it shares with the candidate.

    `dependence_test` is the digest of a test that failures of both are independent.
    """

    digest: Digest
    trials: Annotated[int, Meta(ge=1)]
    false_acceptances: Count
    maximum_false_acceptance: Share
    shares_with_candidate: tuple[Text, ...]
    dependence_test: Digest | None


class Scope(Record, frozen=True):
    """Where something holds."""

    models: tuple[Text, ...]
    workloads: tuple[Text, ...]
    hardware: tuple[Text, ...]


class Setup(Record, frozen=True):
    """All that was fixed before the first request arrived. Rates are requests a second."""

    frozen_at_seconds: Seconds
    clock: Text
    cohort: Annotated[tuple[Task, ...], Meta(min_length=1)]
    gates: Annotated[tuple[Text, ...], Meta(min_length=1)]
    candidate: Arm
    baseline: Arm
    verifier: Verifier
    scope: Scope
    deadline_seconds: Seconds
    longest_queue_seconds: Seconds
    headline_offered_per_second: Rate
    validity_seconds: Seconds


# --- observed --------------------------------------------------------------------------------


class Work(Record, frozen=True):
    """Tokens of the six kinds of work; none of them stands in for another."""

    attempted: Count
    proposed: Count
    accepted: Count
    verified: Count
    delivered: Count
    useful: Count


class Bill(Record, frozen=True):
    """Where the time of a request went, from its arrival to its delivery."""

    queue: Seconds
    prefill: Seconds
    decode: Seconds
    verification: Seconds
    repair: Seconds
    retry: Seconds
    fallback: Seconds


class Attempt(Record, frozen=True):
    """One request, however it ended, with times in seconds of the clock."""

    task_id: Text
    outcome: Outcome
    temperature: Literal["cold", "warm"]
    arrived_seconds: Seconds
    started_seconds: Seconds
    first_token_seconds: Seconds
    delivered_seconds: Seconds
    work: Work
    seconds: Bill
    branches: Annotated[int, Meta(ge=1)]
    harm: Literal["none", "minor", "severe"]

    @property
    def latency(self) -> float:
        """Seconds from the queue to delivery, or to the end of waiting for it."""
        return self.delivered_seconds - self.arrived_seconds

    @property
    def succeeded(self) -> bool:
        """Whether the task was done."""
        return self.outcome == "success"


class Burdens(Record, frozen=True):
    """What the speed is paid with, beside time."""

    peak_memory_bytes: Count
    verifier_passes: Count
    draft_passes: Count
    energy_joules: Annotated[float, Meta(ge=0)]


class Observed(Record, frozen=True):
    """Every attempt of one side, its gates and its burdens; burdens may be left out, and found."""

    attempts: Annotated[tuple[Attempt, ...], Meta(min_length=1)]
    gates: tuple[Text, ...]
    clock: Text
    burdens: Burdens | None


class ServingPoint(Record, frozen=True):
    """The candidate under an offered load, over a window."""

    offered_per_second: Rate
    window_seconds: Annotated[float, Meta(gt=0)]
    arrived: Count
    completed: Count
    completed_per_second: Rate


class Observations(Record, frozen=True):
    """What was seen."""

    candidate: Observed
    baseline: Observed
    serving: tuple[ServingPoint, ...]


# --- said ------------------------------------------------------------------------------------


class Outcomes(Record, frozen=True):
    """Attempts by how they ended; all of them are in the denominator."""

    attempts: Count
    success: Count
    failure: Count
    timeout: Count
    cancelled: Count
    abstained: Count


class Summary(Record, frozen=True):
    """What one side comes to. Wall seconds run from the first arrival to the last delivery."""

    outcomes: Outcomes
    work: Work
    seconds: Bill
    wall_seconds: Seconds
    branches: Count
    severe_harms: Count
    median_latency_seconds: Seconds
    worst_latency_seconds: Seconds
    median_time_to_first_token_seconds: Seconds
    useful_solutions_per_second: Rate
    effective_verified_tokens_per_second: Rate


Quantity = Literal[
    "useful_solutions_per_second",
    "effective_verified_tokens_per_second",
    "median_latency_seconds",
    "proposed_tokens_per_second",
    "accepted_tokens_per_second",
]
RATES = ("useful_solutions_per_second", "effective_verified_tokens_per_second")
LATENCY = "median_latency_seconds"


class Headline(Record, frozen=True):
    """The one number. A gain above 1 is an advantage of the candidate."""

    speaks_of: Literal["throughput", "request_latency"]
    quantity: Quantity
    candidate: Rate
    baseline: Rate
    gain: Rate


class Disclosures(Record, frozen=True):
    """What a headline hides."""

    starved_tasks: tuple[Text, ...]
    harmed_tasks: tuple[Text, ...]
    worse_off_groups: tuple[Text, ...]
    saturated_at_per_second: tuple[Rate, ...]


class Claim(Record, frozen=True):
    """What is claimed, where, until when."""

    applies_to: Scope
    independent_verification: bool
    decision: Decision
    effect: Literal["none", "support_raised"]
    valid_until_seconds: Seconds
    downgrade_triggers: tuple[Text, ...]


class Summaries(Record, frozen=True):
    """Both sides."""

    candidate: Summary
    baseline: Summary


class SpeedClaim(Record, frozen=True):
    """A claim about speed. `about` is for readers."""

    version: Literal[1]
    about: Text
    setup: Setup
    setup_digest: Digest
    observed: Observations
    observed_digest: Digest
    summary: Summaries
    headline: Headline
    disclosures: Disclosures
    claim: Claim

    def attempts(self, arm: str) -> tuple[Attempt, ...]:
        """The attempts of one side."""
        observed: Observed = getattr(self.observed, arm)
        return observed.attempts

    def each(self) -> Iterator[tuple[str, Attempt]]:
        """Every attempt of both sides with its pointer."""
        for arm in ARMS:
            for index, attempt in enumerate(self.attempts(arm)):
                yield f"/observed/{arm}/attempts/{index}", attempt


rules = RecordRules(SpeedClaim)
_Faults = Iterator[Fault]


# --- what was frozen -------------------------------------------------------------------------


@rules.rule("speed.binding.differs")
def claim_is_bound(claim: SpeedClaim) -> _Faults:
    """A claim binds its setup and its observations by digest."""
    for pointer, stated, bound in (
        ("/setupDigest", claim.setup_digest, claim.setup),
        ("/observedDigest", claim.observed_digest, claim.observed),
    ):
        digest = canonical_digest(bound)
        yield from unequal(pointer, stated, digest, "the digest is not that of what it binds")


@rules.rule("speed.freeze.late")
def setup_came_first(claim: SpeedClaim) -> _Faults:
    """The setup was frozen before the first request arrived."""
    first = min(attempt.arrived_seconds for _, attempt in claim.each())
    frozen = claim.setup.frozen_at_seconds
    message = "frozen after a request had arrived"
    yield from unless(frozen < first, "/setup/frozenAtSeconds", message, f"before {first}", frozen)


@rules.rule("speed.baseline.weaker")
def baseline_is_matched(claim: SpeedClaim) -> _Faults:
    """The baseline is autoregressive, and set up as the candidate is in everything but the mode."""
    candidate, baseline = claim.setup.candidate, claim.setup.baseline
    yield from unequal(
        "/setup/baseline/mode", baseline.mode, AUTOREGRESSIVE, "not the baseline mode"
    )
    alike = structs.asdict(candidate)
    del alike["mode"]
    message = "the baseline is not set up as the candidate is"
    yield from unequal_fields("/setup/baseline", baseline, alike, message)
    message = "the baseline goes without the cache that it always has"
    yield from unless(baseline.kv_cache, "/setup/baseline/kvCache", message, True, False)


@rules.rule("speed.cohort.incomplete")
def cohort_is_whole(claim: SpeedClaim) -> _Faults:
    """Each side attempted every task of the frozen cohort once, and no other."""
    cohort = [task.task_id for task in claim.setup.cohort]
    for arm in ARMS:
        attempted = [attempt.task_id for attempt in claim.attempts(arm)]
        message = "not the cohort that was frozen"
        yield from unequal(f"/observed/{arm}/attempts", attempted, cohort, message)


@rules.rule("speed.gates.dropped")
def gates_are_kept(claim: SpeedClaim) -> _Faults:
    """Both sides passed through the gates that were frozen, every one of them."""
    for arm in ARMS:
        passed = list(getattr(claim.observed, arm).gates)
        message = "not the gates that were frozen"
        yield from unequal(f"/observed/{arm}/gates", passed, list(claim.setup.gates), message)


@rules.rule("speed.verifier.weak")
def verifier_is_good_enough(claim: SpeedClaim) -> _Faults:
    """The verifier accepts wrong output no more often than was allowed beforehand."""
    verifier = claim.setup.verifier
    share = verifier.false_acceptances / verifier.trials
    most = verifier.maximum_false_acceptance
    message = "the verifier accepts too much that is wrong"
    yield from unless(share <= most, "/setup/verifier/falseAcceptances", message, most, share)


@rules.rule("speed.verifier.dependent")
def independence_is_tested(claim: SpeedClaim) -> _Faults:
    """Verification is called independent if and only if nothing is shared, or a test shows it."""
    verifier = claim.setup.verifier
    shown = not verifier.shares_with_candidate or verifier.dependence_test is not None
    message = "parts are shared with the candidate, and no test shows independence"
    said = claim.claim.independent_verification
    yield from unequal("/claim/independentVerification", said, shown, message)


# --- what was observed -----------------------------------------------------------------------


@rules.rule("speed.clock.inconsistent")
def clock_is_one(claim: SpeedClaim) -> _Faults:
    """Both sides take their times from the clock that was frozen.

    That times are in order follows from what is charged between them, which is never less than 0.
    """
    for arm in ARMS:
        clock = getattr(claim.observed, arm).clock
        yield from unequal(f"/observed/{arm}/clock", clock, claim.setup.clock, "another clock")


@rules.rule("speed.clock.censored")
def waiting_counts(claim: SpeedClaim) -> _Faults:
    """What took longer than the deadline is a timeout, and a timeout took all of the deadline."""
    deadline = claim.setup.deadline_seconds
    for pointer, attempt in claim.each():
        late = attempt.latency >= deadline
        timed_out = attempt.outcome == "timeout"
        message = f"a timeout if and only if {deadline} seconds went by; it took {attempt.latency}"
        yield from unequal(f"{pointer}/outcome", timed_out, late, message)


@rules.rule("speed.cost.uncharged")
def time_is_charged(claim: SpeedClaim) -> _Faults:
    """From arrival to delivery every second is charged to some part, repair and fallback too."""
    for pointer, attempt in claim.each():
        parts = structs.astuple(attempt.seconds)
        message = "not the time from arrival to delivery"
        yield from unequal(f"{pointer}/seconds", float(sum(parts)), attempt.latency, message)
        for name, start, end in (
            ("queue", attempt.arrived_seconds, attempt.started_seconds),
            ("prefill", attempt.started_seconds, attempt.first_token_seconds),
        ):
            charged = getattr(attempt.seconds, name)
            message = "not the time between the two events that bound it"
            yield from unequal(f"{pointer}/seconds/{name}", charged, end - start, message)


@rules.rule("speed.work.substituted")
def work_is_apart(claim: SpeedClaim) -> _Faults:
    """Each kind of work is part of the one before it; useful is what success delivered, no more."""
    for pointer, attempt in claim.each():
        work = attempt.work
        nested = work.accepted <= work.proposed <= work.attempted
        kept = work.useful <= work.delivered <= work.verified <= work.attempted
        message = "a kind of work is larger than the one that holds it"
        yield from unless(nested and kept, f"{pointer}/work", message, "nested counts", None)
        useful = work.delivered if attempt.succeeded else 0
        message = "useful is what a success delivered"
        yield from unequal(f"{pointer}/work/useful", work.useful, useful, message)


@rules.rule("speed.warmth.unmatched")
def warmth_is_matched(claim: SpeedClaim) -> _Faults:
    """A task that finds a warm cache on one side finds one on the other."""
    for index, (ours, theirs) in enumerate(
        zip(claim.attempts("candidate"), claim.attempts("baseline"), strict=False)
    ):
        pointer = f"/observed/candidate/attempts/{index}/temperature"
        message = "the two sides are not equally warm"
        yield from unequal(pointer, ours.temperature, theirs.temperature, message)


@rules.rule("speed.burden.hidden")
def burdens_are_shown(claim: SpeedClaim) -> _Faults:
    """Memory, passes and energy are given for both sides."""
    for arm in ARMS:
        given = getattr(claim.observed, arm).burdens is not None
        message = "what the speed is paid with is left out"
        yield from unless(given, f"/observed/{arm}/burdens", message, "burdens", None)


@rules.rule("speed.pressure.unseen")
def pressure_is_seen(claim: SpeedClaim) -> _Faults:
    """Serving was observed at the headline's load and above it, and its rates are right."""
    serving, headline = claim.observed.serving, claim.setup.headline_offered_per_second
    offered = [point.offered_per_second for point in serving]
    seen = headline in offered and max(offered, default=0.0) > headline
    wanted = f"{headline} and more"
    yield from unless(seen, "/observed/serving", "no load above the headline's", wanted, offered)
    for index, point in enumerate(serving):
        rate = point.completed / point.window_seconds
        pointer = f"/observed/serving/{index}/completedPerSecond"
        message = "not completed requests over the window"
        yield from unequal(pointer, point.completed_per_second, rate, message)


# --- what is said ----------------------------------------------------------------------------


@rules.rule("speed.failures.vanished")
def failures_are_counted(claim: SpeedClaim) -> _Faults:
    """Every attempt is counted by how it ended, and all of them are the denominator."""
    for arm in ARMS:
        attempts, stated = claim.attempts(arm), getattr(claim.summary, arm).outcomes
        ended = Counter(attempt.outcome for attempt in attempts)
        counted = {"attempts": len(attempts)} | {outcome: ended[outcome] for outcome in OUTCOMES}
        message = "not the attempts that there were"
        yield from unequal_fields(f"/summary/{arm}/outcomes", stated, counted, message)


@rules.rule("speed.summary.miscalculated")
def summaries_follow(claim: SpeedClaim) -> _Faults:
    """Sums, medians, the worst case and rates are those of all attempts, failed ones included."""
    for arm in ARMS:
        stated: Summary = getattr(claim.summary, arm)
        attempts, pointer = claim.attempts(arm), f"/summary/{arm}"
        message = "not the sum over all attempts"
        for group in ("work", "seconds"):
            total = _total([getattr(one, group) for one in attempts])
            yield from unequal_fields(f"{pointer}/{group}", getattr(stated, group), total, message)
        derived = {name: derive(attempts) for name, derive in _DERIVED.items()}
        message = "does not follow from all attempts"
        yield from unequal_fields(pointer, stated, derived, message)


def _total(parts: Sequence[Work | Bill]) -> dict[str, float]:
    """The sum over each field."""
    return {name: sum(getattr(one, name) for one in parts) for name in parts[0].__struct_fields__}


_Attempts = tuple[Attempt, ...]


def _wall(attempts: _Attempts) -> float:
    first = min(one.arrived_seconds for one in attempts)
    return max(one.delivered_seconds for one in attempts) - first


_DERIVED: dict[str, Callable[[_Attempts], float]] = {
    "wall_seconds": _wall,
    "branches": lambda attempts: sum(one.branches for one in attempts),
    "severe_harms": lambda attempts: sum(one.harm == "severe" for one in attempts),
    "median_latency_seconds": lambda attempts: median(one.latency for one in attempts),
    "worst_latency_seconds": lambda attempts: max(one.latency for one in attempts),
    "median_time_to_first_token_seconds": lambda attempts: median(
        one.first_token_seconds - one.arrived_seconds for one in attempts
    ),
    "useful_solutions_per_second": lambda attempts: ratio(
        sum(one.succeeded for one in attempts), _wall(attempts)
    ),
    "effective_verified_tokens_per_second": lambda attempts: ratio(
        sum(one.work.verified for one in attempts), _wall(attempts)
    ),
}


@rules.rule("speed.headline.proxy")
def headline_is_no_proxy(claim: SpeedClaim) -> _Faults:
    """The headline is about verified or useful work; proposed or accepted tokens are none."""
    quantity = claim.headline.quantity
    known = (*RATES, LATENCY)
    message = "work that was not verified stands in for work that was"
    yield from unless(quantity in known, "/headline/quantity", message, ", ".join(known), quantity)


@rules.rule("speed.throughput.as-latency")
def throughput_is_no_latency(claim: SpeedClaim) -> _Faults:
    """What speaks of the speed of a request is a latency; a rate over a batch is throughput."""
    headline = claim.headline
    spoken = "request_latency" if headline.quantity == LATENCY else "throughput"
    message = f"{headline.quantity} is no such thing"
    yield from unequal("/headline/speaksOf", headline.speaks_of, spoken, message)


@rules.rule("speed.headline.miscalculated")
def headline_follows(claim: SpeedClaim) -> _Faults:
    """The headline's numbers are those of the summaries, and the gain is their ratio."""
    headline, summary = claim.headline, claim.summary
    if headline.quantity in (*RATES, LATENCY):
        summed_up = {arm: getattr(getattr(summary, arm), headline.quantity) for arm in ARMS}
        message = "not the number in the summary"
        yield from unequal_fields("/headline", headline, summed_up, message)
    over, under = headline.candidate, headline.baseline
    if headline.quantity == LATENCY:
        over, under = under, over
    yield from unequal("/headline/gain", headline.gain, ratio(over, under), "not the ratio of both")


@rules.rule("speed.queue.starved")
def starvation_is_disclosed(claim: SpeedClaim) -> _Faults:
    """Tasks that the candidate left waiting longer than was frozen are named."""
    most = claim.setup.longest_queue_seconds
    starved = [one.task_id for one in claim.attempts("candidate") if one.seconds.queue > most]
    stated = list(claim.disclosures.starved_tasks)
    message = f"not the tasks that waited longer than {most} seconds"
    yield from unequal("/disclosures/starvedTasks", stated, starved, message)


def _harmed(claim: SpeedClaim) -> list[str]:
    spared = {one.task_id for one in claim.attempts("baseline") if one.harm != "severe"}
    harmed = [one.task_id for one in claim.attempts("candidate") if one.harm == "severe"]
    return [task for task in harmed if task in spared]


@rules.rule("speed.harm.averaged")
def harm_is_disclosed(claim: SpeedClaim) -> _Faults:
    """Tasks that the candidate harms and the baseline does not are named; no average hides them."""
    stated = list(claim.disclosures.harmed_tasks)
    yield from unequal("/disclosures/harmedTasks", stated, _harmed(claim), "not the harmed tasks")


@rules.rule("speed.fairness.hidden")
def losers_are_disclosed(claim: SpeedClaim) -> _Faults:
    """Groups whose median request is slower with the candidate, or solved less often, are named."""
    groups = list(dict.fromkeys(task.group for task in claim.setup.cohort))
    worse = [group for group in groups if _worse_off(claim, group)]
    stated = list(claim.disclosures.worse_off_groups)
    yield from unequal("/disclosures/worseOffGroups", stated, worse, "not the groups that lose")


def _worse_off(claim: SpeedClaim, group: str) -> bool:
    members = {task.task_id for task in claim.setup.cohort if task.group == group}
    ours, theirs = ([one for one in claim.attempts(arm) if one.task_id in members] for arm in ARMS)
    if not ours or not theirs:
        return False
    slower = median(one.latency for one in ours) > median(one.latency for one in theirs)
    return slower or sum(one.succeeded for one in ours) < sum(one.succeeded for one in theirs)


@rules.rule("speed.pressure.undisclosed")
def saturation_is_disclosed(claim: SpeedClaim) -> _Faults:
    """Loads at which requests that arrived were not completed are named."""
    saturated = [
        point.offered_per_second
        for point in claim.observed.serving
        if point.completed < point.arrived
    ]
    stated = list(claim.disclosures.saturated_at_per_second)
    message = "not the loads that left requests behind"
    yield from unequal("/disclosures/saturatedAtPerSecond", stated, saturated, message)


@rules.rule("speed.transfer.untested")
def scope_is_tested(claim: SpeedClaim) -> _Faults:
    """The claim applies to the models, workloads and hardware that were run, and to no others."""
    for attribute, name in names(Scope):
        pointer = f"/claim/appliesTo/{name}"
        claimed = list(getattr(claim.claim.applies_to, attribute))
        tested = list(getattr(claim.setup.scope, attribute))
        yield from unequal(pointer, claimed, tested, "not what was run")


@rules.rule("speed.qualification.endless")
def qualification_ends(claim: SpeedClaim) -> _Faults:
    """A claim expires as was frozen, and every trigger ends it earlier."""
    end = max(attempt.delivered_seconds for _, attempt in claim.each())
    expiry = end + claim.setup.validity_seconds
    stated = claim.claim.valid_until_seconds
    message = "not the last delivery plus the validity that was frozen"
    yield from unequal("/claim/validUntilSeconds", stated, expiry, message)
    triggers = list(claim.claim.downgrade_triggers)
    message = "not every trigger that ends it"
    yield from unequal("/claim/downgradeTriggers", triggers, list(TRIGGERS), message)


@rules.rule("speed.decision.unfit")
def decision_follows(claim: SpeedClaim) -> _Faults:
    """A candidate is kept only if it gains, solves no less and does no new harm; branches pay.

    Branches pay if more of them than the baseline has also solve more.
    """
    ours, theirs = claim.summary.candidate, claim.summary.baseline
    solved = ours.outcomes.success - theirs.outcomes.success
    pays = ours.branches <= theirs.branches or solved > 0
    kept = claim.headline.gain > 1 and solved >= 0 and not _harmed(claim) and pays
    decision = claim.claim.decision
    if decision != "promote":
        expected = "keep_experimental" if kept else "reject"
        message = f"gain {claim.headline.gain}, {solved} more solved"
        yield from unequal("/claim/decision", decision, expected, message)


@rules.rule("speed.effect.promoted")
def nothing_is_promoted(claim: SpeedClaim) -> _Faults:
    """A claim about speed promotes nothing and raises no support state by itself."""
    said = claim.claim
    message = "raw speed promotes nothing"
    promoted = said.decision == "promote" or said.effect != "none"
    yield from unless(not promoted, "/claim/effect", message, "none", said.effect)


SUITE = rules.suite(
    "speed-claims",
    "a claim about speed, with every attempt that it rests on",
    free={"/about": "a sentence for the reader"},
)
