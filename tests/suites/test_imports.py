"""The imports keep what the other project reported, figure by figure."""

from __future__ import annotations

from typing import Any

import pytest

from genconform.digest.canonical import canonical_digest
from genconform.document import Document
from genconform.spec.rules import load_rules
from genconform.suites import INVALID, VALID, suites_named
from genconform.suites.pins import as_pinned, digest_of, load_pins, value_at
from genconform.suites.record import Placed
from genconform.suites.replay import named_rule, replay
from genconform.tree import Tree

GATE, ARCHITECTURE, BUNDLE = (
    "theseus-generation-mode-gate",
    "theseus-architecture-gate",
    "theseus-task-bundle",
)
CONTROLS = {
    GATE: {
        "boundary_gate_failure",
        "missing_report_refs_overclaim",
        "private_payload_copied",
        "raw_speed_promotion",
        "support_promotion_overclaim",
        "useful_speed_overclaim",
    },
    ARCHITECTURE: {"digest_mismatch", "private_payload_copied", "support_promotion_overclaim"},
    BUNDLE: {
        "benchmark_gate_failure",
        "clean_live_replay_overclaim",
        "hidden_artifact_gap",
        "public_prompt_export",
        "public_training_rows",
        "support_promotion_overclaim",
        "task_regression_hidden",
    },
}


def record(suite: str, tree: Tree) -> Any:
    (fixture,) = suites_named([suite])[0].fixtures(tree, VALID)
    return fixture.document.value


@pytest.mark.parametrize(
    ("suite", "pointer", "value"),
    [
        (GATE, "/id", "theseus.generation_mode_gate.20260701.public_static_import"),
        (GATE, "/source/commit", "1ad88a22b28e9228a67a4779176aeef5c41d2544"),
        (GATE, "/source/workingTree", "dirty"),
        (GATE, "/figures/state", "YELLOW"),
        (GATE, "/figures/modes", 18),
        (GATE, "/counts/comparisons", 13),
        (GATE, "/counts/warnings", 13),
        (GATE, "/counts/warningsWithAcceptedSpanLift", 5),
        (GATE, "/counts/warningsWithoutTaskPass", 13),
        (GATE, "/counts/boundaryGates", 5),
        (GATE, "/promotableComparisons", 0),
        (GATE, "/figures/meanAcceptedSpansPerSecond", 0.209103),
        (GATE, "/meanUsefulSolutionsPerSecond", 0.0),
        (ARCHITECTURE, "/id", "theseus.architecture_gate.20260618T192303Z.public_static_import"),
        (ARCHITECTURE, "/figures/gates", 14),
        (ARCHITECTURE, "/gatesPassed", 14),
        (ARCHITECTURE, "/externalInferenceCalls", 0),
        (BUNDLE, "/id", "theseus_public_task_bundle_import_2026_07_03_local"),
        (BUNDLE, "/figures/sourceCard", "source_bigcodebench"),
        (BUNDLE, "/figures/tasks", 64),
        (BUNDLE, "/figures/availableAfterExclusions", 708),
        (BUNDLE, "/operatorGatesPassed", 12),
        (BUNDLE, "/benchmarkGatesPassed", 18),
        (BUNDLE, "/singleStream/rate", 0.6875),
        (BUNDLE, "/multiStream/rate", 0.703125),
        (BUNDLE, "/change/rateDelta", 0.015625),
        (BUNDLE, "/change/improvements", 1),
        (BUNDLE, "/change/regressions", 0),
        (BUNDLE, "/residuals/0/count", 19),
        (BUNDLE, "/artifactGaps/visible", 5),
    ],
)
def test_figures_are_kept(suite: str, pointer: str, value: object, tree: Tree) -> None:
    assert value_at(record(suite, tree), pointer) == value


def test_source_artifacts_are_kept(tree: Tree) -> None:
    kept = {
        one["kind"]: one["sha256"][:8]
        for suite in CONTROLS
        for one in record(suite, tree)["source"]["artifacts"]
        if suite != ARCHITECTURE
    }
    assert kept == {
        "report": "a711d0db",
        "config": "eebf96a7",
        "tool": "e99477a1",
        "operator_execute": "57d79db2",
        "planner": "fdcf7732",
        "capacity": "f44ae085",
        "cli_smoke": "633ef574",
        "benchmark_result": "0fdfd6a7",
        "readiness_packet": "be14ca4f",
        "metadata_case_manifest": "29474bba",
    }
    (report,) = record(ARCHITECTURE, tree)["source"]["artifacts"]
    assert report["sha256"].startswith("7994e290")


@pytest.mark.parametrize("suite", CONTROLS)
def test_each_control_is_one_change_that_its_own_rule_catches(suite: str, tree: Tree) -> None:
    (chosen,) = suites_named([suite])
    rules = load_rules(tree).keys()
    found = {}
    for fixture in chosen.fixtures(tree, INVALID):
        control = fixture.name.removesuffix(".change.yaml").rpartition(".")[2]
        found[control] = named_rule(fixture, rules)
    assert found.keys() == CONTROLS[suite]
    assert len(set(found.values())) == len(found)
    result = replay(chosen, tree)
    assert result.counts["caught"] == len(found)


class TestPins:
    def test_a_group_is_digested_pointer_by_pointer(self) -> None:
        value = {"a": {"b": 1}, "list": [{"id": "x", "n": 1}, {"id": "y", "n": 2}]}
        expected = canonical_digest({"/a": {"b": 1}, "/list/*/id": ["x", "y"]})
        assert digest_of(value, ("/a", "/list/*/id")) == expected

    @pytest.mark.parametrize(
        ("pointer", "found"),
        [("/a/1", 20), ("/a/2", None), ("/b", None), ("/c/*/d", [1, None]), ("/a/0/x", None)],
    )
    def test_what_is_not_there_is_none(self, pointer: str, found: object) -> None:
        assert value_at({"a": [10, 20], "c": [{"d": 1}, {}]}, pointer) == found

    def test_a_record_without_pins_is_refused(self, tree: Tree) -> None:
        document = Document("x.yaml", {"id": "unheard-of"}, {})
        (fault,) = as_pinned(GATE)(Placed(None, document, tree))
        assert (fault.pointer, fault.actual) == ("/id", "unheard-of")

    def test_every_import_pins_its_source(self, tree: Tree) -> None:
        for suite in CONTROLS:
            (pins,) = load_pins(tree, suite).records.values()
            assert "/source" in pins[0].of
