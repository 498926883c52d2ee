"""Write the golden games anew: `python -m tests.support.write_golden`. Read the diff before keeping it."""

from __future__ import annotations

from tests.support.playthrough import GAMES, text_of


def main() -> None:
    """Write every golden game to its file."""
    for golden in GAMES:
        text = text_of(golden)
        golden.path.write_text(text, encoding="utf-8")
        print(f"{golden.path.name}: {len(text.splitlines())} lines")


if __name__ == "__main__":
    main()
