"""The modes that the probe runs. A new mode is one module, named as the mode, and its line here."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from genconform_probe.mode import Mode

_CLASSES = {
    "autoregressive": "Autoregressive",
    "speculative": "Speculative",
}
MODE_NAMES = tuple(_CLASSES)
"""Known without importing the libraries that modes run on."""


@cache
def load_mode(name: str) -> Mode:
    """The mode of a name in MODE_NAMES."""
    mode: Mode = getattr(import_module(f"{__name__}.{name}"), _CLASSES[name])()
    return mode


def load_modes(names: Iterable[str] = MODE_NAMES) -> tuple[Mode, ...]:
    """The modes of these names; all by default."""
    return tuple(map(load_mode, names))
