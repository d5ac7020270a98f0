"""The libraries that run models: said to be missing before anything imports them."""

from __future__ import annotations

from importlib.util import find_spec

from genconform.errors import Unsupported

REQUIRED = ("torch", "transformers", "tokenizers", "safetensors")


def require_model_libraries() -> None:
    """See to it that models can be run.

    Raises:
        Unsupported: a library that the probe runs on is not installed.
    """
    if missing := [name for name in REQUIRED if find_spec(name) is None]:
        raise Unsupported(
            "the probe runs real models, and a library for that is not installed",
            expected=", ".join(REQUIRED),
            actual="no " + ", no ".join(missing),
            remedy="Install it with: pip install 'genconform[probe]'",
        )
