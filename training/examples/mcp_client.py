"""Play a game through `speicher mcp`, as a program. It needs the extra ``[mcp]``.

    python training/examples/mcp_client.py --opponent merchant --seed 1

In place of the first legal action, ask a model: what the tools answer is written for it.
"""

from __future__ import annotations

import argparse
from typing import Any

import anyio
from mcp import Client, StdioServerParameters


def choose(position: str, legal: list[str]) -> str:
    """The action to play, from the table in words and the legal actions."""
    return legal[0]


async def play(opponent: str, seed: int) -> dict[str, Any]:
    """Play a game to its end; what a program is told of it."""
    async with Client(StdioServerParameters(command="speicher", args=["mcp"])) as client:
        answer = await client.call_tool("new_game", {"opponents": [opponent], "seed": seed})
        while not answer.structured_content["over"]:
            action = choose(answer.content[0].text, answer.structured_content["legal"])
            answer = await client.call_tool("play", {"action": action})
            if answer.is_error:
                raise SystemExit(answer.content[0].text)
        return answer.structured_content


def main() -> None:
    """Play, and tell the points."""
    parser = argparse.ArgumentParser(description="Play a game through speicher mcp.")
    parser.add_argument("--opponent", default="random", help="the player in the other seat")
    parser.add_argument("--seed", type=int, default=1, help="of the game")
    arguments = parser.parse_args()
    end = anyio.run(play, arguments.opponent, arguments.seed)
    print(f"points {end['points']}, won by seats {end['winners']}")


if __name__ == "__main__":
    main()
