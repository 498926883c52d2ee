"""Trained networks at the page: offered where one plays, refused elsewhere, and what they tell in a hint."""

from __future__ import annotations

from collections.abc import Callable
from importlib import resources
from pathlib import Path

import pytest

from speicher_agents.baselines import player
from speicher_agents.baselines.files import packaged
from speicher_apps.web.hints import hint
from speicher_apps.web.offered_players import TABLES, OfferedPlayers, filled
from speicher_apps.web.server import server_state
from speicher_env import Game
from tests.support.served import Served, new_session

TWO = "baseline:{players}p"
WRONG = "baseline:2p: players=3: must be 2"


@pytest.fixture
def only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Lets no other networks come with the package than those named."""

    def keep(*names: str) -> None:
        folder = resources.files("speicher_agents.baselines") / "weights"
        for file in folder.iterdir():
            if file.name.partition(".")[0] in names:
                (tmp_path / file.name).write_bytes(file.read_bytes())
        monkeypatch.setattr("speicher_agents.baselines.files._packaged_folder", lambda: tmp_path)

    return keep


def _tables(players: OfferedPlayers) -> dict[str, object]:
    return {str(offer["spec"]): offer["players"] for offer in players.offers()}


def test_networks_are_offered_only_at_tables_that_one_plays_at(only: Callable[..., None]) -> None:
    only("2p")
    tables = _tables(OfferedPlayers())
    assert tables[TWO] == tables["guided:200"] == [2]
    assert "baseline:universal" not in tables and tables["merchant"] == list(TABLES)
    assert OfferedPlayers().favourites() == {2: TWO, 3: "merchant", 4: "merchant", 5: "merchant"}


def test_without_networks_none_is_offered_and_merchant_sits_opposite(only: Callable[..., None], tmp_path: Path) -> None:
    only()
    assert not any(spec.startswith(("baseline", "guided")) for spec in _tables(OfferedPlayers()))
    state, _ = server_state(None, "standard", None, tmp_path / "games")
    assert state.first["seats"] == ["human", "merchant"]


def test_what_the_form_offers_can_be_dealt_and_gives_hints(served: Served) -> None:
    lobby = served.get("lobby")
    assert lobby["first"]["seats"] == ["human", "merchant"], "the medium level sits opposite unless told otherwise"
    for offer in lobby["players"]:
        if not str(offer["spec"]).startswith(("baseline", "guided")):
            continue
        assert offer["idea"] and offer["players"]
        for count in offer["players"]:
            spec = filled(offer["spec"], count)
            game = served.deal(["human"] + [spec] * (count - 1))
            people = served.post(f"games/{game['id']}/seats", {"seats": ["human"] * count})
            assert served.post(f"games/{people['id']}/hint", {"at": 0, "spec": spec})["values"]


def test_a_network_for_other_tables_is_refused_in_one_sentence_wherever_it_is_asked_for(served: Served) -> None:
    assert WRONG in served.ask("/api/games", {"seats": ["human", "human", "baseline:2p"]}).json["error"]
    game = served.deal(["human"] * 3)
    path = f"/api/games/{game['id']}"
    assert WRONG in served.ask(f"{path}/seats", {"seats": ["human", "human", "guided:9,baseline=2p"]}).json["error"]
    assert WRONG in served.ask(f"{path}/hint", {"at": 0, "spec": "baseline:2p"}).json["error"]
    assert served.get(f"games/{game['id']}")["seats"] == ["human"] * 3


@pytest.mark.parametrize("spec", ["baseline:2p", "baseline", "guided:20"])
def test_a_hint_tells_probabilities_of_legal_moves_and_values_that_fit_each_other(spec: str) -> None:
    session = new_session(Game(2, seed=7), ["human"] * 2)
    told = hint(session, 0, spec)
    chances = {move["action"]: move["probability"] for move in told["moves"]}
    assert not told["certain"] and set(chances) <= set(session.game.legal())
    assert sum(chances.values()) == pytest.approx(1, abs=0.001)
    assert sum(told["values"]) == pytest.approx(0, abs=0.002) and len(told["values"]) == 2
    assert chances[told["action"]] == max(chances.values())
    assert told["line"][0]["action"] == told["action"]


def test_a_search_led_by_a_network_tells_how_it_expects_to_go_on() -> None:
    session = new_session(Game(2, seed=7), ["human"] * 2)
    assert len(hint(session, 0, "guided:60")["line"]) > 2


def test_who_gives_hints_can_be_named_on_the_command_line(tmp_path: Path) -> None:
    state, _ = server_state(None, "standard", None, tmp_path, "tests.support.quick_player:Quick")
    assert state.first["hints"] == "tests.support.quick_player:Quick"
    assert _tables(state.players)["tests.support.quick_player:Quick"] == list(TABLES)
    assert state.players.check_spec("tests.support.quick_player:Quick", "hint", human=False)


def test_a_network_is_read_once_however_many_play_by_it(monkeypatch: pytest.MonkeyPatch) -> None:
    player.Baseline("2p")
    monkeypatch.setattr(player, "read_baseline", lambda name: pytest.fail(f"{name} is read again"))
    assert packaged() and player.Baseline("2p").network is player.Suited()._at(2).network
