"""The task bundle comes to what it came to, and its verifier and its bill are honest."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace

from genconform.digest.canonical import sha256_hex
from genconform.document import decode
from genconform.suites import VALID
from genconform.suites.task_bundle import (
    BOUNDARIES,
    GENERATORS,
    SUITE,
    Costs,
    Prices,
    Route,
    Task,
    TaskBundle,
    run_bundle,
)
from genconform.tree import find_tree

BUNDLE = decode(SUITE.fixtures(find_tree(), VALID)[0].document, TaskBundle)


@pytest.mark.parametrize(
    ("route", "costs", "passed", "useful", "decision"),
    [
        ("autoregressive-reference", (560, 72, 0, 632), 4, 6.329114, "baseline_only"),
        ("fast-template-verified", (192, 72, 0, 264), 4, 15.151515, "keep_experimental"),
        ("latency-only-proxy", (20, 16, 140, 176), 0, 0.0, "reject"),
    ],
)
def test_what_each_route_comes_to(
    route: str, costs: tuple[int, ...], passed: int, useful: float, decision: str
) -> None:
    (one,) = (one for one in run_bundle(BUNDLE).outcomes if one.route == f"route://{route}")
    assert one.costs == Costs(*costs)
    assert (one.passed, one.useful_per1000, one.decision) == (passed, useful, decision)


def test_the_verified_template_is_selected_and_the_proxy_is_told_why() -> None:
    result = run_bundle(BUNDLE)
    assert result.selected == "route://fast-template-verified"
    assert result.outcomes[2].reasons == (
        "fails 4 of 4 tasks",
        "nothing useful at any cost",
        "not more useful for its cost than the baseline",
    )


def test_the_reference_writes_twenty_words_a_receipt() -> None:
    for attempt in run_bundle(BUNDLE).outcomes[0].attempts:
        assert len(attempt.output.split()) == 20


def test_digests_are_of_the_outputs() -> None:
    for outcome in run_bundle(BUNDLE).outcomes:
        for attempt in outcome.attempts:
            assert attempt.output_digest == sha256_hex(attempt.output.encode())


TERMS = st.from_regex(r"[a-z]{1,8}(-[a-z]{1,8})?", fullmatch=True)
TASKS = st.builds(
    Task,
    id=st.from_regex(r"task-[0-9]{3}", fullmatch=True),
    risk_tier=st.just("low"),
    terms=st.lists(TERMS, min_size=1, max_size=6).map(tuple),
)


@given(tasks=st.lists(TASKS, min_size=1, max_size=5).map(tuple))
def test_reference_and_template_pass_and_a_receipt_without_its_terms_never_does(
    tasks: tuple[Task, ...],
) -> None:
    reference, template, proxy = run_bundle(replace(BUNDLE, tasks=tasks)).outcomes
    assert reference.passed == template.passed == len(tasks)
    for task, attempt in zip(tasks, proxy.attempts, strict=True):
        assert set(attempt.missing) >= set(BOUNDARIES)
        assert set(attempt.missing) >= {term for term in task.terms if term not in attempt.output}


@given(
    prices=st.tuples(*[st.integers(0, 50)] * 5),
    generator=st.sampled_from(sorted(GENERATORS)),
)
@example(prices=(0, 0, 0, 0, 0), generator="reference")
def test_the_bill_is_the_sum_of_its_parts_and_failures_are_charged(
    prices: tuple[int, ...], generator: str
) -> None:
    word, term, receipt, verification, fallback = prices
    route = Route("route://one", generator, Prices(word, term, receipt), verification)  # type: ignore[arg-type]
    bundle = replace(BUNDLE, routes=(route,), fallback_per_failed_task=fallback)
    (one,) = run_bundle(bundle).outcomes
    costs = one.costs
    assert costs.total == costs.generation + costs.verification + costs.fallback
    assert costs.verification == 4 * verification
    assert costs.fallback == (4 - one.passed) * fallback
    passed_at_a_cost = one.passed if costs.total else 0  # no rate is had over no cost
    assert one.useful_per1000 * costs.total == pytest.approx(1000 * passed_at_a_cost, abs=0.01)


def test_no_route_is_selected_where_none_beats_the_baseline() -> None:
    dear = replace(BUNDLE.routes[1], generation=Prices(per_receipt=1000))
    bundle = replace(BUNDLE, routes=(BUNDLE.routes[0], dear))
    result = run_bundle(bundle)
    assert result.selected is None
    assert result.outcomes[1].reasons == ("not more useful for its cost than the baseline",)
