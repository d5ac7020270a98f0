"""Two recordings are compared only where they match, and what does not is said."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genconform.finding import Verdict
from genconform.trace.adapters.registry import ADAPTERS
from genconform.trace.observed.importing import Import
from genconform.trace.observed.model import Recording
from genconform.trace.observed.pairing import Paired, pair, student_quantile
from genconform.tree import find_tree
from tests.conftest import CommandLine

RECORDED = find_tree().path("fixtures/engine-observations/valid")
PLAIN, NGRAM = (RECORDED / f"llama_cpp.{name}.jsonl" for name in ("plain", "ngram"))


def response(prompt: str, seconds: float, **changed: Any) -> dict[str, Any]:
    made: dict[str, Any] = {
        "stop_type": "limit",
        "tokens": [1, 2, 3, 4],
        "timings": {"cache_n": 0, "prompt_n": 5, "predicted_n": 4},
        "model": "a-model",
        "_request": {"prompt": prompt, "n_predict": 4, "temperature": 0},
        "_client_seconds": seconds,
    }
    return made | changed


def session(seconds: list[float], **changed: Any) -> list[dict[str, Any]]:
    return [response(f"prompt {place}", one, **changed) for place, one in enumerate(seconds)]


def recorded(records: list[dict[str, Any]], name: str = "log") -> Recording:
    source = Import(ADAPTERS, public=True, declared={})
    data = "".join(json.dumps(record) + "\n" for record in records).encode()
    made = Recording(name, tuple(source.read(io.BytesIO(data), name)))
    assert not source.findings
    return made


def compare(one: list[dict[str, Any]], two: list[dict[str, Any]]) -> Paired:
    return pair(recorded(one), recorded(two))


def rules(paired: Paired) -> set[str]:
    return {finding.rule for finding in paired.findings}


TIMES = [1.0, 1.1, 0.9, 1.05, 1.2, 0.95]
HALF = [one / 2 for one in TIMES]


def test_twice_as_fast_is_seen_as_such() -> None:
    paired = compare(session(TIMES), session(HALF))
    assert paired.verdict is Verdict.PASS
    assert paired.findings == ()
    shown = paired.comparison
    assert shown.ratio == pytest.approx(2)
    assert shown.low == pytest.approx(2)
    assert shown.high == pytest.approx(2)
    assert shown.baseline_rate == pytest.approx(4 * len(TIMES) / sum(TIMES))
    assert str(shown.conclusion).startswith("faster")


def test_a_request_that_differs_costs_its_seconds_and_is_of_no_use() -> None:
    other = session(HALF)
    other[0]["tokens"] = [1, 2, 9, 9]
    paired = compare(session(TIMES), other)
    assert paired.verdict is Verdict.NOT_OBSERVED
    assert rules(paired) == {"pair.output.undecided"}
    first = paired.comparison.pairs[0]
    assert (first.identical, first.first_divergence, first.candidate_rate) == (False, 2, 0)
    lost = 1 - 1 / len(TIMES)
    assert paired.comparison.ratio == pytest.approx(2 * lost)


@pytest.mark.parametrize(
    ("margin", "rule", "verdict"),
    [
        (2.1, "pair.output.diverges", Verdict.FAIL),
        (0.0001, "pair.output.undecided", Verdict.NOT_OBSERVED),
    ],
)
def test_a_margin_tells_a_violation_from_a_tie(margin: float, rule: str, verdict: Verdict) -> None:
    plain, other = session(TIMES), session(HALF)
    margins = [5.0, 5.0, margin, 5.0]
    plain[0]["_reference"] = {"token_ids": [1, 2, 3, 4], "margins": margins}
    other[0]["tokens"] = [1, 2, 9, 9]
    paired = compare(plain, other)
    assert rules(paired) == {rule}
    assert paired.verdict is verdict


@pytest.mark.parametrize(
    ("rule", "changed"),
    [
        ("pair.settings.differs", {"_request": {"prompt": "prompt 0", "n_predict": 4, "seed": 2}}),
        ("pair.settings.unknown", {"_request": {"prompt": "prompt 0", "n_predict": 4}}),
        ("pair.model.differs", {"model": "another"}),
        ("pair.model.unknown", {"model": None}),
        ("pair.cache.differs", {"timings": {"cache_n": 4, "prompt_n": 1, "predicted_n": 4}}),
        ("pair.prompt.unknown", {"_request": {"n_predict": 4, "temperature": 0}}),
        ("pair.clock.unlike", {"_client_seconds": 0}),
    ],
)
def test_what_differs_or_is_not_told_is_named_and_not_compared(
    rule: str, changed: dict[str, Any]
) -> None:
    plain = session(TIMES)
    paired = compare(plain, [plain[0] | changed, *session(HALF)[1:]])
    assert rule in rules(paired)
    if rule == "pair.clock.unlike":
        assert paired.verdict is Verdict.NOT_OBSERVED
        return
    assert paired.comparison.compared == len(TIMES) - 1
    # A prompt that is not told leaves the baseline's request alone, as if it had been left out.
    untold = rule in ("pair.settings.unknown", "pair.model.unknown")
    assert paired.verdict is (Verdict.PASS if untold else Verdict.FAIL)


def test_a_request_of_one_recording_alone_forbids_the_comparison() -> None:
    for one, two in ((session(TIMES), session(HALF)[:-1]), (session(TIMES)[:-1], session(HALF))):
        paired = compare(one, two)
        assert rules(paired) == {"pair.request.missing"}
        assert paired.verdict is Verdict.FAIL
        assert not paired.comparison.ratio


def test_a_few_pairs_have_no_interval() -> None:
    paired = compare(session(TIMES[:4]), session(HALF[:4]))
    assert rules(paired) == {"pair.requests.few"}
    assert paired.verdict is Verdict.NOT_OBSERVED


def test_nothing_is_no_comparison() -> None:
    assert compare([], []).verdict is Verdict.NOT_OBSERVED


@given(st.lists(st.floats(0.1, 10), min_size=5, max_size=12), st.randoms())
def test_the_interval_holds_the_ratio_and_no_order_changes_it(
    seconds: list[float], random: Any
) -> None:
    other = [one * random.uniform(0.5, 1.5) for one in seconds]
    records = list(zip(session(seconds), session(other), strict=True))
    shown = compare([one for one, _ in records], [two for _, two in records]).comparison
    assert isinstance(shown.ratio, float)
    assert isinstance(shown.low, float)
    assert isinstance(shown.high, float)
    assert shown.low <= shown.ratio * (1 + 1e-12)
    assert shown.ratio <= shown.high * (1 + 1e-12)
    random.shuffle(records)
    again = compare([one for one, _ in records], [two for _, two in records]).comparison
    assert again.ratio == pytest.approx(shown.ratio)
    assert again.low == pytest.approx(shown.low)


def test_the_quantile_is_students() -> None:
    # From the tables of the handbook that its expansion is from.
    for freedom, wanted in ((4, 2.776), (5, 2.571), (7, 2.365), (10, 2.228), (30, 2.042)):
        assert student_quantile(freedom) == pytest.approx(wanted, rel=2e-3)


def test_the_recorded_sessions_match_where_they_tell_enough(genconform: CommandLine) -> None:
    done = genconform("trace", "pair", PLAIN, NGRAM, "--model", "SmolLM2", "--format", "json")
    assert done.returncode == 0, done.stderr
    (check,) = json.loads(done.stdout)["checks"]
    assert check["verdict"] == "pass"
    assert check["counts"] == {"pairs": 9, "compared": 8, "identical": 9, "diverging": 0}
    comparison = check["details"]["comparison"]
    pairs = comparison["pairs"]
    assert all(one["identical"] for one in pairs)
    assert [one.get("proposedTokens") for one in pairs][-4:] == [None, 1, 12, 21]
    repeated = next(one for one in pairs if one["cachedTokens"])
    assert (repeated["cachedTokens"], repeated["leftOut"]) == (49, "settings: not told")
    assert comparison["low"] < 1 < comparison["ratio"] < comparison["high"]
    assert comparison["conclusion"].startswith("undecided")
    assert done.stdout == genconform(
        "trace", "pair", PLAIN, NGRAM, "--model", "SmolLM2", "--format", "json"
    ).stdout  # fmt: skip


def test_without_the_model_the_sessions_are_not_compared(
    genconform_here: CommandLine, tmp_path: Path
) -> None:
    done = genconform_here("trace", "pair", PLAIN, NGRAM)
    assert done.returncode == 4
    assert "pair.model.unknown" in done.stdout
    assert "0 of 9 pairs compared" in done.stdout


def test_imported_traces_pair_as_the_logs_do(genconform_here: CommandLine, tmp_path: Path) -> None:
    traces = [tmp_path / f"{path.stem}.jsonl" for path in (PLAIN, NGRAM)]
    for path, trace in zip((PLAIN, NGRAM), traces, strict=True):
        done = genconform_here("trace", "import", path, "--out", trace, "--model", "SmolLM2")
        assert done.returncode == 0
    paired = genconform_here("trace", "pair", *traces)
    assert paired.returncode == 0
    assert "8 of 9 pairs compared, by clientSeconds" in paired.stdout
    assert "undecided: 1.107 times" in " ".join(paired.stdout.split())
