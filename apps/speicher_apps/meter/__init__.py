"""The meter of `speicher bench`: each layer of the environment measured apart.

It lies in the package, not in the repository's `benchmarks/`, because the command comes with the wheel: a user should
be able to measure the machine that is to do the training. Comparisons with other projects, the pages and their numbers
are for those who work on the repository, and stay there.
"""

from __future__ import annotations

from speicher_apps.meter.meter import Lap, Measurement, Rate, measure, timed

__all__ = ["Lap", "Measurement", "Rate", "measure", "timed"]
