"""What the recorder tells is what happened, and telling changes nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from torch import Tensor

from genconform_probe.faults import FAULTS
from genconform_probe.models import Models
from genconform_probe.modes import MODE_NAMES, load_mode
from genconform_probe.modes.autoregressive import teacher_forced
from genconform_probe.modes.speculative import Speculative
from genconform_probe.recorder import Recording, Step, record
from genconform_probe.tasks import held_out_problems
from genconform_probe.vocabulary import EOS, SPECIAL_TOKENS

LIMIT = 48


@pytest.fixture(scope="module")
def prompts(models: Models) -> list[Tensor]:
    problems = held_out_problems(10, seed=3)
    return [torch.tensor([models.tokenizer.encode_prompt(p.prompt)]) for p in problems]


def recorded(mode: str, models: Models, prompt: Tensor, limit: int = LIMIT) -> Recording:
    return record(
        lambda watched, ids, streamer: load_mode(mode).generate(watched, ids, limit, streamer),
        models,
        prompt,
    )


def bare(mode: str, models: Models, prompt: Tensor, limit: int = LIMIT) -> list[int]:
    output = load_mode(mode).generate(models, prompt, limit)
    return output.sequences[0, prompt.shape[1] :].tolist()


@pytest.mark.parametrize("mode", MODE_NAMES)
def test_a_recorded_run_emits_what_a_bare_run_does(
    mode: str, models: Models, prompts: list[Tensor]
) -> None:
    for prompt in prompts:
        assert list(recorded(mode, models, prompt).output) == bare(mode, models, prompt)


@pytest.mark.parametrize("mode", MODE_NAMES)
@pytest.mark.parametrize("limit", [1, 2, 3, 7])
def test_a_run_that_is_cut_short_is_recorded_up_to_the_cut(
    mode: str, limit: int, models: Models, prompts: list[Tensor]
) -> None:
    whole = bare("autoregressive", models, prompts[0])
    recording = recorded(mode, models, prompts[0], limit)
    assert list(recording.output) == whole[:limit]


def test_autoregressive_decoding_is_one_pass_a_token(models: Models, prompts: list[Tensor]) -> None:
    recording = recorded("autoregressive", models, prompts[0])
    assert all(step.proposed == () and len(step.emitted) == 1 for step in recording.steps)
    assert recording.draft_passes == 0
    assert recording.draft_seconds == 0
    assert recording.output[-1] == EOS


def test_speculative_steps_add_up(models: Models, prompts: list[Tensor]) -> None:
    for prompt in prompts:
        recording = recorded("speculative", models, prompt)
        *steps, last = recording.steps
        assert all(len(step.emitted) == step.accepted + 1 for step in steps)
        assert len(last.emitted) - last.accepted in (0, 1)
        # One pass of the draft a proposed token.
        assert recording.draft_passes == sum(len(step.proposed) for step in recording.steps)
        assert max(len(step.proposed) for step in recording.steps) <= Speculative().draft_tokens


def test_what_the_verifier_accepts_is_its_own_greedy_choice(
    models: Models, prompts: list[Tensor]
) -> None:
    for prompt in prompts:
        recording = recorded("speculative", models, prompt)
        assert teacher_forced(models, prompt, recording.output) == recording.output


def test_a_draft_that_is_the_target_has_every_proposal_accepted(
    models: Models, prompts: list[Tensor]
) -> None:
    twin = replace(models, draft=models.target)
    output = load_mode("speculative").generate(twin, prompts[0], LIMIT)
    expected = bare("autoregressive", models, prompts[0])
    assert output.sequences[0, prompts[0].shape[1] :].tolist() == expected


@pytest.mark.parametrize(
    ("proposed", "emitted", "accepted"),
    [
        ((), (7,), 0),
        ((1, 2, 3), (1, 2, 3, 4), 3),
        ((1, 2, 3), (1, 2, 9), 2),
        ((1, 2, 3), (9,), 0),
        ((1, 2), (1, 2), 2),
        ((1, 2, 3), (1,), 1),
    ],
)
def test_accepted_are_the_leading_proposals_that_were_emitted(
    proposed: tuple[int, ...], emitted: tuple[int, ...], accepted: int
) -> None:
    assert Step(proposed, emitted).accepted == accepted


@pytest.mark.parametrize("mode", MODE_NAMES)
def test_seconds_are_parts_of_the_whole(mode: str, models: Models, prompts: list[Tensor]) -> None:
    recording = recorded(mode, models, prompts[0])
    parts = recording.target_seconds + recording.draft_seconds
    assert 0 < recording.target_seconds < recording.wall_seconds
    assert parts < recording.wall_seconds


@pytest.mark.parametrize("mode", MODE_NAMES)
def test_hooks_and_caches_are_given_back(mode: str, models: Models, prompts: list[Tensor]) -> None:
    recording = recorded(mode, models, prompts[0])
    cleanup = recording.cleanup
    assert cleanup.hooks_removed == cleanup.hooks_installed == 3
    assert cleanup.cache_bytes_released == cleanup.cache_bytes_allocated > 0
    for model in (models.target, models.draft):
        assert not model._forward_pre_hooks
        assert not model._forward_hooks


def test_a_cache_that_someone_keeps_is_not_reported_as_released(
    models: Models, prompts: list[Tensor]
) -> None:
    kept = []

    def generate(watched: Models, prompt: Tensor, streamer: object) -> object:
        output = load_mode("autoregressive").generate(watched, prompt, LIMIT, streamer)  # type: ignore[arg-type]
        kept.append(output.cache)
        return output

    cleanup = record(generate, models, prompts[0]).cleanup  # type: ignore[arg-type]
    assert cleanup.cache_bytes_allocated > 0
    assert cleanup.cache_bytes_released == 0


def test_hooks_are_taken_out_when_the_run_fails(models: Models, prompts: list[Tensor]) -> None:
    def generate(*_: object) -> object:
        raise RuntimeError("no")

    with pytest.raises(RuntimeError, match="no"):
        record(generate, models, prompts[0])  # type: ignore[arg-type]
    assert not models.target._forward_pre_hooks


def test_a_corrupted_draft_is_seen_as_proposed_and_rejected(
    models: Models, prompts: list[Tensor]
) -> None:
    sound = recorded("speculative", models, prompts[0])
    faulty = recorded("speculative", FAULTS["corrupted-draft"].models(models), prompts[0])
    assert faulty.output == sound.output
    assert sum(step.accepted for step in faulty.steps) < sum(s.accepted for s in sound.steps)
    first, corrupted = sound.steps[0].proposed, faulty.steps[0].proposed
    assert len(first) == len(corrupted)
    assert all(a != b for a, b in zip(first, corrupted, strict=True))
    assert min(corrupted) >= len(SPECIAL_TOKENS)
