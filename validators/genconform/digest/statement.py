"""in-toto statements: the bytes that a verdict rests on, the verdict, and the tools that gave it.

A Statement v1 with the test-result predicate v0.1. Its first subject is the report itself. The same
report, files and tools give the same bytes: a statement holds no time and no fact of a machine.
"""

from __future__ import annotations

import re
from typing import Any

from google.protobuf.json_format import MessageToDict, ParseDict, ParseError
from in_toto_attestation.predicates.test_result.v0.test_result_pb2 import TestResult
from in_toto_attestation.v1.resource_descriptor import ResourceDescriptor
from in_toto_attestation.v1.statement import Statement as InTotoStatement
from in_toto_attestation.v1.statement_pb2 import Statement as StatementMessage
from msgspec import Struct

from genconform.digest.canonical import canonical_bytes
from genconform.digest.tools import Component
from genconform.document import parse_json
from genconform.errors import MalformedInput, Unsupported
from genconform.finding import CheckResult, Level, Location, Report, Verdict

PREDICATE_TYPE = "https://in-toto.io/attestation/test-result/v0.1"
PAYLOAD_TYPE = "application/vnd.in-toto+json"
_SHA256 = re.compile(r"[0-9a-f]{64}")
_LEFT_OUT = {Verdict.SKIPPED, Verdict.NOT_APPLICABLE}


class Subject(Struct, frozen=True):
    """A file by its path below the root, and the SHA-256 of its bytes in lowercase hexadecimal."""

    name: str
    sha256: str


class Outcome(Struct, frozen=True):
    """A verdict in the words of the test-result predicate, and the checks by how they came out."""

    result: str
    passed: tuple[str, ...] = ()
    warned: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()


class Statement(Struct, frozen=True):
    """What is attested. The first subject is the report."""

    subjects: tuple[Subject, ...]
    outcome: Outcome
    tools: tuple[Component, ...]


def outcome_of(report: Report) -> Outcome:
    """PASSED when every check passed, WARNED when some were left out or warn, else FAILED.

    What was not observed or not supported is no pass, and so stands among the failed.
    """
    by_outcome: dict[str, list[str]] = {"passed": [], "warned": [], "failed": []}
    for check in report.checks:
        by_outcome[_outcome(check)].append(check.id)
    if report.verdict is not Verdict.PASS or by_outcome["failed"]:
        result = "FAILED"
    else:
        result = "WARNED" if by_outcome["warned"] else "PASSED"
    return Outcome(result, *(tuple(by_outcome[key]) for key in ("passed", "warned", "failed")))


def _outcome(check: CheckResult) -> str:
    if check.verdict is Verdict.PASS:
        warns = any(finding.level is Level.WARNING for finding in check.findings)
        return "warned" if warns else "passed"
    return "warned" if check.verdict in _LEFT_OUT else "failed"


def write_statement(statement: Statement) -> bytes:
    """The statement as canonical JSON, valid by the in-toto library."""
    outcome = statement.outcome
    predicate = TestResult(
        result=outcome.result,
        configuration=[ResourceDescriptor(tool.name, tool.uri).pb for tool in statement.tools],
        passed_tests=outcome.passed,
        warned_tests=outcome.warned,
        failed_tests=outcome.failed,
    )
    subjects = [
        ResourceDescriptor(subject.name, digest={"sha256": subject.sha256}).pb
        for subject in statement.subjects
    ]
    written = InTotoStatement(subjects, PREDICATE_TYPE, MessageToDict(predicate))
    written.validate()
    return canonical_bytes(MessageToDict(written.pb))


def read_statement(payload: bytes, name: str) -> Statement:
    """Read the payload of the envelope `name`. Unknown fields are ignored, as in-toto asks.

    Raises:
        MalformedInput: it is no in-toto Statement v1, or a subject lacks a name or a SHA-256.
        Unsupported: its predicate is another than test-result v0.1.
    """
    message = _parse(payload, name)
    if message.predicate_type != PREDICATE_TYPE:
        raise Unsupported(
            "the statement has another predicate",
            location=Location(name),
            expected=PREDICATE_TYPE,
            actual=repr(message.predicate_type[:200]),
        )
    try:
        result = ParseDict(
            MessageToDict(message.predicate), TestResult(), ignore_unknown_fields=True
        )
    except (ParseError, ValueError) as error:
        raise _malformed(name, "the predicate is no test result", error) from error
    outcome = Outcome(
        result.result,
        tuple(result.passed_tests),
        tuple(result.warned_tests),
        tuple(result.failed_tests),
    )
    tools = tuple(Component(tool.name, tool.uri) for tool in result.configuration)
    return Statement(_subjects(message, name), outcome, tools)


def _parse(payload: bytes, name: str) -> Any:
    value = parse_json(payload, name).value
    if not isinstance(value, dict):
        raise MalformedInput(
            "the payload is no statement", location=Location(name), expected="an object"
        )
    message = StatementMessage()
    try:
        ParseDict(value, message, ignore_unknown_fields=True)
        InTotoStatement.copy_from_pb(message).validate()
    except (ParseError, ValueError) as error:
        raise _malformed(name, "the payload is no in-toto Statement v1", error) from error
    return message


def _subjects(message: Any, name: str) -> tuple[Subject, ...]:
    subjects = []
    names: set[str] = set()
    for index, subject in enumerate(message.subject):
        sha256 = subject.digest.get("sha256", "")
        if not subject.name or subject.name in names or not _SHA256.fullmatch(sha256):
            raise MalformedInput(
                "a subject cannot be told from others or has nothing to compare",
                location=Location(name, f"/subject/{index}"),
                expected="a name that no other subject has, and a sha256 digest",
                actual=repr((subject.name[:200], sha256[:200])),
            )
        names.add(subject.name)
        subjects.append(Subject(subject.name, sha256))
    return tuple(subjects)


def _malformed(name: str, message: str, error: Exception) -> MalformedInput:
    return MalformedInput(message, location=Location(name), actual=str(error)[:500])
