"""What recording costs: each run beside the bare `generate` of the same prompt, in pairs."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter

import torch

from genconform_probe.faults import NO_FAULT
from genconform_probe.mode import Mode
from genconform_probe.models import Models, load_models
from genconform_probe.modes import load_modes
from genconform_probe.session import Plan, Runner, warm_up
from genconform_probe.tasks import held_out_problems


@dataclass(frozen=True, slots=True)
class Overhead:
    """Seconds over all prompts, for each prompt the median of its repeats."""

    prompts: int
    repeats: int
    bare_seconds: float
    recorded_seconds: float
    """The same runs recorded, with evidence, digests and a trace flushed line by line.

    Not in it: the pass by which an autoregressive run is verified, which is no recording; its
    seconds stand in every trace as the cost of verification.
    """

    @property
    def ratio(self) -> float:
        """Recorded over bare: 1.03 is 3 % more."""
        return self.recorded_seconds / self.bare_seconds


def measure(
    prompts: int = 20, repeats: int = 5, seed: int = 0, models: Models | None = None
) -> dict[str, Overhead]:
    """The overhead of recording by mode; bare and recorded runs take turns in going first."""
    models = models or load_models()
    problems = tuple(held_out_problems(prompts, seed))
    plan = Plan(problems, load_modes(), seed=seed)
    warm_up(plan, models)
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for mode in plan.modes:
            pairs = [
                _median_pair(plan, models, index, mode, repeats, Path(folder))
                for index in range(prompts)
            ]
            bare, recorded = (sum(column) for column in zip(*pairs, strict=True))
            found[mode.name] = Overhead(prompts, repeats, bare, recorded)
    return found


def _median_pair(
    plan: Plan, models: Models, index: int, mode: Mode, repeats: int, folder: Path
) -> tuple[float, float]:
    """Median seconds (bare, recorded) of one prompt."""
    runner = Runner(plan, models, plan.problems[index])
    runner.baseline()
    prompt = torch.tensor([models.tokenizer.encode_prompt(plan.problems[index].prompt)])
    seconds: dict[str, list[float]] = defaultdict(list)
    for repeat in range(repeats):
        path = folder / f"{mode.name}-{index}-{repeat}.jsonl"
        for kind in ("bare", "recorded") if (index + repeat) % 2 else ("recorded", "bare"):
            began = perf_counter()
            verifying = 0.0
            if kind == "bare":
                mode.generate(models, prompt, plan.policy.max_new_tokens)
            else:
                outcome = runner.trace(mode, NO_FAULT, path)
                if not mode.drafts:
                    verifying = outcome.result.account.verifier_seconds
            seconds[kind].append(perf_counter() - began - verifying)
    return median(seconds["bare"]), median(seconds["recorded"])
