"""Runs real models under recording and writes traces that genconform judges.

Importing this package imports no model library; the modules that run models do, and only then.
"""

from __future__ import annotations

import os

# The models are in the package: nothing is ever fetched.
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("TRANSFORMERS_OFFLINE", "1")
os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
