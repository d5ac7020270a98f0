"""The committed models are the ones that their digests name, and nothing else is loaded."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from genconform_probe.checkpoints import (
    CHECKPOINTS,
    DIGESTS,
    CheckpointChanged,
    CheckpointMissing,
    verified_digests,
)
from genconform_probe.models import load_models

FILES = sorted(verified_digests())
MAX_BYTES = 4_000_000


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    return Path(shutil.copytree(CHECKPOINTS, tmp_path / "checkpoints"))


def test_the_committed_checkpoints_are_as_listed() -> None:
    on_disk = {p.relative_to(CHECKPOINTS).as_posix() for p in CHECKPOINTS.rglob("*") if p.is_file()}
    assert set(verified_digests()) == on_disk - {DIGESTS}


def test_the_checkpoints_are_small_safetensors() -> None:
    files = [path for path in CHECKPOINTS.rglob("*") if path.is_file()]
    assert {path.suffix for path in files} == {".json", ".safetensors"}
    assert sum(path.stat().st_size for path in files) <= MAX_BYTES


@pytest.mark.parametrize("name", FILES)
def test_one_flipped_bit_is_found_before_anything_is_loaded(copy: Path, name: str) -> None:
    data = bytearray((copy / name).read_bytes())
    data[len(data) // 2] ^= 1
    (copy / name).write_bytes(data)
    with pytest.raises(CheckpointChanged) as caught:
        load_models(copy)
    assert str(copy / name) in caught.value.diagnostics()
    assert verified_digests()[name] in caught.value.diagnostics()


@pytest.mark.parametrize("name", [*FILES, DIGESTS])
def test_a_missing_file_is_named(copy: Path, name: str) -> None:
    (copy / name).unlink()
    with pytest.raises(CheckpointMissing) as caught:
        verified_digests(copy)
    assert caught.value.exit_code == 4
    assert str(copy / name) in caught.value.diagnostics()


def test_a_file_that_no_digest_names_is_refused(copy: Path) -> None:
    (copy / "target" / "pytorch_model.bin").write_bytes(b"")
    with pytest.raises(CheckpointChanged, match=r"pytorch_model\.bin"):
        verified_digests(copy)


@pytest.mark.parametrize("text", ["", "[]", '{"a": 1}', "\xff"])
def test_a_list_of_digests_that_is_none_is_refused(copy: Path, text: str) -> None:
    (copy / DIGESTS).write_text(text)
    with pytest.raises(CheckpointChanged) as caught:
        verified_digests(copy)
    assert DIGESTS in caught.value.diagnostics()


def test_the_list_of_digests_is_sorted() -> None:
    listed = json.loads((CHECKPOINTS / DIGESTS).read_text())
    assert list(listed) == sorted(listed)
