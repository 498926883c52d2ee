"""The server: the tools by the official `mcp` package, over stdin and stdout."""

from __future__ import annotations

import os
import signal
import sys
import threading
import traceback
from collections.abc import Sequence
from typing import Any

import anyio
import mcp_types as types
from anyio.to_thread import run_sync
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

import speicher_env
from speicher_apps.mcp.tools import INSTRUCTIONS, Output, Tool
from speicher_env import ArgumentError, DeckError, IllegalAction, RecordError, StateError, UnknownAction
from speicher_env.messages import must_be, one_of

__all__ = ["run", "server"]

INTERRUPTED = 130
_INPUT_ERRORS = (ArgumentError, DeckError, IllegalAction, RecordError, StateError, UnknownAction)


def run(tools: Sequence[Tool]) -> None:
    """Serve until stdin ends.

    The package keeps stdout for the protocol and points it to stderr for everything else in this process, so that
    nothing a player prints can get between two messages.
    """
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, lambda *_: os._exit(INTERRUPTED))  # a thread waits for stdin and cannot be ended
    anyio.run(_serve, server(tools))


async def _serve(serving: Server[Any]) -> None:
    async with stdio_server() as (receive, send):
        await serving.run(receive, send, serving.create_initialization_options())


def server(tools: Sequence[Tool]) -> Server[Any]:
    """A server of the tools; one call is carried out at a time."""
    by_name = {tool.name: tool for tool in tools}
    busy = anyio.Lock()

    async def list_tools(context: Any, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(
            tools=[
                types.Tool(
                    name=tool.name,
                    description=tool.description,
                    input_schema=tool.schema(),
                    annotations=types.ToolAnnotations(
                        read_only_hint=not tool.changes, open_world_hint=False, destructive_hint=tool.name == "end_game"
                    ),
                )
                for tool in tools
            ]
        )

    async def call_tool(context: Any, params: Any) -> types.CallToolResult:
        async with busy:
            return await run_sync(_result, by_name, params.name, params.arguments or {})

    return Server(
        "speicher",
        version=speicher_env.__version__,
        instructions=INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )


def _result(tools: dict[str, Tool], name: str, arguments: dict[str, Any]) -> types.CallToolResult:
    """What a call gives: the tool's output, or one sentence that says what is wrong."""
    try:
        if name not in tools:
            raise ArgumentError(must_be("tool", name, one_of(name, tools)))
        output = tools[name].call(arguments)
    except _INPUT_ERRORS as error:
        return types.CallToolResult(content=[_text(_one_sentence(str(error)))], is_error=True)
    except Exception as error:
        print("speicher: this is a bug in speicher-env: please report it with the lines below", file=sys.stderr)
        traceback.print_exc()
        problem = f"The server failed with {type(error).__name__}; its output on stderr says more."
        return types.CallToolResult(content=[_text(problem)], is_error=True)
    return _answer(output)


def _answer(output: Output) -> types.CallToolResult:
    return types.CallToolResult(content=[_text(output.words)], structured_content=output.data)


def _text(words: str) -> types.TextContent:
    return types.TextContent(type="text", text=words)


def _one_sentence(words: str) -> str:
    line = " ".join(words.split())
    return line if line.endswith((".", "?", "!")) else f"{line}."
