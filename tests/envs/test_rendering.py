"""Pictures from the environments: pixels, films and a window, and none of their packages loaded before the first."""

from __future__ import annotations

import copy
import pickle
import random
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from pettingzoo.utils.wrappers import RecordVideo

from speicher_env import ArgumentError, speicherstadt_v0
from speicher_env.envs.solo import SpeicherEnv
from speicher_env.envs.vector import SpeicherVectorEnv
from speicher_env.render import frame, text

pytestmark = pytest.mark.nojit


def play(env: Any, seed: int, steps: int = 10_000) -> None:
    """Some random steps of a PettingZoo environment, at most to its end."""
    rng = random.Random(seed)
    for _ in range(steps):
        observation, _, over, _, _ = env.last()
        if over:
            return
        env.step(rng.choice(np.flatnonzero(observation["action_mask"]).tolist()))


# Pixels


@pytest.mark.parametrize("players", [2, 5])
def test_pixels_are_the_picture_of_the_game_and_keep_their_size(players: int) -> None:
    env = speicherstadt_v0.env(players, render_mode="rgb_array")
    env.reset(seed=5)
    first = env.render()
    assert first.dtype == np.uint8 and first.shape[1:] == (960, 3) and first.shape[0] % 2 == 0
    play(env, 5, steps=40)
    later = env.render()
    assert later.shape == first.shape and not np.array_equal(first, later)
    assert np.array_equal(later, frame(env.unwrapped.game))


def test_the_last_frame_shows_the_end() -> None:
    env = speicherstadt_v0.raw_env(2, render_mode="rgb_array")
    env.reset(seed=6)
    play(env, 6)
    assert env.unwrapped.game.over
    assert np.array_equal(env.render(), frame(env.game.state))


def test_one_seat_sees_itself_first() -> None:
    env = SpeicherEnv(3, seat=1, render_mode="rgb_array")
    env.reset(seed=2)
    state = env.batch.arrays.states[0]
    assert np.array_equal(env.render(), frame(state, seat=1))
    assert not np.array_equal(env.render(), frame(state))


def test_each_row_of_many_games_is_rendered() -> None:
    env = SpeicherVectorEnv(2, 2, seat=1, render_mode="rgb_array")
    with pytest.raises(ArgumentError, match=r"render\(\) was called before reset\(\)"):
        env.render()
    env.reset(seed=4)
    frames = env.render()
    assert len(frames) == 2 and not np.array_equal(*frames)
    assert np.array_equal(frames[1], frame(env.batch.arrays.states[1], seat=1))
    texts = SpeicherVectorEnv(2, 2, seats="all", render_mode="ansi")
    texts.reset(seed=4)
    assert texts.render() == tuple(text(state) for state in texts.batch.arrays.states)


def test_many_games_have_no_window() -> None:
    with pytest.raises(ArgumentError, match='render_mode="human": must be "ansi", "rgb_array" or None'):
        SpeicherVectorEnv(2, 2, render_mode="human")


# Films. The library that writes them is large, so one that only counts stands in for it.


@pytest.fixture
def films(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, float, set[tuple[int, ...]]]]:
    """Films written: how many frames, frames a second, and the sizes of the frames."""
    written: list[tuple[int, float, set[tuple[int, ...]]]] = []

    class ImageSequenceClip:
        def __init__(self, frames: list[np.ndarray], fps: float) -> None:
            self.film = (len(frames), fps, {one.shape for one in frames})

        def write_videofile(self, path: str, **options: Any) -> None:
            Path(path).write_bytes(b"film")
            written.append(self.film)

    name = "moviepy.video.io.ImageSequenceClip"
    for part in ("moviepy", "moviepy.video", "moviepy.video.io", name):
        monkeypatch.setitem(sys.modules, part, types.ModuleType(part))
    sys.modules[name].ImageSequenceClip = ImageSequenceClip  # type: ignore[attr-defined]
    sys.modules["moviepy"].video = sys.modules["moviepy.video"]  # type: ignore[attr-defined]
    sys.modules["moviepy.video"].io = sys.modules["moviepy.video.io"]  # type: ignore[attr-defined]
    sys.modules["moviepy.video.io"].ImageSequenceClip = sys.modules[name]  # type: ignore[attr-defined]
    return written


def test_pettingzoo_films_a_game(films: list[Any], tmp_path: Path) -> None:
    env = RecordVideo(speicherstadt_v0.env(2, render_mode="rgb_array"), str(tmp_path / "films"), video_length=12)
    env.reset(seed=3)
    play(env, 3, steps=20)
    env.close()
    assert films == [(13, 2, {(590, 960, 3)})]


def test_gymnasium_films_a_game(films: list[Any], tmp_path: Path) -> None:
    env = gymnasium.wrappers.RecordVideo(
        gymnasium.make("Speicherstadt-v0", num_players=2, render_mode="rgb_array"), str(tmp_path / "films")
    )
    rng = random.Random(3)
    _, info = env.reset(seed=3)
    for _ in range(8):
        _, _, _, _, info = env.step(rng.choice(np.flatnonzero(info["action_mask"]).tolist()))
    env.close()
    assert films == [(9, 2, {(590, 960, 3)})]


# The window


def test_a_person_watches_in_a_window() -> None:
    import pygame

    env = speicherstadt_v0.env(2, render_mode="human")
    env.reset(seed=1)
    surface = pygame.display.get_surface()
    assert pygame.display.get_caption()[0] == "Speicherstadt"
    across, down = surface.get_size()
    shown = pygame.surfarray.array3d(surface).swapaxes(0, 1)
    assert abs(across / down - 960 / 590) < 0.01
    if (across, down) == (960, 590):
        assert np.array_equal(shown, frame(env.unwrapped.game))
    play(env, 1, steps=1)
    assert not np.array_equal(pygame.surfarray.array3d(pygame.display.get_surface()).swapaxes(0, 1), shown)
    assert env.render() is None
    env.close()
    assert not pygame.display.get_init()


def test_a_window_that_was_closed_by_hand_stays_closed() -> None:
    import pygame

    env = SpeicherEnv(2, render_mode="human")
    env.reset(seed=1)
    pygame.event.post(pygame.event.Event(pygame.QUIT))
    env.render()
    assert not pygame.display.get_init()
    assert env.render() is None and not pygame.display.get_init()
    env.close()


def test_a_copy_of_a_watched_game_has_a_window_of_its_own() -> None:
    env = speicherstadt_v0.raw_env(2, render_mode="human")
    env.reset(seed=1)
    for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert twin.game == env.game
        twin.close()
        env.render()
    env.close()


# What is loaded, and what is missing


def test_nothing_for_pictures_is_loaded_before_the_first_picture() -> None:
    program = """
import sys
from speicher_env import Game, speicherstadt_v0
from speicher_env.envs.solo import SpeicherEnv
packages = {"pygame", "resvg_py", "PIL", "font_hanken_grotesk"}
speicherstadt_v0.env(2).reset(seed=1)
SpeicherEnv(2, render_mode="rgb_array")
assert not packages & set(sys.modules), packages & set(sys.modules)
speicherstadt_v0.env(2, render_mode="human")
assert "pygame" not in sys.modules
env = speicherstadt_v0.env(2, render_mode="rgb_array")
env.reset(seed=1)
env.render()
assert "pygame" not in sys.modules and "resvg_py" in sys.modules
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=120)


@pytest.mark.parametrize(
    ("module", "mode", "name"),
    [("resvg_py", "rgb_array", "resvg-py"), ("PIL", "rgb_array", "pillow"), ("pygame", "human", "pygame-ce")],
)
def test_the_first_picture_says_in_one_sentence_which_packages_are_missing(
    module: str, mode: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import speicher_env.render.extra as extra

    there = extra.find_spec
    monkeypatch.setattr(extra, "find_spec", lambda name: None if name == module else there(name))
    right = f"""^render_mode="{mode}" needs {name}, which pip install 'speicher-env\\[render\\]' brings$"""
    for make in (speicherstadt_v0.env, SpeicherEnv):
        env = make(2, render_mode=mode)
        if mode == "rgb_array":
            env.reset(seed=1)
        with pytest.raises(ImportError, match=right):
            env.render() if mode == "rgb_array" else env.reset(seed=1)


def test_an_environment_that_never_renders_needs_no_packages_for_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    """stable-baselines3's `make_vec_env` asks every environment for pictures, and most are never shown."""
    import speicher_env.render.extra as extra

    monkeypatch.setattr(extra, "find_spec", lambda name: None)
    env = gymnasium.make("Speicherstadt-v0", render_mode="rgb_array")
    _, info = env.reset(seed=1)
    env.step(int(info["action_mask"].argmax()))
    with pytest.raises(ImportError, match="needs resvg-py, pillow, font-hanken-grotesk, which pip install"):
        env.render()
    env.close()
