"""The trainer that made the committed models: Muon for matrices, AdamW for the rest.

Run to run, one machine gives the same weights to the last bit; another kind of processor may not,
which is why the checkpoints are committed and bound by digest rather than trained on the spot.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy, kl_div
from transformers import LlamaForCausalLM
from transformers.modeling_outputs import BaseModelOutputWithPast

from genconform_probe.models import DRAFT, TARGET, ModelShape, build
from genconform_probe.tasks import Problem, training_problems
from genconform_probe.tokenizer import Tokenizer
from genconform_probe.vocabulary import EOS, PAD

IGNORED = -100
"""Label of a position whose token is not learnt: the prompt, and padding."""

Progress = Callable[[int, float, float], None]
"""Told (step, mean loss in nats a token, seconds) now and then."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """All that decides a trained model's weights, given one machine."""

    shape: ModelShape
    steps: int
    seed: int
    batch: int = 8
    length: int = 192
    matrix_rate: float = 0.02
    other_rate: float = 3e-3
    weight_decay: float = 0.01
    exit_layer: int | None = None
    """Also learn to answer from this layer's output, so that later modes can leave early."""
    exit_weight: float = 0.3


TARGET_RECIPE = Recipe(TARGET, steps=2400, seed=1, batch=16, exit_layer=2)
DRAFT_RECIPE = Recipe(DRAFT, steps=1000, seed=2)


def train(
    recipe: Recipe,
    tokenizer: Tokenizer,
    teacher: LlamaForCausalLM | None = None,
    progress: Progress | None = None,
) -> LlamaForCausalLM:
    """Train a model on answers; with a teacher, on the teacher's distribution over them."""
    torch.manual_seed(recipe.seed)
    model = build(recipe.shape)
    optimizers = _optimizers(model, recipe)
    schedules = [
        torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: _rate(step, recipe.steps))
        for optimizer in optimizers
    ]
    started, mean = time.perf_counter(), 0.0
    for step, batch in enumerate(itertools.islice(batches(recipe, tokenizer), recipe.steps)):
        loss, answer_loss = _loss(model, batch, recipe, teacher)
        model.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for optimizer, schedule in zip(optimizers, schedules, strict=True):
            optimizer.step()
            schedule.step()
        mean = answer_loss if step == 0 else 0.98 * mean + 0.02 * answer_loss
        if progress and (step + 1) % 100 == 0:
            progress(step + 1, mean, time.perf_counter() - started)
    model.train(False)
    return model


def _optimizers(model: LlamaForCausalLM, recipe: Recipe) -> list[torch.optim.Optimizer]:
    matrices = [p for p in model.model.layers.parameters() if p.ndim == 2]
    inside = {id(p) for p in matrices}
    others = [p for p in model.parameters() if id(p) not in inside]
    return [
        torch.optim.Muon(
            matrices, lr=recipe.matrix_rate, momentum=0.95, weight_decay=recipe.weight_decay
        ),
        torch.optim.AdamW(others, lr=recipe.other_rate, betas=(0.9, 0.98), weight_decay=0.0),
    ]


def _rate(step: int, steps: int) -> float:
    """Share of the peak rate: up over 20 steps, level to the half, then down to 2 %."""
    warm = min(1.0, (step + 1) / 20)
    return warm * min(1.0, max(0.02, 2 * (1 - step / steps)))


@dataclass(frozen=True, slots=True)
class Batch:
    """Examples packed row by row, each field (batch, length) of int64."""

    ids: Tensor
    positions: Tensor
    """Positions start anew with every example, and attention does not cross that border."""
    labels: Tensor


def batches(recipe: Recipe, tokenizer: Tokenizer) -> Iterator[Batch]:
    """Packed training batches, endless, the same for the same seed."""
    problems = training_problems(recipe.seed)
    while True:
        rows = [_row(problems, tokenizer, recipe.length) for _ in range(recipe.batch)]
        ids, positions, labels = torch.tensor(rows).unbind(dim=1)
        yield Batch(ids, positions, labels)


def _row(
    problems: Iterator[Problem], tokenizer: Tokenizer, length: int
) -> tuple[list[int], list[int], list[int]]:
    """Whole examples up to `length` tokens, then padding. The one that does not fit is dropped."""
    ids: list[int] = []
    positions: list[int] = []
    labels: list[int] = []
    for problem in problems:
        prompt = tokenizer.encode_prompt(problem.prompt)
        answer = [*tokenizer.encode(problem.answer), EOS]
        size = len(prompt) + len(answer)
        if len(ids) + size > length:
            break
        ids += prompt + answer
        positions += range(size)
        labels += [IGNORED] * len(prompt) + answer
    rest = length - len(ids)
    return ids + [PAD] * rest, positions + list(range(rest)), labels + [IGNORED] * rest


def _loss(
    model: LlamaForCausalLM, batch: Batch, recipe: Recipe, teacher: LlamaForCausalLM | None
) -> tuple[Tensor, float]:
    """The loss to descend, and the loss on answers alone, in nats a token."""
    learnt = batch.labels[:, 1:] != IGNORED
    answers = batch.labels[:, 1:][learnt]
    *layers, last = _hidden(model, batch)
    logits = model.lm_head(last[:, :-1][learnt])
    loss = answer_loss = cross_entropy(logits, answers)
    if teacher is not None:
        with torch.no_grad():
            taught = teacher.lm_head(_hidden(teacher, batch)[-1][:, :-1][learnt])
        loss = kl_div(
            logits.log_softmax(-1), taught.log_softmax(-1), reduction="batchmean", log_target=True
        )
    if recipe.exit_layer is not None:
        early = model.lm_head(model.model.norm(layers[recipe.exit_layer][:, :-1][learnt]))
        loss = loss + recipe.exit_weight * cross_entropy(early, answers)
    return loss, answer_loss.item()


def _hidden(model: LlamaForCausalLM, batch: Batch) -> tuple[Tensor, ...]:
    """Embeddings, then each layer's output, the last one normed: (batch, length, width) each.

    The head is left to the positions that are learnt.
    """
    output: BaseModelOutputWithPast = model.model(
        input_ids=batch.ids,
        position_ids=batch.positions,
        use_cache=False,
        output_hidden_states=True,
    )
    assert output.hidden_states is not None
    return output.hidden_states
