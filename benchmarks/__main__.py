"""`python -m benchmarks`: measure all that concerns this project alone, each part in a process of its own."""

from __future__ import annotations

import subprocess
import sys
import time

PARTS = ("layers", "limit", "scaling", "training_share", "search")


def main() -> None:
    """Hand the arguments on to every part."""
    for part in PARTS:
        print(f"== {part}", flush=True)
        start = time.perf_counter()
        run = subprocess.run([sys.executable, "-m", f"benchmarks.{part}", *sys.argv[1:]], check=False)
        if run.returncode:
            sys.exit(run.returncode)
        print(f"== {part}: {time.perf_counter() - start:.0f} s", flush=True)


if __name__ == "__main__":
    main()
