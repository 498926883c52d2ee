"""Recipes: those that come with the package are whole, and every fault in one's own is one clear sentence."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from speicher_env import ArgumentError
from speicher_env.rules.actions import N_ACTIONS
from speicher_training.train.recipe import load_recipe, memory_needed, recipe_from, recipes
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
    assert recipes() == ["2p", "2p-search", "2p-small", "3p", "4p", "4p-small", "5p", "demo", "universal"]


@pytest.mark.parametrize("name", recipes())
def test_a_recipe_of_this_package_lists_only_what_differs_from_the_defaults(name: str):
    path = Path(__file__).parents[2] / "training" / "speicher_training" / "recipes" / f"{name}.toml"
    for table, settings in tomllib.loads(path.read_text(encoding="utf-8")).items():
        assert settings, table
        for key, value in settings.items():
            assert value != SETTINGS[table][key].default, f"{table}.{key}"


def test_the_text_of_a_recipe_names_and_explains_every_setting(tmp_path: Path):
    recipe = load_recipe("universal")
    (tmp_path / "universal.toml").write_text(recipe.text())
    assert load_recipe(tmp_path / "universal.toml") == recipe
    for settings in SETTINGS.values():
        for setting in settings.values():
            assert f"# {setting.meaning}" in recipe.text()


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
        ("batch_size = 5\n", "it belongs to [pretraining] or [ppo] or [search] or [imitation] or [value_finetuning]"),
        ("ppo = 3\n", "mine.toml: ppo=3: must be a table of settings."),
        ("[ppo]\ngames = 0\n", "mine.toml: ppo.games=0: must be a whole number 1..1,000,000."),
        ("[ppo]\ngames = 100000000\n", "ppo.games=100000000: must be a whole number 1..1,000,000."),
        ("[ppo]\ngames = 2.5\n", "ppo.games=2.5: must be"),
        ("[ppo]\ngames = true\n", "ppo.games=true: must be"),
        ("[ppo]\nsteps = 1" + 15 * "0" + "\n", "ppo.steps=1000000000000000: must be"),
        ('[ppo]\nclip = "0.2"\n', 'ppo.clip="0.2": must be a number 0.001..1.'),
        ("[ppo]\nclip = nan\n", "ppo.clip=nan: must be"),
        ("[ppo]\ngames = 4\nrollout = 4\nbatch_size = 64\n", "must be at most ppo.games * ppo.rollout, which is 16."),
        (
            "[ppo]\ngames = 7\nrollout = 7\nbatch_size = 48\n",
            "a number that does not leave a minibatch of 1",
        ),
        ("[game]\nplayers = [6]\n", "game.players=a list of 1: must be"),
        ("[game]\nplayers = [2, 2]\n", "lists a number twice"),
        ("[game]\nplayers = [2, 3]\n", "game.padded=false: must be true for several"),
        ('[game]\nreward = "gold"\n', "must be outcome, rank or margin"),
        ("[network]\npolicy = [" + 70 * "1," + "]\n", "network.policy=a list of 70: must be"),
        ("[league]\nnewest = 0\npast = 0\nscripted = 0\n", "are all 0; one must be more"),
        ("[league]\nanchors = []\n", "league.scripted=0.15: must be 0 if league.anchors is empty"),
        ('[league]\nanchors = ["merchant", "random", "merchant"]\n', "lists a player twice"),
        ('[league]\nanchors = ["merchnt"]\n', 'league.anchors: player="merchnt": must be'),
        (
            '[league]\nanchors = ["human"]\n',
            'league.anchors="human": must be a player that needs nobody',
        ),
        ('[league]\nanchors = ["mer\\u0000chant"]\n', "league.anchors=a list of 1: must be"),
        ('[league]\nanchors = ["baseline:3p"]\n', "league.anchors: baseline:3p: players=2: must be 3"),
        ('[pretraining]\nteacher = "merchnt"\n', 'did you mean "merchant"?'),
        ('[pretraining]\nteacher = "human"\n', 'pretraining.teacher="human": must be a player that needs nobody'),
        ('[pretraining]\nteacher = "baseline:3p"\n', "pretraining.teacher: baseline:3p: players=2: must be 3"),
        ('[ppo]\ndecks = ["sampled"]\n', 'ppo.decks="sampled": must be among game.decks: standard.'),
        (
            '[imitation]\ndecisions = 9\ndecks = ["sampled"]\n',
            'imitation.decks="sampled": must be among game.decks: standard.',
        ),
        (
            '[pretraining]\ndecisions = 0\nteacher = "human"\n[imitation]\ndecisions = 9\n',
            'pretraining.teacher="human": must be a player that needs nobody',
        ),
        ('[run]\nevaluation_opponents = ["mcts:0"]\n', "run.evaluation_opponents: player"),
        ('[run]\nevaluation_opponents = ["human:hints=frugal"]\n', "must be a player that needs nobody"),
        (
            '[game]\nplayers = [2, 3]\npadded = true\n[run]\nevaluation_opponents = ["guided:9,baseline=2p"]\n',
            "players=3: must be 2",
        ),
        ("[league\n", "is not TOML: Expected"),
        ("steps = 1" + 5000 * "0" + "\n", "holds a number of more than 20 digits"),
        ("steps = " + 150 * "[" + "\n", "is not TOML"),
        ("steps = " + 100_000 * "[", "larger than 64 kB; must be a recipe."),
        ("steps = " + 10_000 * "[", "nested more than 50 levels deep"),
        (".".join(30_000 * "a") + " = 1\n", "more than 200 dots in a line"),
        (".".join(150 * "a") + " = 1\n", "nested more than 50 levels deep"),
        ("[[ppo]]\ngames = 1\n", "ppo=a list of 1: must be a table"),
    ],
)
def test_a_fault_is_one_sentence(tmp_path: Path, text: str, part: str):
    assert part in sentence(tmp_path, text)


OWN = "open('it_ran', 'w').close()\nclass Mine:\n    def act(self, views):\n        return views.masks.argmax(axis=1)\n"


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a player of one's own, and the file that its code writes."""
    (tmp_path / "own.py").write_text(OWN)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "it_ran"


@pytest.mark.parametrize("spec", ["own.py:Mine", "own:Mine", "mcts:5,rollout=own.py:Mine", "mcts:5,prior=own:Mine"])
@pytest.mark.parametrize(
    "setting", ["[league]\nanchors = [{}]", "[run]\nevaluation_opponents = [{}]", "[pretraining]\nteacher = {}"]
)
def test_a_recipe_of_somebody_else_runs_no_code(own: Path, tmp_path: Path, setting: str, spec: str):
    assert "players of your own are named on the command line." in sentence(tmp_path, setting.format(f'"{spec}"'))
    assert not own.exists()


def test_players_of_ones_own_are_named_on_the_command_line(own: Path):
    from speicher_apps.cli.train import _with_players

    recipe = _with_players(load_recipe("2p"), "merchant,own.py:Mine", "own.py:Mine")
    assert recipe.league.anchors == ["merchant", "own.py:Mine"] and recipe.pretraining.teacher == "own.py:Mine"
    assert own.exists()
    assert _with_players(load_recipe("2p"), None, None) == load_recipe("2p")
    with pytest.raises(ArgumentError, match='player="merchnt": must be'):
        _with_players(load_recipe("2p"), "merchnt", None)


def test_a_recipe_that_is_not_there_is_one_sentence():
    with pytest.raises(ArgumentError, match='did you mean "universal"'):
        load_recipe("univrsal")
    with pytest.raises(ArgumentError, match="cannot be read"):
        load_recipe("nowhere/x.toml")
    with pytest.raises(ArgumentError, match='the recipe of this package is "2p", without a folder'):
        load_recipe("recipes/2p.toml")


def test_a_teacher_that_does_not_teach_need_not_be_there(tmp_path: Path):
    path = tmp_path / "mine.toml"
    path.write_text('[pretraining]\nteacher = "merchnt"\ndecisions = 0\n')
    assert load_recipe(path).pretraining.teacher == "merchnt"


def test_changes_are_checked_too():
    recipe = recipe_from({}, "mine")
    assert recipe.changed(ppo={"games": 900}).ppo.games == 900
    with pytest.raises(ArgumentError, match="no setting"):
        recipe.changed(ppo={"gmes": 900})


def test_the_window_of_learning_from_search_counts_as_memory() -> None:
    """Each position in it is a row of bytes, a mask and a policy at least."""
    ppo = load_recipe("2p")
    searching = ppo.changed(search={"decisions": 100, "window": 1_000_000})
    row = ppo.shape.numbers + 2 * N_ACTIONS
    assert memory_needed(searching) - memory_needed(ppo) >= 1_000_000 * row
    assert memory_needed(ppo.changed(search={"window": 1_000_000})) == memory_needed(ppo)
