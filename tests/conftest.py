"""Settings of every test."""

from __future__ import annotations

import os

# Whether a test compiles something depends on which ran before; its output must not.
os.environ.setdefault("SPEICHER_QUIET", "1")
