"""Recipes: those that come with the package are whole, and every fault in one's own is one clear sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from speicher_env import ArgumentError
from speicher_training.train.recipe import load_recipe, recipe_from, recipes
from speicher_training.train.settings import SETTINGS


def sentence(tmp_path: Path, text: str) -> str:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(ArgumentError) as refused:
        load_recipe(str(path))
    told = str(refused.value)
    assert "\n" not in told and "mine.toml" in told
    return told


def test_the_recipes_are_there():
    assert recipes() == ["2p", "3p", "4p", "5p", "demo", "universal"]


@pytest.mark.parametrize("name", recipes())
def test_a_recipe_names_and_explains_every_setting(name: str):
    recipe = load_recipe(name)
    path = Path(__file__).parents[2] / "training" / "speicher_training" / "recipes" / f"{name}.toml"
    text = path.read_text(encoding="utf-8")
    assert text.split("\n\n", 1)[1].strip() == recipe.text().strip()
    for settings in SETTINGS.values():
        for setting in settings.values():
            assert f"# {setting.meaning}" in text


def test_defaults_are_right_themselves():
    for settings in SETTINGS.values():
        for setting in settings.values():
            assert setting.check(setting.default)


def test_what_is_left_out_is_as_told_and_whole_numbers_do_for_numbers(tmp_path: Path):
    path = tmp_path / "mine.toml"
    path.write_text("[ppo]\ngames = 100\nentropy = 0\nbatch_size = 10\n")
    recipe = load_recipe(path)
    assert (recipe.name, recipe.ppo.games, recipe.ppo.entropy, recipe.game.players) == ("mine", 100, 0.0, [2])


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("[pppo]\n", 'no table "pppo", did you mean "ppo"?'),
        ("[ppo]\nlerning_rate = 1\n", 'did you mean "learning_rate"?'),
        ("[game]\ngames = 1\n", "it belongs to [ppo]"),
        ("steps = 5\n", 'no table "steps", it belongs to [ppo]'),
        ("batch_size = 5\n", "it belongs to [imitation] or [ppo] or [judgement]"),
        ("ppo = 3\n", "ppo is 3, must be a table"),
        ("[ppo]\ngames = 0\n", "ppo.games is 0, must be a whole number from 1"),
        ("[ppo]\ngames = 2.5\n", "ppo.games is 2.5"),
        ("[ppo]\ngames = true\n", "ppo.games is true"),
        ('[ppo]\nclip = "0.2"\n', 'ppo.clip is "0.2", must be a number 0.001..1'),
        ("[ppo]\nclip = nan\n", "ppo.clip is nan"),
        ("[ppo]\ngames = 4\nrollout = 4\nbatch_size = 64\n", "must be at most games times rollout, 16"),
        ("[ppo]\ngames = 7\nrollout = 7\nbatch_size = 48\n", "leaves a single decision of games times rollout, 49"),
        ("[game]\nplayers = [6]\n", "game.players is a list of 1"),
        ("[game]\nplayers = [2, 2]\n", "lists a number twice"),
        ("[game]\nplayers = [2, 3]\n", "game.padded is false, must be true"),
        ('[game]\nreward = "gold"\n', "must be one of outcome, rank, margin"),
        ("[league]\nnewest = 0\npast = 0\nscripted = 0\n", "one of them must be more"),
        ("[league]\nanchors = []\n", "must be 0 without anchors"),
        ('[league]\nanchors = ["merchant", "random", "merchant"]\n', "lists a player twice"),
        ('[league]\nanchors = ["merchnt"]\n', 'league.anchors: player "merchnt": must be'),
        ('[league]\nanchors = ["baseline:3p"]\n', "league.anchors: baseline:3p: it plays games of 3, found one of 2"),
        ('[imitation]\nteacher = "merchnt"\n', 'did you mean "merchant"?'),
        ('[imitation]\nteacher = "baseline:3p"\n', "imitation.teacher: baseline:3p: it plays games of 3"),
        ('[run]\nevaluation_opponents = ["mcts:0"]\n', "run.evaluation_opponents: player"),
        (
            '[game]\nplayers = [2, 3]\npadded = true\n[run]\nevaluation_opponents = ["guided:9,baseline=2p"]\n',
            "it plays games of 2, found one of 3",
        ),
        ("[league\n", "it is no TOML"),
    ],
)
def test_a_fault_is_one_sentence(tmp_path: Path, text: str, part: str):
    assert part in sentence(tmp_path, text)


def test_a_recipe_that_is_not_there_is_one_sentence():
    with pytest.raises(ArgumentError, match='did you mean "universal"'):
        load_recipe("univrsal")
    with pytest.raises(ArgumentError, match="cannot be read"):
        load_recipe("nowhere/x.toml")
    with pytest.raises(ArgumentError, match='"2p" without a folder is the one that comes with this package'):
        load_recipe("recipes/2p.toml")


def test_a_teacher_that_does_not_teach_need_not_be_there(tmp_path: Path):
    path = tmp_path / "mine.toml"
    path.write_text('[imitation]\nteacher = "merchnt"\ndecisions = 0\n')
    assert load_recipe(path).imitation.teacher == "merchnt"


def test_changes_are_checked_too():
    recipe = recipe_from({}, "mine")
    assert recipe.changed(ppo={"games": 900}).ppo.games == 900
    with pytest.raises(ArgumentError, match="no setting"):
        recipe.changed(ppo={"gmes": 900})
