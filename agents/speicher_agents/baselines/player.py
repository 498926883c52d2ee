"""A trained network as a player: its choice, the probability of each action, and the value of each seat."""

from __future__ import annotations

import os
import warnings
from functools import cache

import numpy as np

from speicher_agents.agent import Agent
from speicher_agents.baselines.card import Card
from speicher_agents.baselines.files import packaged, read_baseline
from speicher_agents.baselines.network import Network
from speicher_agents.baselines.sampling import draw_rows, uniform_rows
from speicher_env.deck import STANDARD_EDITION
from speicher_env.errors import ArgumentError
from speicher_env.game import Game
from speicher_env.messages import listed, must_be
from speicher_env.observation import RowFormat, observe, places
from speicher_env.observation.rows import write_rows
from speicher_env.rules.actions import ACTION_TEXTS
from speicher_env.rules.state import MIN_PLAYERS, STANDARD_DECK
from speicher_env.thoughts import Thought
from speicher_env.views import Views

__all__ = ["Baseline", "Suited"]

UNIVERSAL = "universal"


class Baseline(Agent):
    """A trained network that plays without PyTorch, many decisions at once."""

    def __init__(
        self, baseline: str | os.PathLike[str] | tuple[Card, Network], temperature: float = 0.0, seed: int = 0
    ) -> None:
        """Make ready.

        Args:
            baseline: The name of a packaged one, a path (see `read_baseline`), or a card and a network.
            temperature: 0 plays the most likely action; 1 draws by the network's probabilities; between and beyond,
                sharper and flatter.
            seed: Of what is drawn. Equal positions are drawn alike until a `reset` gives another.
        """
        if not 0 <= temperature < float("inf"):
            raise ArgumentError(must_be("temperature", temperature, "a number from 0 up"))
        self.card, self.network = baseline if isinstance(baseline, tuple) else _read(baseline)
        self.name = f"baseline:{self.card.name}"
        self.temperature = temperature
        self._of_another_edition = self.card.of_another_edition
        self.seats = self.card.shape.seats
        """The seats that its observations have room for."""
        self._format = RowFormat(self.seats, self.network.shape.figures)
        self._decides = places("decides", self.seats)
        self.reset(seed)

    @property
    def padded(self) -> bool:
        """Whether its observations have room for 5 seats."""
        return self.card.padded

    @property
    def figures(self) -> bool:
        """Whether the network reads figures after each observation."""
        return self.network.shape.figures

    def reset(self, seed: int) -> None:
        """The seed of what is drawn."""
        self._seed = seed

    def row_format(self, players: int) -> RowFormat:
        """See `Agent.row_format`."""
        self.check_players(players)
        return self._format

    def check_players(self, players: int) -> None:
        """Refuse a table of that many players, if the network was not made for it, and name what plays there."""
        if players in self.card.players:
            return
        fits = suited(players)
        instead = f"; baseline:{fits} plays games of {players}" if fits else ""
        raise ArgumentError(
            must_be("players", players, listed(list(map(str, self.card.players)), "or") + instead, self.name)
        )

    def network_for(self, states: np.ndarray) -> Network:
        """The network, to be asked about some positions; it warns once if it knows another edition of their deck."""
        if len(states):
            self.check_players(int(states["players"][0]))
        if self._of_another_edition and (states["deck"] == STANDARD_DECK).any():
            _warn_of_edition(self.name, self.card.edition)
            self._of_another_edition = False  # warned once
        return self.network

    def act(self, views: Views) -> np.ndarray:
        """The action of each row."""
        logits = self.network.logits(self._seen(views), views.masks)
        if self.temperature == 0:
            return np.asarray(logits.argmax(axis=1))
        return draw_rows(_softmax(logits, self.temperature), uniform_rows(views.states, self._seed))

    def policy(self, views: Views) -> np.ndarray:
        """(rows, 184) float32: the probability of each action, 0 for illegal ones."""
        return _softmax(self.network.logits(self._seen(views), views.masks))

    def value(self, views: Views) -> np.ndarray:
        """(rows,) float32, -1..1: the payoff that the network predicts for the deciding seat."""
        if self.network.shape.every_seat:
            values: np.ndarray = self.seat_values(views)[np.arange(len(views)), views.seats]
            return values
        return np.asarray(np.clip(self.network.values(self._seen(views)), -1.0, 1.0))

    def seat_values(self, views: Views) -> np.ndarray:
        """(rows, players) float32, -1..1: the payoff that the network predicts for each seat; column k is seat k."""
        return self._logits_and_seat_values(views)[1]

    def seat_points(self, views: Views) -> np.ndarray | None:
        """(rows, players) float32: the points of each seat at the end; None if the network does not predict them."""
        if not self.network.shape.every_seat:
            return None
        return _turned_back(self.network.points(self._seen(views), self._players(views)), views.seats)

    def evaluate(self, views: Views) -> tuple[np.ndarray, np.ndarray]:
        """Probabilities of actions and values of seats, as `GuidedSearch` asks for them."""
        logits, values = self._logits_and_seat_values(views)
        return _softmax(logits), values

    def think(self, views: Views) -> list[Thought | None]:
        """Probabilities, values and the action that `act` plays."""
        rows = zip(*self.evaluate(views), self.act(views).tolist(), views.masks, strict=True)
        return [
            Thought(
                probabilities={ACTION_TEXTS[k]: float(chances[k]) for k in np.flatnonzero(mask)},
                values=[float(value) for value in values],
                line=[ACTION_TEXTS[action]],
            )
            for chances, values, action, mask in rows
        ]

    def _players(self, views: Views) -> int:
        return int(views.states["players"][0]) if len(views) else self.card.players[0]

    def _logits_and_seat_values(self, views: Views) -> tuple[np.ndarray, np.ndarray]:
        """Logits, and payoffs of seats in the order of the seats."""
        seen, players = self._seen(views), self._players(views)
        if self.network.shape.every_seat:
            logits, payoffs = self.network.logits_and_seat_values(seen, views.masks, players)
        else:
            logits, own = self.network.logits_and_values(seen, views.masks)
            payoffs = self._payoffs_asked(own, views, players)
        return logits, _turned_back(payoffs, views.seats)

    def _payoffs_asked(self, own: np.ndarray, views: Views, players: int) -> np.ndarray:
        """Payoffs clockwise from the deciding seat, of a network that predicts that of the seat to move alone.

        For another seat it is asked as if that seat were to move. Payoffs sum to 0, so the other seats share the
        difference equally. With two players the other seat's payoff is the negative.
        """
        turned = np.empty((len(views), players), dtype=np.float32)
        turned[:, 0] = np.clip(own, -1.0, 1.0)
        if players == 2:
            turned[:, 1] = -turned[:, 0]
        else:
            turned[:, 1:] = self.network.values(self._seen_by_others(views, players)).reshape(players - 1, -1).T
            if self.card.reward != "margin":
                turned[:, 1:] -= turned.sum(axis=1, keepdims=True) / (players - 1)
        return np.clip(turned, -1.0, 1.0)

    def _seen(self, views: Views) -> np.ndarray:
        """The observations, with figures if the network reads them, in the size that it was trained on."""
        self.network_for(views.states)
        if views.observations.shape[1] == self.network.shape.numbers:
            return views.observations
        return observe(views.states, views.seats, self.seats, figures=self.figures)

    def _seen_by_others(self, views: Views, players: int) -> np.ndarray:
        """The observations of the other seats as if the decision were theirs: of the next seats, then of those after.

        Returns:
            ((players - 1) * rows, numbers) float32.
        """
        rows = self._format.empty((players - 1) * len(views))
        for step, part in enumerate(np.split(rows, players - 1), start=1):
            viewers = (views.seats.astype(np.int64) + step) % players
            write_rows(views.states, viewers, self.seats, self._format.figures or None, part)
        rows[:, self._decides] = 0.0
        rows[:, self._decides[0]] = 1.0
        return rows


class Suited(Agent):
    """The packaged baseline for the number of players, or the universal one."""

    name = "baseline"
    padded = False

    def __init__(self, temperature: float = 0.0, seed: int = 0) -> None:
        self.temperature = temperature
        self._seed = seed
        self._known: dict[int, Baseline] = {}
        if not packaged():
            raise ArgumentError("baseline: no network is packaged; must be baseline:PATH, the path of a card.")

    def reset(self, seed: int) -> None:
        """The seed of what is drawn."""
        self._seed = seed
        for known in self._known.values():
            known.reset(seed)

    def check_players(self, players: int) -> None:
        """Refuse a table of that many players, if no packaged baseline plays there."""
        self._at(players)

    def act(self, views: Views) -> np.ndarray:
        """The action of each row."""
        return self._for(views).act(views)

    def action(self, game: Game) -> int:
        """See `Agent.action`."""
        return self._at(game.num_players).action(game)

    def row_format(self, players: int) -> RowFormat:
        """See `Agent.row_format`."""
        return self._at(players).row_format(players)

    def network_for(self, states: np.ndarray) -> Network:
        """See `Baseline.network_for`."""
        return self._at(int(states["players"][0]) if len(states) else MIN_PLAYERS).network_for(states)

    def policy(self, views: Views) -> np.ndarray:
        """See `Baseline.policy`."""
        return self._for(views).policy(views)

    def value(self, views: Views) -> np.ndarray:
        """See `Baseline.value`."""
        return self._for(views).value(views)

    def evaluate(self, views: Views) -> tuple[np.ndarray, np.ndarray]:
        """See `Baseline.evaluate`."""
        return self._for(views).evaluate(views)

    def think(self, views: Views) -> list[Thought | None]:
        """See `Baseline.think`."""
        return self._for(views).think(views)

    def _for(self, views: Views) -> Baseline:
        return self._at(int(views.states["players"][0]) if len(views) else MIN_PLAYERS)

    def _at(self, players: int) -> Baseline:
        if players not in self._known:
            name = suited(players)
            if name is None:
                raise ArgumentError(
                    f"baseline: no packaged network ({', '.join(packaged())}) plays games of {players}; "
                    "must be baseline:PATH, the path of a card."
                )
            self._known[players] = Baseline(name, self.temperature, self._seed)
        return self._known[players]


def suited(players: int) -> str | None:
    """The packaged baseline for that many players, else the universal one; None if there is neither."""
    names = packaged()
    return next((name for name in (f"{players}p", UNIVERSAL) if name in names), None)


def _read(baseline: str | os.PathLike[str]) -> tuple[Card, Network]:
    return _packaged(baseline) if isinstance(baseline, str) and baseline in packaged() else read_baseline(baseline)


@cache
def _packaged(name: str) -> tuple[Card, Network]:
    """A packaged baseline, read once; whoever plays by it only reads its arrays."""
    return read_baseline(name)


@cache
def _warn_of_edition(name: str, edition: str) -> None:
    """Warn that a baseline plays another edition of the standard deck than its own; once in a process."""
    warnings.warn(
        f"{name} was trained on edition {edition} of the standard deck and now plays edition {STANDARD_EDITION}: "
        "it may be weaker than its card says.",
        UserWarning,
        stacklevel=2,
    )


def _turned_back(turned: np.ndarray, seats: np.ndarray) -> np.ndarray:
    """Columns in the order of the seats, given columns clockwise from the deciding seat."""
    players = turned.shape[1]
    places = (np.arange(players) - np.asarray(seats, dtype=np.int64)[:, None]) % players
    return np.take_along_axis(turned, places, axis=1)


def _softmax(logits: np.ndarray, temperature: float = 1.0) -> np.ndarray:
    """Probabilities; computed so that no logits and no temperature overflow."""
    with np.errstate(over="ignore"):
        chances: np.ndarray = (logits - logits.max(axis=1, keepdims=True)) / np.float32(max(temperature, 1e-30))
    np.exp(chances, out=chances)
    chances /= chances.sum(axis=1, keepdims=True)
    return chances
