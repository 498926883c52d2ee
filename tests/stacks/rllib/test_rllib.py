"""RLlib: the examples learn, masks are never violated, and a restored algorithm continues as before."""

from __future__ import annotations

import copy
import functools
import pickle
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
import ray
import torch
from ray import tune
from ray.rllib.algorithms.algorithm import Algorithm
from ray.rllib.algorithms.ppo import PPO, PPOConfig
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module import RLModule
from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.env.env_context import EnvContext
from ray.rllib.env.vector.sync_vector_multi_agent_env import SyncVectorMultiAgentEnv
from ray.rllib.utils.pre_checks.env import check_multiagent_environments

from speicher_agents import load_agent
from speicher_agents.baselines import Baseline
from speicher_env import ArgumentError, Game, IllegalAction, speicherstadt_v0
from speicher_env.envs.spaces import action_space, masked_space
from speicher_env.integrations.rllib import (
    LEARNER,
    MULTI_AGENT,
    ONE_SEAT,
    League,
    MaskedModule,
    ModulePlayer,
    SpeicherMultiAgentEnv,
    WinShareCallback,
    learned_module,
    network_of,
    one_seat_env,
    register,
    win_share,
)
from speicher_env.views import Views
from tests.stacks import held_out
from tests.stacks.conftest import Figures
from tests.stacks.examples import Run, run_example
from tests.stacks.held_out import WinShare
from tests.stacks.speed import beside_ours

COUNTS = pytest.mark.parametrize("players", [2, 3, 4, 5])


# The examples, each in a process of its own


def note(figures: Figures, example: str, run: Run, card: Path) -> WinShare:
    """Evaluate the baseline that an example wrote, and note its figures."""
    printed = re.search(r"([\d,]+) decisions in", run.output)
    assert printed, run.output
    decisions = int(printed[1].replace(",", ""))
    network = Baseline(card).network
    share = held_out.win_share(lambda rows, masks: network.logits(rows, masks).argmax(axis=1))
    speed = {"minutes": run.minutes, "decisions": decisions, "training_per_second": decisions / run.minutes / 60}
    figures(example, **share._asdict(), **speed)
    return share


def test_the_example_in_one_seat_learns(tmp_path: Path, figures: Figures) -> None:
    run = run_example("rllib_one_seat", "--steps", 300_000, "--evaluate", "random", "--save", tmp_path)
    share = note(figures, "one seat", run, tmp_path / "baseline.json")
    assert share.win_share > 0.9


def test_the_example_of_self_play_learns(tmp_path: Path, figures: Figures) -> None:
    run = run_example("rllib_self_play", "--steps", 400_000, "--evaluate", "random", "--save", tmp_path)
    share = note(figures, "self-play with a league", run, tmp_path / "baseline.json")
    assert share.win_share > 0.9


@pytest.mark.parametrize("name", ["rllib_one_seat", "rllib_self_play"])
def test_an_example_resumes_from_its_checkpoint(name: str, tmp_path: Path) -> None:
    small = ("--players", 3, "--games", 4, "--deals", 2, "--evaluate", "random", "--save", tmp_path)
    first = run_example(name, "--steps", 500, *small)
    second = run_example(name, "--steps", 2000, "--restore", tmp_path / "checkpoint", *small)
    printed = re.findall(r"([\d,]+) decisions in", first.output + second.output)
    decisions = [int(text.replace(",", "")) for text in printed]
    assert 500 <= decisions[0] < 2000 <= decisions[1]
    assert load_agent(str(tmp_path / "baseline.json")).action(Game(3, seed=1)) in Game(3, seed=1).legal_ids()


# The environment


@COUNTS
def test_the_environment_passes_the_check_of_rllib(players: int) -> None:
    check_multiagent_environments(SpeicherMultiAgentEnv({"num_players": players}))


@COUNTS
def test_games_are_those_of_the_pettingzoo_environment(players: int) -> None:
    settings: dict[str, Any] = {"num_players": players, "deck": "sampled", "reward": "rank", "figures": True}
    env, aec = SpeicherMultiAgentEnv(settings), speicherstadt_v0.env(**settings)
    observations, infos = env.reset(seed=7)
    aec.reset(seed=7)
    rng = np.random.default_rng(7)
    ended = False
    while not ended:
        assert list(observations) == [aec.agent_selection] and infos == {}
        expected = aec.observe(aec.agent_selection)
        for key, value in observations[aec.agent_selection].items():
            assert np.array_equal(value, expected[key])
        action = rng.choice(np.flatnonzero(expected["action_mask"]))
        aec.step(action)
        observations, rewards, terminated, truncated, infos = env.step({next(iter(observations)): action})
        ended = terminated["__all__"]
        assert not any(truncated.values())
        if not ended:
            assert rewards == dict.fromkeys(observations, 0.0)
    assert rewards == aec.unwrapped.rewards and set(observations) == set(env.possible_agents)
    assert env.outcome() == aec.unwrapped.outcome()


def test_spaces_contain_the_observations_and_sample_legal_actions() -> None:
    env = SpeicherMultiAgentEnv({"dtype": "uint8", "mask_dtype": "bool", "padded": True})
    games = []
    for seed in (3, 3, None):
        observations, _ = env.reset(seed=seed)
        for _ in range(60):
            ((agent, observation),) = observations.items()
            assert env.get_observation_space(agent).contains(observation)
            action = env.get_action_space(agent).sample()
            assert observation["action_mask"][action]
            observations, *_ = env.step({agent: action})
        games.append(env.game.move_ids)
    assert games[0] == games[1] != games[2]
    space = env.get_action_space("player_0")
    assert type(copy.deepcopy(space)) is gymnasium.spaces.Discrete, "a space in an episode must not hold the game"
    assert type(pickle.loads(pickle.dumps(space))) is gymnasium.spaces.Discrete


def test_environment_runners_do_not_play_each_others_deals() -> None:
    """RLlib seeds game k of runner r with seed + r + k, so equal seeds occur in several runners."""
    envs = [SpeicherMultiAgentEnv(EnvContext({}, worker_index=runner)) for runner in (0, 1, 2)]
    plain = speicherstadt_v0.raw_env()
    for seed in (5, None, None):
        plain.reset(seed=seed)
        for env in envs:
            env.reset(seed=seed)
        deals = [env.game.seed for env in envs]
        assert deals[0] == plain.game.seed, "runner 0 plays the deals of the PettingZoo environment"
        assert len(set(deals)) == (3 if seed is None else 1)


def test_wrong_arguments_are_refused_with_a_sentence() -> None:
    with pytest.raises(ArgumentError, match=r'env_config: setting="num_player": must be .*did you mean "num_players"'):
        SpeicherMultiAgentEnv({"num_player": 3})
    with pytest.raises(ArgumentError, match=r"config.debugging\(seed=...\)"):
        SpeicherMultiAgentEnv({"seed": 3})
    with pytest.raises(ArgumentError, match=r'env_config: setting="oponents": must be .*did you mean "opponents"'):
        one_seat_env({"oponents": "random"})
    env = SpeicherMultiAgentEnv()
    with pytest.raises(ArgumentError, match="no game in progress"):
        env.step({"player_0": 0})
    env.reset(seed=1, options={"first_player": 0})
    for actions in ({}, {"player_1": 0}, {"player_0": 0, "player_1": 0}):
        with pytest.raises(ArgumentError, match="must have one, of player_0, the agent to move"):
            env.step(actions)
    with pytest.raises(IllegalAction):
        env.step({"player_0": 183})


# The module


def make_module(players: int = 2, kind: type[RLModule] = MaskedModule, **settings: Any) -> Any:
    """A module with weights large enough that its actions differ between positions."""
    row_options = {name: settings.pop(name) for name in ("figures", "dtype", "mask_dtype") if name in settings}
    torch.manual_seed(0)
    module = kind(
        observation_space=masked_space(settings.pop("seats", players), **row_options),
        action_space=action_space(), inference_only=settings.pop("inference_only", False), model_config=settings,
    )  # fmt: skip
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.normal_(0.0, 0.3)
    return module


def positions(players: int, games: int = 200, figures: bool = False) -> Views:
    """A position in the middle of each of many games."""
    env = one_seat_env({"num_envs": games, "num_players": players})
    _, info = env.reset(seed=1)
    rng = np.random.default_rng(1)
    for _ in range(15):
        *_, info = env.step((rng.random(info["action_mask"].shape) * info["action_mask"]).argmax(axis=1))
    return Views.of(env.batch.arrays.states, figures=figures)


def batch_of(views: Views) -> dict[str, Any]:
    rows, masks = torch.tensor(views.observations), torch.tensor(views.masks)
    return {Columns.OBS: {"observation": rows, "action_mask": masks}}


@COUNTS
@pytest.mark.parametrize("forward", ["forward_inference", "forward_exploration", "forward_train"])
def test_no_illegal_action_is_ever_drawn(players: int, forward: str) -> None:
    module = make_module(players)
    views = positions(players)
    with torch.no_grad():
        module.policy[-1].bias += torch.linspace(
            -300, 300, 184
        )  # without masks it would nearly always choose the last actions
        logits = getattr(module, forward)(batch_of(views))[Columns.ACTION_DIST_INPUTS]
    chances = torch.softmax(logits, dim=1).numpy()
    assert np.array_equal(chances > 0, (chances > 0) & (views.masks != 0))
    drawn = module.get_exploration_action_dist_cls().from_logits(logits)
    for _ in range(50):
        assert views.masks[np.arange(len(views)), drawn.sample().numpy()].all()
    assert torch.isfinite(drawn.entropy()).all()
    assert np.take_along_axis(views.masks, logits.argmax(dim=1, keepdim=True).numpy(), axis=1).all()


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("activation", ["tanh", "relu"])
@pytest.mark.parametrize(("hiddens", "dtype", "figures"), [([32, 16], "float32", False), ([24], "uint8", True)])
def test_a_baseline_computes_what_its_module_does(
    hiddens: list[int], dtype: str, figures: bool, activation: str, shared: bool
) -> None:
    module = make_module(
        3, fcnet_hiddens=hiddens, fcnet_activation=activation, vf_share_layers=shared, dtype=dtype, figures=figures
    )
    views = positions(3, figures=figures)
    network = network_of(module)
    logits, values = network.logits_and_values(views.observations, views.masks)
    with torch.no_grad():
        outputs = module.forward_train(batch_of(views))
        expected = module.compute_values(batch_of(views), embeddings=outputs[Columns.EMBEDDINGS])
        assert torch.equal(expected, module.compute_values(batch_of(views)))
    legal = views.masks != 0
    assert np.allclose(logits[legal], outputs[Columns.ACTION_DIST_INPUTS].numpy()[legal], atol=1e-4)
    assert np.allclose(values, expected.numpy(), atol=1e-4)
    # The player evaluates the module itself, with rows of its own dtype.
    assert np.allclose(ModulePlayer(module).logits(views)[legal], logits[legal], atol=1e-4)


def test_a_player_works_everywhere_with_any_form_of_observations() -> None:
    views = positions(2)
    for module in (make_module(2), make_module(seats=5, figures=True), make_module(2, dtype="uint8")):
        player = ModulePlayer(module)
        game = Game(2, seed=5)
        assert player.action(game) in game.legal_ids()
        unpickled = pickle.loads(pickle.dumps(player))
        assert np.array_equal(unpickled.act(views), player.act(views))
        assert 0 <= win_share(player, "random", deals=10).estimate <= 1
    sampling = ModulePlayer(make_module(2), temperature=1.0, seed=1)
    first = sampling.act(views)
    assert np.array_equal(first, sampling.act(views))
    sampling.reset(2)
    assert (first != sampling.act(views)).any()
    with pytest.raises(ArgumentError, match="it plays games of 2 players; got one of 3"):
        sampling.action(Game(3, seed=1))
    with pytest.raises(ArgumentError, match="it has no value function"):
        network_of(make_module(2, inference_only=True))


def test_a_module_refuses_wrong_settings_and_observations() -> None:
    with pytest.raises(
        ArgumentError, match=r'model_config: setting="fcnet_hidden": must be .*did you mean "fcnet_hiddens"'
    ):
        make_module(fcnet_hidden=[64])
    with pytest.raises(ArgumentError, match='fcnet_activation="gelu": must be tanh or relu'):
        make_module(fcnet_activation="gelu")
    with pytest.raises(ArgumentError, match="use_lstm is not supported"):
        MaskedModule(
            observation_space=masked_space(2),
            action_space=action_space(),
            model_config=DefaultModelConfig(use_lstm=True),
        )
    with pytest.raises(ArgumentError, match='with observation="dict"'):
        MaskedModule(observation_space=masked_space(2)["observation"], action_space=action_space(), model_config={})


# Training, in this process


@pytest.fixture(scope="module")
def running() -> Iterator[None]:
    """Start Ray and register the environments."""
    torch.set_num_threads(1)
    ray.init(num_cpus=2, include_dashboard=False, object_store_memory=200_000_000, log_to_driver=False)
    register()
    yield
    ray.shutdown()


def small(config: PPOConfig) -> PPOConfig:
    """Settings for short iterations."""
    config.training(train_batch_size=400, minibatch_size=100, num_epochs=1, lr=1e-3, gamma=1.0, use_kl_loss=False)
    return config.debugging(seed=1, log_level="ERROR")


def league_config(league: League, runners: int = 0, **settings: Any) -> PPOConfig:
    config = small(PPOConfig()).environment(MULTI_AGENT, env_config=settings)
    config.env_runners(num_env_runners=runners, num_envs_per_env_runner=4, batch_mode="complete_episodes")
    config.callbacks(functools.partial(WinShareCallback, opponents={"luck": "random"}, deals=3, every=2))
    return league.applied_to(config, {"fcnet_hiddens": [16]})


def one_seat_config(**settings: Any) -> PPOConfig:
    config = small(PPOConfig()).environment(ONE_SEAT, env_config=settings)
    config.env_runners(num_env_runners=0, num_envs_per_env_runner=8, gym_env_vectorize_mode="vector_entry_point")
    config.rl_module(rl_module_spec=RLModuleSpec(module_class=MaskedModule, model_config={"fcnet_hiddens": [16]}))
    return config.callbacks(functools.partial(WinShareCallback, opponents=["random"], deals=3, every=1))


@pytest.fixture
def build(running: None) -> Iterator[Callable[[PPOConfig], Algorithm]]:
    """A function that builds algorithms; they are stopped after the test."""
    built: list[Algorithm] = []

    def build_one(config: PPOConfig) -> Algorithm:
        built.append(config.build_algo())
        return built[-1]

    yield build_one
    for algorithm in built:
        algorithm.stop()


Build = Callable[[PPOConfig], Algorithm]


def weights(algorithm: Algorithm, module_id: str) -> dict[str, np.ndarray]:
    """The learner's weights of a module."""
    state = algorithm.learner_group.get_state(components=f"learner/rl_module/{module_id}")
    module_state: dict[str, np.ndarray] = state["learner"]["rl_module"][module_id]
    return module_state


def equal(first: dict[str, np.ndarray], second: dict[str, np.ndarray]) -> bool:
    return all(np.array_equal(first[name], second[name]) for name in first.keys() & second.keys())


@COUNTS
def test_a_league_plays_with_any_number_of_players(players: int, build: Build) -> None:
    algorithm = build(league_config(League(size=2, newest=0.3, every=1), num_players=players))
    untrained = weights(algorithm, LEARNER)
    assert equal(untrained, weights(algorithm, "past_0")), "the league begins with the untrained learner"
    copies = []
    for iteration in (1, 2):
        result = algorithm.train()
        copies.append(weights(algorithm, LEARNER))
        assert result["league"]["newest"] == iteration
        assert result["win_share_iteration"] == iteration - (iteration % 2 == 1 and iteration > 1)
        assert 0 <= result["win_share_low"]["luck"] <= result["win_share"]["luck"] <= result["win_share_high"]["luck"]
    assert result["league"]["members"] == 2 and 0 <= result["league"]["win_share"] <= 1
    assert not equal(untrained, copies[0]) and not equal(copies[0], copies[1]), "the learner learns"
    # The second copy has replaced the oldest one; learner and environment runner have the same weights.
    for slot, expected in (("past_1", copies[0]), ("past_0", copies[1])):
        assert equal(expected, weights(algorithm, slot))
        assert equal(expected, algorithm.get_module(slot).get_state())

    seatings = []
    for episode in algorithm.env_runner.sample(num_episodes=12):
        seating = {agent: part.module_id for agent, part in episode.agent_episodes.items()}
        assert len(seating) == players and list(seating.values()).count(LEARNER) in (1, players)
        seatings.append(tuple(seating[agent] for agent in sorted(seating)))
    assert len(set(seatings)) > 2, "the seating is random"


def test_episodes_hold_every_decision_and_the_payoffs(build: Build) -> None:
    """Also where a player moves several times in a row, or has long had its last move when the game ends."""
    algorithm = build(league_config(League(size=1, newest=1.0), num_players=3))
    for episode in algorithm.env_runner.sample(num_episodes=8):
        assert sum(len(part) for part in episode.agent_episodes.values()) == len(episode) == episode.env_t
        returns = [part.get_return() for part in episode.agent_episodes.values()]
        assert sum(returns) == pytest.approx(0.0) and max(returns) > 0
        for part in episode.agent_episodes.values():
            assert part.is_terminated and not part.get_rewards()[:-1].any()
            masks, actions = part.get_observations()["action_mask"], part.get_actions()
            assert len(masks) == len(actions) + 1
            assert masks[np.arange(len(actions)), actions].all()
            assert not masks[-1].any()


def test_a_copy_is_added_when_the_learner_wins_enough(build: Build) -> None:
    every_time = build(league_config(League(size=3, newest=0.0, every=None, threshold=1e-9, games=1)))
    never = build(league_config(League(size=3, newest=0.0, every=None, threshold=9.0, games=1)))
    for algorithm, members in ((every_time, 3), (never, 1)):
        results = [algorithm.train() for _ in range(2)]
        assert results[-1]["league"]["members"] == members


def test_copies_reach_all_environment_runners(build: Build) -> None:
    config = league_config(League(size=2, newest=0.0, every=1), runners=1, num_players=2)
    algorithm = build(config.evaluation(evaluation_interval=1, evaluation_duration=2, evaluation_num_env_runners=0))
    assert algorithm.train()["evaluation"]["env_runners"]["num_episodes"] == 2
    for slot in ("past_0", "past_1"):
        assert equal(weights(algorithm, slot), algorithm.eval_env_runner.module[slot].get_state())
        (remote,) = algorithm.env_runner_group.foreach_env_runner(
            functools.partial(lambda runner, slot: runner.module[slot].get_state(), slot=slot), local_env_runner=False
        )
        assert equal(weights(algorithm, slot), remote)
        assert remote["frozen_at"] == int(slot[-1])


@pytest.mark.parametrize("stack_config", ["league", "one seat"])
def test_a_restored_algorithm_plays_the_same_and_resumes_training(
    stack_config: str, build: Build, tmp_path: Path
) -> None:
    league = stack_config == "league"
    config = league_config(League(size=2, every=1), num_players=3) if league else one_seat_config(num_players=3)
    module_id = LEARNER if league else "default_policy"
    algorithm = build(config)
    algorithm.train()
    path = algorithm.save_to_path(tmp_path / "checkpoint")
    views = positions(3)
    module = learned_module(algorithm)
    assert equal(weights(algorithm, module_id), module.get_state()) and network_of(module).parameters
    actions = ModulePlayer(module).act(views)
    assert np.array_equal(actions, ModulePlayer(algorithm.get_module(module_id)).act(views))
    players = {
        "Algorithm.from_checkpoint": ModulePlayer(Algorithm.from_checkpoint(path).get_module(module_id)),
        "RLModule.from_checkpoint": ModulePlayer(
            RLModule.from_checkpoint(Path(path) / "learner_group" / "learner" / "rl_module" / module_id)
        ),
    }
    for name, player in players.items():
        assert np.array_equal(player.act(views), actions), name
    restored = build(config.copy(copy_frozen=False))
    restored.restore_from_path(path)
    assert equal(weights(restored, module_id), weights(algorithm, module_id))
    result = restored.train()
    assert result["training_iteration"] == 2
    assert not equal(weights(restored, module_id), weights(algorithm, module_id)), "training resumes"
    if league:
        assert result["league"] | {"win_share": None} == {"members": 2, "newest": 2, "win_share": None}
        assert equal(weights(restored, "past_1"), weights(algorithm, "past_1"))


def test_training_is_repeatable_and_not_changed_by_evaluations(build: Build) -> None:
    runs = []
    for evaluations in range(2):
        algorithm = build(league_config(League(size=2, every=1), num_players=2))
        for _ in range(2):
            algorithm.train()
            for _ in range(evaluations):
                assert 0 <= win_share(ModulePlayer(learned_module(algorithm)), "random", deals=2).estimate <= 1
        runs.append(weights(algorithm, LEARNER))
    assert equal(*runs)


@pytest.mark.parametrize("mode", ["sync", "vector_entry_point"])
def test_one_seat_trains_in_one_environment_or_in_many(mode: str, build: Build) -> None:
    config = one_seat_config(num_players=3, opponents=["frugal", "random"])
    config.env_runners(gym_env_vectorize_mode=mode)
    algorithm = build(config)
    untrained = weights(algorithm, "default_policy")
    assert algorithm.train()["env_runners"]["num_env_steps_sampled_lifetime"] >= 400
    assert not equal(untrained, weights(algorithm, "default_policy"))


def test_tune_runs_a_grid(running: None, tmp_path: Path) -> None:
    config = one_seat_config(num_players=2).training(lr=tune.grid_search([1e-3, 0.0]))
    tuner = tune.Tuner(
        PPO,
        param_space=config,
        run_config=tune.RunConfig(stop={"training_iteration": 2}, storage_path=str(tmp_path), verbose=0),
        tune_config=tune.TuneConfig(metric="win_share/random", mode="max", max_concurrent_trials=1),
    )
    results = tuner.fit()
    assert len(results) == 2 and not results.errors
    assert 0 <= results.get_best_result().metrics["win_share"]["random"] <= 1


# Speed


def test_how_fast_it_plays(figures: Figures) -> None:
    rng = np.random.default_rng(1)
    many = SyncVectorMultiAgentEnv([SpeicherMultiAgentEnv] * 64)
    observations, _ = many.reset(seed=1)

    def play() -> int:
        nonlocal observations
        decisions = 0
        for _ in range(20):
            actions: list[dict[str, Any]] = []
            for by_agent in observations:
                # A finished game is reset by the next step, which takes no action.
                masks = {agent: each["action_mask"] for agent, each in by_agent.items() if each["action_mask"].any()}
                actions.append({agent: int((rng.random(184) * mask).argmax()) for agent, mask in masks.items()})
            observations, *_ = many.step(actions)
            decisions += sum(map(len, actions))
        return decisions

    figures("self-play with a league", **beside_ours(play))
    vector = one_seat_env({"num_envs": 64})
    _, info = vector.reset(seed=1)

    def play_one_seat() -> int:
        nonlocal info
        for _ in range(100):
            *_, info = vector.step((rng.random((64, 184)) * info["action_mask"]).argmax(axis=1))
        return 6400

    figures("one seat", **beside_ours(play_one_seat, seats="one"))
