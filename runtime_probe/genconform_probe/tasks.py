"""Tasks that a program can check: a prompt is drawn, and its answer is right or wrong.

A task's check reads the prompt and the output, never a stored answer, so that the verdict on an
output does not depend on who wrote the prompt. Nothing here imports a model library: the digest of
this file is the evaluator's identity in every trace.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from random import Random

HELD_OUT_BYTES = 64
"""A prompt is held out when the first byte of its SHA-256 is below this: one prompt in four."""

NAMES = ("nora", "ivan", "lena", "omar", "tess", "hugo", "mina", "paul", "rosa", "zane")
CITIES = ("oslo", "lima", "rome", "cairo", "kyoto", "quito", "paris", "dakar")
ITEMS = ("tea", "rice", "soap", "nuts", "milk", "eggs", "salt", "figs", "corn", "jam", "kale")
CLOSERS = {"(": ")", "[": "]", "{": "}", "<": ">"}

Record = dict[str, "int | str"]


@dataclass(frozen=True, slots=True)
class Task:
    """A family of prompts with the program that checks its answers."""

    name: str
    version: int
    draw: Callable[[Random], str]
    """A random prompt."""
    solve: Callable[[str], str]
    """The answer that models are trained to give to a prompt."""
    check: Callable[[str, str], bool]
    """Whether an output answers a prompt; written apart from `solve`."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One prompt of a task."""

    task: Task
    prompt: str

    @property
    def answer(self) -> str:
        """The reference answer."""
        return self.task.solve(self.prompt)

    @property
    def digest(self) -> str:
        """SHA-256 of the prompt."""
        return prompt_digest(self.prompt)


# -- addition, worked column by column -------------------------------------------------------


def _draw_addition(random: Random) -> str:
    return f"add {random.randint(10, 99)}+{random.randint(10, 99)}"


def _summands(prompt: str) -> tuple[int, int]:
    left, right = prompt.removeprefix("add ").split("+")
    return int(left), int(right)


def _solve_addition(prompt: str) -> str:
    a, b = _summands(prompt)
    units = a % 10 + b % 10
    tens = (a // 10, b // 10, units // 10)
    return "\n".join(
        [f"{a % 10}+{b % 10}={units}", f"{tens[0]}+{tens[1]}+{tens[2]}={sum(tens)}", f"{a + b}"]
    )


def _check_addition(prompt: str, output: str) -> bool:
    """The last line is the sum; the working above it is not judged."""
    return output.split("\n")[-1] == str(sum(_summands(prompt)))


# -- closing brackets ------------------------------------------------------------------------


def _draw_brackets(random: Random) -> str:
    return "close " + " ".join(random.choices(list(CLOSERS), k=random.randint(3, 10)))


def _solve_brackets(prompt: str) -> str:
    opened = prompt.removeprefix("close ").split(" ")
    return " ".join(CLOSERS[bracket] for bracket in reversed(opened))


def _check_brackets(prompt: str, output: str) -> bool:
    """The prompt's brackets followed by the output's are balanced."""
    waiting = [CLOSERS[bracket] for bracket in prompt.removeprefix("close ").split(" ")]
    for bracket in output.split(" "):
        if not waiting or waiting.pop() != bracket:
            return False
    return not waiting


# -- records: looking a key up, writing JSON -------------------------------------------------


def _draw_record(random: Random) -> Record:
    values: dict[str, Callable[[], int | str]] = {
        "id": lambda: random.randint(100, 999),
        "qty": lambda: random.randint(1, 99),
        "name": lambda: random.choice(NAMES),
        "city": lambda: random.choice(CITIES),
        "item": lambda: random.choice(ITEMS),
    }
    return {key: values[key]() for key in random.sample(list(values), random.randint(2, 5))}


def _compact(record: Record) -> str:
    return json.dumps(record, separators=(",", ":"))


def _draw_lookup(random: Random) -> str:
    record = _draw_record(random)
    return f"get {random.choice(list(record))} {_compact(record)}"


def _solve_lookup(prompt: str) -> str:
    _, key, text = prompt.split(" ", 2)
    return f"{key}={json.loads(text)[key]}"


def _check_lookup(prompt: str, output: str) -> bool:
    """The key that was asked for, with the value that the record gives it."""
    _, wanted, text = prompt.split(" ", 2)
    key, equals, value = output.partition("=")
    return bool(equals) and key == wanted and value == str(json.loads(text)[wanted])


def _draw_json(random: Random) -> str:
    pairs = _draw_record(random).items()
    return "json " + ";".join(f"{key}={value}" for key, value in pairs)


def _pairs(prompt: str) -> list[tuple[str, int | str]]:
    fields = (field.split("=") for field in prompt.removeprefix("json ").split(";"))
    return [(key, int(value) if value.isdigit() else value) for key, value in fields]


def _solve_json(prompt: str) -> str:
    return _compact(dict(_pairs(prompt)))


def _check_json(prompt: str, output: str) -> bool:
    """JSON whose members are the prompt's pairs, in order, numbers as numbers."""
    try:
        return bool(json.loads(output, object_pairs_hook=list) == _pairs(prompt))
    except ValueError:
        return False


# -- receipts --------------------------------------------------------------------------------


def _draw_receipt(random: Random) -> str:
    lines = (
        f"{random.choice(ITEMS)} {random.randint(1, 9)}x{random.randint(1, 9)}"
        for _ in range(random.randint(1, 4))
    )
    return "bill " + ";".join(lines)


def _receipt_lines(prompt: str) -> list[str]:
    return prompt.removeprefix("bill ").split(";")


def _solve_receipt(prompt: str) -> str:
    def total(line: str) -> int:
        quantity, price = line.split(" ")[1].split("x")
        return int(quantity) * int(price)

    return "\n".join(f"{line}={total(line)}" for line in _receipt_lines(prompt))


def _check_receipt(prompt: str, output: str) -> bool:
    """Every line of the bill, in order, with the product of its quantity and price."""
    wanted = _receipt_lines(prompt)
    lines = [line.rpartition("=") for line in output.split("\n")]
    if [line for line, _, _ in lines] != wanted:
        return False
    factors = ([int(factor) for factor in line.split(" ")[1].split("x")] for line in wanted)
    return [total for _, _, total in lines] == [str(a * b) for a, b in factors]


# -- the table, the split and the streams ----------------------------------------------------

TASKS: tuple[Task, ...] = (
    Task("addition", 1, _draw_addition, _solve_addition, _check_addition),
    Task("brackets", 1, _draw_brackets, _solve_brackets, _check_brackets),
    Task("lookup", 1, _draw_lookup, _solve_lookup, _check_lookup),
    Task("json", 1, _draw_json, _solve_json, _check_json),
    Task("receipt", 1, _draw_receipt, _solve_receipt, _check_receipt),
)


def prompt_digest(prompt: str) -> str:
    """SHA-256 of the prompt's UTF-8 text, in hex."""
    return hashlib.sha256(prompt.encode()).hexdigest()


def is_held_out(prompt: str) -> bool:
    """Whether a prompt is kept from training. The text alone decides, so no seed can leak it."""
    return int(prompt_digest(prompt)[:2], 16) < HELD_OUT_BYTES


def training_problems(seed: int) -> Iterator[Problem]:
    """An endless stream of problems to train on, none of them held out."""
    random = Random(seed)
    while True:
        task = random.choice(TASKS)
        prompt = task.draw(random)
        if not is_held_out(prompt):
            yield Problem(task, prompt)


def held_out_problems(count: int, seed: int) -> list[Problem]:
    """Distinct held-out problems, the tasks taken in turn."""
    return list(islice(_held_out(Random(seed)), count))


def _held_out(random: Random) -> Iterator[Problem]:
    seen: set[str] = set()
    while True:
        for task in TASKS:
            prompt = task.draw(random)
            while prompt in seen or not is_held_out(prompt):
                prompt = task.draw(random)
            seen.add(prompt)
            yield Problem(task, prompt)


def evaluator_digest() -> str:
    """SHA-256 of the program that checks the answers: this file."""
    return hashlib.sha256(Path(__file__).read_bytes()).hexdigest()
