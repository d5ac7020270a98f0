"""Digesting files that somebody else named, without leaving the folder that they should be in.

A name is walked folder by folder from an open root. No link is followed anywhere on the way, so
that neither the name nor what stands on the disk can lead elsewhere, not even while it is read.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import BinaryIO

from genconform.tree import Tree

MAX_SUBJECT_BYTES = 8 * 1024**3
_CHUNK_BYTES = 1024 * 1024
_OPEN = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK


class UnsafeName(Exception):
    """A name, or what stands there, that leads outside the root or is no plain file."""


class TooLarge(Exception):
    """A file of more bytes than are read."""


def sha256_of(file: BinaryIO, limit: int = MAX_SUBJECT_BYTES) -> str:
    """The SHA-256 of a file's bytes, read in pieces.

    Raises:
        TooLarge: the file holds more than `limit` bytes.
    """
    digest, read = hashlib.sha256(), 0
    while piece := file.read(_CHUNK_BYTES):
        read += len(piece)
        if read > limit:
            raise TooLarge(f"more than {limit} bytes")
        digest.update(piece)
    return digest.hexdigest()


@contextmanager
def open_below(tree: Tree, name: str) -> Iterator[BinaryIO]:
    """Open the plain file of this name in a tree.

    Raises:
        UnsafeName: the name is no plain relative path, or a link or special file stands there.
        OSError: there is no such file, or it may not be read.
    """
    parts = name.split("/")
    if not name.isprintable() or any(part in {"", ".", ".."} for part in parts):
        raise UnsafeName("the name is no plain path below the root")
    base, below = tree.place(name)
    with ExitStack() as stack:
        folder = _opened(base, os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY, None, stack)
        *folders, last = below.encode().split(b"/")
        for part in folders:
            folder = _opened(part, _OPEN | os.O_DIRECTORY, folder, stack)
        descriptor = _opened(last, _OPEN, folder, stack)
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise UnsafeName("it is no plain file")
        yield stack.enter_context(os.fdopen(descriptor, "rb", buffering=0, closefd=False))


def _opened(part: bytes | Path, flags: int, folder: int | None, stack: ExitStack) -> int:
    try:
        descriptor = os.open(part, flags, dir_fd=folder)
    except OSError as error:
        if error.errno == errno.ELOOP or _is_link(part, folder):
            raise UnsafeName("a link stands there, and links are not followed") from error
        raise
    stack.callback(os.close, descriptor)
    return descriptor


def _is_link(part: bytes | Path, folder: int | None) -> bool:
    try:
        return stat.S_ISLNK(os.stat(part, dir_fd=folder, follow_symlinks=False).st_mode)
    except OSError:
        return False
