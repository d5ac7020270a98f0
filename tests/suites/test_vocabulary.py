"""Records, traces and decisions use the same words."""

from __future__ import annotations

from typing import get_args

import pytest

from genconform.suites import generation_mode as gm
from genconform.trace import format as trace


@pytest.mark.parametrize(
    ("literal", "words"),
    [
        (gm.Mode, trace.GENERATION_MODES),
        (gm.RiskTier, trace.RISK_TIERS),
        (gm.Decision, trace.DECISIONS),
        (gm.NonClaimKind, trace.NON_CLAIMS),
        (gm.MetricName, tuple(gm.DEFINITIONS)),
    ],
)
def test_words_are_the_same_and_in_the_same_order(literal: object, words: tuple[str, ...]) -> None:
    assert get_args(literal) == words
