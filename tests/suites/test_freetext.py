"""Free text becomes a record only where it says one thing, and every other field is named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import convert as convert_to

from genconform.document import Document
from genconform.errors import MalformedInput
from genconform.suites import generation_mode as gm
from genconform.suites.freetext import ALIASES, FIELDS, State, absent, convert
from genconform.trace.format import DECISIONS, GENERATION_MODES, NON_CLAIMS, RISK_TIERS
from tests.conftest import CommandLine

FOLDER = Path(__file__).parent / "freetext"
PLANNED = {
    "task_id": "task-1",
    "risk_tier": "low",
    "latency_budget": "2 s",
    "compute_budget": "64 passes",
    "memory_budget": "8 MiB",
    "context_packet_id": "packet-1",
    "generation_mode": "multi-token prediction",
    "draft_source": "the extra heads",
    "verifier": "the target model",
    "acceptance_predicate": "greedy token identity, at least 50 %",
    "proposed_tokens_or_spans": "not run",
    "accepted_tokens_or_spans": "not run",
    "wall_clock_time": "not run",
    "quality_or_pass_result": "not measured",
    "repair_or_fallback": "none",
    "promotion_decision": "not evaluated",
    "measurement_status": "planned",
    "metric_definitions": ["quality", "residual", "useful_solutions_per_second"],
    "evidence_refs": [],
    "non_claims": list(NON_CLAIMS),
}


def document(value: Any) -> Document:
    return Document("theirs.json", value, {"": 1})


def field(name: str, text: str | list[str]) -> tuple[State, dict[str, Any]]:
    """How much of one field is read, and what it adds to the draft."""
    conversion = convert(document({name: text}))
    (report,) = (one for one in conversion.fields if one.field == name)
    return report.state, {key: value for key, value in conversion.record.items() if key != "record"}


def test_a_planned_record_converts_in_full_and_fits_our_type() -> None:
    conversion = convert(document(PLANNED))
    assert conversion.complete
    assert {one.state for one in conversion.fields} == {State.READ}
    record = convert_to(conversion.record, gm.GenerationModeRecord)
    assert record.budget == gm.Resources(2.0, 64, 8 * 1024**2)
    assert record.setup.generation_mode == "multi_token_prediction"
    assert record.setup.draft_source.kind == "heads"
    assert tuple(one.claim for one in record.non_claims) == NON_CLAIMS
    assert not record.dispatched


@pytest.mark.parametrize("name", FIELDS)
def test_a_field_that_is_left_out_is_named(name: str) -> None:
    conversion = convert(document({key: text for key, text in PLANNED.items() if key != name}))
    assert not conversion.complete
    assert [one.field for one in conversion.fields if one.state is State.MISSING] == [name]


@pytest.mark.parametrize(
    ("name", "text", "read"),
    [
        ("latency_budget", "under 500 milliseconds", {"budget": {"latencySeconds": 0.5}}),
        ("latency_budget", "1.5 min", {"budget": {"latencySeconds": 90.0}}),
        ("memory_budget", "1,024 bytes", {"budget": {"memoryBytes": 1024}}),
        ("memory_budget", "2 GB", {"budget": {"memoryBytes": 2_000_000_000}}),
        ("compute_budget", "1 pass", {"budget": {"computePasses": 1}}),
        ("generation_mode", "KV cache serving", {"setup": {"generationMode": "kv_cache_serving"}}),
        ("accepted_tokens", "12 tokens", {"measured": {"work": {"acceptedTokens": 12}}}),
        ("repair_or_fallback", "None", {}),
    ],
)
def test_what_says_one_thing_is_read(name: str, text: str, read: dict[str, Any]) -> None:
    assert field(name, text) == (State.READ, read)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("latency_budget", "between 1 and 2 s"),
        ("latency_budget", "fast"),
        ("latency_budget", "3"),
        ("latency_budget", "3 parsecs"),
        ("latency_budget", "under 250 ms for 95 % of requests"),
        ("compute_budget", "4e9 FLOPs"),
        ("compute_budget", "2.5 passes"),
        ("proposed_tokens_or_spans", "80 spans"),
        ("risk_tier", "moderate"),
        ("generation_mode", "speculative or diffusion"),
        ("draft_source", "a model with heads"),
        ("draft_source", "something small"),
        ("acceptance_predicate", "if it looks good"),
        ("quality_or_pass_result", "mostly fine"),
        ("quality_or_pass_result", "score 1.4, minimum 0.9"),
        ("repair_or_fallback", "retry until it works"),
        ("promotion_decision", "ship it"),
        ("evidence_refs", ["see the notebook"]),
        ("non_claims", ["This is no claim."]),
        ("metric_definitions", ["vibes"]),
    ],
)
def test_what_says_something_else_is_left_out_with_a_reason(
    name: str, text: str | list[str]
) -> None:
    assert field(name, text) == (State.UNREAD, {})
    (report,) = (one for one in convert(document({name: text})).fields if one.field == name)
    assert report.why


@pytest.mark.parametrize(
    ("name", "text", "lacking"),
    [
        ("wall_clock_time", "420 ms", "/measured/costs/verificationSeconds"),
        ("quality_or_pass_result", "pass", "/measured/quality/score"),
        ("repair_or_fallback", "autoregressive", "/fallback/executable"),
        ("evidence_refs", ["run: run-1"], "/evidenceRefs/0/sha256"),
        ("acceptance_predicate", "exact match", "/setup/acceptancePredicate/minimumAcceptedShare"),
    ],
)
def test_half_a_field_is_read_and_the_other_half_is_absent(
    name: str, text: str | list[str], lacking: str
) -> None:
    conversion = convert(document({name: text}))
    (report,) = (one for one in conversion.fields if one.field == name)
    assert report.state is State.PARTLY
    assert report.why
    assert lacking in conversion.absent


def test_a_record_that_was_run_needs_a_measurement() -> None:
    draft = convert(document(PLANNED)).record | {"measurementState": "run"}
    assert list(absent(draft)) == ["/measured"]


def test_other_fields_are_named_as_unknown() -> None:
    reports = {one.field: one.state for one in convert(document({"mood": "hopeful"})).fields}
    assert reports["mood"] is State.UNKNOWN


@pytest.mark.parametrize("value", [[], "text", {"risk_tier": 3}, {"non_claims": [1]}])
def test_anything_but_texts_is_malformed(value: Any) -> None:
    with pytest.raises(MalformedInput):
        convert(document(value))


NAMES = st.from_regex(r"[a-z]{1,6}-[0-9]{1,3}", fullmatch=True)


@given(
    seconds=st.integers(1, 10**6),
    passes=st.integers(0, 10**9),
    bytes_=st.integers(0, 10**12),
    proposed=st.integers(0, 10**9),
    mode=st.sampled_from(GENERATION_MODES),
    risk=st.sampled_from(RISK_TIERS),
    decision=st.sampled_from(DECISIONS),
    percent=st.integers(0, 100),
    refs=st.lists(st.tuples(st.sampled_from(get_args(gm.EvidenceKind)), NAMES), max_size=3),
)
def test_what_is_written_in_known_words_is_read_back(
    seconds: int,
    passes: int,
    bytes_: int,
    proposed: int,
    mode: str,
    risk: str,
    decision: str,
    percent: int,
    refs: list[tuple[str, str]],
) -> None:
    digest = "a" * 64
    draft = convert(
        document(
            {
                "latency_budget": f"{seconds} ms",
                "compute_budget": f"at most {passes:,} forward passes",
                "memory_budget": f"{bytes_} bytes",
                "proposed_tokens": f"{proposed} tokens",
                "generation_mode": mode.replace("_", " ").title(),
                "risk_tier": risk.upper(),
                "promotion_decision": decision.replace("_", "-"),
                "acceptance_predicate": f"rejection sampling at {percent} %",
                "evidence_refs": [f"{kind}: {id_} sha256:{digest}" for kind, id_ in refs],
            }
        )
    ).record
    assert draft["budget"] == {
        "latencySeconds": pytest.approx(seconds / 1000),
        "computePasses": passes,
        "memoryBytes": bytes_,
    }
    assert draft["measured"]["work"]["proposedTokens"] == proposed
    assert draft["setup"]["generationMode"] == mode
    assert (draft["riskTier"], draft["promotionDecision"]) == (risk, decision)
    share = draft["setup"]["acceptancePredicate"]["minimumAcceptedShare"]
    assert share == pytest.approx(percent / 100)
    assert draft["evidenceRefs"] == [
        {"kind": kind, "id": id_, "sha256": digest} for kind, id_ in refs
    ]


TEXTS = st.one_of(st.text(), st.lists(st.text(), max_size=3))


@given(value=st.dictionaries(st.sampled_from([*FIELDS, *sum(ALIASES.values(), ())]), TEXTS))
def test_any_text_is_read_or_named_and_never_half_said(value: dict[str, Any]) -> None:
    for one in convert(document(value)).fields:
        assert one.state is State.READ or one.why


class TestCommand:
    def test_it_says_field_by_field_and_is_incomplete(self, genconform: CommandLine) -> None:
        done = genconform("convert", FOLDER / "speculative.json")
        assert done.returncode == 4
        assert done.stdout == (FOLDER / "speculative.txt").read_text(encoding="utf-8")

    def test_a_complete_record_is_written(self, genconform: CommandLine, tmp_path: Path) -> None:
        (tmp_path / "theirs.json").write_text(json.dumps(PLANNED), encoding="utf-8")
        ours = tmp_path / "ours.json"
        done = genconform("convert", tmp_path / "theirs.json", "--output", ours)
        assert done.returncode == 0, done.stdout
        convert_to(json.loads(ours.read_text(encoding="utf-8")), gm.GenerationModeRecord)

    def test_json_holds_draft_fields_and_what_is_absent(self, genconform: CommandLine) -> None:
        done = genconform("convert", FOLDER / "speculative.json", "--format", "json")
        given = json.loads(done.stdout)
        assert given.keys() == {"complete", "record", "fields", "absent"}
        assert given["record"]["measured"]["work"] == {"proposedTokens": 80, "acceptedTokens": 52}

    @pytest.mark.parametrize(
        ("content", "code"), [(None, 2), ('{"risk_tier": 3}', 3), ("[]", 3), ("{", 3)]
    )
    def test_what_is_no_free_text_record_is_refused(
        self, content: str | None, code: int, genconform: CommandLine, tmp_path: Path
    ) -> None:
        file = tmp_path / "theirs.json"
        if content is not None:
            file.write_text(content, encoding="utf-8")
        assert genconform("convert", file).returncode == code
