"""The mutations: what nobody noticed first, then what is proved to be no other, then the rest."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from genconform.report.html.details import Authored, Mutant, Mutations, RuleMutant
from genconform.report.html.markup import Markup, tag

_ORDER = ("survived", "equivalent", "killed")
_SAID = {
    "survived": "survived: no suite notices them",
    "equivalent": "equivalent: proved to be the same lifecycle",
    "killed": "killed",
}


def section(mutations: Mutations) -> Markup:
    """The table's mutants, the authors' changes, the mutants of rules."""
    return tag(
        "section",
        tag("h2", "Mutations"),
        *_table_groups(mutations.table),
        *_authored_groups(mutations.authored),
        *_rule_groups(mutations.rules),
        id="mutations",
    )


def _table_groups(mutants: Iterable[Mutant]) -> Iterator[Markup]:
    """Mutants of the table by outcome."""
    listed = list(mutants)
    if listed:
        yield tag("h3", f"Mutants of the table: {len(listed):,}")
        if not any(one.outcome == "survived" for one in listed):
            yield tag("p", "None survived.")
    for outcome in _ORDER:
        rows = [one for one in listed if one.outcome == outcome]
        if rows:
            yield _group(
                f"{len(rows):,} {_SAID[outcome]}",
                ("mutant", "shown by"),
                (_table_row(one) for one in rows),
                open_=outcome == "survived",
            )


def _table_row(one: Mutant) -> Markup:
    if one.killed_by:
        shown = f"{one.killed_by}: expected {one.expected}, and it gives {one.actual}"
    elif one.cases_visited:
        shown = f"a visit to {one.cases_visited:,} cases"
    else:
        shown = "nothing" if one.outcome == "survived" else "a proof"
    return _row(one.id, shown, bad=one.outcome == "survived")


def _authored_groups(authored: dict[str, tuple[Authored, ...]]) -> Iterator[Markup]:
    if authored:
        yield tag("h3", "Authors' changes")
    for suite, rows in authored.items():
        uncaught = [one for one in rows if not one.caught]
        caught = len(rows) - len(uncaught)
        yield _group(
            f"{suite}: {caught} of {len(rows)} caught by the rule they name",
            ("change", "caught by"),
            (_authored_row(one) for one in sorted(rows, key=lambda one: one.caught)),
            open_=bool(uncaught),
        )


def _authored_row(one: Authored) -> Markup:
    by = ", ".join(one.caught_by) or "nothing"
    shown = by if one.caught else f"{by}; it must be {one.expected}"
    return _row(one.id, shown, bad=not one.caught)


def _rule_groups(mutants: tuple[RuleMutant, ...]) -> Iterator[Markup]:
    if not mutants:
        return
    idle = [one for one in mutants if not one.passes]
    yield tag("h3", f"Rules left out: {len(mutants):,}")
    yield _group(
        f"{len(mutants) - len(idle):,} noticed, {len(idle):,} idle",
        ("suite without rule", "what then passes"),
        (
            _row(f"{one.suite} without {one.without}", ", ".join(one.passes) or "nothing", bad=bad)
            for one in sorted(mutants, key=lambda one: bool(one.passes))
            for bad in [not one.passes]
        ),
        open_=bool(idle),
    )


def _group(title: str, heads: tuple[str, str], rows: Iterable[Markup], *, open_: bool) -> Markup:
    return tag(
        "details",
        tag("summary", title),
        tag(
            "table",
            tag("thead", tag("tr", *(tag("th", head, scope="col") for head in heads))),
            tag("tbody", *rows),
            class_="pairs",
        ),
        class_="card",
        open=open_,
    )


def _row(name: str, shown: str, *, bad: bool) -> Markup:
    return tag(
        "tr",
        tag("th", tag("code", name), scope="row"),
        tag("td", shown),
        data_row=True,
        data_bad=bad,
    )
