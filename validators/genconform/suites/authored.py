"""Authors' mutations, made and judged: each must be caught by the one rule that it names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from genconform.errors import GenconformError, MalformedInput
from genconform.finding import CheckResult, Finding, Level, Location, Verdict, verdict_of
from genconform.mutation.author import Authored, Fault, Placed, Unfit, load_authored, one_of
from genconform.spec.rules import ROUTE_PREFIX, load_rules
from genconform.spec.table import Table, load_table
from genconform.suites import VALID, Fixture, Suite, all_suites
from genconform.suites.replay import judged
from genconform.tree import Tree


@dataclass(frozen=True)
class Tried:
    """An author's mutation that was made: the rule that must catch it, and those that did."""

    placed: Placed
    suite: Suite
    changed: Fixture
    expected: str
    caught_by: tuple[str, ...]

    @property
    def as_expected(self) -> bool:
        """Whether the one rule that is named caught it, and no other."""
        return self.caught_by == (self.expected,)

    @property
    def route(self) -> str:
        """The route that must catch it, where it is a route's rule that must."""
        return self.expected.removeprefix(ROUTE_PREFIX)


class Bench:
    """What mutations are tried on: the valid fixtures of every suite, and the rules."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._rules = list(load_rules(tree))
        self._accepting = load_table(tree).accepting()
        self._bases = {
            f"{suite.prefix or suite.name}/{fixture.stem}": (suite, fixture)
            for suite in all_suites()
            for fixture in _valid_fixtures(suite, tree)
        }
        self._refusals: dict[str, str] = {}

    def attempt(self, placed: Placed) -> Tried:
        """Make an author's change and see what catches it.

        Raises:
            MalformedInput: the base is unknown or not accepted, the change cannot be made, or what
                must catch it is no rule.
        """
        mutation = placed.mutation
        try:
            suite, base = self._base(mutation.base)
            expected = self._expected(mutation.expect)
            changed = suite.change(base, mutation)
        except Unfit as unfit:
            raise placed.refused(unfit) from unfit
        return Tried(placed, suite, changed, expected, judged(suite, changed, self._tree).rules)

    def _base(self, name: str) -> tuple[Suite, Fixture]:
        if name not in self._bases:
            raise Unfit("no such base", "/base", one_of(name, self._bases), name)
        suite, fixture = self._bases[name]
        if name not in self._refusals:
            judgement = judged(suite, fixture, self._tree)
            self._refusals[name] = judgement.said if judgement.findings else ""
        if self._refusals[name]:
            raise Unfit(
                "the base is not accepted",
                "/base",
                "a base that no rule catches",
                self._refusals[name],
            )
        return suite, fixture

    def _expected(self, name: str) -> str:
        """The rule of a name, which may be a rejecting route's."""
        if name in self._accepting:
            raise Unfit(
                f"{name} accepts, and a mutation must be caught",
                "/expect",
                "a rejecting route or a rule; a run that is accepted is a valid fixture",
            )
        for rule in (name, ROUTE_PREFIX + name):
            if rule in self._rules:
                return rule
        names = [rule.removeprefix(ROUTE_PREFIX) for rule in reversed(self._rules)]
        raise Unfit("no such route or rule", "/expect", one_of(name, names), name)


def _valid_fixtures(suite: Suite, tree: Tree) -> list[Fixture]:
    """What authors may change; what a suite cannot gather is for the check `fixtures` to say."""
    with suppress(GenconformError):
        return suite.fixtures(tree, VALID)
    return []


@dataclass(frozen=True)
class Trial:
    """Author suites, tried: the mutations that could be made, and what is wrong with the rest."""

    authored: Authored
    tried: tuple[Tried, ...]

    def result(self, suite: str) -> CheckResult:
        """What one suite comes to."""
        tried = [one for one in self.tried if one.placed.suite == suite]
        faults = [_malformed(fault.error) for fault in self.authored.faults if fault.suite == suite]
        findings = (*faults, *(finding for one in tried for finding in _uncaught(one)))
        caught = sum(one.as_expected for one in tried)
        malformed = faults and caught == len(tried)
        return CheckResult(
            suite,
            Verdict.MALFORMED if malformed else verdict_of(findings, len(tried)),
            {"mutations": len(tried), "caught": caught},
            findings,
            details={"mutations": [_details(one) for one in tried]},
        )

    def uncovered(self, table: Table) -> tuple[str, ...]:
        """The rejecting routes that no single change of an accepted run is caught by."""
        covered = {
            one.route for one in self.tried if one.as_expected and len(one.placed.mutation.set) == 1
        }
        rejecting = (route for route in table.routes() if route not in table.accepting())
        return tuple(route for route in rejecting if route not in covered)


def try_all(tree: Tree, wanted: Callable[[Placed], bool] = lambda _: True) -> Trial:
    """Try every mutation of a tree that is wanted."""
    authored, bench = load_authored(tree), Bench(tree)
    tried, faults = [], []
    for placed in filter(wanted, authored.mutations):
        try:
            tried.append(bench.attempt(placed))
        except MalformedInput as fault:
            faults.append(Fault(placed.suite, fault))
    return Trial(replace(authored, faults=(*authored.faults, *faults)), tuple(tried))


def _malformed(error: GenconformError) -> Finding:
    return Finding(
        "mutation.suite.malformed",
        Level.ERROR,
        error.message,
        error.location or Location(),
        error.expected,
        error.actual,
    )


def _uncaught(one: Tried) -> Iterator[Finding]:
    if one.as_expected:
        return
    rule, message = "mutation.change.misattributed", "another rule catches the change"
    if not one.caught_by:
        rule, message = "mutation.change.uncaught", "nothing catches the change"
    elif one.expected in one.caught_by:
        message = "other rules catch the change as well"
    yield Finding(
        rule,
        Level.ERROR,
        f"{one.placed.mutation.id}: {message}",
        one.placed.location,
        one.expected,
        ", ".join(one.caught_by) or "no rule",
    )


def _details(one: Tried) -> dict[str, Any]:
    return {
        "id": one.placed.mutation.id,
        "expected": one.expected,
        "caughtBy": list(one.caught_by),
    }
