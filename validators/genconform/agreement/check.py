"""The check `agreement`: table, machine and bulk engine say the same, wherever they are asked."""

from __future__ import annotations

from genconform.agreement.disagreement import finding_of_runs, finding_of_space
from genconform.agreement.engines import engines_of
from genconform.agreement.runs import compare_runs
from genconform.agreement.whole import visit_all
from genconform.context import Context
from genconform.document import read_document
from genconform.finding import CheckResult, verdict_of
from genconform.lifecycle.check import vocabulary
from genconform.lifecycle.space import TOTAL_SIZE
from genconform.spec.table import TABLE_PATH, parse_table

SEED = 20_250_601
RUNS = 2_000


def run(context: Context) -> CheckResult:
    """Compare them on the whole space and on seeded random runs.

    A table whose vocabulary is not the machine's cannot be compared case by case; that is then
    what is found.
    """
    document = read_document(context.tree.path(TABLE_PATH), TABLE_PATH)
    table = parse_table(document)
    if different := tuple(vocabulary(table, document)):
        return CheckResult("agreement", verdict_of(different, 0), {"cases": 0}, different)
    engines = engines_of(table)
    visited = visit_all(table, context.jobs)
    steps, strays = compare_runs(engines, SEED, RUNS)
    findings = (
        *(finding_of_space(engines, document, one) for one in visited.disagreements),
        *(finding_of_runs(engines, document, one) for one in strays),
    )
    counts = {"cases": TOTAL_SIZE, "engines": 3, "random_runs": RUNS, "random_steps": steps}
    return CheckResult(
        "agreement",
        verdict_of(findings, TOTAL_SIZE),
        counts,
        findings,
        details={"hits": visited.hits},
    )
