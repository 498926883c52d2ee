"""Train OpenSpiel's own PPO on `python_speicherstadt`, against random players or one of this project's.

One file to read from top to bottom and to copy. It needs OpenSpiel 2 and PyTorch.

    python training/examples/openspiel_ppo.py --players 2 --seed 1 --save policy.pt
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np
import pyspiel
import torch
from open_spiel.python.pytorch.ppo import PPO, PPOAgent
from open_spiel.python.rl_environment import ChanceEventSampler, Environment, ObservationType
from open_spiel.python.vector_env import SyncVectorEnv

from speicher_agents import load_agent
from speicher_env.integrations.openspiel import NAME, PlayerBot

LEARNER = 0
"""The seat that learns. An observation begins with the observer's own seat, so what it learns holds for every seat."""


def parse_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Train OpenSpiel's PPO in one seat of python_speicherstadt.")
    parser.add_argument("--players", type=int, choices=range(2, 6), default=2, help="players at the table")
    parser.add_argument("--opponent", default="random", help="random, or the spec of a player such as merchant")
    parser.add_argument("--seed", type=int, default=1, help="of the network, of what it draws, and of chance")
    parser.add_argument("--steps", type=int, default=400_000, help="decisions of the learner to train on")
    parser.add_argument("--games", type=int, default=32, help="games at once")
    parser.add_argument("--rollout", type=int, default=128, help="decisions in each game between two updates")
    parser.add_argument("--rate", type=float, default=1e-3, help="learning rate of Adam at the beginning; falls to 0")
    parser.add_argument("--evaluate", type=int, default=200, help="games to evaluate on before and after")
    parser.add_argument("--save", help="where to write the trained weights")
    return parser.parse_args()


class OneSeat(Environment):
    """OpenSpiel's environment with the other seats played inside, as its chance is."""

    def __init__(self, game: pyspiel.Game, opponent: str, seed: int) -> None:
        super().__init__(game, 1.0, ChanceEventSampler(seed), ObservationType.OBSERVATION)
        self.bots = [make_bot(opponent, seat, seed) for seat in range(game.num_players())]

    def _sample_external_events(self) -> None:
        state = self.get_state
        while not state.is_terminal() and state.current_player() != LEARNER:
            if state.is_chance_node():
                state.apply_action(self._chance_event_sampler(state))
            else:
                state.apply_action(self.bots[state.current_player()].step(state))


def make_bot(opponent: str, seat: int, seed: int) -> pyspiel.Bot:
    """Whoever plays a seat that does not learn."""
    return pyspiel.make_uniform_random_bot(seat, seed) if opponent == "random" else PlayerBot(load_agent(opponent))


def make_envs(game: pyspiel.Game, opponent: str, games: int, seed: int) -> SyncVectorEnv:
    """Environments with chance and opponents of their own."""
    return SyncVectorEnv([OneSeat(game, opponent, seed + number) for number in range(games)])


def make_learner(game: pyspiel.Game, games: int, rollout: int, rate: float) -> PPO:
    """OpenSpiel's PPO, which masks illegal actions by itself."""
    return PPO(
        input_shape=(game.observation_tensor_size(),),
        num_actions=game.num_distinct_actions(),
        num_players=game.num_players(),
        player_id=LEARNER,
        num_envs=games,
        steps_per_batch=rollout,
        num_minibatches=4,
        learning_rate=rate,
        gamma=1.0,  # the only reward comes at the end
        agent_fn=PPOAgent,
    )


def win_share(network: torch.nn.Module, envs: SyncVectorEnv) -> float:
    """The mean share of the win over one game in each environment: 1 for a win, 1/2 where two share it."""
    choose, players, shares = chooser(network), envs.num_players, []
    playing, steps = envs.envs, envs.reset()
    while playing:
        rows = np.array([step.observations["info_state"][LEARNER] for step in steps], np.float32)
        masks = np.array([env.get_state.legal_actions_mask(LEARNER) for env in playing], bool)
        steps = [env.step([action]) for env, action in zip(playing, choose(rows, masks).tolist(), strict=True)]
        shares += [(step.rewards[LEARNER] * (players - 1) + 1) / players for step in steps if step.last()]
        playing = [env for env, step in zip(playing, steps, strict=True) if not step.last()]
        steps = [step for step in steps if not step.last()]
    return float(np.mean(shares))


def train(learner: PPO, envs: SyncVectorEnv, decisions: int) -> None:
    """Train on this many decisions of the learner, or a few more."""
    started = time.perf_counter()
    rate = learner.learning_rate
    steps = envs.reset()
    while learner.total_steps_done < decisions:
        learner.optimizer.param_groups[0]["lr"] = rate * (1 - learner.total_steps_done / decisions)
        for _ in range(learner.steps_per_batch):
            outputs = learner.step(steps)
            steps, rewards, ended, _ = envs.step(outputs, reset_if_done=True)
            learner.post_step([reward[LEARNER] for reward in rewards], ended)
        learner.learn(steps)
        if learner.updates_done % 10 == 0:
            speed = learner.total_steps_done / (time.perf_counter() - started)
            print(f"{learner.total_steps_done:>9,} decisions, {speed:,.0f}/s", flush=True)


def load(path: str) -> torch.nn.Module:
    """The network that was saved."""
    weights = torch.load(path, weights_only=True)
    network = PPOAgent(weights["actor.4.bias"].shape[0], (weights["actor.0.weight"].shape[1],), "cpu")
    network.load_state_dict(weights)
    return network


def chooser(network: torch.nn.Module) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
    """The most likely legal action for each observation."""

    def choose(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        with torch.no_grad():
            logits = network.actor(torch.as_tensor(observations)).numpy()
        actions: np.ndarray = np.where(masks, logits, -np.inf).argmax(axis=1)
        return actions

    return choose


def main() -> None:
    """Evaluate, train, evaluate, save."""
    options = parse_arguments()
    torch.set_num_threads(1)  # more threads cost more than they bring with a network this small
    torch.manual_seed(options.seed)
    np.random.seed(options.seed)  # OpenSpiel's PPO shuffles with it
    game = pyspiel.load_game(NAME, {"players": options.players})
    learner = make_learner(game, options.games, options.rollout, options.rate)
    held_out = make_envs(game, options.opponent, options.evaluate, seed=2**30)
    print(f"seed {options.seed}, {options.players} players, against {options.opponent}")
    print(f"before training: win share {win_share(learner.network, held_out):.3f}", flush=True)
    train(learner, make_envs(game, options.opponent, options.games, options.seed), options.steps)
    print(f"after {learner.total_steps_done:,} decisions: win share {win_share(learner.network, held_out):.3f}")
    if options.save:
        torch.save(learner.network.state_dict(), options.save)


if __name__ == "__main__":
    main()
