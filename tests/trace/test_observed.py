"""What engines report: each fault that people met is found by its own rule, its twin is not."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from genconform.finding import Level, Verdict
from genconform.lifecycle.packet import BOOLEAN_NAMES
from genconform.spec.rules import load_rules
from genconform.suites.engine_observations import SUITE, findings
from genconform.trace.adapters.coverage import decidable, table
from genconform.trace.adapters.registry import ADAPTERS
from genconform.trace.derive import DERIVATIONS
from genconform.trace.judge import judge_file
from genconform.trace.observed.claims import judge_claim
from genconform.trace.observed.importing import Import
from genconform.trace.observed.judge import BOUND, HEADER, JudgedObservation, judge_all
from genconform.trace.observed.model import NUMBERS, Claim, Scope
from genconform.trace.observed.rules import RULES, first_divergence
from genconform.trace.observed.session import History
from genconform.tree import Tree, find_tree

FOLDER = find_tree().path("fixtures/engine-observations")
RECORDED = sorted(find_tree().path("fixtures/traces/valid").glob("*.jsonl"))
VALID = sorted((FOLDER / "valid").iterdir())
INVALID = sorted((FOLDER / "invalid").iterdir())
OWN = ("observed.", "import.record.", "import.source.")
NOT_IN_A_LOG = {"observed.malformed", "observed.evidence.differs", "observed.text.undecided"}

# Each row of the table of faults that people met, and the file that is its input.
FAULTS = {
    "greedy text changes under speculation": "observed.text.diverges.greedy",
    "acceptance rate above one": "observed.accepted.exceeds-proposed",
    "lengths with and without bonus compared": "observed.bonus.mixed.length",
    "renamed keys read as zero": "observed.rate.zeroed.renamed-keys",
    "tokens past the end kept in a sub-count": "observed.usage.part-exceeds-whole.reasoning",
    "same adapter name, other weights, shared cache": "observed.cache.adapter-weights",
    "cache key omits the adapter": "observed.cache.adapter-omitted",
    "weights updated, cache kept": "observed.cache.stale-epoch",
    "recomputation after preemption counted as hits": "observed.cache.recomputed-as-hit",
    "other conversation's content with no hit reported": "observed.cache.leaked-content",
    "negative counter step": "observed.usage.negative-step",
    "chunks counted as tokens": "observed.rate.chunks-as-tokens",
    "times to first token of different clocks": "observed.clock.mixed.queue",
    "draft and target vocabularies differ": "observed.vocabulary.differs",
    "fallback not told": "observed.fallback.untold.no-draft",
    "drafting not told": "observed.fallback.untold.mode-none",
    "disabled speculation still charged": "observed.charge.unequal.disabled-speculation",
    "aborted stream billed as nothing": "observed.charge.abort-free",
    "quantized cache wrong on a hit": "observed.cache.hit-changes-output.int8",
}


def read(data: bytes, *, public: bool = True) -> tuple[list[JudgedObservation], Import]:
    """Import and judge a log."""
    source = Import(ADAPTERS, public=public, declared={})
    return list(judge_all(source.read(io.BytesIO(data), "log"), "log")), source


def log(*records: Any) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def errors(path: Path) -> set[str]:
    fixture = next(
        one for kind in ("valid", "invalid") for one in SUITE.fixtures(find_tree(), kind)
        if one.name.endswith(f"{path.parent.name}/{path.name}")
    )  # fmt: skip
    return {found.rule for found in findings(fixture) if found.level is Level.ERROR}


@pytest.mark.parametrize("row", FAULTS)
def test_a_fault_that_people_met_is_found_by_its_own_rule_and_its_twin_is_not(row: str) -> None:
    name = f"{FAULTS[row]}.jsonl"
    (rule,) = errors(FOLDER / "invalid" / name)
    assert name.startswith(rule)
    assert errors(FOLDER / "valid" / name) == set()


@pytest.mark.parametrize("path", INVALID, ids=lambda path: path.stem)
def test_a_broken_input_is_found_by_the_rule_of_its_name_and_no_other(path: Path) -> None:
    (rule,) = errors(path)
    assert path.name.startswith(rule.removeprefix("route."))


@pytest.mark.parametrize(
    "path", [one for one in INVALID if not one.name.startswith("import.")], ids=lambda p: p.stem
)
def test_a_broken_input_has_an_honest_twin(path: Path) -> None:
    twin = FOLDER / "valid" / path.name
    assert errors(twin) == set()
    assert twin.read_bytes() != path.read_bytes()


def test_every_rule_has_an_input_that_only_it_catches(tree: Tree) -> None:
    ids = {id_ for id_ in load_rules(tree) if id_.startswith(OWN)} - NOT_IN_A_LOG
    assert set(RULES) - NOT_IN_A_LOG < ids
    fixtures = SUITE.fixtures(tree, "invalid")
    for id_ in sorted(ids):
        own = [one for one in fixtures if one.name.rpartition("/")[2].startswith(id_ + ".")]
        assert own, f"nothing breaks {id_}"
        for fixture in own if id_.startswith("observed.") else ():
            assert not list(findings(fixture, without=id_)), f"{fixture.name} without {id_}"


def test_a_numeric_tie_is_told_and_not_held_against_the_run() -> None:
    data = (FOLDER / "valid" / "observed.text.diverges.greedy.jsonl").read_bytes()
    same, tie = read(data)[0]
    assert not same.findings
    (found,) = tie.findings
    assert (found.rule, found.level) == ("observed.text.undecided", Level.WARNING)
    assert "0.0001" in found.message
    assert tie.verdict is Verdict.NOT_OBSERVED


@pytest.mark.parametrize("path", VALID, ids=lambda path: path.stem)
def test_nothing_that_an_engine_reports_of_itself_passes(path: Path) -> None:
    judged, _ = read(path.read_bytes())
    assert judged
    assert {one.verdict for one in judged} == {Verdict.NOT_OBSERVED}
    assert all(len(one.undecided) + len(one.decided) == 49 for one in judged)


@pytest.mark.parametrize("path", VALID, ids=lambda path: path.stem)
def test_absence_is_never_decided(path: Path) -> None:
    """Take every number away, and no boolean and no rule has anything left to say of it."""
    lines = [json.loads(line) for line in path.read_bytes().splitlines()] if _is_log(path) else []
    for line in lines:
        for judged in read(log(_without_numbers(line)))[0]:
            assert judged.decided == {}
            assert not judged.findings


def _is_log(path: Path) -> bool:
    return path.suffix == ".jsonl"


def _without_numbers(value: Any) -> Any:
    """The same payload with null for each number of its own; what the client wrote goes as well."""
    if isinstance(value, dict):
        return {k: _without_numbers(v) for k, v in value.items() if k[:1] != "_"}
    if isinstance(value, list):
        plain = [_without_numbers(item) for item in value]
        return None if any(item is None for item in plain) else plain
    return None if isinstance(value, int | float) and not isinstance(value, bool) else value


def test_the_recorded_sessions_of_a_real_engine_show_what_happened() -> None:
    plain, drafted = (
        [
            one.observation
            for one in read((FOLDER / f"valid/llama_cpp.{name}.jsonl").read_bytes())[0]
        ]
        for name in ("plain", "ngram")
    )
    assert len(plain) == len(drafted) == 10
    assert [one.output.token_ids for one in plain] == [one.output.token_ids for one in drafted]
    assert all(one.output.text_digest for one in plain)
    # The third prompt came once more, and its prefix was cached.
    assert [one.number("cachedTokens") for one in plain] == [0, 0, 0, 0, 0, 0, 0, 0, 49, 0]
    assert plain[8].number("promptTokens") == 50
    # Drafting is seen where it happened, and where it did not it is absent, not zero.
    assert not any("proposedTokens" in one.numbers for one in plain)
    counted = [one.each("proposedTokens", "acceptedTokens") for one in drafted]
    assert counted[:4] == [(24, 24), (47, 40), (24, 10), (41, 41)]
    assert counted[4] is None
    assert counted[9] is None


def test_a_process_is_never_evidence_about_a_request() -> None:
    judged, _ = read((FOLDER / "valid/llama_cpp.ngram.metrics.txt").read_bytes())
    (one,) = judged
    assert {found.scope for found in one.observation.numbers.values()} == {Scope.PROCESS}
    assert one.observation.total("proposedTokens") == 218
    assert one.observation.number("proposedTokens") is not one.observation.total("proposedTokens")
    assert one.evidence == {}
    assert len(one.undecided) == 49


def test_private_import_keeps_no_text_and_no_tokens() -> None:
    data = (FOLDER / "valid" / "llama_cpp.plain.jsonl").read_bytes()
    for judged in read(data, public=False)[0]:
        kept = judged.observation
        assert not kept.output.text
        assert not kept.output.token_ids
        assert not kept.request.prompt_text
        assert kept.output.text_digest


@given(
    one=st.lists(st.integers(0, 3), max_size=6).map(tuple),
    other=st.lists(st.integers(0, 3), max_size=6).map(tuple),
)
def test_the_first_divergence_is_where_the_common_beginning_ends(
    one: tuple[int, ...], other: tuple[int, ...]
) -> None:
    place = first_divergence(one, other)
    if place is None:
        assert one == other
    else:
        assert one[:place] == other[:place]
        assert one[place : place + 1] != other[place : place + 1]


COUNTS = st.integers(0, 40)


@given(steps=st.lists(st.tuples(COUNTS, COUNTS), min_size=1, max_size=8), data=st.data())
def test_counts_that_come_of_steps_break_no_rule_and_any_other_breaks_one(
    steps: list[tuple[int, int]], data: st.DataObject
) -> None:
    drafted = [max(pair) for pair in steps]
    kept = [min(pair) for pair in steps]
    histogram = [kept.count(length) for length in range(max(kept) + 1)]
    honest: dict[str, Any] = {
        "acceptance_histogram": histogram,
        "num_spec_steps": len(steps),
        "num_accepted_draft_tokens": sum(kept),
        "per_step_accepted": kept,
        "mean_acceptance_length": round(1 + sum(kept) / len(steps), 4),
    }
    assert not _of_spec(honest, drafted)
    key = data.draw(st.sampled_from(["num_spec_steps", "num_accepted_draft_tokens"]))
    assert _of_spec(honest | {key: honest[key] + 1}, drafted)


def _of_spec(spec: dict[str, Any], drafted: list[int]) -> list[str]:
    spec = spec | {"num_draft_tokens": sum(drafted), "per_step_drafted": drafted}
    record = {"choices": [], "metrics": {"speculative_decoding": spec}}
    (judged,) = read(log(record))[0]
    return [found.rule for found in judged.findings if found.rule.startswith("observed.")]


def test_a_claim_about_what_was_not_seen_is_found_whatever_it_says() -> None:
    for kind in ("value", "faster", "equal"):
        claim = Claim(kind, "totalSeconds", "nobody", "nothing", 1.0)
        assert list(judge_claim(claim, 0, History()))


def test_every_number_says_its_unit_and_meaning() -> None:
    assert all(kind.unit and kind.meaning for kind in NUMBERS.values())


# --- what can be decided ---------------------------------------------------------------------


def test_the_table_says_what_the_examples_decide() -> None:
    """Each adapter decides by some input here what it is said to, and nothing else by any."""
    decided: dict[str, dict[str, set[bool]]] = {}
    for path in (*VALID, *INVALID):
        for judged in read(path.read_bytes())[0]:
            own = decided.setdefault(judged.observation.adapter, {})
            for name, is_so in judged.decided.items():
                own.setdefault(name, set()).add(is_so)
    for adapter in ADAPTERS:
        assert set(decided[adapter.name]) == decidable(adapter), adapter.name
    assert decided["vllm"]["searchBound"] == {True, False}
    assert decided["openai"]["requestWellFormed"] == {True, False}
    assert {name for name, _ in table(ADAPTERS)} == set(BOOLEAN_NAMES)
    assert dict(table(ADAPTERS))["searchBound"][0] is True


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_what_was_bound_beforehand_is_shown_by_no_report(path: Path) -> None:
    """Rules that hold of a whole recorded run, and not without its header, are never decided."""
    needing: set[str] = set()
    for run in judge_file(io.BytesIO(path.read_bytes()), "run").runs:
        for event in run.events:
            kind = event.event.kind
            for derivation in DERIVATIONS[kind]:
                bound = msgspec.structs.replace(run.shown, now=kind)
                unbound = msgspec.structs.replace(bound, header=HEADER)
                if not any(derivation.rule(bound)) and any(derivation.rule(unbound)):
                    needing.add(derivation.name)
    assert needing
    assert needing <= BOUND
