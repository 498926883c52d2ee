"""A language model that plays."""

from __future__ import annotations

import json
import threading
import time
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from speicher_agents.agent import Agent
from speicher_agents.human import one_row
from speicher_agents.llm.answer import BadAnswer, read_answer
from speicher_agents.llm.command import Command
from speicher_agents.llm.endpoint import Endpoint
from speicher_agents.llm.kinds import NAME
from speicher_agents.llm.prompt import Question
from speicher_agents.llm.replies import Model, ModelFailure, Reply
from speicher_agents.llm.settings import FORFEIT, EndpointSettings, LanguageModelSettings, read_settings
from speicher_agents.usage import Counter
from speicher_env.errors import ArgumentError
from speicher_env.messages import must_be
from speicher_env.reading import path_shown, reason
from speicher_env.rules.actions import ACTION_TEXTS
from speicher_env.views import Views

__all__ = ["LanguageModel"]

FIRST_WAIT = 0.5
"""Seconds to wait after a failure, twice as long after each further one."""
_MILLION = 1_000_000


class LanguageModel(Agent):
    """A language model that is asked for every decision in words, each time from the beginning.

    It is neither fast nor does it repeat itself: the same seed need not give the same game again.
    """

    def __init__(self, model: Model, settings: LanguageModelSettings | None = None, name: str = NAME) -> None:
        """Seat a model.

        Args:
            model: A function from a `Question` to the text of an answer, or to a `Reply`.
            settings: What the player does besides. Default: see `LanguageModelSettings`.
            name: The player's name in messages and in the log.

        Raises:
            ArgumentError: If the player that decides on errors is not one of an installed package.
        """
        self.settings = settings or LanguageModelSettings()
        self.name = name
        self.seed = 0
        self._model = model
        self._counter = Counter()
        self._answered = False
        self._refusal: ArgumentError | None = None
        self._fallback = _fallback(self.settings.on_error, name)
        self._begin()

    def _begin(self) -> None:
        """Make what neither a copy nor a pickle keeps."""
        self._lock = threading.Lock()
        self._kept: dict[bytes, list[int | Exception]] = {}

    @classmethod
    def from_file(cls, file: str | None, model: str | None = None) -> LanguageModel:
        """The player that a settings file describes.

        Args:
            file: The path of a TOML file.
            model: In place of the endpoint's model in the file.

        Raises:
            ArgumentError: If the file cannot be read, or something in it is wrong.
        """
        if not file:
            raise ArgumentError(f'player "{NAME}": must name a settings file, as in {NAME}:mine.toml.')
        settings, source = read_settings(file)
        where = path_shown(file)
        name = f"{NAME}:{file}"
        if isinstance(source, EndpointSettings):
            chosen = source if model is None else replace(source, model=model)
            answers: Model = Endpoint(chosen, settings.timeout, where)
        elif model is not None:
            raise ArgumentError(f"player {name}: {where} has no endpoint, so model cannot be given.")
        else:
            answers = Command(source, settings.timeout, where)
        return cls(answers, settings, name if model is None else f"{name},model={model}")

    def reset(self, seed: int) -> None:
        """Seed the player that decides on errors; a model has no seed."""
        self.seed = seed
        self._kept.clear()
        if self._fallback is not None:
            self._fallback.reset(seed)

    def check_players(self, players: int) -> None:
        """Check the player that decides on errors; a model plays all numbers of players."""
        if self._fallback is not None:
            self._fallback.check_players(players)

    def usage(self) -> dict[str, float]:
        """See `Agent.usage`: decisions, requests, tokens, dollars, and answers that were of no use."""
        return self._counter.counts()

    def act(self, views: Views) -> np.ndarray:
        """The model's choice for each row, several asked for at a time.

        Raises:
            ArgumentError: If a row has no usable answer and `on_error` is "forfeit", or if the model cannot be asked
                at all. The answers for the other rows are kept, in case they are asked for one by one.
        """
        outcomes = self._outcomes(views)
        failures = [outcome for outcome in outcomes if isinstance(outcome, Exception)]
        if not failures:
            return np.array(outcomes, dtype=np.int64)
        if len(outcomes) > 1:
            self._kept = defaultdict(list)
            for row, outcome in enumerate(outcomes):
                self._kept[_key(views, row)].append(outcome)
        raise failures[0]

    def _outcomes(self, views: Views) -> list[int | Exception]:
        """An action or an error for each row."""
        rows = [one_row(views, row) for row in range(len(views))]
        if len(rows) == 1:
            kept = self._kept.get(_key(views, 0))
            return [kept.pop() if kept else self._outcome(rows[0])]
        pool = ThreadPoolExecutor(min(self.settings.parallel, len(rows)))
        try:
            return list(pool.map(self._outcome, rows))
        finally:
            pool.shutdown(wait=False, cancel_futures=True)

    def _outcome(self, view: Views) -> int | Exception:
        try:
            return self._decide(view)
        except Exception as error:  # a model of the user's own may raise anything
            return error

    def _decide(self, view: Views) -> int:
        """Ask until there is a legal action, or the attempts are used up."""
        state, settings = view.states[0], self.settings
        question = Question(state, view.observations[0], rules=settings.rules, instructions=settings.instructions)
        if self._refusal is not None:
            raise self._refusal
        self._counter.add(decisions=1)
        problem, wait = "", 0.0
        for attempt in range(settings.retries + 1):
            if wait:
                time.sleep(wait)
            wait = 0.0
            self._counter.add(requests=1)
            try:
                reply = self._ask(question)
                action = read_answer(reply.text, state)
            except ModelFailure as failure:
                self._counter.add(failed=1)
                problem = str(failure).rstrip(".")
                wait = min(FIRST_WAIT * 2**attempt if failure.wait is None else failure.wait, settings.timeout)
                self._write(question, problem=problem)
            except BadAnswer as fault:
                self._counter.add(**{"illegal" if fault.illegal else "unreadable": 1})
                problem = f"its answer was {'illegal' if fault.illegal else 'unreadable'}: {str(fault).rstrip('.')}"
                self._write(question, reply, problem=problem)
                question.object_to(reply.text, str(fault))
            else:
                self._write(question, reply, action=ACTION_TEXTS[action])
                return action
        self._counter.add(fallbacks=1)
        if self._fallback is None:
            attempts = f"{settings.retries + 1} attempt{'s' * (settings.retries > 0)}"
            raise ArgumentError(f"player {self.name}: no usable answer in {attempts}; at last {problem}.")
        with self._lock:
            return int(self._fallback.act(view)[0])

    def _ask(self, question: Question) -> Reply:
        """The model's answer, with its tokens and cost counted."""
        try:
            answer = self._model(question)
        except ArgumentError as error:
            if not self._answered:  # the settings are wrong, and asking again would not mend them
                self._refusal = error
            raise
        self._answered = True
        reply = answer if isinstance(answer, Reply) else Reply(answer)
        if not isinstance(reply.text, str):
            raise ArgumentError(must_be("answer", reply.text, "a text or a Reply", f"player {self.name}"))
        settings, cost = self.settings, reply.cost
        if cost is None:
            tokens = reply.input_tokens * settings.input_price + reply.output_tokens * settings.output_price
            cost = tokens / _MILLION
        self._counter.add(input_tokens=reply.input_tokens, output_tokens=reply.output_tokens, cost=cost)
        return reply

    def _write(self, question: Question, reply: Reply | None = None, **more: str) -> None:
        """Append a question with its answer to the log, if there is one."""
        path = self.settings.log
        if not path:
            return
        answer = {} if reply is None else {"answer": asdict(reply)}
        line = json.dumps({"player": self.name, **question.as_json(), **answer, **more}, ensure_ascii=False)
        try:
            with self._lock, open(path, "a", encoding="utf-8") as stream:
                stream.write(line + "\n")
        except (OSError, UnicodeError) as error:
            raise ArgumentError(f"log {path_shown(path)}: cannot be written: {reason(error)}.") from None

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in vars(self).items() if key not in ("_lock", "_kept")}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        vars(self).update(kept)
        self._begin()


def _key(views: Views, row: int) -> bytes:
    """A decision as a key: equal decisions have equal ones."""
    return bytes(views.states[row].tobytes())


def _fallback(spec: str, name: str) -> Agent | None:
    """The player that decides on errors; None to forfeit."""
    if spec == FORFEIT:
        return None
    from speicher_agents.specs import load_agent, parse_named  # that module imports this one

    try:
        kind, _ = parse_named(spec)
    except ArgumentError as error:
        raise ArgumentError(f"player {name}: on_error: {error}") from None
    if kind.name == "human":
        raise ArgumentError(must_be("on_error", spec, "forfeit, or a player that always answers", f"player {name}"))
    return load_agent(spec)
