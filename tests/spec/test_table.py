"""Every way in which a table can be broken is refused, with its file, line and reason."""

from __future__ import annotations

from itertools import product

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from genconform.context import Context
from genconform.document import parse_document
from genconform.errors import MalformedInput
from genconform.finding import Verdict
from genconform.spec.check import run
from genconform.spec.table import TABLE_PATH, Line, Table, load_table, parse_table, reachable
from genconform.tree import Tree

SEARCH_BOUND = "- {route: requireSearchBound, when: {searchBound: false}}"
RESIDUAL = "when: {verificationPassed: false, fallbackResidual: false}"


@pytest.fixture(scope="module")
def text(tree: Tree) -> str:
    return tree.path(TABLE_PATH).read_text()


def refusal(text: str) -> MalformedInput:
    with pytest.raises(MalformedInput) as caught:
        parse_table(parse_document(text.encode(), TABLE_PATH))
    return caught.value


def test_the_table_is_read_as_it_stands(tree: Tree) -> None:
    table = load_table(tree)
    assert len(table.routes()) == 60
    assert len(table.accepting()) == 9
    assert [row.name for row in table.stages] == list(table.stage_lines)
    assert table.lines("closed")[-1].otherwise
    assert table.counters_added("draftGenerated", "activateFallback") == (
        "receipts",
        "verifications",
        "fallbacks",
    )


# What is replaced, by what, the line that is then named (that of the replacement, and how many
# further down), and what is said of it.
BREAKAGES = {
    "unknown field in a condition": (
        SEARCH_BOUND,
        "- {route: requireSearchBound, when: {serchBound: false}}",
        "unknown field 'serchBound'",
    ),
    "unknown key in a line": (
        SEARCH_BOUND,
        "- {route: requireSearchBound, wenn: {searchBound: false}}",
        "unknown field `wenn`",
    ),
    "missing key": (
        "- {name: fallbackActivated, meaning: The state has activated a fallback.}",
        "- {name: fallbackActivated}",
        "missing required field `meaning`",
    ),
    "wrong type": (
        "stages: 8",
        "stages: eight",
        "expected `int`, got `str`",
    ),
    "a condition that is no boolean": (
        SEARCH_BOUND,
        "- {route: requireSearchBound, when: {searchBound: no}}",
        "expected `bool`, got `str`",
    ),
    "route twice": (
        SEARCH_BOUND,
        "- {route: requireGenerator, when: {searchBound: false}}",
        "the route 'requireGenerator' stands twice",
    ),
    "common route again at a stage": (
        SEARCH_BOUND,
        "- {route: rejectWrongStage, when: {searchBound: false}}",
        "the route 'rejectWrongStage' stands twice",
    ),
    "line with neither condition nor otherwise": (
        SEARCH_BOUND,
        "- {route: requireSearchBound}",
        "a line has either conditions or",
    ),
    "line with both": (
        SEARCH_BOUND,
        "- {route: requireSearchBound, when: {searchBound: false}, otherwise: true}",
        "a line has either conditions or",
    ),
    "unreachable behind one line": (
        SEARCH_BOUND,
        "- {route: requireSearchBound, when: {generator: false, searchBound: false}}",
        "the line of 'requireSearchBound' is unreachable",
    ),
    "unreachable behind a common line": (
        SEARCH_BOUND,
        "- {route: requireSearchBound, when: {searchBound: false, taskMatches: false}}",
        "the line of 'requireSearchBound' is unreachable",
    ),
    "accepting common line": (
        "- {route: rejectAuthorityLeak, when: {externalEffectRequested: true}}",
        "- {route: rejectAuthorityLeak, when: {externalEffectRequested: true}, accepts: true}",
        "a common line cannot accept",
    ),
    "stage that leads nowhere": (
        "- {name: decided, event: close, next: closed}",
        "- {name: decided, event: close, next: ended}",
        "no stage is named 'ended'",
    ),
    "undeclared identity value": (
        "compares: [verifierDigest]",
        "compares: [verifierDigset]",
        "no identity value is named 'verifierDigset'",
    ),
    "undeclared counter": (
        "everyAcceptance: [receipts]",
        "everyAcceptance: [reciepts]",
        "no counter is named 'reciepts'",
    ),
    "counter of an undeclared stage": (
        "verified: [usefulOutcomes]",
        "verify: [usefulOutcomes]",
        "no stage is named 'verify'",
    ),
    "counter of a route that does not accept": (
        "activateFallback: [fallbacks]",
        "requireCleanup: [fallbacks]",
        "no accepting route is named 'requireCleanup'",
    ),
    "name declared twice": (
        "- {name: externalEffects, meaning:",
        "- {name: supportAssignments, meaning:",
        "'supportAssignments' is declared twice",
    ),
    "key twice": (
        "everyAcceptance: [receipts]",
        "everyAcceptance: [receipts]\n  everyAcceptance: [receipts]",
        "the key 'everyAcceptance' a second time",
    ),
    "alias": (
        "everyAcceptance: [receipts]",
        "everyAcceptance: &all [receipts]\n  more: *all",
        "an alias",
    ),
    "tag": (
        "version: 1",
        "version: !!python/name:os.system",
        "the tag",
    ),
    "another version": (
        "version: 1",
        "version: 2",
        "invalid enum value 2",
    ),
    "control character": (
        "everyAcceptance: [receipts]",
        "everyAcceptance: [receipts] # \x00",
        "not YAML: control characters are not allowed",
    ),
    "not YAML": (
        "everyAcceptance: [receipts]",
        "everyAcceptance: [receipts",
        "not YAML",
    ),
}


@pytest.mark.parametrize(("before", "after", "reason"), BREAKAGES.values(), ids=BREAKAGES)
def test_a_broken_line_is_refused_where_it_stands(
    text: str, before: str, after: str, reason: str
) -> None:
    assert text.count(before) == 1, "the breakage does not break one place"
    error = refusal(text.replace(before, after))
    first = text[: text.index(before)].count("\n") + 1
    assert reason in error.message
    assert error.location is not None
    assert error.location.file == TABLE_PATH
    assert error.location.line in range(first, first + 3)
    assert error.exit_code == 3


def test_a_line_covered_by_several_together_is_unreachable(text: str) -> None:
    error = refusal(
        text.replace(RESIDUAL, "when: {verificationPassed: false, fallbackExecutable: true}")
    )
    assert "the line of 'activateFallback' is unreachable" in error.message
    assert error.location is not None
    assert error.location.pointer == "/stageLines/draftGenerated/3"


def test_a_line_whose_unless_never_fails_to_hold_is_unreachable(text: str) -> None:
    unless = "unless: {acceptedOutput: true, taskSuccess: true, baselineResult: true}"
    assert unless in text
    error = refusal(text.replace(unless, "unless: {rawSpeedPromotionRequested: true}"))
    assert "the line of 'blockRawSpeedProxy' is unreachable" in error.message


@pytest.mark.parametrize("route", ["acceptContext", "acceptClosure"])
def test_a_stage_needs_its_terminal_line(text: str, route: str) -> None:
    line = f"    - {{route: {route}, otherwise: true, accepts: true}}\n"
    assert line in text
    error = refusal(text.replace(line, ""))
    assert error.message == "the terminal line is missing"
    assert error.location is not None
    assert error.location.line is not None


def test_a_stage_needs_lines_and_lines_a_stage(text: str) -> None:
    lines = "  closed:\n    - {route: rejectWrongStage, otherwise: true}\n"
    assert text.endswith(lines)
    assert refusal(text.removesuffix(lines)).message == "not the declared stages"
    assert refusal(text + lines.replace("closed", "after")).message == "not the declared stages"


@pytest.mark.parametrize("count", ["stages", "eventKinds", "routes", "rejecting", "booleans"])
def test_a_count_is_as_declared(text: str, count: str) -> None:
    declared = next(line for line in text.splitlines() if line.startswith(f"  {count}: "))
    error = refusal(text.replace(declared, f"  {count}: 1234", 1))
    assert error.message == f"the number of {count} is not as declared"
    assert error.location is not None
    assert error.location.pointer == f"/counts/{count}"
    assert (error.expected, error.actual) == ("1234", declared.split()[1].rstrip(","))


def test_a_field_says_which_stages_read_it(text: str) -> None:
    error = refusal(text.replace("stages: [verified, accounted]", "stages: [verified]", 1))
    assert error.message == "not the stages that read taskSuccess"
    assert (error.expected, error.actual) == ("verified, accounted", "verified")


def test_the_check_names_the_line_of_a_broken_table(copied_tree: Tree, text: str) -> None:
    path = copied_tree.path(TABLE_PATH)
    path.write_text(text.replace(SEARCH_BOUND, "- {route: requireSearchBound}"))
    result = run(Context(copied_tree))
    (finding,) = result.findings
    assert result.verdict is Verdict.FAIL
    assert finding.rule == "spec.table.broken"
    assert finding.location.line == text[: text.index(SEARCH_BOUND)].count("\n") + 1


NAMES = ("a", "b", "c", "d")
CONDITIONS = st.dictionaries(st.sampled_from(NAMES), st.booleans(), max_size=3)
LINES = st.builds(lambda when, unless: Line("route", when, unless), CONDITIONS, CONDITIONS)


@given(LINES, st.lists(LINES, max_size=5))
def test_a_line_is_reachable_if_some_values_take_it_and_no_line_above(
    line: Line, above: list[Line]
) -> None:
    cases = [
        dict(zip(NAMES, values, strict=True))
        for values in product((False, True), repeat=len(NAMES))
    ]
    found = any(
        line.taken(case) and not any(other.taken(case) for other in above) for case in cases
    )
    assert reachable(line, tuple(above)) is found


def test_a_table_can_be_written_back_and_read_again(tree: Tree) -> None:
    table = load_table(tree)
    assert msgspec.json.decode(msgspec.json.encode(table), type=Table) == table
