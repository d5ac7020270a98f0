"""Keep an envelope of this release under fixtures/envelopes/, for tests to verify for ever.

Run it once at a release. It copies a few small files, attests them, and signs with a key that it
makes and forgets; the public half stays. A folder that exists is never touched.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

import msgspec

from genconform import __version__
from genconform.context import Context
from genconform.digest.attest import attest
from genconform.digest.check import run
from genconform.digest.envelope import generate, load_signer, seal
from genconform.digest.manifest import MANIFEST_PATH, bind
from genconform.digest.statement import write_statement
from genconform.finding import report_of
from genconform.report import FORMATS
from genconform.tree import Tree, find_tree

KEPT = "fixtures/envelopes"
_FILES = ("mutations/order.yaml", "lean/lean-toolchain", "lean/lakefile.toml")


def keep(tree: Tree, folder: Path, kind: str) -> None:
    """Fill a new folder: root/ with the subjects, the envelope, and the public key."""
    root = folder / "root"
    for name in _FILES:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(tree.path(name), root / name)
    small = Tree(root.resolve())
    manifest = msgspec.json.format(msgspec.json.encode(bind(small)), indent=1)
    (root / MANIFEST_PATH).write_bytes(manifest + b"\n")
    report = report_of([run(Context(small))])
    (root / "report.json").write_text(FORMATS["json"](report), encoding="utf-8")
    pair = generate(kind)
    with tempfile.TemporaryDirectory() as forgotten:
        private = Path(forgotten) / "key"
        private.write_bytes(pair.private)
        envelope = seal(
            write_statement(attest(small, root / "report.json")), [load_signer(private)]
        )
    (folder / "statement.dsse.json").write_bytes(envelope)
    (folder / "key.pub").write_bytes(pair.public)


def main() -> None:
    """Keep one envelope for each kind of key."""
    tree = find_tree()
    for kind in ("ed25519", "ecdsa"):
        folder = tree.root / KEPT / f"{__version__}-{kind}"
        if folder.exists():
            sys.exit(f"{folder} is kept already")
        keep(tree, folder, kind)


if __name__ == "__main__":
    main()
