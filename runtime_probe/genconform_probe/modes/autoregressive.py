"""One token a pass of the target: the slow baseline of every other mode."""

from __future__ import annotations

from time import perf_counter

import torch
from torch import Tensor
from transformers.generation.streamers import BaseStreamer
from transformers.generation.utils import GenerateDecoderOnlyOutput
from typing_extensions import override

from genconform_probe.mode import Account, Mode, Settings, greedy
from genconform_probe.models import Models
from genconform_probe.recorder import Ids, Recording, Step


class Autoregressive(Mode):
    """Greedy decoding by the target alone.

    Its output is one proposal, which one further pass of the target over prompt and output, with no
    cache, verifies: the decoding passes are the cost of generating, that pass is the cost of
    verifying, and no pass is charged twice.
    """

    name = "autoregressive"
    generator = "target"
    minimum_accepted_share = 1.0

    @override
    def settings(self) -> Settings:
        return {"decoding": "greedy"}

    @override
    def max_proposal_tokens(self, max_new_tokens: int) -> int:
        return max_new_tokens

    @override
    def generate(
        self,
        models: Models,
        prompt: Tensor,
        max_new_tokens: int,
        streamer: BaseStreamer | None = None,
    ) -> GenerateDecoderOnlyOutput:
        return greedy(models, prompt, max_new_tokens, streamer)

    @override
    def account(self, recording: Recording, models: Models, prompt: Tensor) -> Account:
        output = recording.output
        began = perf_counter()
        choices = teacher_forced(models, prompt, output)
        verifier_seconds = perf_counter() - began
        return Account(
            proposed=(output,),
            draft_passes=len(recording.steps),
            draft_seconds=recording.target_seconds,
            accepted=(Step(output, choices).accepted,),
            verifier_passes=1,
            verifier_seconds=verifier_seconds,
            wall_seconds=recording.wall_seconds + verifier_seconds,
        )


@torch.no_grad()
def teacher_forced(models: Models, prompt: Tensor, output: Ids) -> Ids:
    """The target's greedy choice at each place of an output, all before it taken as given."""
    given = torch.cat([prompt, torch.tensor([output[:-1]], dtype=torch.long)], dim=1)
    logits = models.target(given, use_cache=False, logits_to_keep=len(output)).logits
    return tuple(logits[0].argmax(dim=-1).tolist())
