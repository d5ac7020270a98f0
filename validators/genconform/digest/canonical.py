"""Canonical JSON (RFC 8785) and SHA-256 over it."""

from __future__ import annotations

import hashlib
import re
from typing import Any

import msgspec
import rfc8785

from genconform.errors import MalformedInput

# msgspec sorts keys and writes strings and most numbers as RFC 8785 does, many times faster than
# the reference library. What it may write differently is left to that library: integral floats
# ("1.0"), large exponents ("1e22"), integers beyond 2^53, and keys outside ASCII.
_NUMBER_TO_NORMALIZE = re.compile(rb"(?:^|[\[:,])-?(?:\d[\d.]*(?:\.0(?:[,\]}]|$)|e\d)|\d{16})")


def canonical_bytes(value: Any) -> bytes:
    """The RFC 8785 form of a JSON value, or of msgspec structs read as JSON objects.

    Raises:
        MalformedInput: the value has no canonical form (NaN, infinity, an integer beyond 2^53).
    """
    fast = msgspec.json.encode(value, order="sorted")
    if fast.isascii() and _NUMBER_TO_NORMALIZE.search(fast) is None:
        return fast
    try:
        return rfc8785.dumps(msgspec.to_builtins(value))
    except rfc8785.CanonicalizationError as error:
        raise MalformedInput(
            "a value has no canonical JSON form",
            expected="finite numbers, integers within 2^53, and text keys",
            actual=str(error),
        ) from error


def canonical_digest(value: Any) -> str:
    """The lowercase hexadecimal SHA-256 of the canonical form."""
    return hashlib.sha256(canonical_bytes(value)).hexdigest()


def sha256_hex(data: bytes) -> str:
    """The lowercase hexadecimal SHA-256 of bytes."""
    return hashlib.sha256(data).hexdigest()
