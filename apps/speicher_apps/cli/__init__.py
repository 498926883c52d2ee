"""The `speicher` command: one file per subcommand, gathered in `app`."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

_NEEDED = ("typer", "rich")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line (without the program's name; None: what it was called with) and exit with its code."""
    # Read when NumPy is loaded, here and in workers. Networks are small: threads of their own would only wait.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        from speicher_apps.cli.app import app
        from speicher_apps.cli.errors import run
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing not in _NEEDED:
            raise
        print(
            f"speicher: the command needs the package {missing}, which `pip install 'speicher-env[cli]'` brings",
            file=sys.stderr,
        )
        sys.exit(2)
    sys.exit(run(app, sys.argv[1:] if arguments is None else list(arguments)))
