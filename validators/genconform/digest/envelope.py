"""DSSE envelopes: a payload and signatures over it, and the keys that make and check them.

Keys are PEM files: PKCS#8 for a private key, SubjectPublicKeyInfo for a public one. Ed25519 and
ECDSA (P-256, P-384, P-521) are accepted. An unsigned statement is an envelope with no signatures,
so that there is one format to read and a stripped signature shows.
"""

from __future__ import annotations

import binascii
from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ec import (
    SECP256R1,
    EllipticCurvePrivateKey,
    EllipticCurvePublicKey,
    generate_private_key,
)
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)
from msgspec import Struct
from securesystemslib.dsse import Envelope
from securesystemslib.exceptions import UnverifiedSignatureError
from securesystemslib.signer import CryptoSigner, Key, Signature, SSlibKey

from genconform.digest.canonical import canonical_bytes
from genconform.digest.statement import PAYLOAD_TYPE
from genconform.document import decode, parse_json, read_bytes
from genconform.errors import MalformedInput, Unsupported, UsageError
from genconform.finding import Location

MAX_KEY_BYTES = 64 * 1024
KEY_TYPES = ("ed25519", "ecdsa")


class KeyPair(Struct, frozen=True):
    """A new key pair as PEM, and the id by which signatures name it."""

    private: bytes
    public: bytes
    id: str


class _Signature(Struct, frozen=True):
    keyid: str
    sig: str


class _Envelope(Struct, frozen=True, rename="camel"):
    payload: str
    payload_type: str
    signatures: list[_Signature]


def seal(payload: bytes, signers: list[CryptoSigner]) -> bytes:
    """An envelope around the payload, with a signature of each signer, as canonical JSON."""
    envelope = Envelope(payload, PAYLOAD_TYPE, {})
    for signer in signers:
        envelope.sign(signer)
    return canonical_bytes(envelope.to_dict()) + b"\n"


def open_envelope(data: bytes, name: str) -> Envelope:
    """Read an envelope. Nothing is verified yet.

    Raises:
        MalformedInput: it is no DSSE envelope, or has two signatures of one key id.
        Unsupported: its payload is no in-toto statement.
    """
    document = parse_json(data, name)
    wire = decode(document, _Envelope)
    if wire.payload_type != PAYLOAD_TYPE:
        raise Unsupported(
            "the payload is of another type",
            location=document.location("/payloadType"),
            expected=PAYLOAD_TYPE,
            actual=repr(wire.payload_type[:200]),
        )
    try:
        return Envelope.from_dict(document.value)
    except (binascii.Error, ValueError) as error:
        raise MalformedInput(
            "not a DSSE envelope", location=Location(name), actual=str(error)[:500]
        ) from error


def signs(key: Key, envelope: Envelope, signature: Signature) -> bool:
    """Whether the signature is the key's, over this payload and its type."""
    try:
        key.verify_signature(signature, envelope.pae())
    except UnverifiedSignatureError:
        return False
    return True


def generate(kind: str) -> KeyPair:
    """A new key pair: "ed25519", or "ecdsa" on P-256."""
    private = (
        Ed25519PrivateKey.generate() if kind == "ed25519" else generate_private_key(SECP256R1())
    )
    return KeyPair(
        private.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()),
        private.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo),
        CryptoSigner(private).public_key.keyid,
    )


def load_signer(path: Path) -> CryptoSigner:
    """The signer of a private key file.

    Raises:
        UsageError: the file cannot be read, or holds no private key that can sign here.
    """
    try:
        private = load_pem_private_key(read_bytes(path, str(path), MAX_KEY_BYTES), None)
        if not isinstance(private, Ed25519PrivateKey | EllipticCurvePrivateKey):
            raise TypeError("it is a key of another kind")
        return CryptoSigner(private)
    except (ValueError, TypeError, UnsupportedAlgorithm, MalformedInput) as error:
        raise _no_key(path, "private", error) from error


def load_key(path: Path) -> Key:
    """The public key of a file.

    Raises:
        UsageError: the file cannot be read, or holds no public key that can verify here.
    """
    try:
        public = load_pem_public_key(read_bytes(path, str(path), MAX_KEY_BYTES))
        if not isinstance(public, Ed25519PublicKey | EllipticCurvePublicKey):
            raise TypeError("it is a key of another kind")
        return SSlibKey.from_crypto(public)
    except (ValueError, TypeError, UnsupportedAlgorithm, MalformedInput) as error:
        raise _no_key(path, "public", error) from error


def _no_key(path: Path, half: str, error: Exception) -> UsageError:
    return UsageError(
        f"this is no {half} key to use here",
        location=Location(str(path)),
        expected=f"an Ed25519 or ECDSA {half} key as PEM, without a passphrase",
        actual=str(error).partition("\n")[0][:200],
        remedy="Make a pair with `genconform digest keygen`.",
    )
