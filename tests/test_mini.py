"""Mini-Speicherstadt: whole games with exact values, best responses and an environment."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest

from speicher_agents import load_agent
from speicher_env import ArgumentError, Game, mini
from speicher_env.rules.status import status
from speicher_env.solve import WholeGame
from speicher_env.solve.graph import forget_order
from speicher_env.views import Views
from tests.support.plain_chance import action_worths
from tests.support.positions import few_or_many

NAMES = tuple(mini.GAMES)


def end_of_first_round(seed: int) -> Game:
    """A position of mini, after random moves, in which the next decision can end the first round."""
    choose = random.Random(seed).choice
    while True:
        game = mini.deal("mini", seed)
        while not any(game.ends_round(action) for action in game.legal()):
            game.play(choose(game.legal()))
        if game.round == 15:
            return game


def by_margin(game: Game) -> dict[str, tuple[Fraction, ...]]:
    """`action_worths` of seats that want nothing but points."""
    return {action: tuple(worth) for action, worth in action_worths(game, wants=lambda worth: worth[1:2]).items()}


@pytest.mark.nojit
@pytest.mark.parametrize("name", NAMES)
def test_a_mini_game_is_a_sound_position_shortly_before_the_end(name: str) -> None:
    game, described = mini.deal(name), mini.GAMES[name]
    assert status(game.state) == []
    assert game.num_players == 2 and game.first_player == game.player == 0 and game.phase == "demand"
    assert game.round == 16 - bool(described.pile) and game.coins == list(described.coins)
    assert Game(2).deck.edition == game.deck.edition


@pytest.mark.nojit
def test_a_seed_draws_what_is_hidden_and_nothing_else() -> None:
    games = [mini.deal("mini", seed) for seed in range(20)]
    assert mini.deal("mini", 3) == games[3]
    assert len({game.state.tobytes() for game in games}) > 10
    assert len({game.redealt(0).state.tobytes() for game in games}) == 1


@pytest.mark.parametrize("seed", range(few_or_many(1, 2)))
def test_values_are_those_of_plain_python(seed: int) -> None:
    game = end_of_first_round(seed)
    plain = action_worths(game)
    whole, margin = WholeGame(game), WholeGame(game, "margin")
    assert {action: value[0] for action, value in whole.action_values().items()} == pytest.approx(
        {action: float(2 * worth[0] - 1) for action, worth in plain.items()}
    )
    assert margin.value()[0] == -margin.value()[1]
    solution = game.solve()
    assert solution.exact and solution.supplies == 18
    for action, (share, lead, _) in plain.items():
        prospect = solution.values[action].prospects[0]
        assert (Fraction(prospect.share).limit_denominator(1000), prospect.lead) == (share, float(lead))
    wanted = max(plain.values()) if game.player == 0 else min(plain.values())
    assert sorted(solution.best) == sorted(action for action, worth in plain.items() if worth == wanted)


def test_the_solver_and_the_whole_game_agree_on_the_value() -> None:
    for name in ("tiny", "mini"):
        solution = mini.deal(name, 1).solve()
        values = mini.values(name)
        assert list(solution.values) == list(values)
        for action, value in solution.values.items():
            assert [2 * share - 1 for share in value.shares] == pytest.approx(values[action])


def test_optimal_play_earns_the_value_and_nothing_is_to_be_gained_against_it() -> None:
    game = mini.solved("mini")
    assert game.policy_value(game.optimal()) == pytest.approx(game.value())
    assert mini.nash_conv(game.optimal(), "mini") == (0.0, (0.0, 0.0))
    for seat in (0, 1):
        assert mini.best_response(game.optimal(), seat, "mini").value == pytest.approx(game.value()[seat])


@pytest.mark.parametrize("seat", [0, 1])
def test_a_best_response_earns_what_it_promises_and_no_less_than_the_value(seat: int) -> None:
    game, merchant = mini.solved("mini"), load_agent("merchant")
    response = game.best_response(merchant, seat)
    assert response.value >= game.value()[seat] and response.gain > 0

    def mixed(views: Views) -> np.ndarray:
        chances = np.zeros(views.masks.shape)
        for player, rows in ((response.player, views.seats == seat), (merchant, views.seats != seat)):
            chosen = np.flatnonzero(rows)
            if len(chosen):
                part = Views(*(array[chosen] for array in (views.observations, views.masks, views.states, views.seats)))
                chances[chosen, player.act(part)] = 1.0
        return chances

    assert game.policy_value(mixed)[seat] == pytest.approx(response.value)


def test_a_policy_is_worth_the_mean_of_its_games() -> None:
    game = mini.deal("tiny")
    rng = random.Random(5)
    results = []
    for _ in range(3000):
        played = game.copy()
        while not played.over:
            played.play(rng.choice(played.legal_ids()))
        results.append(1.0 if played.winners() == [0] else -1.0 if played.winners() == [1] else 0.0)
    expected = mini.solved("tiny").policy_value(mini.uniform)
    assert sum(expected) == pytest.approx(0)
    assert abs(np.mean(results) - expected[0]) < 4 * np.std(results) / len(results) ** 0.5


def test_a_policy_that_loses_nothing_in_any_position_is_optimal_and_others_lose_what_the_values_say() -> None:
    game = mini.solved("tiny", "margin")
    (lost,) = game.losses(game.optimal())
    assert not lost.any()
    (lost,) = game.losses(mini.uniform)
    found, (values,) = game.rounds[0], game.values()
    for position in range(0, len(found.states), 97):
        at = Game.from_state(found.states[position])
        mover = int(found.states["player"][position])
        worths = [value[mover] for value in WholeGame(at, "margin").action_values().values()]
        assert values[position, mover] == pytest.approx(max(worths))
        assert lost[position] == pytest.approx(max(worths) - np.mean(worths))


def test_search_loses_less_with_more_simulations_and_finds_the_value() -> None:
    game = mini.solved("mini")
    few, many = (float(game.losses(load_agent(f"mcts:{count}"), rounds=1)[0].mean()) for count in (8, 256))
    assert many < few / 2
    errors = []
    for count in (100, 30_000):
        (thought,) = load_agent(f"mcts:{count},margin=0").think(Views.of(mini.deal("tiny").states_view))
        assert thought is not None and thought.values is not None
        errors.append(abs(thought.values[0] - mini.solved("tiny").value()[0]))
    assert errors[1] < 0.1 < errors[0]


def test_the_probabilities_of_what_follows_an_end_add_up_to_1() -> None:
    for found, chance in zip(mini.solved("mini").rounds, mini.solved("mini").chances, strict=True):
        running = [end for end in range(len(found.ends)) if found.ends["player"][end] >= 0]
        sums = np.bincount(chance.end, chance.probability, minlength=len(found.ends))
        assert sums[running] == pytest.approx(np.ones(len(running))) and sums.sum() == pytest.approx(len(running))


@pytest.mark.parametrize("name", ["tiny", "mini"])
def test_the_optimal_player_can_be_seated_in_any_deal(name: str) -> None:
    player, leads = mini.solved(name).optimal(), []
    for seed in range(12):
        game = mini.deal(name, seed)
        while not game.over:
            game.play(int(player.act(Views.of(game.states_view))[0]))
        leads.append(game.winners() == [0])
    assert all(leads) if name == "tiny" else 0 < sum(leads) < 12
    with pytest.raises(ArgumentError, match="player optimal: it knows no position of another game"):
        player.act(Views.of(Game(2, seed=1).states_view))


@pytest.mark.nojit
def test_a_graph_holds_every_position_of_a_round_after_all_that_follow_it() -> None:
    game = mini.deal("tiny")
    for action in ("place 0", "place 0", "place 0", "place 2", "place 2"):
        game.play(action)
    whole = WholeGame(game, "margin")
    assert {action: value[0] for action, value in whole.action_values().items()} == pytest.approx(
        {action: float(lead) / 30 for action, (_, lead, _) in by_margin(game).items()}
    )
    (found,) = whole.rounds
    assert np.all(found.after < np.repeat(np.arange(len(found.states)), np.diff(found.first)))
    reached, waiting = set(), [game]
    while waiting:
        at = waiting.pop()
        states = np.array([at.state])
        forget_order(states, 0)
        if states.tobytes() in reached or at.over:
            continue
        reached.add(states.tobytes())
        for action in at.legal_ids():
            after = at.copy()
            after.play(action)
            waiting.append(after)
    assert reached == {state.tobytes() for state in found.states} and len(reached) == whole.positions


@pytest.mark.nojit
def test_positions_that_differ_only_in_the_order_of_the_past_become_one() -> None:
    game = Game(2, seed=3)
    choose = random.Random(3).choice
    while not (game.state["cargo"] >= 0).any():
        game.play(choose(game.legal()))
    states = np.array([game.state, game.state])
    states["pile"][1, :3] = states["pile"][1, 2::-1]
    states["bag"][1, : states["bag_next"][1]] = states["bag"][1, : states["bag_next"][1]][::-1]
    states["cargo"][1] = states["cargo"][1, :, ::-1]
    assert states[0].tobytes() != states[1].tobytes() and (states["cargo"][0] >= 0).any()
    for index in range(2):
        forget_order(states, index)
    assert states[0].tobytes() == states[1].tobytes() and status(states[0]) == []


def test_the_environment_plays_a_mini_game_and_its_seed_decides_it() -> None:
    env = mini.env("mini", reward="margin", observation="vector")
    dealt = []
    for seed in (4, None, None, 4):
        env.reset(seed=seed)
        dealt.append(env.unwrapped.game.state.tobytes())
        for _ in env.agent_iter():
            _, _, termination, _, info = env.last()
            env.step(None if termination else int(np.flatnonzero(info["action_mask"])[0]))
        assert sum(env.unwrapped.outcome().rewards) == pytest.approx(0)
    assert dealt[0] == dealt[3] != dealt[1]


def test_wrong_arguments_are_refused_in_a_sentence() -> None:
    game = WholeGame(mini.deal("tiny"))
    wrong = np.zeros((1, 3))
    with pytest.raises(ArgumentError, match='mini game="minni": must be tiny, mini or midi, did you mean "mini"'):
        mini.deal("minni")
    with pytest.raises(ArgumentError, match=r"seat=2: must be a whole number 0\.\.1"):
        game.best_response(mini.uniform, 2)
    with pytest.raises(ArgumentError, match="must be a function to an array of shape"):
        game.nash_conv(lambda views: wrong)
    with pytest.raises(ArgumentError, match="must be 0 or more and add up to 1"):
        game.nash_conv(lambda views: mini.uniform(views) * 2)
    with pytest.raises(ArgumentError, match="limit=10: the game has more positions"):
        WholeGame(mini.deal("tiny"), limit=10)
    with pytest.raises(ArgumentError, match="options"):
        mini.env("tiny").reset(options={"first_player": 1})
    over = mini.deal("tiny")
    while not over.over:
        over.play(over.legal_ids()[0])
    with pytest.raises(ArgumentError, match="the game is over"):
        WholeGame(over)
