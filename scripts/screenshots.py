"""Take the docs' two screenshots of the HTML report: desktop and light, phone and dark.

Usage: python -m scripts.screenshots REPORT.json, with a report of `validate-all`. Needs Chromium.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from genconform.document import read_bytes, read_report
from genconform.report.html import render
from tests.report.browser import browse, find_chromium

DOCS = Path(__file__).parents[1] / "docs"
SHOTS = (
    ("report-desktop.png", (1100, 760), "light", "route-requireMatchedBaseline", "lifecycle"),
    ("report-phone.png", (360, 740), "dark", "", ""),
)


def main() -> None:
    """Take them."""
    program = find_chromium()
    if program is None or len(sys.argv) != 2:
        raise SystemExit(__doc__)
    report = read_report(read_bytes(Path(sys.argv[1]), sys.argv[1]), sys.argv[1])
    with tempfile.TemporaryDirectory() as folder, browse(program, Path(folder, "profile")) as page:
        file = Path(folder, "report.html")
        file.write_text(render(report), encoding="utf-8")
        for name, size, scheme, route, section in SHOTS:
            page.resize(*size)
            page.prefer(scheme)
            page.load(file)
            if route:
                page.run(f"document.querySelector('#graph a[href=\"#{route}\"]').click()")
                page.run(f"document.getElementById('{section}').scrollIntoView()")
                page.run("new Promise((done) => requestAnimationFrame(() => done(1)))")
            (DOCS / name).write_bytes(page.screenshot())


if __name__ == "__main__":
    main()
