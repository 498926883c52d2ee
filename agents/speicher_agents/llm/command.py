"""A program of the user's own that answers: one that keeps running, or a new process for each question."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import signal
import subprocess
import threading
import weakref
from collections.abc import Mapping
from typing import Any

from speicher_agents.llm.endpoint import amount, whole
from speicher_agents.llm.prompt import ANSWER, Question, as_text
from speicher_agents.llm.replies import MOST_BYTES, ModelFailure, Reply
from speicher_agents.llm.settings import TEXT, CommandSettings
from speicher_env.errors import ArgumentError
from speicher_env.messages import shown
from speicher_env.reading import parse_json, reason

__all__ = ["Command"]

PROTOCOL = "speicher-llm/1"


class Command:
    """Answers questions by a program.

    With the format "json" the program keeps running. It is sent a line of JSON for each question, see
    `Question.as_json`, and answers with a line: ``{"action": 2}``, ``{"action": "place 2"}`` or ``{"text": "..."}``. It
    may add ``input_tokens``, ``output_tokens`` and ``cost``. With "text" each question is a new process that reads the
    prompt on stdin and prints the answer. What a program writes to stderr is shown.
    """

    def __init__(self, settings: CommandSettings, timeout: float, where: str = "command") -> None:
        """Start nothing yet.

        Args:
            settings: The program.
            timeout: Seconds for an answer.
            where: What messages call the settings.
        """
        self.settings, self.timeout, self.where = settings, timeout, where
        self._idle: queue.LifoQueue[_Running] = queue.LifoQueue()

    def __call__(self, question: Question) -> Reply:
        """Ask the program.

        Raises:
            ModelFailure: If it fails, takes too long, or answers with something else than it should.
            ArgumentError: If it cannot be started.
        """
        if self.settings.format == TEXT:
            return Reply(self._run(as_text(question.messages)))
        try:
            running = self._idle.get_nowait()
        except queue.Empty:
            running = _Running(self._start())
        try:
            line = running.ask(json.dumps({"protocol": PROTOCOL, **question.as_json()}), self.timeout)
        except BaseException:
            running.end()
            raise
        self._idle.put(running)
        return _reply(line)

    def _start(self) -> subprocess.Popen[bytes]:
        program = self.settings.program
        try:
            return subprocess.Popen(
                program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=os.name == "posix"
            )
        except (OSError, ValueError) as error:
            raise ArgumentError(f"{self.where}: {shown(program[0])} cannot be started: {reason(error)}.") from None

    def _run(self, prompt: str) -> str:
        """The output of a new process for a prompt."""
        process = self._start()
        assert process.stdout is not None
        try:
            output, _ = process.communicate(prompt.encode(), self.timeout)
        except subprocess.TimeoutExpired:
            raise ModelFailure(f"it did not answer in {self.timeout:g} s") from None
        finally:
            _end(process)
            process.stdout.close()
        if process.returncode:
            raise ModelFailure(_ending(process.returncode))
        if len(output) > MOST_BYTES:
            raise ModelFailure(f"it answered with more than {MOST_BYTES >> 20} MB")
        return output.decode("utf-8", "replace")

    def __getstate__(self) -> dict[str, Any]:
        return {"settings": self.settings, "timeout": self.timeout, "where": self.where}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.__init__(**kept)  # type: ignore[misc]


class _Running:
    """A process that answers line by line. It ends with this object."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self.end = weakref.finalize(self, _end, process)
        threading.Thread(target=_listen, args=(process, self.lines), daemon=True).start()

    def ask(self, question: str, timeout: float) -> bytes:
        """Send a line and return the next one; lines that nobody asked for are dropped."""
        assert self.process.stdin is not None
        while not self.lines.empty():
            if not self.lines.get():
                raise ModelFailure(_ending(self.process.wait()))
        with contextlib.suppress(OSError):  # it has ended; its listener says so
            self.process.stdin.write(question.encode() + b"\n")
            self.process.stdin.flush()
        try:
            line = self.lines.get(timeout=timeout)
        except queue.Empty:
            raise ModelFailure(f"it did not answer in {timeout:g} s") from None
        if not line:
            raise ModelFailure(_ending(self.process.wait()))
        if len(line) > MOST_BYTES:
            raise ModelFailure(f"it answered with a line of more than {MOST_BYTES >> 20} MB")
        return line


def _listen(process: subprocess.Popen[bytes], lines: queue.SimpleQueue[bytes]) -> None:
    """Hand on the lines of a process; an empty one means that there are no more."""
    assert process.stdout is not None
    with process.stdout, contextlib.suppress(OSError):
        while line := process.stdout.readline(MOST_BYTES + 1):
            lines.put(line)
    lines.put(b"")


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process and those that it has started."""
    if process.poll() is None:
        with contextlib.suppress(OSError):
            if os.name == "posix":
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
        process.wait()
    with contextlib.suppress(OSError):
        assert process.stdin is not None
        process.stdin.close()


def _ending(code: int) -> str:
    return f"it ended with signal {-code}" if code < 0 else f"it ended with exit code {code}"


def _reply(line: bytes) -> Reply:
    """The answer in a line of JSON."""
    reply: Mapping[str, Any] = parse_json(line, "its answer", 'like {"action": 2}', ModelFailure)
    if "error" in reply:
        raise ModelFailure(f"it answered with the error {shown(reply['error'])}")
    action, text = reply.get("action"), reply.get("text")
    if isinstance(action, str | int) and not isinstance(action, bool):
        text = f"{ANSWER} {action}"
    if not isinstance(text, str):
        raise ModelFailure("it answered with a line that has neither an action nor a text")
    return Reply(text, whole(reply.get("input_tokens")), whole(reply.get("output_tokens")), amount(reply.get("cost")))
