"""Training again gives the same again."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from pathlib import Path

import torch

from genconform.digest.canonical import sha256_hex
from genconform_probe.checkpoints import TOKENIZER, verified_digests
from genconform_probe.models import Models, ModelShape
from genconform_probe.tasks import is_held_out
from genconform_probe.tokenizer import Tokenizer, train_tokenizer
from genconform_probe.training import (
    DRAFT_RECIPE,
    IGNORED,
    TARGET_RECIPE,
    Recipe,
    batches,
    train,
)
from genconform_probe.vocabulary import BOS, SEP

SHORT = Recipe(ModelShape(2, 32, 2, 64), steps=60, seed=3, batch=4, length=128, exit_layer=1)


def test_sixty_steps_give_the_same_weights_run_to_run(models: Models) -> None:
    first = train(SHORT, models.tokenizer).state_dict()
    again = train(SHORT, models.tokenizer).state_dict()
    other = train(replace(SHORT, seed=4), models.tokenizer).state_dict()
    assert all(torch.equal(first[name], again[name]) for name in first)
    assert not all(torch.equal(first[name], other[name]) for name in first)


def test_sixty_steps_with_a_teacher_give_the_same_weights_run_to_run(models: Models) -> None:
    short = replace(DRAFT_RECIPE, steps=60, batch=2)
    first = train(short, models.tokenizer, models.target).state_dict()
    again = train(short, models.tokenizer, models.target).state_dict()
    assert all(torch.equal(first[name], again[name]) for name in first)


def test_training_lowers_the_loss(models: Models) -> None:
    told: list[tuple[int, float]] = []
    recipe = replace(SHORT, steps=200)
    train(recipe, models.tokenizer, progress=lambda step, loss, _: told.append((step, loss)))
    (first, early), (last, late) = told
    assert (first, last) == (100, 200)
    assert late < early


def test_the_tokenizer_trained_anew_is_the_committed_one(tmp_path: Path) -> None:
    train_tokenizer().save(tmp_path / TOKENIZER)
    digest = sha256_hex((tmp_path / TOKENIZER).read_bytes())
    assert digest == verified_digests()[TOKENIZER]


def test_the_committed_models_have_the_shapes_of_their_recipes(models: Models) -> None:
    for model, recipe in ((models.target, TARGET_RECIPE), (models.draft, DRAFT_RECIPE)):
        config = model.config
        shape = (config.num_hidden_layers, config.hidden_size, config.intermediate_size)
        assert shape == (recipe.shape.layers, recipe.shape.width, recipe.shape.feed_forward)


def test_batches_teach_answers_alone_and_no_held_out_prompt(models: Models) -> None:
    seen = 0
    for batch in islice(batches(TARGET_RECIPE, models.tokenizer), 20):
        for ids, positions, labels in zip(batch.ids, batch.positions, batch.labels, strict=True):
            learnt = labels != IGNORED
            assert torch.equal(ids[learnt], labels[learnt])
            for prompt in _prompts(ids.tolist(), positions.tolist(), models.tokenizer):
                assert not is_held_out(prompt)
                seen += 1
    assert seen > 500


def _prompts(ids: list[int], positions: list[int], tokenizer: Tokenizer) -> list[str]:
    """The text between <bos> and <sep> of every example of a row."""
    starts = [i for i, p in enumerate(positions) if p == 0 and ids[i] == BOS]
    return [tokenizer.decode(ids[i + 1 : ids.index(SEP, i)]) for i in starts]
