"""Value fine-tuning: the targets, the games with random moves, and that only the value learns from them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.support.small_networks import card, network, policy

torch = pytest.importorskip("torch", reason="the extra [train] is not installed")

from speicher_training.train import selfplay  # noqa: E402
from speicher_training.train.pretraining import imitation_data  # noqa: E402
from speicher_training.train.selfplay import Games  # noqa: E402
from speicher_training.train.value_finetuning import (  # noqa: E402
    finetune_value,
    games_with_random_moves,
    value_targets,
)


def one_game(seats: list[int], values: list[float], random_moves: list[int], payoffs: list[float]) -> Games:
    """A game in one lane; its observations are the numbers of its decisions."""
    count = len(seats)
    return Games(
        rows=np.arange(count, dtype=np.float32)[:, None],
        masks=np.ones((count, 1), dtype=np.int8),
        seats=np.array(seats, dtype=np.int8),
        lanes=np.zeros(count, dtype=np.int64),
        choices=(
            np.zeros(count, dtype=np.int64),
            np.array(values, dtype=np.float32),
            np.isin(np.arange(count), random_moves),
        ),
        present=np.ones((count, 1), dtype=bool),
        payoffs=np.array([payoffs], dtype=np.float32),
    )


def targets(games: Games, trace: float) -> dict[int, float]:
    """The target of each decision, by its number; those left out are not there."""
    rows, values = value_targets(games, trace)
    return {int(row[0]): round(float(value), 6) for row, value in zip(rows, values, strict=True)}


def test_with_a_full_trace_every_target_is_the_payoff_of_its_seat():
    games = one_game([0, 1, 2, 0, 1], [0.3, 0.1, 0.2, 0.9, -0.4], [], [1.0, -0.5, -0.5])
    assert targets(games, 1.0) == {0: 1.0, 1: -0.5, 2: -0.5, 3: 1.0, 4: -0.5}


def test_without_a_trace_a_target_is_the_value_at_the_seats_next_decision():
    games = one_game([0, 1, 2, 0, 1], [0.3, 0.1, 0.2, 0.9, -0.4], [], [1.0, -0.5, -0.5])
    assert targets(games, 0.0) == {0: 0.9, 1: -0.4, 2: -0.5, 3: 1.0, 4: -0.5}


def test_between_both_later_values_count_less():
    games = one_game([0, 0, 0], [0.0, 0.4, 0.8], [], [1.0, -1.0])
    assert targets(games, 0.5) == {0: 0.5 * 0.4 + 0.25 * 0.8 + 0.25 * 1.0, 1: 0.9, 2: 1.0}


def test_nothing_is_learned_from_what_follows_a_random_move():
    """Seat 1 moves at random at time 3: that decision is left out, and so are the others' last ones before."""
    games = one_game([0, 1, 0, 1, 0, 1], [0.5, 0.25, 0.5, 0.25, -0.5, 0.75], [3], [-1.0, 1.0])
    assert targets(games, 1.0) == {0: 0.5, 1: 0.25, 4: -1.0, 5: 1.0}


def test_lanes_do_not_change_each_other_and_end_when_their_game_ends():
    """Two games side by side, the second one decision longer."""
    first = one_game([0, 1, 0], [0.1, 0.2, 0.3], [1], [1.0, -1.0])
    second = one_game([1, 1, 0, 1], [0.4, 0.5, 0.6, 0.7], [], [-1.0, 1.0])
    order = [0, 3, 1, 4, 2, 5, 6]  # by time, then by lane
    joined = [np.concatenate(pair)[order] for pair in zip(first[:4], second[:4], strict=True)]
    joined[0][:, 0] = np.arange(7)
    joined[3][:] = [0, 1, 0, 1, 0, 1, 1]
    choices = tuple(np.concatenate(pair)[order] for pair in zip(first.choices, second.choices, strict=True))
    present = np.array([[True, True], [True, True], [True, True], [False, True]])
    both = Games(*joined, choices, present, np.concatenate([first.payoffs, second.payoffs]))
    alone = [targets(first, 0.9), targets(second, 0.9)]
    wanted = {0: alone[0].get(0), 2: alone[0].get(1), 4: alone[0].get(2)}
    wanted |= {1: alone[1].get(0), 3: alone[1].get(1), 5: alone[1].get(2), 6: alone[1].get(3)}
    assert targets(both, 0.9) == {number: value for number, value in wanted.items() if value is not None}


@pytest.mark.parametrize("players", [2, 4])
def test_moves_are_random_as_often_as_asked_for(players: int):
    shape = card(network(players), [players])

    def share(random_moves: float) -> float:
        rng = np.random.default_rng(1)
        games = next(games_with_random_moves(policy(players), shape, ["standard"], 10_000, rng, random_moves))
        assert len(games.rows) == games.present.sum()
        return float(games.choices[2].mean())

    assert share(0.0) == 0.0
    assert 0.2 < share(0.25) < 0.3


@pytest.mark.parametrize(("random_moves", "trace"), [(0.0, 1.0), (0.05, 0.95)])
def test_only_the_value_changes_and_it_learns_to_predict_who_wins(
    monkeypatch: pytest.MonkeyPatch, random_moves: float, trace: float
):
    """A policy that knows nothing wins by chance, so nothing can be predicted, and 1 is the least error."""
    monkeypatch.setattr(selfplay, "GAMES", 8)
    learner, paid = policy(), replace(card(network()), reward="margin")
    torch.nn.init.constant_(learner.value_net.bias, 3.0)
    before = {name: array.clone() for name, array in learner.state_dict().items()}

    def error() -> float:
        """Of the values in games of the policy alone."""
        data = next(imitation_data(learner, card(network()), ["standard"], 3_000, np.random.default_rng(9)))
        with torch.no_grad():
            values = learner.predict_values(torch.as_tensor(data.rows))[:, 0].numpy()
        return float(np.square(values - data.payoffs).mean())

    assert error() > 4.0
    tuned = finetune_value(
        learner,
        paid,
        30_000,
        decks=["standard"],
        batch_size=128,
        learning_rate=0.003,
        random_moves=random_moves,
        trace=trace,
    )
    changed = {name for name, array in learner.state_dict().items() if not torch.equal(array, before[name])}
    assert changed and all("value" in name for name in changed)
    assert tuned.reward == "outcome"
    assert error() < 1.1


def test_every_setting_changes_what_is_learned(monkeypatch: pytest.MonkeyPatch):
    """Random moves and a shorter trace change the weights; the same settings give the same weights."""

    monkeypatch.setattr(selfplay, "GAMES", 2)  # so that 600 decisions come from several games

    def values(**settings: float) -> np.ndarray:
        learner = policy(seed=3)
        finetune_value(learner, card(network()), 600, decks=["standard"], batch_size=128, seed=1, **settings)
        return torch.nn.utils.parameters_to_vector(learner.parameters()).detach().numpy()

    plain = values(random_moves=0.0, trace=1.0)
    np.testing.assert_array_equal(plain, values(random_moves=0.0, trace=1.0))
    assert not np.array_equal(plain, values(random_moves=0.5, trace=1.0))
    assert not np.array_equal(plain, values(random_moves=0.0, trace=0.2))
