"""Import, check and explain: nothing is lost silently, and exit codes say what was found."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from genconform.errors import MalformedInput
from genconform.finding import Verdict
from genconform.trace.adapters.registry import ADAPTERS
from genconform.trace.observed.importing import Import
from genconform.trace.observed.judge import judge_all
from genconform.trace.observed.model import Observation
from genconform.trace.observed.stored import Tally, judge_stored, read_stored, written
from genconform.tree import find_tree
from tests.conftest import CommandLine

FOLDER = find_tree().path("fixtures/engine-observations")
VALID = sorted((FOLDER / "valid").iterdir())
EXAMPLES = [path for path in VALID if path.name.startswith(("example.", "llama_cpp."))]
HONEST: dict[str, Any] = {
    "id": "r",
    "object": "chat.completion",
    "choices": [{"index": 0, "message": {"content": "fine"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 9, "completion_tokens": 2, "total_tokens": 11},
}


def imported(data: bytes, *, public: bool = True) -> tuple[list[Observation], Import]:
    source = Import(ADAPTERS, public=public, declared={})
    return list(source.read(io.BytesIO(data), "log")), source


def line(record: Any) -> bytes:
    return json.dumps(record).encode() + b"\n"


def judged_again(data: bytes) -> tuple[list[Any], Tally]:
    found = list(judge_stored(io.BytesIO(data), "traces"))
    tally = Tally()
    for one in found:
        tally.add(one)
    return found, tally


# --- round trips -----------------------------------------------------------------------------


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
@pytest.mark.parametrize("public", [True, False])
def test_a_round_trip_loses_nothing(path: Path, public: bool) -> None:
    observations, source = imported(path.read_bytes(), public=public)
    assert source.findings == []
    assert source.result("log").verdict is Verdict.PASS
    data = b"".join(map(written, observations))
    assert [one.observation for one in read_stored(io.BytesIO(data), "traces")] == observations
    before = list(judge_all(observations, "traces"))
    after, tally = judged_again(data)
    assert [one.decided for one in after] == [one.decided for one in before]
    assert [one.findings for one in after] == [one.findings for one in before]
    assert tally.verdict is Verdict.NOT_OBSERVED


def leaves(value: Any, at: str = "") -> dict[str, Any]:
    if isinstance(value, dict):
        return {p: v for key, one in value.items() for p, v in leaves(one, f"{at}/{key}").items()}
    if isinstance(value, list):
        return {p: v for n, one in enumerate(value) for p, v in leaves(one, f"{at}/{n}").items()}
    return {at: value}


@pytest.mark.parametrize(
    "path", [one for one in EXAMPLES if one.suffix == ".jsonl"], ids=lambda p: p.stem
)
def test_every_count_of_a_payload_is_taken_or_listed_as_unread(path: Path) -> None:
    """Change any whole number: the observation changes, or the number stands among the unread."""
    for text in path.read_bytes().splitlines():
        record = json.loads(text)
        before, _ = imported(line(record))
        unread = {pointer for one in before for pointer in one.unread}
        for pointer, value in leaves(record).items():
            if isinstance(value, bool) or not isinstance(value, int) or pointer.startswith("/_"):
                continue
            if pointer.startswith("/resourceSpans") and "/attributes/" in pointer:
                continue  # which are named by their keys, not by their places
            if any(pointer == one or pointer.startswith(one + "/") for one in unread):
                continue
            after, source = imported(line(_changed(record, pointer.split("/")[1:], value + 1)))
            same = list(map(_without_digest, after)) == list(map(_without_digest, before))
            assert source.findings or not same or _is_told_elsewhere(pointer), pointer


def _is_told_elsewhere(pointer: str) -> bool:
    """Where only how many there are counts, or that a block has a parent."""
    return "/prefill/" in pointer or pointer.endswith("/parent_block_hash")


def _changed(value: Any, steps: list[str], new: Any) -> Any:
    if not steps:
        return new
    copy = value.copy()
    key: Any = int(steps[0]) if isinstance(copy, list) else steps[0]
    copy[key] = _changed(copy[key], steps[1:], new)
    return copy


def _without_digest(one: Observation) -> Any:
    return msgspec.to_builtins(one) | {"payloadDigest": ""}


def test_each_adapter_has_an_example_of_each_shape() -> None:
    seen = {
        (one.adapter, one.shape) for path in VALID for one in imported(path.read_bytes())[0]
    }  # fmt: skip
    assert seen == {(adapter.name, shape.name) for adapter in ADAPTERS for shape in adapter.shapes}


def test_what_is_told_of_several_outputs_together_is_told_of_none() -> None:
    """Two choices of a prompt may have more tokens than one may, and no text of theirs counts."""
    (judged, *_) = judge_all(imported((FOLDER / "valid/example.vllm.jsonl").read_bytes())[0], "log")
    seen = judged.observation
    assert seen.each("outputs", "outputTokens", "maxNewTokens") == (2, 12, 8)
    assert judged.findings == ()
    assert not seen.output.text
    assert not seen.output.token_ids
    assert not seen.output.finish
    assert "/choices/0/text" in seen.unread


# --- what is broken --------------------------------------------------------------------------


def usage(prompt: Any) -> bytes:
    return line(HONEST | {"usage": {"prompt_tokens": prompt, "completion_tokens": 2}})


def usage_text(prompt: str) -> bytes:
    return f'{{"usage": {{"prompt_tokens": {prompt}, "completion_tokens": 2}}}}\n'.encode()


BROKEN: dict[str, tuple[bytes, str]] = {
    "not a number": (usage("9"), "malformed"),
    "a truth value": (usage(True), "malformed"),
    "a list": (usage([9]), "malformed"),
    "negative": (usage(-9), "malformed"),
    "huge": (usage(10**400), "malformed"),
    "infinite": (usage_text("1e999"), "malformed"),
    "not a number at all": (usage_text("NaN"), "malformed"),
    "a key twice": (usage_text('1, "prompt_tokens": 2'), "malformed"),
    "half of a surrogate pair": (usage_text('1, "x": "\\ud800"'), "malformed"),
    "no object": (b"[1]\n", "malformed"),
    "no JSON": (b"INFO 12:00 served\n", "malformed"),
    "no text": (b'{"usage": "\xff"}\n', "malformed"),
    "nested too deeply": (b'{"a":' * 5000 + b"1" + b"}" * 5000 + b"\n", "malformed"),
    "a client's key of another type": (line(HONEST | {"_client": {"chunks": "many"}}), "malformed"),
    "an unknown claim": (line(HONEST | {"_claims": [{"kind": "better", "of": "r"}]}), "malformed"),
    "an unknown shape": (line({"tokens_used": 12}), "unsupported"),
    "an empty object": (line({}), "unsupported"),
    "two names of one number that differ": (
        line({"meta_info": {"spec_accepted_drafts": 4, "spec_num_correct_drafts": 5}}),
        "malformed",
    ),
    "a known shape of no request": (line({"resourceSpans": []}), "unsupported"),
    "an unknown cache event": (line({"ts": 1, "events": [{"type": "BlockMoved"}]}), "malformed"),
    "cut": (json.dumps(HONEST).encode()[:50], "truncated"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_record_is_named_and_costs_no_other(name: str) -> None:
    data, rule = BROKEN[name]
    honest = line(HONEST)
    for whole in ([honest, data], [data, honest] if data.endswith(b"\n") else [data]):
        observations, source = imported(b"".join(whole))
        assert [one.id for one in observations] == ["r"] * whole.count(honest)
        (finding,) = source.findings
        assert finding.rule == f"import.record.{rule}"
        assert finding.message
        assert source.records == len(whole)
        if whole[0] == honest:
            assert finding.location.line == 2
        assert source.result("log").verdict is {
            "malformed": Verdict.MALFORMED,
            "unsupported": Verdict.UNSUPPORTED,
            "truncated": Verdict.INCOMPLETE,
        }[rule]  # fmt: skip


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-8-sig"])
def test_another_encoding_is_named(encoding: str) -> None:
    observations, source = imported(json.dumps(HONEST).encode(encoding))
    assert observations == []
    (finding,) = source.findings
    assert finding.rule == "import.record.malformed"


def test_a_shape_that_is_not_known_is_named_by_the_keys_that_were_seen() -> None:
    _, source = imported(line({"tokens_used": 12, "speed": "fast"}))
    assert "tokens_used, speed" in str(source.findings[0].actual)


def test_records_of_several_versions_are_each_read_by_their_names() -> None:
    named = (
        {"spec_accept_token_num": 5, "spec_draft_token_num": 8},
        {"spec_accepted_drafts": 5, "spec_proposed_drafts": 6},
        {"spec_num_correct_drafts": 5, "spec_num_proposed_drafts": 6},
    )
    observations, _ = imported(b"".join(line({"meta_info": one}) for one in named))
    assert [one.number("acceptedTokens") for one in observations] == [5, 5, 5]
    assert [one.number("proposedTokens") for one in observations] == [8, 6, 6]
    assert [one.numbers["proposedTokens"].origin for one in observations] == [
        "derived", "observed", "observed",
    ]  # fmt: skip


def test_null_and_absent_are_neither_zero_nor_known() -> None:
    for usage in (None, {}, {"prompt_tokens": None, "completion_tokens": None}):
        (seen,), source = imported(line(HONEST | {"usage": usage}))
        assert not source.findings
        assert seen.numbers == {}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-10, 2**60) | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip


@settings(deadline=None, max_examples=200)
@given(st.data())
def test_whatever_stands_in_a_payload_ends_as_an_observation_or_as_a_finding(
    data: st.DataObject,
) -> None:
    path = data.draw(st.sampled_from([one for one in EXAMPLES if one.suffix == ".jsonl"]))
    record = json.loads(data.draw(st.sampled_from(path.read_bytes().splitlines())))
    pointer = data.draw(st.sampled_from(sorted(leaves(record))))
    steps = pointer.split("/")[1:]
    cut = data.draw(st.integers(1, len(steps)))
    changed = _changed(record, steps[:cut], data.draw(JSON))
    observations, source = imported(json.dumps(changed).encode() + b"\n")
    assert source.records == 1
    assert observations or source.findings
    for judged in judge_all(observations, "log"):
        assert judged.verdict in (Verdict.FAIL, Verdict.NOT_OBSERVED)
        assert written(judged.observation)


@given(st.binary(max_size=200))
def test_any_bytes_end_as_observations_or_findings(data: bytes) -> None:
    observations, source = imported(data)
    assert source.records == len(observations) + len(source.findings)
    assert bool(source.records) is bool(data.strip())


# --- stored traces ---------------------------------------------------------------------------


def stored() -> list[bytes]:
    observations, _ = imported((FOLDER / "valid/example.vllm.jsonl").read_bytes())
    return written(observations[0]).splitlines(keepends=True)


def test_evidence_that_was_changed_alone_is_found() -> None:
    lines = stored()
    for place in range(1, len(lines)):
        changed = lines.copy()
        changed[place] = lines[place].replace(b'okens":', b'okens":1', 1)
        assert changed[place] != lines[place]
        for cut in (changed, lines[:place] + lines[place + 1 :]):
            (judged,), tally = judged_again(b"".join(cut))
            assert "observed.evidence.differs" in {one.rule for one in judged.findings}
            assert tally.verdict is Verdict.FAIL


@pytest.mark.parametrize(
    "break_",
    [
        lambda lines: lines[1:],
        lambda lines: [*lines, lines[1]],
        lambda lines: [*lines, b"{}\n"],
        lambda lines: [lines[0].replace(b'"version":1', b'"version":2'), *lines[1:]],
        lambda lines: [lines[0].replace(b'"adapter":', b'"adaptor":'), *lines[1:]],
        lambda lines: [lines[0].replace(b'"line":1', b'"line":1,"line":1'), *lines[1:]],
        lambda lines: [*lines, lines[0][:-1]],
    ],
)
def test_a_broken_trace_is_malformed(break_: Any) -> None:
    found, tally = judged_again(b"".join(break_(stored())))
    assert found[-1].rule == "observed.malformed"
    assert tally.malformed
    with pytest.raises(MalformedInput):
        list(read_stored(io.BytesIO(b"".join(break_(stored()))), "traces"))


def test_no_trace_is_incomplete() -> None:
    assert Tally().verdict is Verdict.INCOMPLETE


# --- the command line ------------------------------------------------------------------------


def test_import_check_and_explain(genconform: CommandLine, tmp_path: Path) -> None:
    log, out = FOLDER / "valid/example.vllm.jsonl", tmp_path / "traces.jsonl"
    done = genconform("trace", "import", log, "--out", out)
    assert done.returncode == 0
    assert "vllm response: it has metrics, choices" in " ".join(done.stdout.split())
    checked = genconform("trace", "check", out)
    assert checked.returncode == 4
    assert "not_observed" in checked.stdout
    assert "pass:" not in checked.stdout
    told = genconform("trace", "explain", out, "--run", "detailed")
    assert told.returncode == 4
    for said in (
        "timeToFirstTokenSeconds: 0.0215 seconds, observed, from scheduling on",
        "requestWellFormed true",
        "counts the bonus token in",
        "not observed: externalEffectRequested",
    ):
        assert said in told.stdout
    listed = genconform("trace", "explain", out)
    assert "detailed: not_observed, vllm response" in listed.stdout
    assert genconform("trace", "explain", out, "--run", "nobody").returncode == 2


def test_a_contradiction_fails_the_check(genconform_here: CommandLine, tmp_path: Path) -> None:
    out = tmp_path / "traces.jsonl"
    log = FOLDER / "invalid/observed.accepted.exceeds-proposed.jsonl"
    assert genconform_here("trace", "import", log, "--out", out).returncode == 0
    checked = genconform_here("trace", "check", out)
    assert checked.returncode == 1
    assert "observed.accepted.exceeds-proposed" in checked.stdout
    assert genconform_here("trace", "explain", out).returncode == 1


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("import.record.malformed.not-a-number", 3),
        ("import.record.unsupported.unknown-shape", 4),
        ("import.record.truncated", 4),
        ("import.source.empty", 4),
    ],
)
def test_exit_codes_of_import(name: str, code: int, genconform_here: CommandLine) -> None:
    done = genconform_here(
        "trace", "import", FOLDER / f"invalid/{name}.jsonl", "--out", "/dev/null"
    )
    assert done.returncode == code
    assert name.startswith(tuple(r for r in done.stdout.split() if r.startswith("import.")))


def test_wrong_usage(genconform_here: CommandLine, tmp_path: Path) -> None:
    assert genconform_here("trace", "import").returncode == 2
    assert genconform_here("trace", "import", tmp_path / "none").returncode == 2
    unknown = genconform_here("trace", "import", VALID[0], "--from", "abacus")
    assert unknown.returncode == 2
    assert "sglang" in unknown.stderr
    nowhere = tmp_path / "no" / "folder"
    assert genconform_here("trace", "import", VALID[0], "--out", nowhere).returncode == 2


def test_an_engine_that_is_named_is_the_only_one_asked(genconform_here: CommandLine) -> None:
    log = FOLDER / "valid/example.openai.jsonl"
    done = genconform_here("trace", "import", log, "--from", "anthropic", "--out", "/dev/null")
    assert done.returncode == 4
    assert "no adapter knows this shape" in done.stdout


def test_list_names_every_adapter_and_what_to_switch_on(genconform_here: CommandLine) -> None:
    listed = genconform_here("trace", "import", "--list").stdout
    assert all(adapter.name in listed and adapter.switch_on for adapter in ADAPTERS)


def test_standard_input_gives_traces_on_standard_output() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "genconform", "trace", "import", "-", "--from", "openai"],
        input=json.dumps(HONEST, indent=1).encode(),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0
    header, *_ = done.stdout.splitlines()
    assert json.loads(header)["observation"]["numbers"]["outputTokens"] == {
        "value": 2, "origin": "observed", "scope": "request", "at": "/usage/completion_tokens",
    }  # fmt: skip
    assert b"standard input" in done.stderr


def test_a_list_of_records_is_read_as_a_log_is(genconform_here: CommandLine) -> None:
    whole = json.dumps([HONEST, HONEST | {"id": "s"}], indent=1).encode()
    assert [one.id for one in imported(whole)[0]] == ["r", "s"]


def test_recorded_and_imported_traces_stand_side_by_side(
    genconform_here: CommandLine, tmp_path: Path
) -> None:
    """The judge of recorded runs is asked as ever: what an import lacks weakens nothing there."""
    folder = find_tree().path("fixtures/traces")
    out = tmp_path / "imported.jsonl"
    genconform_here("trace", "import", VALID[0], "--out", out)
    good = folder / "valid/speculative.jsonl"
    assert genconform_here("trace", "check", good).returncode == 0
    assert genconform_here("trace", "check", good, out).returncode == 4
    lines = good.read_bytes().splitlines(keepends=True)
    header = json.loads(lines[0])
    posing = tmp_path / "posing.jsonl"
    posing.write_bytes(line(header | {"source": "genconform-observation"}) + b"".join(lines[1:]))
    assert genconform_here("trace", "check", posing).returncode == 3


def test_a_document_that_is_too_large_is_named_and_a_log_of_any_size_is_read() -> None:
    filling = json.dumps([{"padding": "x" * 1000}] * 17_000).encode()
    assert len(filling) > 16 * 1024 * 1024
    observations, source = imported(filling)
    assert observations == []
    assert "too large" in source.findings[0].message
    many = line(HONEST | {"padding": "x" * 100_000}) * 200
    assert len(imported(many)[0]) == 200
