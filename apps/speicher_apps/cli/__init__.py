"""The `speicher` command: one file per subcommand, gathered in `app`."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

_NEEDED = ("typer", "rich")


__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit with its code.

    Args:
        arguments: The arguments without the program's name; default: those of this process.
    """
    try:
        code = _main(sys.argv[1:] if arguments is None else list(arguments))
    except KeyboardInterrupt:  # during the imports
        code = 130
    sys.exit(code)


def _main(arguments: list[str]) -> int:
    from speicher_apps.cli.streams import prepare_streams

    prepare_streams()
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
            f"speicher: the command needs the package {missing}: pip install 'speicher-env[cli]'",
            file=sys.stderr,
        )
        return 2
    return run(app, arguments)
