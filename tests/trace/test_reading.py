"""What keeps a file from being a trace is named, and is never a pass."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genconform.finding import Verdict
from genconform.trace.format import MAX_LINE_BYTES
from genconform.trace.judge import JudgedFile
from genconform.trace.reading import MalformedTrace, read_runs
from tests.trace.building import KINDS, Trace, build, judge, passes, rules

WHOLE = build("speculative")
TWO_RUNS = build("autoregressive", run_id="first").data() + build(run_id="second").data()


def fault(judged: JudgedFile) -> str:
    assert judged.fault is not None
    return judged.fault.rule


class TestMalformed:
    def found(self, data: bytes, rule: str, line: int) -> JudgedFile:
        judged = judge(data)
        assert judged.verdict is Verdict.MALFORMED
        assert judged.fault is not None
        assert (judged.fault.rule, judged.fault.location.line) == (rule, line)
        return judged

    @pytest.mark.parametrize(
        "line",
        [
            b"\n",
            b"{\n",
            b"\x7fELF\x02\x01\x01\x00\x00\n",
            b"\xff\xfe{\x00}\x00\n",
            b'{"seq": 0, "note": "\xff"}\n',
            b'{"seq": 0} {"seq": 1}\n',
            b'{"seq": NaN}\n',
            b'{"seq": "\\ud800"}\n',
            b"[" * 100_000 + b"]" * 100_000 + b"\n",
        ],
    )
    @pytest.mark.parametrize("place", [1, 3])
    def test_what_is_not_json(self, line: bytes, place: int) -> None:
        lines = WHOLE.lines()
        lines[place - 1] = line
        self.found(b"".join(lines), "trace.malformed.json", place)

    def test_says_why_it_is_none(self) -> None:
        found = judge(b"\x7fELF\n").fault
        assert found is not None
        assert found.message == "invalid character (byte 0)"

    def test_a_line_that_begins_no_run(self) -> None:
        self.found(b"".join(WHOLE.lines()[1:]), "trace.malformed.header", 1)
        self.found(b"[]\n", "trace.malformed.header", 1)
        self.found(b"17\n", "trace.malformed.header", 1)

    def test_an_event_after_the_last(self) -> None:
        self.found(WHOLE.data() + WHOLE.lines()[7], "trace.malformed.header", 9)

    @pytest.mark.parametrize(
        "change", [{"version": 2}, {"version": 1.5}, {"version": "1"}, {"format": "other"}]
    )
    def test_another_format_or_version(self, change: dict[str, Any]) -> None:
        trace = build()
        trace.header |= change
        self.found(trace.data(), "trace.malformed.version", 1)

    def test_another_version_with_fields_of_its_own(self) -> None:
        line = b'{"format": "genconform-trace", "version": 2, "runs": []}\n'
        self.found(line, "trace.malformed.version", 1)

    def test_a_second_run_of_another_version(self) -> None:
        trace = build(run_id="another")
        trace.header["version"] = 2
        judged = self.found(WHOLE.data() + trace.data(), "trace.malformed.version", 9)
        assert [run.verdict for run in judged.runs] == [Verdict.PASS]

    @pytest.mark.parametrize("seq", [0, 2, 6, 7, 2**70])
    def test_a_wrong_number_in_the_order(self, seq: int) -> None:
        trace = build()
        trace.events[1]["seq"] = seq
        self.found(trace.data(), "trace.malformed.sequence", 3)

    def test_a_run_that_stands_twice(self) -> None:
        self.found(WHOLE.data() * 2, "trace.malformed.duplicate-run", 9)

    def test_an_unknown_field(self) -> None:
        for place in ((), ("evidence",), ("evidence", "request"), ("identity",)):
            trace = build()
            value: Any = trace.events[0]
            for step in place:
                value = value[step]
            value["extra"] = 1
            self.found(trace.data(), "trace.malformed.field", 2)

    def test_an_unknown_claim(self) -> None:
        trace = build()
        trace.events[0]["claims"] = {"worksWell": True}
        self.found(trace.data(), "trace.malformed.field", 2)

    def test_an_unknown_kind(self) -> None:
        trace = build()
        trace.events[0]["kind"] = "bindContexts"
        self.found(trace.data(), "trace.malformed.field", 2)

    @pytest.mark.parametrize("number", [2**53, -(2**53), 10**400])
    def test_a_number_that_no_digest_binds(self, number: int) -> None:
        trace = build()
        line = json.dumps(trace.events[1]).replace('"draftTokens": 4', f'"draftTokens": {number}')
        lines = trace.lines()
        lines[2] = line.encode() + b"\n"
        self.found(b"".join(lines), "trace.malformed.number", 3)

    @pytest.mark.parametrize("text", ["1e400", "-1e999"])
    def test_a_number_beyond_all_bounds(self, text: str) -> None:
        line = WHOLE.lines()[1].replace(b"60.0", text.encode())
        data = b"".join([WHOLE.lines()[0], line, *WHOLE.lines()[2:]])
        assert fault(judge(data)) in ("trace.malformed.field", "trace.malformed.json")

    def test_settings_that_are_nested_too_deeply(self) -> None:
        for depth in (300, 900, 5_000):
            deep = "[" * depth + "]" * depth
            line = WHOLE.lines()[2].replace(b'"draftTokens": 4', b'"deep": ' + deep.encode())
            data = b"".join([*WHOLE.lines()[:2], line, *WHOLE.lines()[3:]])
            assert judge(data).verdict in (Verdict.MALFORMED, Verdict.FAIL)

    def test_a_line_that_is_too_long(self) -> None:
        long = b'{"seq": 0, "note": "' + b"x" * MAX_LINE_BYTES + b'"}\n'
        self.found(WHOLE.lines()[0] + long, "trace.malformed.oversized-line", 2)

    def test_no_more_than_the_limit_is_read_of_a_line(self) -> None:
        class Counting(io.BytesIO):
            taken = 0

            def readline(self, size: int | None = -1, /) -> bytes:
                data = super().readline(size)
                Counting.taken += len(data)
                return data

        with pytest.raises(MalformedTrace):
            list(read_runs(Counting(b"x" * (4 * MAX_LINE_BYTES)), "x"))
        assert Counting.taken <= MAX_LINE_BYTES + 1

    def test_the_fault_says_what_and_where(self) -> None:
        trace = build()
        trace.evidence("bindContext")["request"]["promptTokens"] = "5"
        finding = self.found(trace.data(), "trace.malformed.field", 2).fault
        assert finding is not None
        assert finding.location.pointer == "/evidence/request/promptTokens"
        assert finding.message == "expected `int`, got `str`"


class TestRepeatedKeys:
    @pytest.mark.parametrize(
        ("line", "key", "twice"),
        [
            (0, '"version": 1', '"version": 1, "version": 1'),
            (0, '"mode": "speculative"', '"mode": "speculative", "mode": "autoregressive"'),
            (1, '"promptTokens": 5', '"promptTokens": 4, "promptTokens": 5'),
            (1, '"seq": 0', '"seq": 0, "seq": 0'),
            (1, '"kind": "bindContext"', '"kind": "bindContext", "kind": "bindContext"'),
            (2, '"draftTokens": 4', '"draftTokens": 3, "draftTokens": 4'),
            (2, '"draftTokens": 4', '"draftTokens": 4, "a": "\\"", "draft\\u0054okens": 4'),
            (2, '"draftTokens": 4', '"draftTokens": 4, "a": {"b": 1, "b": 2}'),
            (2, '"draftTokens": 4', '"draftTokens": 4, "a": "\\u0022\\u0022", "draftTokens": 4'),
        ],
    )
    def test_are_refused(self, line: int, key: str, twice: str) -> None:
        lines = WHOLE.lines()
        lines[line] = lines[line].replace(key.encode(), twice.encode())
        assert fault(judge(b"".join(lines))) == "trace.malformed.duplicate-key"

    @pytest.mark.parametrize("value", ['a"b', 'a": "b', "back\\slash", "two\nlines", "é \u2028"])
    def test_are_not_seen_where_there_are_none(self, value: str) -> None:
        trace = build()
        trace.evidence("selectMode")["mode"]["settings"]["note"] = value
        assert passes(trace.rebind_identity().judged())

    @given(
        st.dictionaries(
            st.text(max_size=5),
            st.recursive(
                st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5),
                lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=3), inner),
                max_leaves=8,
            ),
        )
    )
    def test_no_settings_are_taken_for_repeated_keys(self, settings: dict[str, Any]) -> None:
        trace = build()
        trace.evidence("selectMode")["mode"]["settings"] = settings
        assert passes(trace.rebind_identity().judged())


class TestIncomplete:
    def test_an_empty_file(self) -> None:
        judged = judge(b"")
        assert (judged.verdict, fault(judged)) == (Verdict.INCOMPLETE, "trace.incomplete.empty")

    @pytest.mark.parametrize("events", range(7))
    def test_a_run_without_its_last_events(self, events: int) -> None:
        judged = judge(b"".join(WHOLE.lines()[: events + 1]))
        assert (judged.verdict, rules(judged)) == (Verdict.INCOMPLETE, ["trace.incomplete.events"])
        assert judged.findings[0].expected == ", ".join(KINDS[events:])
        assert len(judged.runs[0].events) == events

    def test_a_run_cut_short_by_the_next(self) -> None:
        first = b"".join(build(run_id="first").lines()[:4])
        judged = judge(first + build(run_id="second").data())
        assert judged.verdict is Verdict.INCOMPLETE
        assert [run.verdict for run in judged.runs] == [Verdict.INCOMPLETE, Verdict.PASS]

    def test_a_last_line_without_its_newline(self) -> None:
        """It may be whole; that cannot be known."""
        judged = judge(WHOLE.data()[:-1])
        assert judged.verdict is Verdict.INCOMPLETE
        assert fault(judged) == "trace.incomplete.truncated"

    def test_a_rejection_weighs_more_than_what_is_missing(self) -> None:
        trace = build()
        del trace.evidence("bindContext")["deadlineSeconds"]
        judged = judge(b"".join(trace.rebind().lines()[:3]))
        assert (judged.verdict, rules(judged)) == (Verdict.FAIL, ["route.requireDeadline"])

    def test_a_finding_weighs_more_too_and_what_is_missing_is_still_said(self) -> None:
        trace = build()
        del trace.evidence("selectMode")["slowFallback"]
        judged = judge(b"".join(trace.rebind().lines()[:4]))
        assert judged.verdict is Verdict.FAIL
        assert rules(judged) == ["trace.fallback.undeclared", "trace.incomplete.events"]


class TestNothingBrokenPasses:
    """Never a pass, never an exception that is not a verdict."""

    def test_cut_at_every_byte(self) -> None:
        data = WHOLE.data()
        for size in range(len(data)):
            assert judge(data[:size]).verdict is Verdict.INCOMPLETE

    def test_cut_at_every_byte_of_the_second_run(self) -> None:
        """But between the runs, where nothing tells that there was a second one."""
        first = len(build("autoregressive", run_id="first").data())
        for size in range(first + 1, len(TWO_RUNS), 7):
            judged = judge(TWO_RUNS[:size])
            assert judged.verdict is Verdict.INCOMPLETE
            assert judged.runs[0].verdict is Verdict.PASS

    def test_begun_at_every_line(self) -> None:
        for start in range(1, 8):
            assert judge(b"".join(WHOLE.lines()[start:])).verdict is Verdict.MALFORMED

    @given(st.permutations(range(8)))
    def test_in_another_order(self, order: list[int]) -> None:
        judged = judge(b"".join(WHOLE.lines()[place] for place in order))
        assert passes(judged) if order == sorted(order) else not passes(judged)
        if order[0] == 0 and order != sorted(order):
            assert fault(judged) == "trace.malformed.sequence"

    @given(st.integers(0, 7), st.integers(0, 8))
    def test_with_a_line_twice(self, line: int, place: int) -> None:
        lines = WHOLE.lines()
        lines.insert(place, lines[line])
        assert judge(b"".join(lines)).verdict in (Verdict.MALFORMED, Verdict.INCOMPLETE)

    @given(st.sets(st.integers(0, 7), min_size=1))
    def test_without_some_lines(self, gone: set[int]) -> None:
        kept = [line for place, line in enumerate(WHOLE.lines()) if place not in gone]
        verdict = judge(b"".join(kept)).verdict
        cut_at_the_end = gone == set(range(8 - len(gone), 8))
        assert verdict is (Verdict.INCOMPLETE if cut_at_the_end else Verdict.MALFORMED)

    @given(st.binary(max_size=200))
    def test_any_bytes(self, data: bytes) -> None:
        assert judge(data).verdict in (Verdict.MALFORMED, Verdict.INCOMPLETE)

    @given(st.integers(0, 7), st.data())
    def test_a_line_with_any_bytes_in_it(self, line: int, data: st.DataObject) -> None:
        lines = WHOLE.lines()
        place = data.draw(st.integers(0, len(lines[line]) - 1))
        noise = data.draw(st.binary(min_size=1, max_size=4))
        lines[line] = lines[line][:place] + noise + lines[line][place + len(noise) :]
        changed = b"".join(lines)
        if json_or_none(changed) != json_or_none(WHOLE.data()):
            assert not passes(judge(changed))

    @pytest.mark.parametrize("name", ["speculative", "autoregressive", "fallback"])
    def test_the_wrong_type_at_every_leaf(self, name: str) -> None:
        trace = build("autoregressive" if name == "autoregressive" else "speculative",
                      fallback=name == "fallback", public=True)  # fmt: skip
        for place, path in leaf_paths(trace):
            for wrong in (None, [1], {"a": 1}, "text", 17, 1.5, True, -1):
                changed = trace.copy()
                parent: Any = changed.header if place == 0 else changed.events[place - 1]
                for step in path[:-1]:
                    parent = parent[step]
                if kind_of(parent[path[-1]]) == kind_of(wrong) or "settings" in path:
                    continue
                parent[path[-1]] = wrong
                assert not passes(changed.judged()), (place, path, wrong)


def kind_of(value: Any) -> type:
    """JSON has one kind of number."""
    return float if type(value) is int else type(value)


def json_or_none(data: bytes) -> Any:
    try:
        return [json.loads(line) for line in data.split(b"\n") if line]
    except ValueError:
        return None


def leaf_paths(trace: Trace) -> Iterator[tuple[int, tuple[Any, ...]]]:
    def below(value: Any, path: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
        if isinstance(value, dict) and value:
            for key, inner in value.items():
                yield from below(inner, (*path, key))
        else:
            yield path

    for place, line in enumerate([trace.header, *trace.events]):
        for path in below(line, ()):
            yield place, path
