"""The committed models and tokenizer, and the digests that they must have before they are read.

`checkpoints/` holds a folder for each model in transformers' own format (config.json and
model.safetensors, bfloat16), the tokenizer, and digests.json: SHA-256 by relative path.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import msgspec

from genconform.digest.canonical import sha256_hex
from genconform.errors import GenconformError, Unsupported
from genconform.finding import Location

CHECKPOINTS = Path(__file__).parent / "checkpoints"
DIGESTS = "digests.json"
TOKENIZER = "tokenizer.json"
MODELS = ("target", "draft")
"""The folders of `checkpoints/`, one model each."""

_REMEDY = (
    "Restore the file from the repository or reinstall the package. To replace the models on "
    "purpose, run scripts/train_probe.py, which writes the digests anew."
)


class CheckpointChanged(GenconformError):
    """A checkpoint file is not the one that its digest names. Nothing of it was loaded."""

    exit_code = 1


class CheckpointMissing(Unsupported):
    """A checkpoint file is not there or cannot be read."""


def verified_digests(root: Path = CHECKPOINTS) -> Mapping[str, str]:
    """SHA-256 of every checkpoint file by relative path, each file having been read and compared.

    Raises:
        CheckpointMissing: a listed file, or the list, cannot be read.
        CheckpointChanged: a file's bytes have another digest than the listed one, or a file is
            there that is not listed.
    """
    listed = _listed(root / DIGESTS)
    for name, expected in listed.items():
        actual = sha256_hex(_read(root / name))
        if actual != expected:
            raise CheckpointChanged(
                "the checkpoint was changed",
                location=Location(file=str(root / name)),
                expected=f"SHA-256 {expected}",
                actual=f"SHA-256 {actual}",
                remedy=_REMEDY,
            )
    if extra := sorted(_files(root) - set(listed)):
        raise CheckpointChanged(
            "a file that no digest names lies among the checkpoints",
            location=Location(file=str(root / extra[0])),
            expected=f"only the files that {DIGESTS} lists",
            actual=", ".join(extra),
            remedy="Remove it. " + _REMEDY,
        )
    return listed


def write_digests(root: Path = CHECKPOINTS) -> None:
    """List the checkpoint files as they are now; for the trainer alone."""
    digests = {name: sha256_hex((root / name).read_bytes()) for name in sorted(_files(root))}
    (root / DIGESTS).write_text(json.dumps(digests, indent=2) + "\n")


def _listed(path: Path) -> dict[str, str]:
    try:
        return msgspec.json.decode(_read(path), type=dict[str, str])
    except msgspec.DecodeError as error:
        raise CheckpointChanged(
            "the list of the checkpoints' digests cannot be understood",
            location=Location(file=str(path)),
            expected="a JSON object of SHA-256 by path",
            actual=str(error),
            remedy=_REMEDY,
        ) from error


def _files(root: Path) -> set[str]:
    names = {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}
    return names - {DIGESTS}


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise CheckpointMissing(
            "a file of the probe's models cannot be read",
            location=Location(file=str(path)),
            actual=error.strerror or str(error),
            remedy=_REMEDY,
        ) from error
