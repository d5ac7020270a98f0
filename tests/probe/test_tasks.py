"""Properties of the tasks: their checks decide, their split cannot leak."""

from __future__ import annotations

import hashlib
import json
from itertools import islice
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from genconform_probe.tasks import (
    HELD_OUT_BYTES,
    TASKS,
    Problem,
    held_out_problems,
    is_held_out,
    training_problems,
)

tasks = st.sampled_from(TASKS)
problems = st.builds(
    lambda task, seed: Problem(task, task.draw(Random(seed))), tasks, st.integers(0, 2**32)
)


@given(problems)
def test_the_reference_answer_is_right(problem: Problem) -> None:
    assert problem.task.check(problem.prompt, problem.answer)


@given(problems, st.data())
def test_an_answer_without_one_of_its_characters_is_wrong(
    problem: Problem, data: st.DataObject
) -> None:
    # Of worked addition the last line alone is judged.
    first = problem.answer.rfind("\n") + 1 if problem.task.name == "addition" else 0
    place = data.draw(st.integers(first, len(problem.answer) - 1))
    altered = problem.answer[:place] + problem.answer[place + 1 :]
    assert not problem.task.check(problem.prompt, altered)


@given(problems, st.text(min_size=1, max_size=5))
def test_an_answer_with_more_after_it_is_wrong(problem: Problem, more: str) -> None:
    if problem.task.name == "json" and not more.strip(" \t\r\n"):
        return  # JSON ends with any white space
    assert not problem.task.check(problem.prompt, problem.answer + more)


@given(problems, st.text(max_size=40))
def test_a_check_decides_on_any_output(problem: Problem, output: str) -> None:
    assert problem.task.check(problem.prompt, output) in (True, False)


@given(problems)
def test_the_answer_to_another_prompt_is_wrong(problem: Problem) -> None:
    others = (problem.task.draw(Random(seed)) for seed in range(100))
    other = next(p for p in others if problem.task.solve(p) != problem.answer)
    if problem.task.name == "addition" and sum_of(other) == sum_of(problem.prompt):
        return
    assert not problem.task.check(other, problem.answer)


def sum_of(prompt: str) -> int:
    return sum(map(int, prompt.removeprefix("add ").split("+")))


def test_json_with_its_members_in_another_order_is_wrong() -> None:
    task = next(task for task in TASKS if task.name == "json")
    assert task.check("json a=1;b=x", '{"a":1,"b":"x"}')
    assert not task.check("json a=1;b=x", '{"b":"x","a":1}')
    assert not task.check("json a=1;b=x", '{"a":"1","b":"x"}')
    assert not task.check("json a=1", json.dumps([["a", 1]]))


@given(problems)
def test_the_text_alone_decides_what_is_held_out(problem: Problem) -> None:
    first = hashlib.sha256(problem.prompt.encode()).digest()[0]
    assert is_held_out(problem.prompt) is (first < HELD_OUT_BYTES)


@pytest.mark.parametrize("seed", range(3))
def test_no_training_prompt_is_held_out(seed: int) -> None:
    trained_on = {problem.prompt for problem in islice(training_problems(seed), 5000)}
    tested_on = {problem.prompt for problem in held_out_problems(500, seed)}
    assert len(tested_on) == 500
    assert not trained_on & tested_on
    assert not any(map(is_held_out, trained_on))
    assert all(map(is_held_out, tested_on))


def test_held_out_problems_take_the_tasks_in_turn_and_repeat_with_their_seed() -> None:
    drawn = held_out_problems(20, seed=5)
    assert [problem.task for problem in drawn] == list(TASKS) * 4
    assert drawn == held_out_problems(20, seed=5)
    assert drawn != held_out_problems(20, seed=6)
