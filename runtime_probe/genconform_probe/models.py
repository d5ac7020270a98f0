"""The probe's models: small Llama-type language models of the transformers library."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import torch
import transformers
from transformers import LlamaConfig, LlamaForCausalLM

from genconform_probe.checkpoints import CHECKPOINTS, MODELS, TOKENIZER, verified_digests
from genconform_probe.tokenizer import Tokenizer
from genconform_probe.vocabulary import BOS, EOS, PAD, VOCABULARY_SIZE

DTYPE = "float32"
"""What the models compute in. They are stored in bfloat16, half the size."""


@dataclass(frozen=True, slots=True)
class ModelShape:
    """All that decides a model's parameters. Embedding and head share theirs."""

    layers: int
    width: int
    heads: int
    feed_forward: int
    positions: int = 256


TARGET = ModelShape(layers=10, width=96, heads=4, feed_forward=288)
DRAFT = ModelShape(layers=1, width=96, heads=4, feed_forward=288)


def build(shape: ModelShape) -> LlamaForCausalLM:
    """A model of this shape in float32, its weights drawn from torch's current seed."""
    config = LlamaConfig(
        vocab_size=VOCABULARY_SIZE,
        hidden_size=shape.width,
        intermediate_size=shape.feed_forward,
        num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads,
        num_key_value_heads=shape.heads,
        max_position_embeddings=shape.positions,
        tie_word_embeddings=True,
        bos_token_id=BOS,
        eos_token_id=EOS,
        pad_token_id=PAD,
    )
    return LlamaForCausalLM(config)


@dataclass(frozen=True)
class Models:
    """The models that modes run, with the SHA-256 of each subject's file."""

    target: LlamaForCausalLM
    draft: LlamaForCausalLM
    tokenizer: Tokenizer
    digests: Mapping[str, str]
    """By subject: target, draft, tokenizer."""


def load_models(root: Path = CHECKPOINTS) -> Models:
    """Load the committed models, after every file's digest was found as listed.

    Decoding at this size is fastest, and its order of sums fixed, on one thread: this sets it.

    Raises:
        CheckpointMissing, CheckpointChanged: see `verified_digests`.
    """
    files = verified_digests(root)
    torch.set_num_threads(1)
    torch.manual_seed(0)
    _quiet()
    return Models(
        target=load_model(root / "target"),
        draft=load_model(root / "draft"),
        tokenizer=Tokenizer.load(root / TOKENIZER),
        digests={name: files[f"{name}/model.safetensors"] for name in MODELS}
        | {"tokenizer": files[TOKENIZER]},
    )


def _quiet() -> None:
    transformers.logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    transformers.logging.disable_progress_bar()  # type: ignore[no-untyped-call]


def load_model(folder: Path) -> LlamaForCausalLM:
    """One model in transformers' format, safetensors only, ready to run in float32."""
    model: LlamaForCausalLM = LlamaForCausalLM.from_pretrained(
        folder, dtype=torch.float32, local_files_only=True, use_safetensors=True
    )
    return model


def save_model(model: LlamaForCausalLM, folder: Path) -> None:
    """Store a model in bfloat16, for everyone to read: safetensors lets only the owner."""
    model.bfloat16().save_pretrained(folder)
    (folder / "model.safetensors").chmod(0o644)
