"""Canonical JSON (RFC 8785) and SHA-256 over it."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

import msgspec
import rfc8785

from genconform.errors import MalformedInput

# msgspec sorts keys and writes strings and most numbers as RFC 8785 does, many times faster than
# the reference library. What it may write differently is an integral float ("1.0"), which is
# mended below, and what is left to that library: floats with an exponent, minus zero, integers of
# 16 digits and more, text outside ASCII (as a key it is ordered otherwise), a lone number, and
# null, as which it writes NaN too.
_ENCODER = msgspec.json.Encoder(order="sorted")
_NULL = re.compile(rb"null")
_DIGIT = re.compile(rb"\d")
_INTEGRAL_FLOAT = re.compile(rb"\.0(?!\d)")
_WHOLE_FLOAT = re.compile(rb"\.0[,\]}]")
_NEGATIVE_EXPONENT = re.compile(rb"e-\d+[,\]}]")
_NEGATIVE_ZERO = re.compile(rb"-0")
_EXPONENT = re.compile(rb"e\d+[,\]}]")
_LONG_INTEGER = re.compile(rb"[:,\[-]\d{16}")
_LARGEST_INTEGER = 2**53 - 1


def canonical_bytes(value: Any) -> bytes:
    """The RFC 8785 form of a JSON value, or of msgspec structs read as JSON objects.

    Read back and written again, it is the same.

    Raises:
        MalformedInput: the value has no canonical form (NaN, infinity, an integer beyond 2^53, be
            it a float), or is nested too deeply to be written.
    """
    try:
        fast = _ENCODER.encode(value)
        return _mended(fast) or _by_reference(value)
    except (rfc8785.CanonicalizationError, _UnsafeIntegerError) as error:
        raise MalformedInput(
            "a value has no canonical JSON form",
            expected="finite numbers, integers within 2^53, and text keys",
            actual=str(error),
        ) from error
    except RecursionError as error:
        raise MalformedInput("a value is nested too deeply for a canonical JSON form") from error


class _UnsafeIntegerError(Exception):
    """An integer of which a reader may make another number."""


def _by_reference(value: Any) -> bytes:
    written = rfc8785.dumps(msgspec.to_builtins(value))
    # The library refuses large integers, but writes large integral floats as such.
    if _LONG_INTEGER.search(b"," + written):
        json.loads(written, parse_int=_safe_integer)
    return written


def _safe_integer(digits: str) -> int:
    if abs(number := int(digits)) > _LARGEST_INTEGER:
        raise _UnsafeIntegerError(digits)
    return number


def _mended(fast: bytes) -> bytes | None:
    """What msgspec wrote, in canonical form; None where the reference library has to write it."""
    if not fast.isascii() or fast[0] not in b'[{"' or (b"\\" in fast and b'\\"' in fast):
        return None
    # No quote is escaped, so every second part between quotes lies outside of strings.
    parts = fast.split(b'"')
    outside = b'"'.join(parts[::2])
    if _in_doubt(outside):
        return None
    if not _INTEGRAL_FLOAT.search(outside):
        return fast
    parts[::2] = _INTEGRAL_FLOAT.sub(b"", outside).split(b'"')
    return b'"'.join(parts)


def _in_doubt(outside: bytes) -> bool:
    """Whether there is something that msgspec writes otherwise and that is not mended here."""
    if _NULL.search(outside):
        return True
    if not _DIGIT.search(outside):
        return False
    exponents = outside.count(b"e") - outside.count(b"true") - outside.count(b"false")
    return exponents > 0 or bool(_NEGATIVE_ZERO.search(outside) or _LONG_INTEGER.search(outside))


def surely_canonical(text: bytes, *, bounded: bool = False) -> bool:
    """Whether JSON that msgspec wrote with sorted keys is in canonical form for sure.

    False where only the reference library can tell. `bounded` says that no number in it is beyond
    2^53, so that none is written with a positive exponent.
    """
    return (
        text.isascii()
        and not _WHOLE_FLOAT.search(text)
        and not _NEGATIVE_EXPONENT.search(text)
        and not _NEGATIVE_ZERO.search(text)
        and (bounded or not (_EXPONENT.search(text) or _LONG_INTEGER.search(text)))
    )


def canonical_digest(value: Any) -> str:
    """The lowercase hexadecimal SHA-256 of the canonical form."""
    return hashlib.sha256(canonical_bytes(value)).hexdigest()


def sha256_hex(data: bytes) -> str:
    """The lowercase hexadecimal SHA-256 of bytes."""
    return hashlib.sha256(data).hexdigest()
