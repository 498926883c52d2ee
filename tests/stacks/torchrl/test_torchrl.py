"""TorchRL: its checks, collectors and batched environments on ours, and an example that learns."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
import torch
from tensordict import TensorDict
from torchrl.collectors import Collector
from torchrl.envs import EnvBase, ParallelEnv, PettingZooWrapper, RewardSum, SerialEnv, StepCounter, TransformedEnv
from torchrl.envs.utils import ExplorationType, check_env_specs, set_exploration_type

from speicher_env import ArgumentError, Game, IllegalAction, StateError, speicherstadt_v0
from speicher_env.envs.vector import SpeicherVectorEnv
from speicher_env.integrations.torchrl import SpeicherTorchRLEnv, random_policy
from speicher_env.rules.state import STATE
from tests.stacks.conftest import Figures
from tests.stacks.examples import load_example, run_example
from tests.stacks.held_out import win_share
from tests.stacks.speed import beside_ours

EXAMPLE = "torchrl_ppo"
STEPS = 1_000_000
COUNTS = (2, 3, 4, 5)


def make_env(rows: int = 4, seed: int = 5) -> SpeicherTorchRLEnv:
    return SpeicherTorchRLEnv(rows, 3, seed=seed)


def play(env: EnvBase, steps: int, **options: Any) -> TensorDict:
    return env.rollout(steps, random_policy, break_when_any_done=False, **options)


# Specs

FORMS: dict[str, dict[str, Any]] = {
    "all seats": {},
    "one seat": {"seats": "one", "opponents": "random"},
    "states": {"states": True},
    "whole numbers": {"dtype": "uint8", "figures": True},
    "padded": {"padded": True, "reward": "margin", "illegal": "random"},
}


@pytest.mark.parametrize("players", COUNTS)
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_the_specs_are_those_of_the_data(form: dict[str, Any], players: int) -> None:
    check_env_specs(SpeicherTorchRLEnv(3, players, **form), break_when_any_done="both")
    check_env_specs(SpeicherTorchRLEnv(3, players, **form), seed=7)


def test_the_specs_hold_to_the_end_of_games() -> None:
    env = SpeicherTorchRLEnv(4, 2, states=True, seed=1)
    data = play(env, 300)
    assert data["next", "done"].any(dim=1).all()
    for spec, part in (
        (env.observation_spec, data),
        (env.observation_spec, data["next"]),
        (env.full_reward_spec, data["next"]),
    ):
        keys = list(spec.keys(True, True))
        assert all(spec[key].is_in(row) for key in keys for row in part[key].unbind(1))


# Masks


@pytest.mark.parametrize("players", COUNTS)
def test_no_mask_is_violated_by_the_actor_or_at_random(players: int) -> None:
    """illegal="raise" would raise; and it does for an action that is illegal."""
    example = load_example(EXAMPLE)
    for policy in (random_policy, example.make_actor(players)):
        env = SpeicherTorchRLEnv(16, players, seed=3)
        with torch.no_grad():
            data = env.rollout(250, policy, break_when_any_done=False)
        assert data["next", "done"].any()
        assert data["action_mask"].gather(-1, data["action"][..., None]).all()
        assert (data["action_mask"].sum(-1) >= 2).all()
        over = data["next", "done"][..., 0]
        assert (data["next", "action_mask"].any(-1) == ~over).all()
    data = env.reset()
    data["action"] = data["action_mask"].int().argmin(-1)
    with pytest.raises(IllegalAction, match=r"game 0: action=.* decides in demand"):
        env.step(data)


def test_without_masks_a_game_is_lost_or_goes_on_at_random() -> None:
    for illegal, over in (("lose", True), ("random", False)):
        env = SpeicherTorchRLEnv(2, 3, illegal=illegal, seed=1)
        data = env.reset()
        data["action"] = data["action_mask"].int().argmin(-1)
        data = env.step(data)["next"]
        assert data["done"].tolist() == [[over], [over]]
        assert data["reward"].tolist() == ([[-0.5]] * 2 if over else [[0.0]] * 2)


# The games


@pytest.mark.parametrize("seats", ["one", "all"])
def test_rows_are_those_of_the_vector_environment(seats: str) -> None:
    env = SpeicherTorchRLEnv(6, 3, seats=seats, seat="rotating", seed=11)
    ours = SpeicherVectorEnv(6, 3, seats=seats, seat="rotating", autoreset_mode="same_step")
    rows, info = ours.reset(seed=11)
    data = play(env, 250)
    assert data["next", "done"].any(dim=1).all()
    for step in range(250):
        now = data[:, step]
        np.testing.assert_array_equal(now["observation"].numpy(), rows)
        np.testing.assert_array_equal(now["action_mask"].numpy(), info["action_mask"])
        np.testing.assert_array_equal(now["seat"].numpy(), info["seat"])
        rows, rewards, ended, _, info = ours.step(now["action"].numpy())
        after = now["next"]
        np.testing.assert_array_equal(after["done"][:, 0].numpy(), ended)
        np.testing.assert_allclose(after["reward"][:, 0].numpy(), rewards)
        if seats == "all":
            np.testing.assert_allclose(after["rewards"].numpy(), info["rewards"])
        for row in np.flatnonzero(ended):
            np.testing.assert_array_equal(after["observation"][row].numpy(), info["final_obs"][row])


def test_every_seat_is_paid_once_in_each_game() -> None:
    data = play(SpeicherTorchRLEnv(8, 4, seed=1), 400)
    paid, done = data["next", "rewards"], data["next", "done"][..., 0]
    assert (paid[~done] == 0).all()
    assert torch.allclose(paid.sum(-1), torch.zeros(8, 400), atol=1e-6)
    assert (paid[done].abs().sum(-1) > 0).any()
    acted = data["seat"][..., None]
    assert torch.equal(data["next", "reward"], paid.gather(-1, acted))


def test_a_seed_repeats_the_games_and_a_reset_goes_on_to_the_next_ones() -> None:
    env = SpeicherTorchRLEnv(3, 2)
    env.set_seed(2**64 - 3)
    first, second = env.reset()["observation"], env.reset()["observation"]
    env.set_seed(2**64 - 3)
    assert torch.equal(env.reset()["observation"], first)
    assert torch.equal(env.reset()["observation"], second)
    assert not torch.equal(first, second)
    np.testing.assert_array_equal(SpeicherTorchRLEnv(3, seed=2**64 - 3).reset()["observation"], first)
    with pytest.raises(ArgumentError, match="seed"):
        env.set_seed(2**64 - 2)


def test_a_partial_reset_deals_in_the_rows_named_and_leaves_the_others() -> None:
    env = make_env()
    data = env.step(random_policy(env.reset()))["next"]
    asked = torch.tensor([[True], [False], [True], [False]])
    before = data.clone()
    after = env.reset(data.exclude("reward", "rewards").set("_reset", asked))
    assert torch.equal(after["observation"][1::2], before["observation"][1::2])
    assert not torch.equal(after["observation"][::2], before["observation"][::2])
    fresh = SpeicherTorchRLEnv(4, 3, seed=5)
    fresh.reset()
    assert torch.equal(after["observation"][::2], fresh.reset()["observation"][::2])


def test_the_first_reset_deals_everywhere() -> None:
    with pytest.raises(ArgumentError, match="first reset"):
        make_env().reset(TensorDict({"_reset": torch.tensor([[True], [False], [False], [False]])}, [4]))


def test_rows_that_are_over_wait_until_all_are() -> None:
    env = make_env()
    data = env.rollout(1000, random_policy, break_when_any_done=False, break_when_all_done=True)
    assert data["next", "done"][:, -1].all()
    ranks = env.batch.results().ranks
    assert ranks.shape == (4, 3)
    assert torch.equal(data["next", "rewards"][:, -1].sum(-1).round(decimals=5), torch.zeros(4))


def test_a_game_that_is_over_takes_no_step() -> None:
    env = make_env(1)
    data = env.rollout(1000, random_policy)[:, -1]["next"]
    with pytest.raises(ArgumentError, match="game 0 is over"):
        env.step(random_policy(data.exclude("reward", "rewards")))


# Keeping and copying


def test_games_go_on_from_states_that_were_kept() -> None:
    env = SpeicherTorchRLEnv(4, 3, states=True, seed=2)
    kept = play(env, 40)[:, -1]["next"]
    other = SpeicherTorchRLEnv(4, 3, states=True, seed=99)
    restored = other.reset(TensorDict({"state": kept["state"]}, [4]), set_state=True)
    for key in ("observation", "action_mask", "seat", "state"):
        assert torch.equal(restored[key], kept[key])
    actions = play(env, 30, auto_reset=False, tensordict=kept.exclude("reward", "rewards").clone())
    again = [other.step(TensorDict({"action": actions["action"][:, step]}, [4]))["next"] for step in range(20)]
    assert torch.equal(torch.stack(again, 1)["state"], actions["next", "state"][:, :20])
    game = Game.from_state(kept["state"][0].numpy().view(STATE)[0])
    assert game.num_players == 3


def test_states_that_are_none_are_refused() -> None:
    env = SpeicherTorchRLEnv(2, 3)
    with pytest.raises(ArgumentError, match="state=None: must be bytes"):
        env.reset(TensorDict({}, [2]), set_state=True)
    with pytest.raises(StateError, match=r"states\[0\]: no game can be in this state"):
        env.reset(TensorDict({"state": torch.zeros(2, STATE.itemsize, dtype=torch.uint8)}, [2]), set_state=True)


@pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["deepcopy", "pickle"]
)
def test_a_copy_plays_on_equally(copied: Any) -> None:
    env = SpeicherTorchRLEnv(3, 3, seats="one", opponents="merchant", seed=4)
    data = play(env, 30)[:, -1]["next"].exclude("reward")
    twin = copied(env)
    for each in (env, twin):
        torch.manual_seed(1)
        each.played = play(each, 100, auto_reset=False, tensordict=data.clone())
    assert torch.equal(env.played["next", "observation"], twin.played["next", "observation"])
    assert env.played["next", "done"].any()


# TorchRL's machinery


@pytest.mark.parametrize("batched", [SerialEnv, ParallelEnv])
def test_batched_environments_take_ours(batched: Any) -> None:
    env = batched(2, make_env)
    try:
        env.set_seed(1)
        data = play(env, 250)
        assert data.shape == (2, 4, 250)
        assert data["next", "done"].any(dim=2).all()
        assert not torch.equal(data["observation"][0, :, 0], data["observation"][1, :, 0])
    finally:
        env.close(raise_if_closed=False)


def test_transforms_and_collectors_take_ours() -> None:
    env = TransformedEnv(make_env(16), RewardSum())
    env.append_transform(StepCounter())
    check_env_specs(env)
    collector = Collector(env, random_policy, frames_per_batch=16 * 50, total_frames=16 * 400)
    ended = 0
    for data in collector:
        done = data["next", "done"][..., 0]
        ended += int(done.sum())
        assert set(data["next", "episode_rewards"][done].flatten().tolist()) <= {-0.5, 0.25, 1.0, 0.0}
    collector.shutdown()
    assert ended >= 16


# PettingZoo's wrapper, untouched


@pytest.mark.parametrize("options", [{}, {"observation": "vector"}, {"mask_dtype": "bool"}], ids=str)
def test_pettingzoos_wrapper_takes_the_aec_environment_as_it_is(options: dict[str, Any]) -> None:
    env = PettingZooWrapper(speicherstadt_v0.env(num_players=3, **options), use_mask=True)
    check_env_specs(env, seed=1)
    data = env.rollout(1000)
    assert data["next", "done"][-1].all()
    paid = torch.stack([data["next", f"player_{seat}", "reward"].sum() for seat in range(3)])
    assert paid.sum() == pytest.approx(0, abs=1e-6) and paid.abs().sum() > 0


# Learning


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A run of the example, and the file that it saved."""
    file = tmp_path_factory.mktemp("torchrl") / "agent.pt"
    return run_example(EXAMPLE, "--steps", STEPS, "--save", file), file


def chooser(actor: Any) -> Any:
    def choose(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        rows = {"observation": torch.from_numpy(observations), "action_mask": torch.from_numpy(masks)}
        with torch.no_grad(), set_exploration_type(ExplorationType.DETERMINISTIC):
            return actor(TensorDict(rows, [len(masks)]))["action"].numpy()

    return choose


def test_the_example_learns(trained: Any, figures: Figures) -> None:
    run, file = trained
    actor = load_example(EXAMPLE).make_actor(2)
    actor.load_state_dict(torch.load(file, weights_only=True))
    share = win_share(chooser(actor), 2, "random", deals=400)
    figures(**share._asdict(), minutes=run.minutes, decisions=STEPS, training_per_second=STEPS / run.minutes / 60)
    assert share.low > 0.9


def test_what_was_saved_chooses_as_before(tmp_path: Any) -> None:
    example = load_example(EXAMPLE)
    actor, restored = example.make_actor(2), example.make_actor(2)
    torch.save(actor.state_dict(), tmp_path / "agent.pt")
    rows = play(SpeicherTorchRLEnv(32, 2, seed=8), 20)[:, -1]
    before = chooser(actor)(rows["observation"].numpy(), rows["action_mask"].numpy())
    restored.load_state_dict(torch.load(tmp_path / "agent.pt", weights_only=True))
    after = chooser(restored)(rows["observation"].numpy(), rows["action_mask"].numpy())
    np.testing.assert_array_equal(before, after)


def test_its_speed(figures: Figures) -> None:
    games = 256
    env = SpeicherTorchRLEnv(games, 2, seed=1)
    state = {"data": env.reset()}

    def steps() -> int:
        for _ in range(50):
            _, state["data"] = env.step_and_maybe_reset(random_policy(state["data"]))
        return 50 * games

    figures(**beside_ours(steps, games, players=2))


def test_the_speed_of_pettingzoos_wrapper(figures: Figures) -> None:
    env = PettingZooWrapper(speicherstadt_v0.env(num_players=2, observation="vector"), use_mask=True)
    figures("PettingZooWrapper", players=2, **beside_ours(lambda: len(env.rollout(1000)), games=1))
