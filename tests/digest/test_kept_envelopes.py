"""Envelopes of every release verify for ever. They are never rewritten."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import CommandLine

KEPT = sorted((Path(__file__).parents[2] / "fixtures" / "envelopes").iterdir())


def test_both_kinds_of_key_are_kept_since_the_first_release() -> None:
    assert {"0.1.0-ecdsa", "0.1.0-ed25519"} <= {folder.name for folder in KEPT}


@pytest.mark.parametrize("folder", KEPT, ids=lambda folder: folder.name)
def test_it_still_verifies(genconform_here: CommandLine, folder: Path) -> None:
    done = genconform_here(
        *("digest", "verify", folder / "statement.dsse.json"),
        *("--root", folder / "root", "--key", folder / "key.pub"),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("PASSED  subject ") == 5
    assert "PASSED  signatures" in done.stdout


@pytest.mark.parametrize("folder", KEPT, ids=lambda folder: folder.name)
def test_it_does_not_verify_with_the_key_of_another(
    genconform_here: CommandLine, folder: Path
) -> None:
    other = next(kept for kept in KEPT if kept != folder)
    done = genconform_here(
        *("digest", "verify", folder / "statement.dsse.json"),
        *("--root", folder / "root", "--key", other / "key.pub"),
    )
    assert done.returncode == 1
    assert "digest.signature.unknown" in done.stdout
