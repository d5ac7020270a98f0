"""Verifying an envelope offline: its form, its signatures, what it says, and every subject's bytes.

Each of them is one check of a report, with a rule of its own for each way to fail. Nothing that the
envelope says is believed before it was compared, and no name in it leads outside the root.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from urllib.parse import unquote

from msgspec import Struct
from securesystemslib.dsse import Envelope
from securesystemslib.signer import Key

from genconform.digest.canonical import sha256_hex
from genconform.digest.envelope import open_envelope, signs
from genconform.digest.statement import (
    Outcome,
    Statement,
    Subject,
    outcome_of,
    read_statement,
)
from genconform.digest.subjects import TooLarge, UnsafeName, open_below, sha256_of
from genconform.document import MAX_DOCUMENT_BYTES, read_bytes, read_report
from genconform.errors import GenconformError, MalformedInput
from genconform.finding import CheckResult, Finding, Level, Location, Verdict, verdict_of
from genconform.tree import Tree

_SHOWN_CHARACTERS = 200


class Artifact(Struct, frozen=True):
    """Bytes that the user vouches for: a file's, or no more than their SHA-256.

    `path` is the file, or None for a bare digest.
    """

    sha256: str
    path: Path | None = None


class Asked(Struct, frozen=True):
    """What to hold an envelope against.

    Args:
        keys: the public keys that count, each once.
        threshold: how many of them must have signed.
        tree: where subjects are looked up by name; None looks at the artifacts alone.
        artifacts: subjects that the user brought.
    """

    keys: tuple[Key, ...] = ()
    threshold: int = 1
    tree: Tree | None = None
    artifacts: tuple[Artifact, ...] = ()


def verify(data: bytes, name: str, asked: Asked) -> list[CheckResult]:
    """Verify the envelope `data`, called `name` in what is reported."""
    try:
        envelope = open_envelope(data, name)
        statement = read_statement(envelope.payload, name)
    except GenconformError as error:
        return [_unread(error, name)]
    return [
        _signatures(envelope, name, asked),
        _statement(statement, name, asked),
        *_subjects(statement, asked),
    ]


def _unread(error: GenconformError, name: str) -> CheckResult:
    malformed = isinstance(error, MalformedInput)
    rule = "digest.envelope.malformed" if malformed else "digest.envelope.unsupported"
    place = error.location or Location(name)
    actual = None if error.actual is None else shown(error.actual)
    finding = Finding(rule, Level.ERROR, shown(error.message), place, error.expected, actual)
    verdict = Verdict.MALFORMED if malformed else Verdict.UNSUPPORTED
    return CheckResult("envelope", verdict, {}, (finding,))


# Signatures


def _signatures(envelope: Envelope, name: str, asked: Asked) -> CheckResult:
    signed = len(envelope.signatures)
    if not asked.keys:
        return _unasked(envelope)
    keys = {key.keyid: key for key in asked.keys}
    known = [signature for signature in envelope.signatures.values() if signature.keyid in keys]
    good = [item.keyid for item in known if signs(keys[item.keyid], envelope, item)]
    bad = [item.keyid for item in known if item.keyid not in good]
    expected = f"{asked.threshold} of " + ", ".join(sorted(keys))
    actual = ", ".join(sorted(shown(keyid) for keyid in envelope.signatures)) or "no signature"

    def finding(rule: str, message: str) -> Finding:
        return Finding(rule, Level.ERROR, message, Location(name), expected, actual)

    findings = [
        finding("digest.signature.invalid", f"the signature of {keyid} is over other bytes")
        for keyid in bad
    ]
    if not signed:
        findings.append(finding("digest.signature.missing", "the envelope is not signed"))
    elif not known:
        findings.append(finding("digest.signature.unknown", "no signature is by a key you gave"))
    elif len(good) < asked.threshold and not bad:
        message = f"{len(good)} of the keys you gave signed it"
        findings.append(finding("digest.signature.threshold", message))
    counts = {"signatures": signed, "verified": len(good), "wanted": asked.threshold}
    return CheckResult("signatures", verdict_of(findings, len(good)), counts, tuple(findings))


def _unasked(envelope: Envelope) -> CheckResult:
    """Without a key nobody's word can be checked, which the result says and never calls a pass."""
    if not envelope.signatures:
        note = "not signed: anybody could have written it"
        return CheckResult("signatures", Verdict.NOT_APPLICABLE, {"signatures": 0}, note=note)
    by = ", ".join(sorted(shown(keyid) for keyid in envelope.signatures))
    note = f"signed by {by}; give --key to verify that"
    counts = {"signatures": len(envelope.signatures)}
    return CheckResult("signatures", Verdict.SKIPPED, counts, note=note)


# What it says


def _statement(statement: Statement, name: str, asked: Asked) -> CheckResult:
    """Whether the statement says what the report says, where the report is at hand unchanged."""
    outcome, reported = statement.outcome, _reported(statement.subjects[0], asked)
    result = shown(outcome.result)
    findings = []
    if outcome.result != "PASSED":
        message = f"what is attested is {result}, not that every check passed"
        findings.append(
            Finding(
                "digest.statement.verdict", Level.WARNING, message, Location(name), "PASSED", result
            )
        )
    if reported is not None and reported != outcome:
        findings.append(
            Finding(
                "digest.statement.disagrees",
                Level.ERROR,
                "the statement does not say what its report says",
                Location(name),
                _words(reported),
                _words(outcome),
            )
        )
    counts = {"subjects": len(statement.subjects), "tools": len(statement.tools)}
    tools = ", ".join(shown(unquote(tool.uri.rpartition("/")[2])) for tool in statement.tools)
    note = f"attests {result}, found with {tools or 'tools it does not name'}"
    return CheckResult("statement", verdict_of(findings, 1), counts, tuple(findings), note)


def _reported(subject: Subject, asked: Asked) -> Outcome | None:
    """The outcome in the report, or None where its bytes are not at hand or no report of ours."""
    data = _content(subject, asked)
    if data is None or sha256_hex(data) != subject.sha256:
        return None
    try:
        return outcome_of(read_report(data, subject.name))
    except MalformedInput:
        return None


def _content(subject: Subject, asked: Asked) -> bytes | None:
    try:
        for artifact in asked.artifacts:
            if artifact.sha256 == subject.sha256 and artifact.path is not None:
                return read_bytes(artifact.path, subject.name)
        if asked.tree is not None:
            with open_below(asked.tree, subject.name) as file:
                return file.read(MAX_DOCUMENT_BYTES)
    except (OSError, UnsafeName, GenconformError):
        return None  # why is said where the subject itself is checked
    return None


def _words(outcome: Outcome) -> str:
    lists = (outcome.passed, outcome.warned, outcome.failed)
    passed, warned, failed = (shown(", ".join(names)) or "none" for names in lists)
    return f"{shown(outcome.result)} (passed: {passed}; warned: {warned}; failed: {failed})"


# Subjects


def _subjects(statement: Statement, asked: Asked) -> Iterator[CheckResult]:
    subjects = statement.subjects
    brought: dict[str, Artifact] = {}
    for artifact in asked.artifacts:
        answers_for = _answers_for(artifact, subjects)
        if not answers_for:
            yield _foreign(artifact)
        brought |= dict.fromkeys((subject.name for subject in answers_for), artifact)
    left = 0
    owners = {subject.sha256: subject.name for subject in subjects}
    for subject in subjects:
        if subject.name in brought:
            yield _compared(subject, brought[subject.name].sha256, owners)
        elif asked.tree is not None:
            yield _looked_up(subject, asked.tree, owners)
        else:
            left += 1
    if left:
        note = "not looked at; name --root to look them up"
        yield CheckResult("other subjects", Verdict.SKIPPED, {"subjects": left}, note=note)


def _answers_for(artifact: Artifact, subjects: Iterable[Subject]) -> list[Subject]:
    """The subjects that an artifact stands for: those of its name and digest, of either else.

    A file with one subject's name and another's bytes stands for the first, so that a swap shows.
    """
    same = [subject for subject in subjects if subject.sha256 == artifact.sha256]
    if artifact.path is None:
        return same
    named = [s for s in subjects if s.name.rpartition("/")[2] == artifact.path.name]
    both = [subject for subject in named if subject in same]
    if both or not named:
        return both or same
    return named if len(named) == 1 else same


def _looked_up(subject: Subject, tree: Tree, owners: dict[str, str]) -> CheckResult:
    try:
        with open_below(tree, subject.name) as file:
            actual = sha256_of(file)
    except UnsafeName as error:
        return _failed(subject, "digest.subject.unsafe", str(error), "not read")
    except FileNotFoundError:
        return _failed(subject, "digest.subject.missing", "there is no such file", "no file")
    except (OSError, TooLarge) as error:
        reason = error.strerror or str(error) if isinstance(error, OSError) else str(error)
        return _failed(subject, "digest.subject.unreadable", reason.lower(), "not read")
    return _compared(subject, actual, owners)


def _compared(subject: Subject, actual: str, owners: dict[str, str]) -> CheckResult:
    if actual == subject.sha256:
        return CheckResult(_id(subject), Verdict.PASS, {}, note=f"sha256:{actual}")
    owner = owners.get(actual)
    if owner is None:
        return _failed(subject, "digest.subject.changed", "other bytes than attested", actual)
    message = f"these are the bytes of another subject, {shown(owner)}"
    return _failed(subject, "digest.subject.swapped", message, actual)


def _failed(subject: Subject, rule: str, message: str, actual: str) -> CheckResult:
    place = Location(shown(subject.name))
    finding = Finding(rule, Level.ERROR, message, place, subject.sha256, actual)
    return CheckResult(_id(subject), Verdict.FAIL, {}, (finding,))


def _foreign(artifact: Artifact) -> CheckResult:
    name = artifact.path.name if artifact.path else f"sha256:{artifact.sha256}"
    finding = Finding(
        "digest.subject.foreign",
        Level.ERROR,
        "no subject of the statement has this digest",
        Location(name),
        "a subject",
        artifact.sha256,
    )
    return CheckResult(f"artifact {name}", Verdict.FAIL, {}, (finding,))


def _id(subject: Subject) -> str:
    return f"subject {shown(subject.name)}"


def shown(text: str) -> str:
    """Text of an envelope, safe to print: bounded, and without characters that steer a terminal."""
    short = text if len(text) <= _SHOWN_CHARACTERS else text[:_SHOWN_CHARACTERS] + "…"
    return short if short.isprintable() else ascii(short)[1:-1]
