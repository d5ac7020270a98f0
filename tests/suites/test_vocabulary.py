"""Every metric that a record may name is defined."""

from __future__ import annotations

from typing import get_args

from genconform.suites.generation_mode import DEFINITIONS, MetricName


def test_each_metric_has_a_definition() -> None:
    assert get_args(MetricName) == tuple(DEFINITIONS)
