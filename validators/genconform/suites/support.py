"""Support states, reviews and burdens: what transitions and ledgers speak of."""

from __future__ import annotations

from typing import Annotated, Literal, get_args

from msgspec import UNSET, Meta, UnsetType

from genconform.suites.record import Record, Text

SupportState = Literal[
    "unsupported", "argument", "exercised", "measured", "independently_reproduced"
]
STATES: tuple[SupportState, ...] = get_args(SupportState)
"""From the weakest to the strongest."""

Effect = Literal["no_change", "raise", "lower"]
Validity = Literal["current", "expired", "downgraded"]
Status = Literal["proposed", "accepted", "rejected"]
Trigger = Literal[
    "artifact_changed",
    "verification_failed",
    "baseline_found_unmatched",
    "negative_control_passed",
    "source_withdrawn",
]
TRIGGERS: tuple[Trigger, ...] = get_args(Trigger)
"""What downgrades a decision. A replay sees the first two; people report the others."""

BurdenItem = Literal[
    "public_safe_run_with_accepted_output_and_task_success",
    "matched_autoregressive_baseline_with_environment_and_workload",
    "reproduction_of_the_modes_that_bear",
    "fallback_execution_with_repair_and_residual",
    "verifier_quality_review",
    "independent_review",
    "separate_accepted_transition",
]
BURDEN: tuple[BurdenItem, ...] = get_args(BurdenItem)
"""What a raise of the fast-generation claim must bring, in this order."""

Date = Annotated[str, Meta(pattern=r"^\d{4}-\d{2}-\d{2}$")]
"""A day as in ISO 8601; two of them compare as texts do."""


class Reviewer(Record, frozen=True):
    """Who decided, and how far from what is decided about.

    A controller is what would gain from a raise: the program or the route that is judged.
    """

    name: Text
    kind: Literal["controller", "maintainer", "reviewer"]
    independence: Literal["none", "same_project", "independent"] | UnsetType = UNSET


def effect_of(old: SupportState, new: SupportState) -> Effect:
    """What it means to go from one state to another."""
    rise = STATES.index(new) - STATES.index(old)
    return "no_change" if rise == 0 else "raise" if rise > 0 else "lower"
