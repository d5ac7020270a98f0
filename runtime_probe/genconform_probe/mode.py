"""What a mode of generation is to the probe."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor
from transformers.generation.streamers import BaseStreamer
from transformers.generation.utils import GenerateDecoderOnlyOutput

from genconform_probe.models import Models
from genconform_probe.recorder import Ids, Recording

Settings = dict[str, str | int | float]


@dataclass(frozen=True, slots=True)
class Account:
    """A recording told in the lifecycle's words: what was proposed, and what verifying it took."""

    proposed: tuple[Ids, ...]
    """The proposed token ids of each step."""
    draft_passes: int
    draft_seconds: float
    accepted: tuple[int, ...]
    """How many of each step's proposals the verifier accepted."""
    verifier_passes: int
    verifier_seconds: float
    wall_seconds: float
    """All of the run, drafting and verifying included."""

    @property
    def proposed_tokens(self) -> int:
        """Proposals over all steps."""
        return sum(map(len, self.proposed))

    @property
    def accepted_tokens(self) -> int:
        """Accepted proposals over all steps."""
        return sum(self.accepted)

    @property
    def rejected_tokens(self) -> int:
        """Proposals that the verifier did not accept."""
        return self.proposed_tokens - self.accepted_tokens

    @property
    def accepted_share(self) -> float:
        """Accepted of proposed tokens, 0 where none was proposed."""
        return self.accepted_tokens / max(1, self.proposed_tokens)


class Mode(ABC):
    """One way to generate. A mode is a module of `modes/`, named there in one line."""

    name: ClassVar[str]
    generator: ClassVar[str]
    """The subject that proposes tokens: "draft" or "target"."""
    minimum_accepted_share: ClassVar[float]
    """The frozen acceptance predicate: below this share of proposals, verification has failed."""

    @property
    def drafts(self) -> bool:
        """Whether a model other than the verifier proposes."""
        return self.generator != "target"

    @abstractmethod
    def settings(self) -> Settings:
        """All that the mode's behaviour depends on beside models, prompt and length."""

    @abstractmethod
    def max_proposal_tokens(self, max_new_tokens: int) -> int:
        """The most tokens that one step may propose."""

    @abstractmethod
    def generate(
        self,
        models: Models,
        prompt: Tensor,
        max_new_tokens: int,
        streamer: BaseStreamer | None = None,
    ) -> GenerateDecoderOnlyOutput:
        """Continue a prompt of ids (1, tokens); the same with and without a streamer."""

    @abstractmethod
    def account(self, recording: Recording, models: Models, prompt: Tensor) -> Account:
        """Tell what was recorded as proposals and their verification."""


def greedy(
    models: Models,
    prompt: Tensor,
    max_new_tokens: int,
    streamer: BaseStreamer | None,
    **more: Any,
) -> GenerateDecoderOnlyOutput:
    """The target's greedy `generate`, with the arguments that a mode adds to it."""
    output: GenerateDecoderOnlyOutput = models.target.generate(
        prompt,
        attention_mask=torch.ones_like(prompt),
        do_sample=False,
        max_new_tokens=max_new_tokens,
        return_dict_in_generate=True,
        streamer=streamer,
        **more,
    )
    return output
