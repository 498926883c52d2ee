"""`python_speicherstadt` is a sound game of OpenSpiel, and the same game as everywhere else."""

from __future__ import annotations

import copy
import json
import pickle
import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import pyspiel
import pytest
import torch
from open_spiel.python import rl_environment
from open_spiel.python.algorithms import (
    evaluate_bots,
    expected_game_score,
    exploitability,
    external_sampling_mccfr,
    mcts,
    minimax,
    outcome_sampling_mccfr,
)
from open_spiel.python.observation import make_observation

from speicher_agents import load_agent
from speicher_env import ACTION_TEXTS, ArgumentError, Game, IllegalAction, mini
from speicher_env.integrations import openspiel
from speicher_env.integrations.openspiel import (
    BotPlayer,
    PlayerBot,
    SpeicherstadtGame,
    SpeicherstadtState,
    game_from,
    start_text,
    state_at,
    state_of,
)
from speicher_env.observation import observe
from speicher_env.rewards import write_rewards_at
from speicher_env.rules.actions import N_ACTIONS
from speicher_env.rules.cards import GOODS
from speicher_env.solve import WholeGame
from speicher_env.views import Views
from tests.stacks.conftest import Figures
from tests.stacks.examples import Run, load_example, run_example
from tests.stacks.held_out import win_share
from tests.stacks.openspiel.playthrough import PLAYTHROUGH, playthrough
from tests.stacks.speed import beside_ours

PLAYERS = (2, 3, 4, 5)
GAMES = 100
"""For each number of players, compared decision by decision."""
MOST_DEPTH = 1000
"""More decisions than any game has."""


def load(**parameters: Any) -> SpeicherstadtGame:
    """The game with these parameters."""
    return pyspiel.load_game(openspiel.NAME, parameters)


def played(players: int, seed: int, moves: int | None = None, deck: str = "standard") -> Game:
    """A game of random moves, to its end or for that many."""
    choose = random.Random(seed).choice
    game = Game(players, deck, seed)
    while not game.over and moves != len(game.move_ids or ()):
        game.play(choose(game.legal_ids()))
    return game


def play_on(state: SpeicherstadtState, seed: int, events: int | None = None) -> SpeicherstadtState:
    """Play a state at random, to its end or for that many events."""
    rng = random.Random(seed)
    while not state.is_terminal() and events != 0:
        outcomes = state.chance_outcomes() if state.is_chance_node() else [(a, 1.0) for a in state.legal_actions()]
        state.apply_action(rng.choices([event for event, _ in outcomes], [chance for _, chance in outcomes])[0])
        events = None if events is None else events - 1
    return state


# The same game


@pytest.mark.parametrize("players", PLAYERS)
def test_games_are_those_of_the_engine(players: int) -> None:
    openspiel_game = load(players=players)
    for seed in range(GAMES):
        game = played(players, seed)
        state, again = openspiel_game.new_initial_state(), game.start()
        chance = state_of(openspiel_game, game).history()
        looked = random.Random(seed).randrange(len(game.move_ids or ()))
        for event in chance:
            if not state.is_chance_node():
                assert state.current_player() == again.player
                assert state.legal_actions() == again.legal_ids()
                if len(state.progress.events) == looked:
                    seen = [state.observation_tensor(seat) for seat in range(players)]
                    assert np.array_equal(seen, observe(np.repeat(again.states_view, players), np.arange(players)))
                again.play(event)
            state.apply_action(event)
        paid = np.zeros(players)
        write_rewards_at(game.states_view, 0, 0, paid)
        assert state.is_terminal() and state.returns() == paid.tolist()
        assert state.position() is not None and state.position().points() == game.points()


@pytest.mark.parametrize("players", PLAYERS)
def test_chance_nodes_have_the_public_probabilities(players: int) -> None:
    openspiel_game = load(players=players)
    for seed in range(100):
        game = played(players, seed, random.Random(seed).randrange(100))
        ending = [action for action in game.legal_ids() if game.ends_round(action)]
        if not ending:
            continue
        following = game.next_supply
        assert following is not None
        supply = in_order(following.sample(seed))
        state, chance = state_at(openspiel_game, game), 1.0
        state.apply_action(ending[0])
        while state.is_chance_node():
            likely = {state.action_to_string(event): chance for event, chance in state.chance_outcomes()}
            assert 2 <= len(likely) <= 15 and sum(likely.values()) == pytest.approx(1)
            name = supply[len(state.progress.drawn)]
            chance *= likely[name]
            state.apply_action(openspiel.OUTCOME_NUMBER[name])
        assert chance == pytest.approx(float(following.probability(supply)))
        game.play(ending[0], supply=supply)
        after = state.position()
        assert after is not None and np.array_equal(observe(after.states_view), observe(game.states_view))


def in_order(supply: tuple[str, ...]) -> tuple[str, ...]:
    """A supply with the cubes of each ship in the order of the goods."""
    cards = [name for name in supply if name not in GOODS]
    cubes = supply[len(cards) :]
    loads = [sorted(cubes[first : first + 3], key=GOODS.index) for first in range(0, len(cubes), 3)]
    return (*cards, *(good for load in loads for good in load))


@pytest.mark.parametrize("players", PLAYERS)
def test_the_first_player_is_drawn_by_lot(players: int) -> None:
    state = load(players=players).new_initial_state()
    assert state.chance_outcomes() == [(openspiel.FIRST_SEAT + seat, 1 / players) for seat in range(players)]
    state.apply_action(openspiel.FIRST_SEAT + 1)
    assert str(state).startswith(f"A game for {players} players. Seat 1 begins.")
    position = play_on(state, 1, events=2 * players + 2).position()
    assert position is not None and position.start().first_player == 1


# What OpenSpiel checks of every game


@pytest.mark.parametrize(
    "parameters",
    [
        *({"players": players} for players in PLAYERS),
        {"players": 3, "reward": "margin"},
        {"players": 4, "reward": "rank"},
        {"players": 2, "reward": "margin", "deck": "sampled", "deck_seed": 5},
    ],
    ids=str,
)
def test_random_simulations_pass(parameters: dict[str, Any]) -> None:
    pyspiel.random_sim_test(load(**parameters), num_sims=3, serialize=True, verbose=False)


def test_the_playthrough_is_up_to_date() -> None:
    assert PLAYTHROUGH.read_text(encoding="utf-8") == playthrough()


def test_no_game_is_longer_than_it_says() -> None:
    for players in PLAYERS:
        game = load(players=players)
        lengths = [len(played(players, seed).move_ids or ()) for seed in range(200)]
        assert max(lengths) < game.max_game_length() < 2 * max(lengths)


# Saving and restoring


def states_of_every_kind() -> list[SpeicherstadtState]:
    """Before the first player, in the first supply, at a decision, within a later supply, at the end."""
    game = load(players=3)
    states = [play_on(game.new_initial_state(), 1, events) for events in (0, 2, 30)]
    within = play_on(game.new_initial_state(), 1, 30)
    while not (within.is_chance_node() and within.progress.drawn and within.progress.game is not None):
        play_on(within, len(within.history()), 1)
    return [*states, within, play_on(game.new_initial_state(), 2)]


@pytest.mark.parametrize("state", states_of_every_kind(), ids=["new", "first supply", "decision", "supply", "over"])
def test_states_can_be_saved_and_restored(state: SpeicherstadtState) -> None:
    game = state.get_game()
    restored = [
        pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(game, state))[1],
        game.deserialize_state(state.serialize()),
        game.new_initial_state(json.loads(json.dumps(state.to_dict()))),
        game.new_initial_state(state.to_struct()),
        pickle.loads(pickle.dumps(state)),
        copy.deepcopy(state),
        state.clone(),
    ]
    for again in restored:
        assert type(again) is SpeicherstadtState
        assert events_of(again) == events_of(state) and str(again) == str(state)
        assert again.returns() == state.returns() and again.current_player() == state.current_player()
        assert str(play_on(again.clone(), 7)) == str(play_on(state.clone(), 7))


def test_what_is_saved_is_the_history_and_no_more() -> None:
    states = states_of_every_kind()
    saved = [pyspiel.serialize_game_and_state(state.get_game(), state).partition("__dict__=") for state in states]
    assert len({attributes for _, _, attributes in saved}) == 1  # the pickle of a constant
    assert [state.serialize() for state in states] == [" ".join(map(str, state.history())) for state in states]


@pytest.mark.parametrize("text", ["59 x", "59 3 3", "1e3", "9999", "59 -1", "\N{SUPERSCRIPT TWO}"])
def test_a_damaged_history_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"must be|not legal|not an action"):
        load().deserialize_state(text)


def test_a_clone_goes_its_own_way() -> None:
    state = play_on(load().new_initial_state(), 3, 40)
    before = str(state), state.history()
    play_on(state.clone(), 4)
    assert (str(state), state.history()) == before


# What the seats see


def test_observations_come_in_pieces() -> None:
    state = play_on(load(players=3).new_initial_state(), 5, 60)
    position = state.position()
    assert position is not None
    observation = make_observation(state.get_game())
    assert list(observation.dict) == ["table", "contracts", "columns", "seats"]
    for seat in range(3):
        row = observe(position.states_view, np.array([seat]))[0]
        observation.set_from(state, seat)
        assert np.array_equal(observation.tensor, row)
        assert np.array_equal(np.concatenate([piece.ravel() for piece in observation.dict.values()]), row)
        assert state.observation_tensor(seat) == row.tolist()
    with_all = make_observation(state.get_game(), params={"padded": True, "figures": True})
    with_all.set_from(state, 1)
    padded = observe(position.states_view, np.array([1]), 5, figures=True)[0]
    assert np.array_equal(with_all.tensor, padded) and with_all.dict["seats"].shape[0] == 5
    with pytest.raises(ArgumentError, match=r'observation parameter="paded": .* did you mean "padded"'):
        make_observation(state.get_game(), params={"paded": True})


def test_perfect_recall_tells_all_histories_apart() -> None:
    game = load(players=2)
    recall = make_observation(game, pyspiel.IIGObservationType(perfect_recall=True))
    states = [play_on(game.new_initial_state(), seed, events) for seed in range(4) for events in (0, 1, 2, 25, -1)]
    for state in states:
        recall.set_from(state, 1)
        history = np.rint(recall.dict["history"] * openspiel.N_EVENTS).astype(int) - 1
        events = [action + N_ACTIONS * (player < 0) for player, action in events_of(state)]
        assert history[: len(events)].tolist() == events and (history[len(events) :] == -1).all()
        assert state.information_state_string(0) == state.history_str() == recall.string_from(state, 0)
    assert len({state.history_str() for state in states}) == len({tuple(state.history()) for state in states})


def events_of(state: SpeicherstadtState) -> list[tuple[int, int]]:
    """The history as players and actions."""
    return [(int(event.player), int(event.action)) for event in state.full_history()]


def test_nothing_is_private_and_what_is_public_is_one_for_all() -> None:
    state = play_on(load(players=2).new_initial_state(), 5, 60)
    nobody = pyspiel.PrivateInfoType.NONE
    public = make_observation(state.get_game(), pyspiel.IIGObservationType(True, False, nobody))
    private = make_observation(state.get_game(), pyspiel.IIGObservationType(public_info=False, perfect_recall=False))
    seen = []
    for seat in range(2):
        public.set_from(state, seat)
        private.set_from(state, seat)
        seen.append((public.tensor.tolist(), public.string_from(state, seat)))
        assert private.tensor is None and private.string_from(state, seat) == ""
    assert seen[0] == seen[1]


def test_structs_are_readable_and_lead_back() -> None:
    state = play_on(load(players=2).new_initial_state(), 5, 60)
    while state.is_chance_node():
        play_on(state, 1, 1)
    seat = state.current_player()
    for action in state.legal_actions():
        struct = state.action_to_struct(seat, action)
        assert json.loads(struct.to_json()) == {"action": ACTION_TEXTS[action]}
        assert state.struct_to_actions(struct) == [action]
    seen = json.loads(state.to_observation_struct(seat).to_json())
    assert seen["legal_actions"] == [ACTION_TEXTS[action] for action in state.legal_actions()]
    assert seen["seats"][0]["decides"] and "legal_actions" not in state.to_observation_struct(1 - seat).to_dict()
    assert json.loads(state.to_json())["history"][0] in ("seat 0 begins", "seat 1 begins")
    with pytest.raises(ArgumentError, match=r"history=None: must be a list"):
        state.get_game().new_initial_state({})


# Bad input


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"players": 6}, "players=6: must be 2, 3, 4 or 5."),
        ({"reward": "outcom"}, 'reward="outcom": must be outcome, rank or margin, did you mean "outcome"?'),
        ({"deck": "sampeld"}, 'deck="sampeld": must be'),
        ({"deck": "sampled", "deck_seed": -1}, "deck_seed=-1: must be a whole number 0"),
        ({"start": "abc"}, 'start="abc": must be a text that start_text() has made'),
        ({"start": start_text(played(3, 1, 5))}, "players=2: must be 3, as in the position of start."),
    ],
)
def test_wrong_parameters_are_refused_in_one_sentence(parameters: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=re.escape(sentence)):
        load(**parameters)


def test_illegal_actions_are_refused_and_change_nothing() -> None:
    state = play_on(load().new_initial_state(), 5, 60)
    while state.is_chance_node():
        play_on(state, 1, 1)
    before = str(state), state.history()
    illegal = next(action for action in range(184) if action not in state.legal_actions())
    with pytest.raises(IllegalAction, match=r"action=.*: must be .*, as player_"):
        state.apply_action(illegal)
    begun = load().new_initial_state()
    with pytest.raises(ArgumentError, match=r'outcome="ship_1": must be seat 0 begins or seat 1 begins\.'):
        begun.apply_action(openspiel.OUTCOME_NUMBER["ship_1"])
    begun.apply_action(openspiel.FIRST_SEAT)
    with pytest.raises(ArgumentError, match=r'outcome="ship_1": must be contract_1, '):
        begun.apply_action(openspiel.OUTCOME_NUMBER["ship_1"])
    assert (str(state), state.history()) == before and begun.history() == [openspiel.FIRST_SEAT]


def test_a_start_holds_nothing_hidden() -> None:
    game = played(2, 5, 60)
    assert start_text(game) == start_text(game.redealt(1)) == start_text(game.redealt(2))


# Its algorithms


def last_round() -> Game:
    """The last round of a game of two: seat 0 leads by 12 points, and loses to the best play."""
    moves = played(2, 17).move_ids or []
    game = Game(2, seed=17)
    for action in moves[:-6]:
        game.play(action)
    return game


def best(game: Game) -> float:
    """What seat 0 is paid if both play their best, by going through all that can happen."""
    if game.over:
        paid = np.zeros(2)
        write_rewards_at(game.states_view, 0, 0, paid)
        return float(paid[0])
    values = []
    for action in game.legal_ids():
        after = game.copy()
        after.play(action)
        values.append(best(after))
    return max(values) if game.player == 0 else min(values)


def test_cfr_solves_the_last_round() -> None:
    game = last_round()
    solver = pyspiel.CFRSolver(game_from(game))
    for _ in range(40):
        solver.evaluate_and_update_policy()
    left = game_from(game)
    assert left.new_initial_state().legal_actions() == game.legal_ids()
    assert pyspiel.nash_conv(left, pyspiel.UniformRandomPolicy(left)) > 1
    assert pyspiel.nash_conv(left, solver.average_policy()) < 0.1
    values = expected_game_score.policy_value(left.new_initial_state(), [solver.average_policy()] * 2)
    assert values[0] == pytest.approx(best(game), abs=0.1)


def test_mccfr_and_best_responses_work_on_the_last_round() -> None:
    left = game_from(last_round())
    solver = external_sampling_mccfr.ExternalSamplingSolver(left)
    untrained = exploitability.nash_conv(left, solver.average_policy())
    for _ in range(100):
        solver.iteration()
    assert exploitability.nash_conv(left, solver.average_policy()) < 0.5 * untrained


def test_mccfr_samples_whole_games() -> None:
    solver = outcome_sampling_mccfr.OutcomeSamplingSolver(load(players=2))
    for _ in range(3):
        solver.iteration()


@pytest.mark.parametrize("players", PLAYERS)
def test_a_player_makes_the_same_game_as_a_bot(players: int) -> None:
    merchant = load_agent("merchant")
    game = Game(players, seed=players)
    while not game.over:
        game.play(merchant.action(game))
    state = load(players=players).new_initial_state()
    bot = PlayerBot(merchant)
    events = iter(state_of(state.get_game(), game).history())
    while not state.is_terminal():
        event = next(events)
        if not state.is_chance_node():
            assert bot.step(state) == event and bot.step_with_policy(state) == ([(event, 1.0)], event)
        state.apply_action(event)


def test_players_and_bots_meet() -> None:
    game, rng = load(players=3), np.random.RandomState(1)
    bots = [
        PlayerBot(load_agent("merchant")),
        mcts.MCTSBot(game, 1.5, 4, mcts.RandomRolloutEvaluator(1, rng), random_state=rng),
        pyspiel.make_uniform_random_bot(2, 1),
    ]
    state = play_on(game.new_initial_state(), 1, 250)
    assert sum(evaluate_bots.evaluate_bots(state, bots, rng)) == pytest.approx(0)


def make_mcts(game: Any, seed: int) -> mcts.MCTSBot:
    rng = np.random.RandomState(seed)
    return mcts.MCTSBot(game, 1.5, 30, mcts.RandomRolloutEvaluator(1, rng, max_length=30), random_state=rng)


@pytest.mark.parametrize("players", PLAYERS)
def test_a_bot_plays_as_one_of_our_players(players: int) -> None:
    agent = load_agent(BotPlayer(make_mcts, "openspiel-mcts"))
    assert agent.name == "openspiel-mcts"
    games = [game for seed in range(6) if not (game := played(players, seed, 120)).over]
    choices = [agent.action(game) for game in games]
    assert all(choice in game.legal_ids() for choice, game in zip(choices, games, strict=True))
    again = pickle.loads(pickle.dumps(load_agent(BotPlayer(make_mcts))))
    reversed_choices = [again.action(game.redealt(9)) for game in games[::-1]]
    assert reversed_choices == choices[::-1], "a choice depends on the position and the seed alone"


def test_its_search_finds_what_wins_the_last_round() -> None:
    game = last_round()
    rng = np.random.RandomState(1)
    state = game_from(game).new_initial_state()
    while not state.is_terminal():
        if state.current_player() == 1:
            bot = mcts.MCTSBot(state.get_game(), 2, 600, mcts.RandomRolloutEvaluator(1, rng), random_state=rng)
            state.apply_action(bot.step(state))
        else:
            state.apply_action(rng.choice(state.legal_actions()))
    assert state.returns() == [-1, 1]


def test_the_compiled_search_works_where_it_keeps_the_lock_of_the_interpreter() -> None:
    state = game_from(last_round()).new_initial_state()
    evaluator = pyspiel.RandomRolloutEvaluator(1, 1)
    bot = pyspiel.MCTSBot(state.get_game(), evaluator, 2, 300, 100, True, 1, False)
    assert bot.mcts_search(state).best_child().action in state.legal_actions()


@pytest.mark.parametrize("players", PLAYERS)
def test_no_mask_is_violated_in_its_environment(players: int) -> None:
    env = rl_environment.Environment(openspiel.NAME, enable_legality_check=True, players=players)
    assert env.use_observation
    env.seed(1)
    rng, rewards = random.Random(1), []
    for _ in range(3):
        step = env.reset()
        while not step.last():
            seat = step.observations["current_player"]
            legal = step.observations["legal_actions"]
            assert legal[seat] and not any(legal[:seat] + legal[seat + 1 :])
            position = env.get_state.position()
            assert position is not None and (position.player, position.legal_ids()) == (seat, legal[seat])
            step = env.step([rng.choice(legal[seat])])
        rewards += step.rewards
    assert sum(rewards) == pytest.approx(0) and any(rewards)
    with pytest.raises(rl_environment.IllegalActionError):
        env.reset()
        env.step([183])


# The example

EXAMPLE = "openspiel_ppo"
STEPS = 400_000


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, Path]:
    """A run of the example, and what it has saved."""
    file = tmp_path_factory.mktemp("openspiel") / "policy.pt"
    return run_example(EXAMPLE, "--steps", STEPS, "--save", file), file


def test_the_example_learns_and_violates_no_mask(trained: tuple[Run, Path], figures: Figures) -> None:
    run, file = trained
    example = load_example(EXAMPLE)
    share = win_share(example.chooser(example.load(file)), 2, "random", deals=400)
    figures(**share._asdict(), minutes=run.minutes, decisions=STEPS, training_per_second=STEPS / run.minutes / 60)
    assert share.low > 0.9


def test_what_the_example_saves_chooses_as_before(tmp_path: Path) -> None:
    example = load_example(EXAMPLE)
    learner = example.make_learner(load(players=3), games=4, rollout=8, rate=1e-3)
    torch.save(learner.network.state_dict(), tmp_path / "policy.pt")
    views = [Views.of(played(3, seed, 50).states_view) for seed in range(20)]
    for view in views:
        seen = view.observations, view.masks.astype(bool)
        before, after = (example.chooser(net)(*seen) for net in (learner.network, example.load(tmp_path / "policy.pt")))
        assert before.tolist() == after.tolist() and view.masks[0, before[0]]


def test_speed(figures: Figures) -> None:
    game, rng = load(players=2), random.Random(1)

    def play() -> int:
        state, decisions = game.new_initial_state(), 0
        while not state.is_terminal():
            if state.is_chance_node():
                events, chances = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(rng.choices(events, chances)[0])
            else:
                state.apply_action(rng.choice(state.legal_actions()))
                decisions += 1
        return decisions

    figures("states alone", players=2, **beside_ours(play, games=1))
    env = rl_environment.Environment(game)

    def step() -> int:
        now, decisions = env.reset(), 0
        while not now.last():
            now = env.step([rng.choice(now.observations["legal_actions"][now.observations["current_player"]])])
            decisions += 1
        return decisions

    figures("rl_environment", players=2, **beside_ours(step, games=1))


# The same values


@pytest.mark.parametrize("seed", range(3))
def test_values_and_best_responses_of_mini_games_are_those_of_openspiel(seed: int) -> None:
    game = mini.deal("tiny")
    choose = random.Random(seed).choice
    for _ in range(3):
        game.play(choose(game.legal()))
    whole, openspiel_game = WholeGame(game, "margin"), game_from(game, reward="margin")
    first = game.player
    state = openspiel_game.new_initial_state()
    value, _ = minimax.expectiminimax(state, MOST_DEPTH, lambda state: 0.0, first)
    assert value == pytest.approx(whole.value()[first])
    uniform = pyspiel.nash_conv(openspiel_game, pyspiel.UniformRandomPolicy(openspiel_game))
    assert uniform == pytest.approx(whole.nash_conv(mini.uniform).total)
