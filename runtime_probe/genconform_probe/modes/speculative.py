"""A small draft model proposes several tokens; one pass of the target verifies them all."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor
from transformers.generation.streamers import BaseStreamer
from transformers.generation.utils import GenerateDecoderOnlyOutput
from typing_extensions import override

from genconform_probe.mode import Account, Mode, Settings, greedy
from genconform_probe.models import Models
from genconform_probe.recorder import Recording


@dataclass(frozen=True, slots=True)
class Speculative(Mode):
    """transformers' assisted generation with the one-layer draft model.

    Drafting stops at `draft_tokens`, or earlier after a token that the draft held less likely than
    `confidence_threshold`. The output is token-identical to the target's own greedy output.
    """

    draft_tokens: int = 8
    confidence_threshold: float = 0.4

    name = "speculative"
    generator = "draft"
    minimum_accepted_share = 0.2

    @override
    def settings(self) -> Settings:
        return {
            "decoding": "greedy",
            "draftTokens": self.draft_tokens,
            "confidenceThreshold": self.confidence_threshold,
        }

    @override
    def max_proposal_tokens(self, max_new_tokens: int) -> int:
        return min(self.draft_tokens, max_new_tokens)

    @override
    def generate(
        self,
        models: Models,
        prompt: Tensor,
        max_new_tokens: int,
        streamer: BaseStreamer | None = None,
    ) -> GenerateDecoderOnlyOutput:
        drafting = models.draft.generation_config
        drafting.num_assistant_tokens = self.draft_tokens
        drafting.num_assistant_tokens_schedule = "constant"
        drafting.assistant_confidence_threshold = self.confidence_threshold
        return greedy(models, prompt, max_new_tokens, streamer, assistant_model=models.draft)

    @override
    def account(self, recording: Recording, models: Models, prompt: Tensor) -> Account:
        return Account(
            proposed=tuple(step.proposed for step in recording.steps),
            draft_passes=recording.draft_passes,
            draft_seconds=recording.draft_seconds,
            accepted=tuple(step.accepted for step in recording.steps),
            verifier_passes=len(recording.steps),
            verifier_seconds=recording.target_seconds,
            wall_seconds=recording.wall_seconds,
        )
