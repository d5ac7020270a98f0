#!/usr/bin/env python3
"""Put every mutant of the lifecycle's table before Lean's kernel and record what it said.

Writes tests/lean/mutants.json. Ends with 1 when the kernel let a mutant through that is not
equivalent, refused one that is, or Lean said anything else. Takes a few minutes on one core.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from genconform.digest.canonical import canonical_digest, sha256_hex
from genconform.document import read_document
from genconform.lean.build import Build
from genconform.lean.certificate import certify
from genconform.lean.mutants import Refusal, compile_encoding, control, put_before_kernel
from genconform.lean.package import FOLDER
from genconform.lean.toolchain import LEAN_VERSION, find_toolchain
from genconform.mutation.equivalence import Proof, prove
from genconform.mutation.operators import Mutant, mutants
from genconform.spec.table import TABLE_PATH, Table, load_table
from genconform.tree import Tree, find_tree

RECORD = Path(__file__).resolve().parent.parent / "tests" / "lean" / "mutants.json"


def subject(tree: Tree) -> dict[str, str]:
    """What a record is about: the table's behaviour, the certificate, the Lean that was asked."""
    return {
        "tableSha256": canonical_digest(behaviour(read_document(tree.path(TABLE_PATH)).value)),
        "certificateSha256": sha256_hex(certify().render().encode()),
        "lean": LEAN_VERSION,
    }


def behaviour(table: dict[str, Any]) -> dict[str, Any]:
    """What of a table decides and counts. Its prose may change without another answer."""
    compared = {fact["name"]: fact.get("compares", []) for fact in table["facts"]}
    deciding = ("stages", "effects", "commonLines", "stageLines")
    return {name: table[name] for name in deciding} | {"compares": compared}


def faults(table: Table, made: list[Mutant], said: list[Refusal]) -> list[str]:
    """Where the kernel's answer is not what the mutant deserves."""
    wrong = []
    for mutant, refusal in zip(made, said, strict=True):
        equivalent = isinstance(prove(table, mutant), Proof)
        if refusal.broken:
            wrong.append(f"{mutant.id}: Lean said {refusal.broken[:300]}")
        elif equivalent == bool(refusal.refused):
            verdict = f"refused by {refusal.refused}" if refusal.refused else "let through"
            wrong.append(f"{mutant.id}: {verdict}, equivalent: {equivalent}")
    return wrong


def record(tree: Tree, said: list[Refusal]) -> dict[str, object]:
    """The result as plain data, the same for the same input."""
    total = Counter(refusal.operator for refusal in said)
    refused = Counter(refusal.operator for refusal in said if refusal.refused)
    return {
        "subject": subject(tree),
        "mutants": len(said),
        "refused": sum(refused.values()),
        "operators": {
            operator: {"mutants": total[operator], "refused": refused[operator]}
            for operator in total
        },
        "refusedBy": {one.mutant: one.refused for one in said if one.refused},
        "letThroughAsEquivalent": [one.mutant for one in said if not one.refused],
    }


def main() -> int:
    """Ask about all mutants, and write the record when every answer is right."""
    tree, certificate, start = find_tree(), certify(), time.monotonic()
    table = load_table(tree)
    made = list(mutants(table))
    said: list[Refusal] = []
    with TemporaryDirectory() as folder:
        build = Build(find_toolchain(tree.path(FOLDER)), Path(folder))
        compile_encoding(tree, build)
        wrong = [f"the control failed: {text}" for text in control(build, table, certificate)]
        for refusal in put_before_kernel(build, table, made, certificate):
            said.append(refusal)
            if len(said) % 40 == 0 or len(said) == len(made):
                seconds = time.monotonic() - start
                sys.stderr.write(f"{len(said)} of {len(made)} mutants, {seconds:.0f} s\n")
    wrong += faults(table, made, said)
    for line in wrong:
        sys.stderr.write(line + "\n")
    if not wrong:
        text = msgspec.json.format(msgspec.json.encode(record(tree, said)), indent=2).decode()
        RECORD.write_text(text + "\n", encoding="utf-8")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
