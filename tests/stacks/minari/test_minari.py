"""Minari: datasets of our games, its collector on our environments, and an example that learns from a dataset."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import gymnasium
import minari
import mlcroissant
import numpy as np
import pytest
import torch

from speicher_agents import load_agent
from speicher_env import ArgumentError, Game
from speicher_env.envs.solo import SpeicherEnv
from speicher_env.integrations.minari import MinariWriter, game_episodes
from speicher_env.observation import RowFormat
from tests.stacks.conftest import Figures
from tests.stacks.examples import Run, load_example, run_example
from tests.stacks.held_out import win_share
from tests.stacks.speed import beside_ours

COUNTS = (2, 3, 4, 5)
LARGEST = 2**64 - 1


@pytest.fixture(autouse=True, scope="session")
def datasets_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Minari's folder, away from the user's."""
    folder = tmp_path_factory.mktemp("datasets")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MINARI_DATASETS_PATH", str(folder))
        yield folder


def speicher(*arguments: object) -> str:
    """Run the command, which must succeed; its messages."""
    command = [Path(sys.executable).with_name("speicher"), "dataset", *map(str, arguments)]
    run = subprocess.run(command, text=True, capture_output=True, check=False)
    assert run.returncode == 0, run.stderr
    return run.stderr


def played(players: int, seed: int, deck: str = "standard") -> Game:
    """A whole game of random moves."""
    choose = random.Random(seed).choice
    game = Game(players, deck, seed)
    while not game.over:
        game.play(choose(game.legal_ids()))
    return game


# Datasets of games


@pytest.mark.parametrize("players", COUNTS)
def test_an_episode_is_what_the_environment_shows(players: int) -> None:
    seat = players - 1
    speicher("--with", "merchant", "--players", players, "--games", 3, "--seed", 7, "--seats", seat,
             "--reward", "rank", "--minari", f"env/seat-{players}p-v0")  # fmt: skip
    dataset = minari.load_dataset(f"env/seat-{players}p-v0")
    env = dataset.recover_environment()
    assert dataset.total_episodes == 3 and env.unwrapped.batch.num_players == players
    notes = dataset.storage.get_episode_metadata(dataset.episode_indices)
    for episode, note in zip(dataset, notes, strict=True):
        seen, info = env.reset(seed=note["seed"])
        for step, action in enumerate(episode.actions):
            for name in ("observation", "action_mask"):
                assert np.array_equal(episode.observations[name][step], seen[name])
            assert info["action_mask"][action] and info["seat"] == note["seat"] == seat
            seen, reward, ended, _, info = env.step(action)
            assert episode.rewards[step] == pytest.approx(reward) and episode.terminations[step] == ended
        assert ended and np.array_equal(episode.observations["observation"][-1], seen["observation"])
        assert not episode.observations["action_mask"][-1].any() and not episode.truncations.any()
        assert (note["rank"], note["points"]) == (info["rank"], info["points_total"])


@pytest.mark.parametrize("players", COUNTS)
def test_all_seats_are_the_whole_game(players: int) -> None:
    game = played(players, LARGEST - players)
    episodes = game_episodes(game)
    assert list(episodes) == list(range(players))
    assert sum(len(episode) for episode in episodes.values()) == len(game.move_ids or ())
    assert sum(episode.rewards.sum() for episode in episodes.values()) == pytest.approx(0)
    again, places = game.start(), dict.fromkeys(episodes, 0)
    for action in game.move_ids or ():
        seat = again.player
        assert seat is not None
        place = places[seat]
        assert episodes[seat].actions[place] == action
        assert np.flatnonzero(episodes[seat].observations["action_mask"][place]).tolist() == again.legal_ids()
        places[seat] += 1
        again.play(action)
    assert list(game_episodes(game, "winners")) == game.winners()


def test_datasets_of_records_hold_their_games(tmp_path: Path) -> None:
    games = [played(3, seed) for seed in (LARGEST, 1, 2)]
    file = tmp_path / "games.jsonl"
    file.write_text("".join(json.dumps(game.to_record()) + "\n" for game in games))
    messages = speicher(
        file, "--minari", "records/three-v2", "--dtype", "uint8", "--seats", "winners", "--author", "A. B."
    )
    dataset = minari.load_dataset("records/three-v2")
    winners = [(seat, game) for game in games for seat in game.winners()]
    assert f"{len(winners)} episodes of 3 games" in messages
    notes = list(dataset.storage.get_episode_metadata(dataset.episode_indices))
    assert [(note["seat"], note["seed"]) for note in notes] == [(seat, game.seed) for seat, game in winners]
    for episode, (seat, game) in zip(dataset, winners, strict=True):
        expected = game_episodes(game, row_format=RowFormat(3, dtype="uint8"))[seat]
        assert episode.observations["observation"].dtype == np.uint8
        assert np.array_equal(episode.observations["observation"], expected.observations["observation"])
        assert dataset.observation_space["observation"].contains(episode.observations["observation"][0])
    metadata = dataset.storage.metadata
    assert metadata["author"] == {"A. B."} and metadata["edition"] == games[0].deck.edition and metadata["games"] == 3
    assert dataset.recover_environment().unwrapped.batch.row_format.dtype == "uint8"


def test_what_minari_lists_are_finished_datasets_only(datasets_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), MinariWriter("broken/off-v0") as writer:
        writer.add(played(2, 1))
        raise KeyboardInterrupt
    with MinariWriter("without/games-v0"):
        pass
    with MinariWriter("top-v0", 2, "sampled", padded=True, figures=True) as writer:
        for seed in range(70):  # more than are written at once
            writer.add(played(2, seed, "sampled"))
        assert (writer.games, writer.episodes) == (70, 140)
    listed = minari.list_local_datasets()
    assert "top-v0" in listed and not [name for name in listed if name.startswith(("broken", "without"))]
    assert not list(datasets_path.glob(".speicher-*"))
    dataset = minari.load_dataset("top-v0")
    assert (dataset.total_episodes, dataset.total_steps) == (140, writer.steps)
    assert "EpisodeData(id=139" in repr(dataset[139])


def test_a_dataset_that_exists_is_refused() -> None:
    with MinariWriter("twice/here-v0") as writer:
        writer.add(played(2, 1))
    with pytest.raises(ArgumentError, match=r"the Minari dataset twice/here-v0 exists; give the new one another name"):
        MinariWriter("twice/here-v0")
    command = [Path(sys.executable).with_name("speicher"), "dataset", "--with", "random", "--minari", "twice/here-v0"]
    run = subprocess.run(command, text=True, capture_output=True, check=False)
    assert run.returncode == 2 and run.stderr.splitlines()[-1].startswith("speicher: the Minari dataset twice/here-v0")


@pytest.mark.parametrize("dataset_id", ["unversioned", "../../up-v0", "a b-v0", "", 3, "x/y-v0"])
def test_an_id_that_minari_cannot_take_is_refused(dataset_id: Any) -> None:
    with pytest.raises(ArgumentError, match=r"dataset_id=.*: must be \(NAMESPACE/\)NAME-vNUMBER"):
        MinariWriter(dataset_id)


@pytest.mark.parametrize(
    ("arguments", "game", "sentence"),
    [
        ({}, lambda: played(3, 1), "players=3: must be 2, as in the whole dataset."),
        ({}, lambda: played(2, 1, "sampled"), 'edition="sampled": must be '),
        ({"deck": "sampled"}, lambda: played(2, 1), "must be sampled, as in the whole dataset."),
        ({}, lambda: Game(2, seed=1), "an episode is made of a game that is over"),
        ({"seats": 2}, None, "seats=2: must be all, winners or a seat 0..1"),
        ({"seats": "winer"}, None, 'did you mean "winners"?'),
    ],
)
def test_games_that_do_not_belong_are_refused(arguments: dict[str, Any], game: Any, sentence: str) -> None:
    with pytest.raises(ArgumentError) as refused, MinariWriter("strict/one-v0", **arguments) as writer:
        writer.add(game())
    assert sentence in str(refused.value)


# Its collector on our environments


@pytest.mark.parametrize("observation", ["vector", "dict"])
def test_its_collector_records_our_environment_with_infos_and_seeds(observation: str) -> None:
    env = minari.DataCollector(
        gymnasium.make("Speicherstadt-v0", num_players=3, observation=observation), record_infos=True
    )
    rng = np.random.default_rng(1)
    for seed in (LARGEST, None, None, None):  # it draws seeds of 64 bits itself
        _, info = env.reset(seed=seed)
        ended = False
        while not ended:
            _, _, ended, _, info = env.step(rng.choice(np.flatnonzero(info["action_mask"])))
    dataset = env.create_dataset(f"collected/{observation}-v0", algorithm_name="random")
    notes = list(dataset.storage.get_episode_metadata(dataset.episode_indices))
    assert notes[0]["seed"] == LARGEST and len(notes) == 4
    for episode, note in zip(dataset, notes, strict=True):
        steps = len(episode)
        assert episode.infos["action_mask"].shape == (steps + 1, 184)
        assert episode.infos["action_mask"][np.arange(steps), episode.actions].all()
        assert episode.infos["seed"][-1] == note["seed"] and not episode.infos["seed"][:-1].any()
        again = dataset.recover_environment()
        again.reset(seed=note["seed"])
        for action, reward in zip(episode.actions, episode.rewards, strict=True):
            assert again.step(action)[1] == reward


# Record shards


def test_the_description_of_record_shards_is_valid_croissant(tmp_path: Path) -> None:
    folder = tmp_path / "shards"
    speicher("--with", "frugal,merchant,random", "--games", 5, "--seed", 2**64 - 5, "--records", folder, "--shard", 2,
             "--author", "A. B.", "--url", "https://example.org/games")  # fmt: skip
    dataset = mlcroissant.Dataset(folder / "croissant.json")
    issues = dataset.metadata.ctx.issues
    assert not issues.errors and not issues.warnings, issues.report()
    for field in (
        "cite_as", "creators", "date_published", "description", "license", "url", "version", "data_biases",
        "data_collection", "data_collection_type", "data_limitations", "data_social_impact", "data_use_cases",
        "data_release_maintenance_plan", "personal_sensitive_information",
    ):  # fmt: skip
        assert getattr(dataset.metadata, field), field
    games = sorted(dataset.records("games"), key=lambda game: game["games/seed"])
    assert [game["games/seed"] for game in games] == list(range(2**64 - 5, 2**64))
    for game in games:
        assert game["games/players"] == 3 and len(game["games/bag"]) == 45
        again = Game(3, seed=game["games/seed"])
        for move in game["games/moves"]:
            assert move["games/moves/player"] == again.player
            again.play(move["games/moves/action"].decode())
        assert again.over and game["games/result"]["games/result/winners"] == again.winners()


# The example

EXAMPLE = "minari_cloning"
GAMES = 400


@pytest.fixture(scope="module")
def cloned(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, Path]:
    """A run of the example, and what it has saved."""
    file = tmp_path_factory.mktemp("minari") / "policy.pt"
    speicher("--with", "merchant", "--games", GAMES, "--seed", 1, "--dtype", "uint8", "--minari", "example/merchant-v0")
    return run_example(EXAMPLE, "--dataset", "example/merchant-v0", "--evaluate", 50, "--save", file), file


def test_the_example_learns_and_violates_no_mask(cloned: tuple[Run, Path], figures: Figures) -> None:
    run, file = cloned
    network = load_example(EXAMPLE).load(file)
    choose = load_example(EXAMPLE).chooser(network)
    scales = RowFormat(2, dtype="uint8").scales

    def choose_from_floats(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
        return choose(np.rint(observations / scales), masks)

    share = win_share(choose_from_floats, 2, "random", deals=400)
    steps = minari.load_dataset("example/merchant-v0").total_steps
    figures(**share._asdict(), minutes=run.minutes, decisions=steps)
    assert share.low > 0.9


def test_what_the_example_saves_chooses_as_before(tmp_path: Path) -> None:
    example = load_example(EXAMPLE)
    network = example.make_network(340, 32, 184)
    torch.save(network.state_dict(), tmp_path / "policy.pt")
    rows = np.random.default_rng(1).random((50, 340), np.float32)
    masks = np.random.default_rng(2).random((50, 184)) < 0.2
    before = example.chooser(network)(rows, masks)
    assert before.tolist() == example.chooser(example.load(tmp_path / "policy.pt"))(rows, masks).tolist()
    assert masks[np.arange(50), before].all()


def test_speed(figures: Figures) -> None:
    env = minari.DataCollector(SpeicherEnv(2, observation="dict"))
    rng = np.random.default_rng(1)

    def play() -> int:
        _, info = env.reset()
        ended, decisions = False, 0
        while not ended:
            _, _, ended, _, info = env.step(int(rng.choice(np.flatnonzero(info["action_mask"]))))
            decisions += 1
        return decisions

    figures("DataCollector", players=2, **beside_ours(play, games=1, seats="one"))
    merchant = load_agent("merchant")
    game = Game(2, seed=1)
    while not game.over:
        game.play(merchant.action(game))

    def write() -> int:
        game_episodes(game)
        return len(game.move_ids or ())

    figures("episodes of a game", players=2, **beside_ours(write, games=1))
