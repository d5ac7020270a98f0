"""Run the validators of the support suites, and write down what they say and rest on.

The probe's record comes first, as the lane replays the probe. Run it after a change to a fixture,
a pin, a mutation, a schema or the code of a suite that they replay, and read the difference
before you commit it: it is what drifted.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from genconform.document import decode, read_document
from genconform.suites import support_lane, support_replay_probe
from genconform.suites.replays import sha256_of
from genconform.tree import Tree, find_tree

PROBE = "fixtures/support-replay-probe/valid/theseus-imports.json"
LANE = "fixtures/support-lane/valid/theseus-fast-support-lane.json"


def probe(tree: Tree) -> support_replay_probe.SupportReplay:
    """The probe's record, with its replays as they are now."""
    record = decode(read_document(tree.path(PROBE), PROBE), support_replay_probe.SupportReplay)
    replays = tuple(
        support_replay_probe.observe(suite, support_replay_probe.ROLES, tree)
        for suite in support_replay_probe.PROBED
    )
    artifacts = sum(len(one.artifacts) for one in replays)
    totals = support_replay_probe.Totals(len(replays), artifacts)
    return replace(record, replays=replays, totals=totals)


def lane(tree: Tree) -> support_lane.SupportLane:
    """The lane's record, with its replays, decisions and totals as they are now."""
    record = decode(read_document(tree.path(LANE), LANE), support_lane.SupportLane)
    replays = tuple(
        support_replay_probe.observe(suite, support_lane.ROLES, tree)
        for suite in support_lane.REPLAYED
    )
    decisions = tuple(
        replace(one, sha256=sha256_of(support_lane.path_of(one.id), tree))
        for one in record.decisions
    )
    now = replace(record, replays=replays, decisions=decisions)
    return replace(now, totals=support_lane.totals_of(now, tree))


def write(path: Path, record: Any) -> None:
    """Write a record as JSON."""
    text = msgspec.json.format(msgspec.json.encode(record), indent=1).decode() + "\n"
    path.write_text(text, encoding="utf-8")


def main() -> None:
    """Write both records."""
    tree = find_tree()
    write(tree.path(PROBE), probe(tree))
    write(tree.path(LANE), lane(tree))


if __name__ == "__main__":
    main()
