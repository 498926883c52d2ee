"""The meter of `speicher bench`: each layer of the environment measured by itself.

It is part of the package, so that users can measure the machine on which they train. Comparisons with other projects
and the numbers in the documentation come from `benchmarks/` in the repository.
"""

from __future__ import annotations

from speicher_apps.meter.meter import Lap, Measurement, Rate, measure, timed

__all__ = ["Lap", "Measurement", "Rate", "measure", "timed"]
