"""Ways in which a real run can be made to go wrong. A new fault is one class and its line below.

A fault changes what runs, never what is written: the recorder works as ever, and the trace says
what the faulty run did.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from genconform_probe.stand_in import StandIn
from genconform_probe.vocabulary import SPECIAL_TOKENS, VOCABULARY_SIZE

if TYPE_CHECKING:
    from transformers.generation.utils import GenerateDecoderOnlyOutput

    from genconform_probe.mode import Mode
    from genconform_probe.models import Models


class Fault:
    """No fault. Each hook leaves things as they are unless a fault overrides it."""

    name: ClassVar[str] = "none"
    summary: ClassVar[str] = "nothing goes wrong"

    def touches(self, mode: Mode) -> bool:
        """Whether the fault can occur in a mode at all."""
        return True

    def models(self, models: Models) -> Models:
        """The models that the faulty run gets. Its baseline and its fallback get the sound ones."""
        return models


class CorruptedDraft(Fault):
    """The ids that the draft model proposes are altered on their way to the verifier."""

    name = "corrupted-draft"
    summary = "proposed token ids are altered after drafting; the verifier rejects them"

    def touches(self, mode: Mode) -> bool:
        """It occurs wherever another model than the verifier proposes."""
        return mode.drafts

    def models(self, models: Models) -> Models:
        """The draft's proposals are altered."""
        return replace(models, draft=_AltersProposals(models.draft).as_model())


class _AltersProposals(StandIn):
    """Moves each proposed id half the vocabulary on, special tokens left out.

    So far, because a digit's neighbour would at times be right by chance.
    """

    def generate(self, *args: Any, **options: Any) -> GenerateDecoderOnlyOutput:
        output: GenerateDecoderOnlyOutput = self._model.generate(*args, **options)
        proposed = output.sequences[:, options["input_ids"].shape[1] :]
        first, size = len(SPECIAL_TOKENS), VOCABULARY_SIZE - len(SPECIAL_TOKENS)
        proposed.add_(size // 2 - first).remainder_(size).add_(first)
        return output


NO_FAULT = Fault()
FAULTS: dict[str, Fault] = {fault.name: fault for fault in (CorruptedDraft(),)}
