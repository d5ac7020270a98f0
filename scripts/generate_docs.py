"""Write the pages that follow from spec/, docs/lifecycle.md and docs/rules.md, and the end of
spec/traces.md, which follows from the rules of evidence.

Run it after a change to either; a test fails while a page is stale.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from genconform.catalogue.pages import (
    NOTICE,
    invariants_page,
    modes_page,
    sources_page,
    stages_page,
)
from genconform.errors import mid_sentence
from genconform.lifecycle.drawing import svg
from genconform.lifecycle.graph import picture
from genconform.lifecycle.packet import EventKind
from genconform.spec.rules import ROUTE_PREFIX, load_rules
from genconform.spec.table import Field, Line, Table, load_table
from genconform.suites import all_suites
from genconform.suites.record import RecordSuite
from genconform.trace.derive import DERIVATIONS
from genconform.trace.obligations import OBLIGATIONS
from genconform.tree import Tree, find_tree
from scripts import adapter_docs, command_docs

_BELOW = "<!-- Written by scripts/generate_docs.py from the rules. Do not edit below. -->"


def pages(tree: Tree) -> dict[str, str]:
    """The text of each generated page, by its path in a checkout."""
    table = load_table(tree)
    return {
        "docs/lifecycle.md": "\n".join(_lifecycle(table)) + "\n",
        "docs/lifecycle.svg": svg(picture(table)),
        adapter_docs.PATH: "\n".join(adapter_docs.page()).rstrip() + "\n",
        command_docs.PATH: "\n".join(command_docs.page()) + "\n",
        "docs/rules.md": "\n".join(_rules(tree)) + "\n",
        "docs/invariants.md": "\n".join(invariants_page(tree)).rstrip() + "\n",
        "docs/modes.md": "\n".join(modes_page(tree)) + "\n",
        "docs/eighteen-stages.md": "\n".join(stages_page(tree)) + "\n",
        "docs/sources.md": "\n".join(sources_page(tree)) + "\n",
        "docs/suites.md": "\n".join(_suites(tree)).rstrip() + "\n",
        "spec/traces.md": "\n".join(_traces(tree)) + "\n",
    }


def _lifecycle(table: Table) -> Iterator[str]:
    yield f"# The lifecycle\n\n{NOTICE}\n"
    yield (
        f"A request passes {table.counts.stages} stages. Each event takes exactly one of "
        f"{table.counts.routes} routes: {table.counts.rejecting} reject and leave the state as it "
        f"was, {table.counts.accepting} accept and move the request one stage on. Lines are asked "
        "from the top, and the first one that is taken decides. The lines below come from "
        "[spec/lifecycle.yaml](../spec/lifecycle.yaml).\n"
    )
    yield "![The stages in a row, and how each is left or not](lifecycle.svg)\n"
    yield "## Stages\n\n| stage | left by | next |\n|---|---|---|"
    for row in table.stages:
        yield f"| [{row.name}](#{row.name.lower()}) | {row.event} | {row.next} |"
    yield "\n## Asked at every stage\n"
    yield from _lines(table, table.common_lines)
    for row in table.stages:
        yield f"\n## {row.name}\n"
        yield from _lines(table, table.stage_lines[row.name])
    yield from _fields(table)


def _lines(table: Table, lines: tuple[Line, ...]) -> Iterator[str]:
    fields = {field.name: field for field in table.fields}
    facts = {fact.name: fact.meaning for fact in table.facts}
    for number, line in enumerate(lines, 1):
        if line.otherwise and not line.accepts:
            yield f"{number}. Otherwise [{line.route}](#{line.route.lower()}), once more.\n"
            continue
        kind = "accepts" if line.accepts else "rejects"
        yield f"### {line.route}\n\nLine {number}; {kind}. Taken when {line.in_words('`')}.\n"
        for name in line.names:
            if name in fields:
                yield _asked(fields[name])
            else:
                yield f"- `{name}`: {facts[name]}"
        yield ""


def _asked(field: Field) -> str:
    return f"- `{field.name}`: {field.meaning} True when {mid_sentence(field.evidence)}"


def _fields(table: Table) -> Iterator[str]:
    yield "\n## The packet's booleans\n"
    yield "| field | read at | meaning | true when |\n|---|---|---|---|"
    for field in table.fields:
        stages = (
            "every stage" if len(field.stages) == len(table.stages) else ", ".join(field.stages)
        )
        yield f"| `{field.name}` | {stages} | {field.meaning} | {field.evidence} |"


def _rules(tree: Tree) -> Iterator[str]:
    yield f"# Rules\n\n{NOTICE}\n"
    yield (
        "Every rule that a check can report, from [spec/rules.yaml](../spec/rules.yaml). Ids are "
        "stable and never reused. The rejecting routes are rules too, named `route.` and the "
        "route; [their page](lifecycle.md) explains each.\n"
    )
    for rule in load_rules(tree).values():
        if not rule.id.startswith(ROUTE_PREFIX):
            yield f"## {rule.id}\n\n{rule.text}\n"
            breaker = f"[{rule.broken_by}](../{rule.broken_by})"
            yield f"Level: {rule.level.value}. Broken on purpose by {breaker}.\n"


def _traces(tree: Tree) -> Iterator[str]:
    """The page as it stands up to the notice, then what the rules of evidence say."""
    path = tree.path("spec/traces.md")
    yield path.read_text(encoding="utf-8").partition(_BELOW)[0] + _BELOW
    yield "\n| event | boolean | shows | reads |\n|---|---|---|---|"
    authority, *_ = DERIVATIONS[EventKind.BIND_CONTEXT]
    name, reads = f"`{authority.name}` (presumed)", "`effectsRequested`"
    yield f"| every one | {name} | {authority.meaning} | {reads} |"
    for kind, derivations in DERIVATIONS.items():
        for derivation in derivations[1:]:
            reads = ", ".join(f"`{_own(field, kind)}`" for field in derivation.reads)
            name = f"`{derivation.name}`" + (" (presumed)" if derivation.presumed else "")
            yield f"| {kind.value} | {name} | {mid_sentence(derivation.meaning)} | {reads} |"
    yield "\nBeside the lifecycle, of an event that it accepted:\n"
    yield "| event | rule | asks |\n|---|---|---|"
    for owed in OBLIGATIONS:
        kinds = ", ".join(kind.value for kind in owed.kinds)
        yield f"| {kinds} | [{owed.id}]({_rule_page(owed.id)}) | {owed.meaning} |"


def _own(field: str, kind: EventKind) -> str:
    """A field without its event, unless that is another."""
    return field.removeprefix(f"{kind.value}/").replace("/", ".")


def _rule_page(rule: str) -> str:
    return f"../docs/rules.md#{rule.replace('.', '')}"


def _suites(tree: Tree) -> Iterator[str]:
    yield f"# Fixture suites\n\n{NOTICE}\n"
    yield (
        "What `genconform replay` judges: for each suite, fixtures that must pass and fixtures "
        "that one rule must catch. A suite of records lists its rules, and the values that none "
        "of them binds. [authoring.md](authoring.md) says how to add a fixture or a suite.\n"
    )
    texts = load_rules(tree)
    for suite in all_suites():
        yield f"## {suite.name}\n\n{suite.summary[0].upper()}{suite.summary[1:]}.\n"
        if isinstance(suite, RecordSuite):
            for rule in suite.rules.ids:
                yield f"- [{rule}](rules.md#{rule.replace('.', '')}): {texts[rule].text}"
            yield ""
            yield from _free(suite.free)


def _free(free: Mapping[str, str]) -> Iterator[str]:
    if not free:
        yield "Every value is bound.\n"
        return
    yield "| free value | why no rule binds it |\n|---|---|"
    for pointer, why in free.items():
        yield f"| `{pointer}` | {why} |"
    yield ""


def main() -> None:
    """Write the pages."""
    tree = find_tree()
    for name, text in pages(tree).items():
        Path(tree.root / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
