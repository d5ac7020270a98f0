"""The models are loaded once for all tests of the probe."""

from __future__ import annotations

from pathlib import Path

import pytest

from genconform_probe.faults import FAULTS
from genconform_probe.models import Models, load_models
from genconform_probe.modes import load_modes
from genconform_probe.session import Outcome, Plan, run
from genconform_probe.tasks import held_out_problems

SEED = 11


@pytest.fixture(scope="session")
def models() -> Models:
    return load_models()


@pytest.fixture(scope="session")
def plan() -> Plan:
    return Plan(tuple(held_out_problems(20, SEED)), load_modes(), seed=SEED)


@pytest.fixture(scope="session")
def outcomes(models: Models, plan: Plan, tmp_path_factory: pytest.TempPathFactory) -> list[Outcome]:
    """Twenty held-out prompts in every mode."""
    return list(run(plan, models, tmp_path_factory.mktemp("traces")))


@pytest.fixture(scope="session")
def failures(models: Models, tmp_path_factory: pytest.TempPathFactory) -> list[Outcome]:
    """Five held-out prompts whose proposals are corrupted."""
    faults = (FAULTS["corrupted-draft"],)
    plan = Plan(tuple(held_out_problems(5, SEED)), load_modes(), faults, SEED, public=True)
    return list(run(plan, models, tmp_path_factory.mktemp("failures")))


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "traces"
