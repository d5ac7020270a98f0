"""A stand-in for a model, to watch or to alter what it does from outside."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from transformers import LlamaForCausalLM


class StandIn:
    """Passes for a model: whatever a subclass does not define is the model's own."""

    def __init__(self, model: LlamaForCausalLM) -> None:
        self._model = model

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def as_model(self) -> LlamaForCausalLM:
        """Itself, under the type that `generate` declares for an assistant."""
        return cast("LlamaForCausalLM", self)
