"""Records what a generation did, through what torch and transformers offer for watching.

The verifier's forward hooks see each pass: when it began and ended, and the token ids it was given,
which on a drafting mode are the proposals exactly as the verifier saw them. The streamer hears the
tokens that each step emitted. The draft model is handed over behind a stand-in that times it. None
of these changes a token, and `generate` runs as it would without them.
"""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

from torch import Tensor
from torch.utils.hooks import RemovableHandle
from transformers import LlamaForCausalLM
from transformers.cache_utils import Cache
from transformers.generation.streamers import BaseStreamer
from transformers.generation.utils import GenerateDecoderOnlyOutput

from genconform_probe.models import Models
from genconform_probe.stand_in import StandIn

Ids = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """One verifier pass of a drafting mode."""

    proposed: Ids
    emitted: Ids

    @property
    def accepted(self) -> int:
        """How many proposed tokens, from the first on, are the ones that were emitted."""
        pairs = zip(self.proposed, self.emitted, strict=False)
        return next(
            (i for i, (ours, theirs) in enumerate(pairs) if ours != theirs),
            min(len(self.proposed), len(self.emitted)),
        )


@dataclass(frozen=True, slots=True)
class Cleanup:
    """What the generation took and what of it was found given back afterwards."""

    cache_bytes_allocated: int
    cache_bytes_released: int
    hooks_installed: int
    hooks_removed: int


@dataclass(frozen=True, slots=True)
class Recording:
    """All that was seen of one generation. Seconds are of the monotonic clock."""

    steps: tuple[Step, ...]
    target_seconds: float
    draft_passes: int
    draft_seconds: float
    wall_seconds: float
    cleanup: Cleanup

    @property
    def output(self) -> Ids:
        """The emitted token ids, the end token included."""
        return tuple(token for step in self.steps for token in step.emitted)


Generate = Callable[[Models, Tensor, BaseStreamer], GenerateDecoderOnlyOutput]
"""(models, prompt ids of shape (1, tokens), streamer) to transformers' output."""


def record(generate: Generate, models: Models, prompt: Tensor) -> Recording:
    """Run one generation and return what was seen of it."""
    watch = _Watch(models, prompt.shape[1])
    try:
        began = perf_counter()
        output = generate(watch.models, prompt, watch)
        wall_seconds = perf_counter() - began
        watch.caches.hold(output.cache)
        del output
    finally:
        watch.stop()
    return watch.recording(wall_seconds)


class _TimedDraft(StandIn):
    """The draft model, with the seconds that drafting takes and the cache that it fills."""

    def __init__(self, model: LlamaForCausalLM, caches: _Caches) -> None:
        super().__init__(model)
        self.seconds = 0.0
        self._caches = caches

    def generate(self, *args: Any, **options: Any) -> GenerateDecoderOnlyOutput:
        began = perf_counter()
        output: GenerateDecoderOnlyOutput = self._model.generate(*args, **options)
        self.seconds += perf_counter() - began
        self._caches.hold(output.cache)
        return output


class _Caches:
    """The caches that were used, by weak reference: what is still alive was not released."""

    def __init__(self) -> None:
        self._seen: list[tuple[weakref.ref[Cache], int]] = []

    def hold(self, cache: Cache | None) -> None:
        """Note a cache's size; of one that is seen again, the larger size."""
        assert cache is not None, "every mode of the probe decodes with a cache"
        size = sum(tensor.nbytes for tensor in _tensors(cache))
        for place, (seen, before) in enumerate(self._seen):
            if seen() is cache:
                self._seen[place] = seen, max(before, size)
                return
        self._seen.append((weakref.ref(cache), size))

    def bytes(self) -> tuple[int, int]:
        """Bytes of keys and values (allocated, released)."""
        if any(cache() is not None for cache, _ in self._seen):
            gc.collect()
        allocated = sum(size for _, size in self._seen)
        return allocated, sum(size for cache, size in self._seen if cache() is None)


class _Watch(BaseStreamer):
    """The hooks and the streamer of one generation."""

    def __init__(self, models: Models, prompt_tokens: int) -> None:
        self.caches = _Caches()
        self._draft = _TimedDraft(models.draft, self.caches)
        self.models = replace(models, draft=self._draft.as_model())
        self._prompt_tokens = prompt_tokens
        self._inputs: list[Tensor] = []
        self._heard: list[Tensor] = []
        self._pass_began = 0.0
        self._target_seconds = 0.0
        self._draft_passes = 0
        self._hooks: tuple[RemovableHandle, ...] = (
            models.target.register_forward_pre_hook(self._before_target, with_kwargs=True),
            models.target.register_forward_hook(self._after_target),
            models.draft.register_forward_pre_hook(self._before_draft),
        )

    def _before_target(self, _model: Any, _args: Any, inputs: dict[str, Any]) -> None:
        self._inputs.append(inputs["input_ids"])
        self._pass_began = perf_counter()

    def _after_target(self, _model: Any, _args: Any, _output: Any) -> None:
        self._target_seconds += perf_counter() - self._pass_began

    def _before_draft(self, _model: Any, _args: Any) -> None:
        self._draft_passes += 1

    def put(self, value: Tensor) -> None:
        """Hear the prompt, then each step's tokens. They are read when all is over."""
        self._heard.append(value)

    def end(self) -> None:
        """Nothing is left to flush."""

    def stop(self) -> None:
        """Take every hook out."""
        for hook in self._hooks:
            hook.remove()

    def recording(self, wall_seconds: float) -> Recording:
        """What was seen, read out of the tensors."""
        allocated, released = self.caches.bytes()
        return Recording(
            steps=self._steps(),
            target_seconds=self._target_seconds,
            draft_passes=self._draft_passes,
            draft_seconds=self._draft.seconds,
            wall_seconds=wall_seconds,
            cleanup=Cleanup(allocated, released, len(self._hooks), sum(map(_gone, self._hooks))),
        )

    def _steps(self) -> tuple[Step, ...]:
        """A pass is given the tokens not yet cached, then the proposals.

        Not yet cached are the prompt on the first pass, and the last emitted token on later ones.
        """
        fresh = [self._prompt_tokens] + [1] * (len(self._inputs) - 1)
        return tuple(
            Step(tuple(given[0, known:].tolist()), tuple(emitted.flatten().tolist()))
            for given, known, emitted in zip(self._inputs, fresh, self._heard[1:], strict=True)
        )


def _tensors(cache: Cache) -> list[Tensor]:
    held = (getattr(layer, name, None) for layer in cache.layers for name in ("keys", "values"))
    return [tensor for tensor in held if isinstance(tensor, Tensor)]


def _gone(hook: RemovableHandle) -> bool:
    hooks = hook.hooks_dict_ref()
    return hooks is None or hook.id not in hooks
