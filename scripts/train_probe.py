"""Trains the probe's models anew and writes their digests: scripts/train_probe.py [target] [draft].

The target takes about half an hour on one core, the draft a few minutes; the draft learns from the
target's distribution. Without names both are trained, in that order. The tokenizer always is.
"""

from __future__ import annotations

import sys

import torch

from genconform_probe.checkpoints import CHECKPOINTS, MODELS, TOKENIZER, write_digests
from genconform_probe.evaluation import success
from genconform_probe.models import load_model, save_model
from genconform_probe.tasks import held_out_problems
from genconform_probe.tokenizer import train_tokenizer
from genconform_probe.training import DRAFT_RECIPE, TARGET_RECIPE, train

EVALUATION_SEED = 7


def main(names: list[str]) -> None:
    """Train the named models."""
    torch.set_num_threads(1)
    CHECKPOINTS.mkdir(exist_ok=True)
    tokenizer = train_tokenizer()
    tokenizer.save(CHECKPOINTS / TOKENIZER)
    problems = held_out_problems(300, EVALUATION_SEED)
    for name in names or MODELS:
        target = CHECKPOINTS / "target"
        if name == "target":
            model = train(TARGET_RECIPE, tokenizer, progress=_print_progress)
        else:
            model = train(DRAFT_RECIPE, tokenizer, load_model(target), _print_progress)
        save_model(model, CHECKPOINTS / name)
        stored = load_model(CHECKPOINTS / name)
        rates = success(stored, tokenizer, problems)
        _say(f"{name}: " + ", ".join(f"{task} {rate:.3f}" for task, rate in rates.items()))
    write_digests()


def _print_progress(step: int, loss: float, seconds: float) -> None:
    _say(f"step {step}  loss {loss:.4f}  {seconds:.0f} s")


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")


if __name__ == "__main__":
    unknown = set(sys.argv[1:]) - set(MODELS)
    if unknown:
        sys.exit(f"unknown model {sorted(unknown)[0]!r}; expected one of {', '.join(MODELS)}")
    main(sys.argv[1:])
