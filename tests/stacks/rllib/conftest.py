"""Ray's workers run at the priority of the tests; at its default, niceness 15, they starve on a busy machine."""

from __future__ import annotations

import os

os.environ.setdefault("RAY_worker_niceness", "0")  # Ray's name
