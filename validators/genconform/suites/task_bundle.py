"""The suite `task-bundle`: public tasks, three routes to their receipts, and what each comes to.

A bundle holds tasks, prices and routes. Outputs, verdicts, digests, costs and decisions are
computed from it every time, and a pin holds them to what was found when the bundle was first run.
Costs are in cost units, which are counts of work and no measure of time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any, Literal

from msgspec import to_builtins

from genconform.digest.canonical import sha256_hex
from genconform.suites.imports import SupportEffect
from genconform.suites.pins import as_pinned
from genconform.suites.record import Count, Digest, Fault, Rate, Record, RecordRules, Text, unequal

NAME = "task-bundle"
BOUNDARIES = ("public-safe", "no-promotion")
"""What every receipt says, whatever its task asks for."""

Generator = Literal["reference", "template", "proxy"]
Decision = Literal["baseline_only", "keep_experimental", "reject"]
_TERM = re.compile(r"[a-z]+(?:-[a-z]+)*")


class Task(Record, frozen=True):
    """A receipt to write, and the terms that it must carry."""

    id: Text
    risk_tier: Literal["low", "medium", "high", "critical"]
    terms: tuple[Text, ...]


class Prices(Record, frozen=True):
    """Cost units of generating, by what is counted. What is left out costs nothing."""

    per_word: Count = 0
    per_term: Count = 0
    per_receipt: Count = 0

    def of(self, task: Task, output: str) -> int:
        """The cost of writing one receipt."""
        words = len(output.split())
        return words * self.per_word + len(task.terms) * self.per_term + self.per_receipt


class Route(Record, frozen=True):
    """A way to write receipts: the generator, its prices, and what verifying one costs."""

    id: Text
    generator: Generator
    generation: Prices
    verification_per_receipt: Count


class TaskBundle(Record, frozen=True):
    """Tasks and routes. `dispatch` is the route that is to be used."""

    record: Literal["task-bundle"]
    id: Text
    result_id: Text
    boundaries: tuple[Text, ...]
    support_effect: SupportEffect
    tasks: tuple[Task, ...]
    fallback_per_failed_task: Count
    routes: tuple[Route, ...]
    dispatch: Text


class Attempt(Record, frozen=True):
    """A receipt, and which terms the verifier misses in it."""

    task: Text
    output: Text
    output_digest: Digest
    missing: tuple[Text, ...]

    @property
    def passed(self) -> bool:
        """Whether the verifier misses nothing."""
        return not self.missing


class Costs(Record, frozen=True):
    """The bill of a route over all tasks, in cost units."""

    generation: Count
    verification: Count
    fallback: Count
    total: Count


class Outcome(Record, frozen=True):
    """What a route came to. `useful_per1000` is passed tasks per 1000 cost units."""

    route: Text
    attempts: tuple[Attempt, ...]
    costs: Costs
    passed: Count
    useful_per1000: Rate
    decision: Decision
    reasons: tuple[Text, ...]


class Result(Record, frozen=True):
    """What a bundle, by its id, came to, and the route that is selected, if any is."""

    id: Text
    bundle: Text
    outcomes: tuple[Outcome, ...]
    selected: Text | None


def run_bundle(bundle: TaskBundle) -> Result:
    """Write every receipt by every route, verify it, charge it, and decide."""
    measured = [_measure(bundle, route) for route in bundle.routes]
    baseline = max((one.useful_per1000 for one in measured if _is_baseline(one)), default=0.0)
    outcomes = tuple(_decided(one, baseline) for one in measured)
    kept = [one for one in outcomes if one.decision == "keep_experimental"]
    best = max(kept, key=lambda one: one.useful_per1000, default=None)
    selected = None if best is None else best.route
    return Result(bundle.result_id, bundle.id, outcomes, selected)


def _measure(bundle: TaskBundle, route: Route) -> Outcome:
    write = GENERATORS[route.generator]
    attempts = tuple(_attempt(task, write(task)) for task in bundle.tasks)
    pairs = zip(bundle.tasks, attempts, strict=True)
    generation = sum(route.generation.of(task, attempt.output) for task, attempt in pairs)
    verification = len(attempts) * route.verification_per_receipt
    passed = sum(attempt.passed for attempt in attempts)
    fallback = (len(attempts) - passed) * bundle.fallback_per_failed_task
    total = generation + verification + fallback
    return Outcome(
        route=route.id,
        attempts=attempts,
        costs=Costs(generation, verification, fallback, total),
        passed=passed,
        useful_per1000=round(1000 * passed / total, 6) if total else 0.0,
        decision="baseline_only" if route.generator == "reference" else "reject",
        reasons=(),
    )


def _attempt(task: Task, output: str) -> Attempt:
    said = set(_TERM.findall(output))
    missing = tuple(term for term in (*task.terms, *BOUNDARIES) if term not in said)
    return Attempt(task.id, output, sha256_hex(output.encode()), missing)


def _is_baseline(outcome: Outcome) -> bool:
    return outcome.decision == "baseline_only"


def _decided(outcome: Outcome, baseline: float) -> Outcome:
    """Keep a candidate that fails no task and is more useful for its cost than the baseline."""
    if _is_baseline(outcome):
        return outcome
    failed = len(outcome.attempts) - outcome.passed
    reasons = []
    if failed:
        reasons.append(f"fails {failed} of {len(outcome.attempts)} tasks")
    if outcome.passed == 0:
        reasons.append("nothing useful at any cost")
    if outcome.useful_per1000 <= baseline:
        reasons.append("not more useful for its cost than the baseline")
    decision: Decision = "reject" if reasons else "keep_experimental"
    return Outcome(
        outcome.route,
        outcome.attempts,
        outcome.costs,
        outcome.passed,
        outcome.useful_per1000,
        decision,
        tuple(reasons),
    )


def _reference(task: Task) -> str:
    """A sentence, written word by word; of 20 words where the task has four terms."""
    terms = ", ".join(task.terms)
    return (
        f"Receipt {task.id} at {task.risk_tier} risk carries {terms} "
        "and keeps the boundaries public-safe and no-promotion in every step"
    )


def _template(task: Task) -> str:
    """A form that is filled in with the terms."""
    return f"{task.id} | {'; '.join(task.terms)} | {'; '.join(BOUNDARIES)}"


def _proxy(task: Task) -> str:
    """Something short, as quick to write as it is useless."""
    return f"{task.id} done"


GENERATORS: dict[Generator, Callable[[Task], str]] = {
    "reference": _reference,
    "template": _template,
    "proxy": _proxy,
}

rules = RecordRules(TaskBundle)


def _plain_result(bundle: TaskBundle) -> Any:
    return to_builtins(run_bundle(bundle))


rules.placed("task-bundle.result.differs")(as_pinned(NAME, _plain_result))


@rules.rule("task-bundle.boundary.missing")
def boundaries_are_kept(bundle: TaskBundle) -> Iterator[Fault]:
    """The bundle declares the boundaries that every receipt keeps."""
    yield from unequal("/boundaries", bundle.boundaries, BOUNDARIES, "not the boundaries")


@rules.rule("task-bundle.support.promoted")
def support_stays(bundle: TaskBundle) -> Iterator[Fault]:
    """Four tasks have no effect on any support state."""
    message = "a bundle moves no support"
    yield from unequal("/supportEffect", bundle.support_effect, "none", message)


@rules.rule("task-bundle.dispatch.rejected")
def only_the_selected_is_dispatched(bundle: TaskBundle) -> Iterator[Fault]:
    """The route to be used is the one that is selected."""
    result = run_bundle(bundle)
    if bundle.dispatch != result.selected:
        why = {one.route: f"{one.decision} {'; '.join(one.reasons)}" for one in result.outcomes}
        message = f"not selected: {why.get(bundle.dispatch, 'no such route')}"
        yield Fault("/dispatch", message, result.selected, bundle.dispatch)


def carried(bundle: TaskBundle) -> dict[str, Any]:
    """The tasks, and what each route came to."""
    outcomes = run_bundle(bundle).outcomes
    return {"taskRecords": len(bundle.tasks), "outcomes": to_builtins(outcomes)}


SUITE = rules.suite(
    NAME, "public tasks by three routes, their costs and what is selected", carries=carried
)
