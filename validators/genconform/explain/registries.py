"""Topics of the registries: rules, generation modes, claims, invariants, failures, formats."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import Any

from genconform.catalogue.entries import FAILURES, INVARIANTS, Failure, Invariant
from genconform.errors import mid_sentence
from genconform.explain.sources import ProvedClaim, Sources, mutation_example
from genconform.explain.topic import Example, Kind, Reference, Topic
from genconform.finding import Level
from genconform.spec.modes import MODES_PATH, Mode
from genconform.spec.rules import ROUTE_PREFIX, Rule
from genconform.suites import FOLDER, INVALID, all_suites
from genconform.suites.record import RecordSuite
from genconform.trace.obligations import OBLIGATIONS

SCHEMAS = "spec/schemas"
_INPUTS_NAMED = 3
_ENDING = ".schema.json"


def topics(sources: Sources) -> Iterator[Topic]:
    """Every topic of the registries."""
    asked = _asked()
    inputs = _inputs(sources)
    for rule in sources.rules.values():
        yield _rule(sources, rule, asked.get(rule.id, ""), inputs.get(rule.id, []))
    for mode in sources.modes.modes:
        yield _mode(mode)
    for claim in sources.claims.values():
        yield _claim(sources, claim)
    for kind, path, entries in (
        (Kind.INVARIANT, INVARIANTS.path, sources.invariants),
        (Kind.FAILURE, FAILURES.path, sources.failures),
    ):
        yield from (_entry(kind, path, entry) for entry in entries)
    yield from _formats(sources)


# --- rules


def _rule(sources: Sources, rule: Rule, asked: str, inputs: list[str]) -> Topic:
    change = next((one for one in sources.mutations if one.mutation.expect == rule.id), None)
    broken = [f"`{rule.broken_by}`"] + [f"`{path}`" for path in inputs if path != rule.broken_by]
    examples = [] if change is None else [mutation_example(change, "A change that it must catch")]
    governed = (
        Reference(Kind.ROUTE, stage.routes[0])
        for stage in sources.governed
        if rule.id in stage.rules and stage.routes
    )
    return Topic(
        Kind.RULE,
        rule.id,
        f"{rule.text} {_weight(rule.level)}",
        asked if asked not in {"", rule.text} else "Its check finds no place where this is not so.",
        tuple(f"Broken on purpose by {path}." for path in broken[:_INPUTS_NAMED]),
        (*examples, Example("See it caught:", f"$ {_command(rule.broken_by)}")),
        tuple(dict.fromkeys([*sources.enforcing(rule.id), *governed])),
        rule.page,
    )


def _weight(level: Level) -> str:
    if level is Level.ERROR:
        return "An error: one fails its check."
    return f"A {level.value}: it never fails a check by itself."


def _asked() -> dict[str, str]:
    """What the code of a rule says that it asks, for the rules that are a function each."""
    said = {owed.id: owed.meaning for owed in OBLIGATIONS}
    for suite in all_suites():
        if isinstance(suite, RecordSuite):
            said |= suite.rules.meanings
    return said


def _inputs(sources: Sources) -> dict[str, list[str]]:
    """The expected-invalid fixtures that are named after each rule."""
    found: dict[str, list[str]] = {}
    for path in sorted(sources.tree.path(FOLDER).glob(f"*/{INVALID}/*")):
        words = path.name.split(".")
        names = (".".join(words[:end]) for end in range(len(words) - 1, 0, -1))
        rule = next((name for name in names if name in sources.rules), None)
        if rule is not None:
            found.setdefault(rule, []).append(sources.tree.name(path))
    return found


def _command(path: str) -> str:
    """What judges a committed input, or runs the test, that breaks a rule."""
    folder, *rest = PurePosixPath(path).parts
    if folder == FOLDER:
        return f"genconform replay {rest[0]}"
    if folder == "mutations":
        return f"genconform mutate {PurePosixPath(path).stem}"
    return f"python -m pytest {path}"


# --- modes


def _mode(mode: Mode) -> Topic:
    shown = f"Not shown: {mode.not_shown}"
    back = f"If it fails, `{mode.fallback}` serves." if mode.fallback else "It is fallen back on."
    examples = [Example("Whether it may serve:", f"$ genconform modes select {mode.name}")]
    examples += [
        Example("Run it:", f"$ genconform probe run --mode {name} --out runs") for name in mode.ran
    ]
    return Topic(
        Kind.MODE,
        mode.name,
        f"{mode.role} It is {mode.status.value}: {mid_sentence(mode.because)}",
        mode.verification_burden,
        (back, shown),
        tuple(examples),
        (
            Reference(Kind.FIELD, "generationMode"),
            *([Reference(Kind.MODE, mode.fallback)] if mode.fallback else []),
        ),
        MODES_PATH,
    )


# --- claims


def _claim(sources: Sources, proved: ProvedClaim) -> Topic:
    claim, source = proved.claim, proved.source
    table = sources.table
    witness = f"{claim.name}Witness"
    related = [Reference(Kind.CLAIM, witness)] if witness in sources.claims else []
    if claim.name.removesuffix("Witness") != claim.name:
        related += _known(Kind.CLAIM, [claim.name.removesuffix("Witness")], sources.claims)
    related += _known(Kind.FIELD, [field.name for field in table.fields], proved.names)
    related += _known(Kind.ROUTE, table.routes(), proved.names)
    related += _known(Kind.STAGE, [row.name for row in table.stages], proved.names)
    related += [
        Reference(kind, entry.id)
        for kind, entries in (
            (Kind.INVARIANT, sources.invariants),
            (Kind.FAILURE, sources.failures),
        )
        for entry in entries
        if claim.name in entry.enforced.claims
    ]
    return Topic(
        Kind.CLAIM,
        claim.name,
        f"{proved.sentence} Claimed in Lean, of every state and every event.",
        f"The theorem `{claim.theorem}` of `{proved.path}` proves it, as Lean's kernel checks.",
        (
            "A line of the model that is changed so that it is false: the theorem no longer "
            "compiles (`lean.compile`).",
            "A claim or a theorem that says less: the checker's own restatement no longer follows "
            "(`lean.claim.weakened`).",
        ),
        (
            Example("As the checker restates it:", claim.statement.strip(), "lean"),
            Example("Check it:", "$ genconform lean check"),
        ),
        (
            *related,
            Reference(Kind.RULE, "lean.compile"),
            Reference(Kind.RULE, "lean.claim.weakened"),
        ),
        f"lean/{source.module.replace('.', '/')}.lean",
    )


def _catalogues(
    sources: Sources,
) -> tuple[tuple[Kind, tuple[Invariant | Failure, ...]], ...]:
    return (Kind.INVARIANT, sources.invariants), (Kind.FAILURE, sources.failures)


def _known(kind: Kind, names: Iterable[str], among: Iterable[str]) -> list[Reference]:
    wanted = set(among)
    return [Reference(kind, name) for name in names if name in wanted]


# --- invariants and failure modes


def _entry(kind: Kind, path: str, entry: Invariant | Failure) -> Topic:
    enforced = entry.enforced
    page = f"docs/invariants.md#{entry.id}"
    by = [f"Rules: {len(enforced.rules)}", f"claims proved in Lean: {len(enforced.claims)}"]
    if enforced.runs:
        by.append(f"runs of the probe: {', '.join(enforced.runs)}")
    holds = f"{', '.join(by)}." if enforced else f"Not mechanised: {entry.not_mechanised}"
    committed = (
        [f"Committed on purpose by `{name}`." for name in (*entry.fixtures, *entry.mutations)]
        if isinstance(entry, Failure)
        else []
    )
    return Topic(
        kind,
        entry.id,
        entry.text,
        holds,
        (*committed[:_INPUTS_NAMED], f"Not covered: {entry.not_covered}"),
        (
            Example(
                f"That all of it exists and holds, from `{path}`:",
                "$ genconform validate-all --only catalogues",
            ),
        ),
        (
            *(rule_reference(name) for name in enforced.rules),
            *(Reference(Kind.CLAIM, name) for name in enforced.claims),
        ),
        page,
    )


def rule_reference(rule: str) -> Reference:
    """The topic of a rule's id; a rejecting route's is the route."""
    if rule.startswith(ROUTE_PREFIX):
        return Reference(Kind.ROUTE, rule.removeprefix(ROUTE_PREFIX))
    return Reference(Kind.RULE, rule)


# --- formats


def _formats(sources: Sources) -> Iterator[Topic]:
    for path in sorted(sources.tree.path(SCHEMAS).glob(f"*{_ENDING}")):
        name = path.name.removesuffix(_ENDING)
        schema = json.loads(path.read_text(encoding="utf-8"))
        yield _format(name, schema)


def _format(name: str, schema: dict[str, Any]) -> Topic:
    top = resolved(schema, schema)
    required = top.get("required", [])
    said = " ".join(str(top.get("description", "")).split())
    holds = f"It has {_quoted(required)}." if required else "It is of the type of its schema."
    closed = ["A field that is not one of its own."] if _is_closed(top) else []
    event = name.removeprefix("evidence-")
    related = [Reference(Kind.EVENT, event)] if event != name and "transitions" not in event else []
    return Topic(
        Kind.FORMAT,
        name,
        said or f"The format `{name}`.",
        holds,
        (*closed, "A value of another type, or one that is missing: malformed input, exit code 3."),
        (Example("Its JSON Schema, draft 2020-12:", f"{SCHEMAS}/{name}{_ENDING}", ""),),
        tuple(related),
        f"{SCHEMAS}/{name}{_ENDING}",
    )


def resolved(schema: dict[str, Any], node: dict[str, Any]) -> dict[str, Any]:
    """A node of a schema, or what its $ref refers to."""
    while "$ref" in node:
        node = schema["$defs"][node["$ref"].rpartition("/")[2]]
    return node


def _is_closed(node: dict[str, Any]) -> bool:
    return node.get("additionalProperties") is False


def _quoted(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
