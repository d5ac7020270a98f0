"""What can be named in a catalogue, found in the tree by kind."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, cached_property

from genconform.document import read_bytes
from genconform.lifecycle.packet import EventKind
from genconform.mutation.author import Placed, load_authored
from genconform.spec.rules import load_rules
from genconform.spec.table import load_table
from genconform.suites import INVALID, VALID, Fixture, Suite, all_suites, traces
from genconform.suites.authored import Bench
from genconform.suites.cache_receipts import KINDS as CACHE_KINDS
from genconform.suites.memory_policies import MECHANISMS
from genconform.suites.replay import judged
from genconform.trace.format import GENERATION_MODES
from genconform.tree import Tree

LEAN = "lean/AsiStackProofs"
PROBE = "runtime_probe/genconform_probe"
_CLAIM = re.compile(r"^def ([A-Z]\w*) : Prop", re.MULTILINE)
_THEOREM = re.compile(r"^theorem ([a-z]\w*)\b", re.MULTILINE)
_NAMED = re.compile(r'^    name(?:: [\w\[\]]+)? = "([a-z_-]+)"', re.MULTILINE)


class Known:
    """Everything in a tree that a catalogue may name, and what catches it.

    It is read, and judged, when it is first asked for.
    """

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.caught_fixture = cache(self._caught_fixture)
        self.caught_mutation = cache(self._caught_mutation)

    def names(self, kind: str) -> frozenset[str]:
        """The names of all things of a kind."""
        found: frozenset[str] = getattr(self, kind)
        return found

    @cached_property
    def rules(self) -> frozenset[str]:
        """Rules, the rejecting routes as `route.NAME` among them."""
        return frozenset(load_rules(self.tree))

    @cached_property
    def claims(self) -> frozenset[str]:
        """Claims of the Lean package for which a theorem of the same name stands there."""
        text = "".join(self._texts(LEAN, "*.lean"))
        proved = set(_THEOREM.findall(text))
        return frozenset(
            name for name in _CLAIM.findall(text) if name[0].lower() + name[1:] in proved
        )

    @cached_property
    def ran_modes(self) -> frozenset[str]:
        """The modes that the probe has a module for, read from its text: nothing is imported."""
        return frozenset(_NAMED.findall("".join(self._texts(f"{PROBE}/modes", "*.py"))))

    @cached_property
    def runs(self) -> frozenset[str]:
        """What the probe runs: modes, and faults."""
        path = self.tree.path(f"{PROBE}/faults.py")
        text = path.read_text(encoding="utf-8") if path.is_file() else ""
        return self.ran_modes | frozenset(_NAMED.findall(text)) - {"none"}

    @cached_property
    def placed_fixtures(self) -> dict[str, tuple[Suite, Fixture]]:
        """Every expected-invalid fixture as SUITE/FILE."""
        return {
            f"{suite.name}/{fixture.name.rpartition('/')[2]}": (suite, fixture)
            for suite in all_suites()
            for fixture in suite.fixtures(self.tree, INVALID)
        }

    @cached_property
    def valid_traces(self) -> frozenset[str]:
        """Committed traces that must conform, by path."""
        return frozenset(fixture.name for fixture in traces.SUITE.fixtures(self.tree, VALID))

    @property
    def fixtures(self) -> frozenset[str]:
        """Every expected-invalid fixture as SUITE/FILE."""
        return frozenset(self.placed_fixtures)

    @cached_property
    def mutations(self) -> frozenset[str]:
        """Authors' mutations as SUITE/ID."""
        return frozenset(self._placed_mutations)

    @cached_property
    def _placed_mutations(self) -> dict[str, Placed]:
        return {placed.id: placed for placed in load_authored(self.tree).mutations}

    @cached_property
    def _bench(self) -> Bench:
        return Bench(self.tree)

    def _caught_fixture(self, name: str) -> tuple[str, ...]:
        """The rules that catch an expected-invalid fixture; none for one that does not exist."""
        if name not in self.fixtures:
            return ()
        return judged(*self.placed_fixtures[name], self.tree).rules

    def _caught_mutation(self, name: str) -> tuple[str, ...]:
        """The rules that catch an author's mutation; none for one that does not exist.

        Raises:
            MalformedInput: the mutation cannot be made.
        """
        if name not in self.mutations:
            return ()
        return self._bench.attempt(self._placed_mutations[name]).caught_by

    @cached_property
    def stages(self) -> frozenset[str]:
        """The eight stages."""
        return frozenset(row.name for row in load_table(self.tree).stages)

    @cached_property
    def routes(self) -> frozenset[str]:
        """The sixty routes."""
        return frozenset(load_table(self.tree).routes())

    @cached_property
    def fields(self) -> frozenset[str]:
        """The packet's booleans and identity values."""
        table = load_table(self.tree)
        return frozenset(
            [field.name for field in table.fields] + [value.name for value in table.identity]
        )

    @cached_property
    def suites(self) -> frozenset[str]:
        """Fixture suites."""
        return frozenset(suite.name for suite in all_suites())

    @property
    def kinds(self) -> frozenset[str]:
        """Kinds of events."""
        return frozenset(kind.value for kind in EventKind)

    @property
    def modes(self) -> frozenset[str]:
        """Generation modes."""
        return frozenset(GENERATION_MODES)

    @property
    def mechanisms(self) -> frozenset[str]:
        """Mechanisms of physical memory."""
        return frozenset(MECHANISMS)

    @property
    def caches(self) -> frozenset[str]:
        """Kinds of caches."""
        return frozenset(CACHE_KINDS)

    def _texts(self, folder: str, pattern: str) -> Iterator[str]:
        for path in sorted(self.tree.path(folder).rglob(pattern)):
            yield read_bytes(path, self.tree.name(path)).decode("utf-8")
