"""The modes that the probe runs, by name. A new mode is one module and its line here."""

from __future__ import annotations

from genconform_probe.mode import Mode
from genconform_probe.modes.autoregressive import Autoregressive
from genconform_probe.modes.speculative import Speculative

MODES: dict[str, Mode] = {mode.name: mode for mode in (Autoregressive(), Speculative())}
