"""From spec to player: what is accepted, and one clear sentence for everything else."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from speicher_agents import (
    Agent,
    CompiledAgent,
    Parameter,
    PlayerKind,
    describe_players,
    load_agent,
    make_player,
    registry,
    specs,
)
from speicher_env import ArgumentError, Game
from speicher_env.batch import Batch, opponents
from speicher_env.views import CompiledPlayer, Views

NAMES = [kind.name for kind in describe_players()]
LADDER = ["random", "contractor", "frugal", "spoiler", "shipper", "firechief", "merchant"]

OWN = """
from speicher_agents import Agent

class First(Agent):
    def __init__(self, depth=1, name="first"):
        self.depth = depth
        self.name = name

    def act(self, views):
        return views.masks.argmax(axis=1)

class NoPlayer:
    pass

class Demanding(Agent):
    def __init__(self, needed):
        pass

number = 3
ready = First(depth=7)
"""


class Thinker(Agent):
    """A player with parameters, to put into the registry."""

    def __init__(self, budget: int, ms: float | None, rollout: str) -> None:
        self.told = (budget, ms, rollout)


@pytest.fixture
def with_thinker(monkeypatch: pytest.MonkeyPatch) -> None:
    kind = PlayerKind(
        "thinker",
        "thinks",
        Thinker,
        (
            Parameter("budget", int, "iterations", 100, least=1),
            Parameter("ms", float, "milliseconds", None, least=0.5),
            Parameter("rollout", str, "who plays on", "random"),
        ),
    )
    monkeypatch.setattr(specs, "KINDS", {**specs.KINDS, "thinker": kind})


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "own_players_of_a_test.py").write_text(OWN, encoding="utf-8")
    (tmp_path / "broken_player_of_a_test.py").write_text("1 / 0\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def sentence(spec: object) -> str:
    """What is said against a spec: one sentence that names it."""
    with pytest.raises(ArgumentError) as raised:
        make_player(spec)  # type: ignore[arg-type]
    said = str(raised.value)
    assert "\n" not in said
    return said


@pytest.mark.parametrize("name", LADDER)
def test_each_player_of_the_ladder_is_made_by_its_name(name):
    player = make_player(name)
    assert isinstance(player, CompiledPlayer)
    assert player.name == name
    agent = load_agent(name)
    assert isinstance(agent, CompiledAgent)
    assert agent.name == name


def test_all_players_of_the_ladder_can_share_a_batch():
    codes = {make_player(name).code for name in LADDER}
    assert len(codes) == len(LADDER)
    assert len({id(make_player(name).choose) for name in LADDER}) == 1


def test_every_player_has_one_line_about_its_idea():
    assert NAMES[: len(LADDER)] == LADDER
    for kind in describe_players():
        assert kind.idea
        assert "\n" not in kind.idea
        assert len(kind.idea) <= 100


def test_a_batch_finds_the_players_by_their_names():
    batch = Batch(4, 2, seat="none", opponents=["merchant", "frugal"], autoreset="disabled")
    batch.reset(np.arange(4))
    assert batch.arrays.lanes["ended"].all()


@pytest.mark.parametrize(("spec", "meant"), [("merchnat", "merchant"), ("randm", "random"), ("Spoiler", "spoiler")])
def test_an_unknown_name_is_answered_with_the_nearest(spec, meant):
    assert f'did you mean "{meant}"?' in sentence(spec)
    assert all(name in sentence(spec) for name in LADDER)


def test_a_misspelt_name_with_a_parameter_is_no_module(folder):
    assert 'did you mean "merchant"?' in sentence("merchnt:3")


@pytest.mark.parametrize("spec", ["", "   ", 3, None, ["random"]])
def test_what_is_no_text_is_no_spec(spec):
    assert "must be a spec" in sentence(spec)


def test_a_player_without_parameters_takes_none():
    assert sentence("frugal:3") == 'player "frugal:3": frugal takes no parameters.'


@pytest.mark.usefixtures("with_thinker")
@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ("thinker", (100, None, "random")),
        ("thinker:7", (7, None, "random")),
        ("thinker:ms=50", (100, 50.0, "random")),
        ("thinker:7,rollout=frugal", (7, None, "frugal")),
        (" thinker:budget=9, ms = 0.5 ", (9, 0.5, "random")),
    ],
)
def test_parameters_stand_behind_the_name(spec, told):
    assert make_player(spec).told == told


@pytest.mark.usefixtures("with_thinker")
@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("thinker:many", 'budget="many": must be a whole number, 1 or more.'),
        ("thinker:0", "budget=0: must be a whole number, 1 or more."),
        ("thinker:1.5", 'budget="1.5": must be a whole number, 1 or more.'),
        ("thinker:ms=nan", "ms=nan: must be a number, 0.5 or more."),
        ("thinker:ms=inf", "ms=inf: must be a number, 0.5 or more."),
        ("thinker:budgt=3", 'parameter="budgt": must be budget, ms or rollout, did you mean "budget"?'),
        ("thinker:3,4", 'parameter="4": must be name=value.'),
        ("thinker:3,budget=4", "budget is given twice."),
        ("thinker:,", 'parameter="": must be name=value.'),
    ],
)
def test_a_wrong_parameter_is_named(spec, said):
    assert sentence(spec) == f'player "{spec}": {said}'


@pytest.mark.parametrize("spec", ["flat:4", "mcts:4", "baseline:2p,temperature=1", "guided:2,baseline=2p"])
def test_seeds_of_players_have_64_bits(spec):
    game = Game(2, seed=3)
    agent = load_agent(f"{spec},seed={2**64 - 1}")
    chosen = agent.action(game)
    agent.reset(0)
    agent.reset(2**64 - 1)
    assert agent.action(game) == chosen
    assert f"seed={2**64}: must be a whole number up to {2**64 - 1}." in sentence(f"{spec},seed={2**64}")


def test_a_compiled_player_takes_seeds_of_64_bits():
    agent, game = load_agent("random"), Game(2, seed=3)
    agent.reset(2**64 - 1)
    assert agent.action(game) in game.legal_ids()
    with pytest.raises(ArgumentError, match=r"seed=-1: must be a whole number 0\.\.2\*\*64-1"):
        agent.reset(-1)


@pytest.mark.parametrize("place", ["own_players_of_a_test", "own_players_of_a_test.py", "./own_players_of_a_test.py"])
def test_a_class_of_ones_own_is_found_by_module_and_by_file(folder, place):
    agent = load_agent(f"{place}:First")
    assert agent.name == "first"
    assert agent.depth == 1
    assert load_agent(f"{place}:First:depth=3,name=deep").name == "deep"
    assert load_agent(f"{place}:First:depth=3").depth == 3
    assert load_agent(f"{place}:ready").depth == 7


def test_a_class_of_ones_own_plays_in_a_batch(folder):
    batch = Batch(8, 2, seat="none", opponents=["own_players_of_a_test:First", "frugal"], autoreset="disabled")
    batch.reset(np.arange(8))
    assert batch.arrays.lanes["ended"].all()


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("own_players_of_a_test:Frist", 'has no class "Frist", did you mean "First"?'),
        ("own_players_of_a_test:NoPlayer", "class NoPlayer has no method act(views), so it is not a player"),
        ("own_players_of_a_test:Demanding", "Demanding cannot be made: missing a required argument: 'needed'"),
        ("own_players_of_a_test:First:width=3", "First cannot be made: got an unexpected keyword argument 'width'"),
        ("own_players_of_a_test:First:3", 'parameter="3": must be name=value.'),
        ("own_players_of_a_test:number", "number=3: must be a class with act(views) or a CompiledPlayer"),
        ("own_players_of_a_test:ready:depth=2", "ready is not a class, so it takes no parameters"),
        ("no_such_module_at_all:First", "no_such_module_at_all cannot be imported: No module named"),
        ("no_such_file.py:First", "no_such_file.py cannot be imported: no such file"),
        ("broken_player_of_a_test:First", "broken_player_of_a_test cannot be imported: division by zero"),
    ],
)
def test_a_class_that_is_no_player_is_refused(folder, spec, said):
    found = sentence(spec)
    assert found.startswith(f'player "{spec}": ')
    assert said in found


class OnlyActs:
    """The least that the environment asks of a player."""

    def __init__(self) -> None:
        self.seeds: list[int] = []

    def act(self, views: Views) -> np.ndarray:
        return views.masks.argmax(axis=1)


class ActsAndResets(OnlyActs):
    name = "acts and resets"

    def reset(self, seed: int) -> None:
        self.seeds.append(seed)


def test_an_object_that_only_acts_gets_a_name_and_a_reset():
    agent = load_agent(OnlyActs())
    assert agent.name == "OnlyActs"
    agent.reset(3)
    other = ActsAndResets()
    agent = load_agent(other)
    assert agent.name == "acts and resets"
    agent.reset(3)
    assert other.seeds == [3]


def test_what_cannot_act_is_no_player():
    with pytest.raises(ArgumentError, match=re.escape("player=3: must be a spec or an object with act(views)")):
        load_agent(3)  # type: ignore[arg-type]


def test_a_player_that_forgot_to_act_is_told_so():
    class Idle(Agent):
        pass

    assert Idle.name == "Idle"
    with pytest.raises(NotImplementedError, match="Idle must define act"):
        Idle().act(None)  # type: ignore[arg-type]


class _EntryPoint:
    """An entry point of an installed package."""

    def __init__(self, name: str, make: Callable[[str], object] | None) -> None:
        self.name, self.value, self._make = name, f"package_of_a_test:{name}", make

    def load(self) -> Callable[[str], object]:
        if self._make is None:
            raise ImportError("no such module")
        return self._make


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Install packages that offer players."""

    def offering(**makers: Callable[[str], object] | None) -> None:
        points = [_EntryPoint(name, make) for name, make in {"speicher_agents": make_player, **makers}.items()]
        for module in (registry, opponents):
            monkeypatch.setattr(module, "entry_points", lambda group: points)
        registry.installed_kinds.cache_clear()
        opponents._makers.cache_clear()

    yield offering
    registry.installed_kinds.cache_clear()
    opponents._makers.cache_clear()


def highest(spec: str) -> Agent:
    """Plays the last legal action.

    More is not said.
    """

    class Highest(Agent):
        name = spec

        def act(self, views: Views) -> np.ndarray:
            return views.masks.shape[1] - 1 - views.masks[:, ::-1].argmax(axis=1)

    return Highest()


def test_a_player_of_an_installed_package_is_named_like_any_other(install: Callable[..., None]):
    install(highest=highest)
    assert [(kind.name, kind.idea) for kind in describe_players()][-1] == ("highest", "Plays the last legal action.")
    assert load_agent("highest:depth=3").name == "highest:depth=3"
    assert load_agent("highest").action(Game(2, seed=1)) == 2
    assert 'did you mean "highest"?' in sentence("higest")
    batch = Batch(4, 2, seat="none", opponents=["highest", "frugal"], autoreset="disabled")
    batch.reset(np.arange(4))
    assert batch.arrays.lanes["ended"].all()


def test_an_installed_package_does_not_hide_a_player_of_this_one(install: Callable[..., None]):
    install(merchant=highest)
    assert isinstance(make_player("merchant"), CompiledPlayer)
    assert [kind.name for kind in describe_players()].count("merchant") == 1


def test_a_package_that_cannot_be_imported_is_left_out_with_a_warning(install: Callable[..., None]):
    install(broken=None, highest=highest)
    with pytest.warns(UserWarning, match=r"player \"broken\" \(package_of_a_test:broken\) cannot be imported: no such"):
        assert "broken" not in [kind.name for kind in describe_players()]
    assert load_agent("highest").name == "highest"


LONG = "x" * 5000


@pytest.mark.parametrize(
    "spec",
    [
        "mer\0chant", "\ud800", "a\nb", "mcts:\x07", "x" * 10_000, "mcts:" + "9" * 5000, "mcts:9" * 9,
        f"{LONG}:Mine", f"{LONG}.py:Mine", f"os:{LONG}", f"os:system:{LONG}", f"merchant:{LONG}", f"{LONG}.json",
        f"{LONG}:small.json", f"mcts:{LONG}=1,{LONG}=1", f"baseline:{LONG}",
    ],
    ids=lambda spec: f"{spec[:12]!a}, {len(spec)} letters",
)  # fmt: skip
def test_hostile_specs_are_answered_in_one_printable_sentence(spec: str):
    assert sentence(spec).isprintable() and len(sentence(spec)) < 1000
