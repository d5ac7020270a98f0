"""The certificate: which cases it asks about, and how it finds the first that differs."""

from __future__ import annotations

from pathlib import Path

import pytest

from genconform.lean.agreement import locate
from genconform.lean.build import Build
from genconform.lean.cases import UNCAUGHT, case_at, field_values, own_bits
from genconform.lean.certificate import (
    Certificate,
    Routes,
    Space,
    States,
    certify,
    digits_of,
    numeral,
    numerals_in,
)
from genconform.lifecycle.machine import ACCEPTING, Route, step
from genconform.lifecycle.packet import Stage
from genconform.lifecycle.space import COMMON_NAMES, values_of
from tests.lean.conftest import Pristine


@pytest.fixture(scope="module")
def certificate() -> Certificate:
    return certify()


@pytest.mark.parametrize("stage", list(Stage))
def test_a_case_has_the_booleans_that_its_numbers_say(stage: Stage) -> None:
    for common in range(1 << len(COMMON_NAMES)):
        own = common * 37 % (1 << own_bits(stage))
        found = values_of(case_at(stage, own, common))
        assert {name: found[name] for name in field_values(stage, own, common)} == field_values(
            stage, own, common
        )


def test_the_cases_of_a_stage_are_its_whole_space(certificate: Certificate) -> None:
    for stage in Stage:
        own = [one for one in certificate.routes if (one.stage, one.space) == (stage, Space.OWN)]
        numbers = [one.numbers(index) for one in own for index in range(len(one.answers))]
        assert numbers == [(number, UNCAUGHT) for number in range(1 << own_bits(stage))]


def test_every_route_and_every_identity_value_is_asked_about(certificate: Certificate) -> None:
    routes = {code for one in certificate.routes for code in one.answers}
    assert routes == set(range(len(Route)))
    differing = set()
    for common in range(1 << len(COMMON_NAMES)):
        case = case_at(Stage.VERIFIED, 0, common)
        for name in ("task_id", "task_version", "context_digest", "task_set_digest"):
            differing |= {name} if getattr(case.event.packet, name) in ("0", 0) else set()
    assert len(differing) == 4


def test_each_accepting_route_has_a_state_after_that_moved(certificate: Certificate) -> None:
    accepted = set()
    for theorem in certificate.states:
        for numbers in theorem.cases:
            case = case_at(theorem.stage, *numbers)
            after, taken = step(case.state, case.event)
            accepted |= {taken} if after != case.state else set()
    assert accepted == ACCEPTING


def test_digits_are_read_as_they_were_written() -> None:
    digits = (0, 59, 63, 1)
    assert digits_of(numeral(digits), 4) == digits


def test_the_text_holds_each_numeral(certificate: Certificate) -> None:
    held = numerals_in(certificate.render())
    assert {one.name: one.numeral for one in certificate.theorems}.items() <= held.items()
    assert len(held) == len(certificate.theorems) + 4  # and the names of four enumerations


def _build(pristine: Pristine, folder: Path) -> Build:
    build = Build(pristine.build.toolchain, folder)
    needed = [name for name in pristine.modules if name.startswith("Init")]
    needed += [name for name in pristine.modules if name.endswith((".Model", ".Encoding"))]
    build.adopt(pristine.build, needed)
    return build


def test_a_wrong_route_is_located(
    certificate: Certificate, pristine: Pristine, tmp_path: Path
) -> None:
    true = next(one for one in certificate.routes if one.stage is Stage.VERIFIED)
    answers = list(true.answers)
    answers[201], answers[230] = 0, 0
    wrong = Routes(true.stage, true.space, true.bits, true.first, tuple(answers))
    difference = locate(_build(pristine, tmp_path), wrong)
    assert difference is not None
    assert difference.index == 201
    assert difference.expected == "rejectWrongStage"
    assert difference.actual == list(Route)[true.answers[201]].value
    assert "verified, case 201 of its own space" in difference.place


def test_a_wrong_state_is_located(
    certificate: Certificate, pristine: Pristine, tmp_path: Path
) -> None:
    true = next(one for one in certificate.states if one.stage is Stage.DECIDED)
    answers = [list(answer) for answer in true.answers]
    answers[-1][0] = 0
    wrong = States(true.stage, true.cases, tuple(map(tuple, answers)))
    difference = locate(_build(pristine, tmp_path), wrong)
    assert difference is not None
    assert (difference.expected, difference.actual) == ("stage requested", "stage closed")


def test_a_true_theorem_has_no_difference(
    certificate: Certificate, pristine: Pristine, tmp_path: Path
) -> None:
    true = next(one for one in certificate.routes if one.stage is Stage.DECIDED)
    assert locate(_build(pristine, tmp_path), true) is None
