"""YAML and JSON files as data that knows where each value stands.

A document is plain data (no tags, no anchors), so that reading one can neither run code nor grow
beyond the file. A value of the wrong shape is reported with its line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import yaml

from genconform.errors import MalformedInput, UsageError, mid_sentence
from genconform.finding import Location, Report, combine

MAX_DOCUMENT_BYTES = 16 * 1024 * 1024
# A YAML document takes some 200 times its size in memory while it is read.
MAX_YAML_CHARACTERS = 1024 * 1024
_MAX_DEPTH = 64
_T = TypeVar("_T")
_PLAIN_TAGS = {
    f"tag:yaml.org,2002:{kind}"
    for kind in ("map", "seq", "str", "int", "float", "bool", "null", "timestamp", "value")
}
_CONSTANTS = {"true": True, "false": False, "null": None, "~": None, "": None}
_INTEGER = re.compile(r"[-+]?[0-9]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_SURROGATE = re.compile(r"(?i)\\ud[89a-f]")
_SURROGATE_PAIR = re.compile(r"(?i)\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}")
_PATH_STEP = re.compile(r"\.(?P<key>[^.\[\]]+)|\[(?P<index>\d+)\]|\[\.\.\.\]")


@dataclass(frozen=True)
class Document:
    """A parsed file: its name in findings, its value, and the line of each JSON pointer."""

    name: str
    value: Any
    lines: Mapping[str, int]

    def location(self, pointer: str) -> Location:
        """The place of a pointer, or of its nearest parent that has a line."""
        nearest = pointer
        while nearest and nearest not in self.lines:
            nearest = nearest.rpartition("/")[0]
        return Location(self.name, pointer, self.lines.get(nearest))


def read_bytes(path: Path, name: str, limit: int = MAX_DOCUMENT_BYTES) -> bytes:
    """The bytes of a file that a user named.

    Raises:
        UsageError: it is missing, a folder, or not readable.
        MalformedInput: it is larger than `limit` bytes.
    """
    try:
        with path.open("rb") as file:
            data = file.read(limit + 1)
    except OSError as error:
        raise unreadable(name, error) from error
    if len(data) > limit:
        raise MalformedInput(
            "the file is too large", location=Location(name), expected=f"at most {limit} bytes"
        )
    return data


def unreadable(name: str, error: OSError) -> UsageError:
    """The error for a path that cannot be read, with what the system said."""
    reason = (error.strerror or str(error)).lower()
    return UsageError(
        f"cannot read the file: {reason}",
        location=Location(name),
        remedy="Name an existing file that you may read.",
    )


def read_document(path: Path, name: str | None = None) -> Document:
    """Read a YAML or JSON file; JSON is read as the YAML that it is.

    Raises:
        UsageError: the file cannot be read.
        MalformedInput: it is not UTF-8, not YAML, or not plain data.
    """
    shown = name or str(path)
    return parse_document(read_bytes(path, shown), shown)


def parse_document(data: bytes, name: str) -> Document:
    """Parse bytes: JSON where the name ends in .json, else YAML.

    Raises:
        MalformedInput: not UTF-8, not JSON or YAML, or not plain data.
    """
    if name.endswith(".json"):
        return parse_json(data, name)
    return _parse_yaml(_text(data, name), name)


def parse_json(data: bytes, name: str) -> Document:
    """Parse bytes as JSON, whatever the name.

    Raises:
        MalformedInput: not UTF-8, not JSON, or a key twice in one object.
    """
    return _parse_json(_text(data, name), name)


def _text(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise MalformedInput(
            "the file is not text",
            location=Location(name),
            expected="UTF-8",
            actual=f"byte {error.start} is 0x{data[error.start]:02x}",
        ) from error


def _parse_yaml(text: str, name: str) -> Document:
    if len(text) > MAX_YAML_CHARACTERS:
        raise MalformedInput(
            "the file is too large for YAML",
            location=Location(name),
            expected=f"at most {MAX_YAML_CHARACTERS} characters; JSON may be larger",
        )
    try:
        node = yaml.compose(text, Loader=yaml.CSafeLoader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        raise MalformedInput(
            f"not YAML: {error.problem}", location=Location(name, line=line)
        ) from error
    except yaml.reader.ReaderError as error:
        line = text.encode()[: error.position].count(b"\n") + 1
        raise MalformedInput(
            f"not YAML: {error.reason}",
            location=Location(name, line=line),
            actual=f"U+{error.character:04X}",
        ) from error
    except (yaml.YAMLError, RecursionError) as error:
        raise MalformedInput(f"not YAML: {error}", location=Location(name)) from error
    if node is None:
        raise MalformedInput("the file is empty", location=Location(name))
    lines: dict[str, int] = {}
    value = _Builder(name, lines).build(node, "", 0)
    return Document(name, value, lines)


def _parse_json(text: str, name: str) -> Document:
    try:
        value = json.loads(text, parse_constant=_no_constant, object_pairs_hook=_each_once)
        _require_text(value, text)
    except json.JSONDecodeError as error:
        raise MalformedInput(
            f"not JSON: {error.msg}", location=Location(name, line=error.lineno)
        ) from error
    except RecursionError as error:
        raise MalformedInput("not JSON: nested too deeply", location=Location(name)) from error
    except _Repeated as error:
        _locate(text, name)
        raise MalformedInput(f"not plain data: {error}", location=Location(name)) from error
    except ValueError as error:
        raise MalformedInput(f"not JSON: {error}", location=Location(name)) from error
    if _is_deep(value):
        _locate(text, name)
        raise MalformedInput("not plain data: nested too deeply", location=Location(name))
    return Document(name, value, _LinesOnDemand(text, name))


class _Repeated(ValueError):
    pass


def _no_constant(constant: str) -> None:
    raise ValueError(f"{constant} is not a JSON number")


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        raise _Repeated("a key stands twice in one object")
    return value


def _require_text(value: Any, text: str) -> None:
    """Refuse half of a surrogate pair, which JSON can escape and UTF-8 cannot write."""
    if _SURROGATE.search(text):
        try:
            json.dumps(value, ensure_ascii=False).encode()
        except UnicodeEncodeError as error:
            raise ValueError("half of a surrogate pair is no text") from error


def _is_deep(value: Any) -> bool:
    level = [value]
    for _ in range(_MAX_DEPTH + 1):
        level = [
            child
            for item in level
            if isinstance(item, dict | list)
            for child in (item.values() if isinstance(item, dict) else item)
        ]
    return bool(level)


def _locate(text: str, name: str) -> None:
    """Let YAML, which JSON is but for rare escapes, name the line of what is not plain data."""
    if len(text) <= MAX_YAML_CHARACTERS:
        _parse_yaml(text, name)


class _LinesOnDemand(Mapping[str, int]):
    """The line of each pointer of a JSON text, found when first asked for: few ever are."""

    def __init__(self, text: str, name: str) -> None:
        self._text = text
        self._name = name

    @cached_property
    def _lines(self) -> Mapping[str, int]:
        if len(self._text) > MAX_YAML_CHARACTERS:
            return {}
        whole = _SURROGATE_PAIR.sub(lambda pair: str(json.loads(f'"{pair[0]}"')), self._text)
        return _parse_yaml(whole, self._name).lines

    def __getitem__(self, pointer: str) -> int:
        return self._lines[pointer]

    def __iter__(self) -> Iterator[str]:
        return iter(self._lines)

    def __len__(self) -> int:
        return len(self._lines)


class _Builder:
    """Turns YAML nodes into plain data, noting lines and refusing what is not plain."""

    def __init__(self, name: str, lines: dict[str, int]) -> None:
        self._name = name
        self._lines = lines
        self._seen: set[int] = set()

    def build(self, node: yaml.Node, pointer: str, depth: int) -> Any:
        line = node.start_mark.line + 1
        self._lines[pointer] = line
        if depth > _MAX_DEPTH:
            raise self._refused("nested too deeply", pointer, line, f"at most {_MAX_DEPTH} levels")
        if node.tag not in _PLAIN_TAGS:
            raise self._refused(f"the tag {node.tag}", pointer, line, "plain data")
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node, pointer, line)
        if id(node) in self._seen:
            raise self._refused("an alias (*name)", pointer, line, "each value written out")
        self._seen.add(id(node))
        if isinstance(node, yaml.SequenceNode):
            return [
                self.build(item, f"{pointer}/{index}", depth + 1)
                for index, item in enumerate(node.value)
            ]
        assert isinstance(node, yaml.MappingNode)
        return dict(self._items(node, pointer, depth))

    def _items(self, node: yaml.MappingNode, pointer: str, depth: int) -> Iterator[tuple[str, Any]]:
        keys: set[str] = set()
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            key = self._scalar(key_node, pointer, line)
            if not isinstance(key, str):
                raise self._refused(f"the key {key!r}", pointer, line, "a text key")
            if key in keys:
                raise self._refused(f"the key {key!r} a second time", pointer, line, "each once")
            keys.add(key)
            yield key, self.build(value_node, f"{pointer}/{escape(key)}", depth + 1)

    def _scalar(self, node: yaml.Node, pointer: str, line: int) -> Any:
        if not isinstance(node, yaml.ScalarNode):
            raise self._refused("a key that is not text", pointer, line, "a text key")
        try:
            return node.value if node.style else _plain_value(node.value)
        except ValueError as error:
            raise self._refused(str(error), pointer, line, "a number of usual size") from error

    def _refused(self, what: str, pointer: str, line: int, expected: str) -> MalformedInput:
        return MalformedInput(
            f"not plain data: {what}",
            location=Location(self._name, pointer, line),
            expected=expected,
        )


def _plain_value(text: str) -> Any:
    """An unquoted scalar by the core schema of YAML 1.2, of which JSON is a part.

    PyYAML follows YAML 1.1, in which `no` is false and `1e5` is text.
    """
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _FLOAT.fullmatch(text) else text


def decode(document: Document, into: type[_T], value: Any = None, at: str = "") -> _T:
    """Read a document, or the `value` that stands in it `at` a pointer, as a typed value.

    Raises:
        MalformedInput: unknown field, missing field, or wrong type, with its line.
    """
    try:
        return msgspec.convert(document.value if not at else value, into)
    except msgspec.ValidationError as error:
        message, _, path = str(error).partition(" - at `$")
        pointer = at + pointer_of(path.rstrip("`"))
        raise MalformedInput(mid_sentence(message), location=document.location(pointer)) from error


def read_report(data: bytes, name: str) -> Report:
    """A report that was written with --format json.

    Raises:
        MalformedInput: it is none, or its verdict is not the one of its checks.
    """
    document = parse_json(data, name)
    report = decode(document, Report)
    verdicts = [check.verdict for check in report.checks]
    possible = {combine(verdicts), combine(verdicts, strict=True)}
    if report.verdict not in possible:
        raise MalformedInput(
            "the verdict is not the one of the checks",
            location=document.location("/verdict"),
            expected=" or ".join(sorted(possible)),
            actual=report.verdict,
        )
    return report


def indented_json(value: object, indent: int = 2) -> str:
    """A value as JSON for people to read; the same value gives the same bytes."""
    return msgspec.json.format(msgspec.json.encode(value), indent=indent).decode() + "\n"


def pointer_of(path: str) -> str:
    """The JSON pointer of a msgspec path such as `.lines[3].when`, as far as it is known."""
    pointer = ""
    for step in _PATH_STEP.finditer(path):
        part = step["key"] or step["index"]
        if part is None:
            break
        pointer += "/" + escape(part)
    return pointer


def escape(key: str) -> str:
    """A key as one step of a JSON pointer (RFC 6901)."""
    return key.replace("~", "~0").replace("/", "~1")
