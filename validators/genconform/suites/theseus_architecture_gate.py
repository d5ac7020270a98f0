"""The suite `theseus-architecture-gate`: another project's gate over its architecture."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from genconform.suites.imports import Import, Residual, rules_of_import
from genconform.suites.record import Count, Fault, Record, unequal

NAME = "theseus-architecture-gate"


class Figures(Record, frozen=True):
    """What the gate reported and nothing here can compute. Bound by a pin."""

    gates: Count


class ArchitectureGate(Import, frozen=True):
    """The gate's report, as a static import."""

    record: Literal["theseus-architecture-gate"]
    figures: Figures
    gates_passed: Count
    external_inference_calls: Count
    residuals: tuple[Residual, ...]


rules = rules_of_import(ArchitectureGate, NAME)


@rules.rule("theseus-architecture.gate.failed")
def gates_pass(gate: ArchitectureGate) -> Iterator[Fault]:
    """Every gate passes."""
    message = "not every gate passes"
    yield from unequal("/gatesPassed", gate.gates_passed, gate.figures.gates, message)


@rules.rule("theseus-architecture.inference.external")
def inference_is_internal(gate: ArchitectureGate) -> Iterator[Fault]:
    """Nothing was inferred by calling out."""
    calls = gate.external_inference_calls
    yield from unequal("/externalInferenceCalls", calls, 0, "inference was called from outside")


@rules.rule("theseus-architecture.residual.hidden")
def residuals_stay(gate: ArchitectureGate) -> Iterator[Fault]:
    """A gate that passed was read from a report, and not run again: each stays open as that."""
    expected = (Residual("gates-not-run-again", gate.figures.gates),)
    yield from unequal("/residuals", gate.residuals, expected, "not what stays open")


SUITE = rules.suite(NAME, "another project's gate over its architecture, imported as a summary")
