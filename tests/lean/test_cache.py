"""What is remembered between runs, and for how long."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from genconform.lean import cache


@pytest.fixture(autouse=True)
def own_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def test_what_is_stored_is_found_under_its_key_alone() -> None:
    cache.store(cache.key_of("a", "b"), b"value")
    assert cache.load(cache.key_of("a", "b")) == b"value"
    assert cache.load(cache.key_of("ab", "")) is None


def test_what_was_stored_under_another_key_is_not_believed() -> None:
    cache.store("passed", b"pass")
    (cache.folder() / "passed").rename(cache.folder() / "failed")
    assert cache.load("failed") is None


def test_the_oldest_entries_are_forgotten() -> None:
    for number in range(cache._KEPT_AT_MOST + 2):
        cache.store(str(number), b"")
        os.utime(cache.folder() / str(number), (number, number))
    assert cache.load("0") is None
    assert cache.load("2") is not None
    assert len(list(cache.folder().iterdir())) == cache._KEPT_AT_MOST


def test_a_folder_that_cannot_be_written_remembers_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    cache.store("key", b"value")
    assert cache.load("key") is None


def test_a_relative_cache_folder_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "here")
    assert cache.folder() == Path.home() / ".cache" / "genconform" / "lean"
