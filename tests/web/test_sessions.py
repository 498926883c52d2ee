"""Games that are played over the page: moves, undo, seats, files, and what survives a restart."""

from __future__ import annotations

import json
import socket
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from speicher_apps.web import ServeError, serve
from speicher_apps.web import server as server_module
from speicher_apps.web import storage as storage_module
from speicher_apps.web.game_session import GameSession, StaleError
from speicher_apps.web.server import listen, server_state, shown_host
from speicher_apps.web.session_pool import IDLE_SECONDS, MAX_OPEN, UnknownGame
from speicher_apps.web.storage import KEPT_SECONDS, GameStorage
from speicher_env import ArgumentError, Game, RecordError, check_record
from speicher_env.errors import FileError
from tests.support.quick_player import SPEC
from tests.support.served import HOST, Served, new_pool, new_session

PEOPLE = ["human", "human"]


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def _first_move(session: GameSession) -> None:
    session.play(session.at, session.game.legal()[0])


def _finished(seed: int) -> Game:
    game = Game(2, seed=seed)
    while not game.over:
        game.play(game.legal_ids()[-1])
    return game


# Moves


def test_a_move_for_another_position_is_refused_and_changes_nothing() -> None:
    session = new_session(Game(2, seed=1), PEOPLE)
    _first_move(session)
    for call in (lambda: session.play(0, "place 0"), lambda: session.undo(0), lambda: session.hint(2, SPEC)):
        with pytest.raises(StaleError):
            call()
    assert session.at == 1


def test_the_same_click_sent_twice_is_played_once(served: Served) -> None:
    game = served.deal(PEOPLE)
    click = {"at": 0, "action": "place 0"}
    assert served.ask(f"/api/games/{game['id']}/play", click).status == 200
    assert served.ask(f"/api/games/{game['id']}/play", click).status == 409
    assert served.get(f"games/{game['id']}")["at"] == 1


def test_clicks_at_the_same_time_are_played_once(served: Served) -> None:
    game = served.deal(PEOPLE)
    answers: list[int] = []

    def click() -> None:
        answers.append(served.ask(f"/api/games/{game['id']}/play", {"at": 0, "action": "place 1"}).status)

    threads = [threading.Thread(target=click) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == [200, 409, 409, 409, 409, 409]


def test_a_person_plays_only_in_a_persons_turn_and_only_legal_moves(served: Served) -> None:
    game = served.deal((SPEC, SPEC))
    path = f"/api/games/{game['id']}"
    assert served.ask(f"{path}/play", {"at": 0, "action": "place 0"}).status == 400
    people = served.deal(PEOPLE)
    path = f"/api/games/{people['id']}"
    for action in ("buy", "end", "place 9", "nonsense"):
        assert served.ask(f"{path}/play", {"at": 0, "action": action}).status == 400
    assert served.ask(f"{path}/advance", {"at": 0}).status == 400


def test_undo_goes_back_to_a_persons_decision_and_in_a_watched_game_by_one_move() -> None:
    session = new_session(Game(2, seed=7, first_player=0), ["human", SPEC])
    _first_move(session)
    before = session.game.copy()
    session.advance(session.at)
    assert session.waits_for_person
    session.play(session.at, session.game.legal()[1])
    session.advance(session.at)
    session.undo(session.at)
    assert session.at == 2 and session.waits_for_person
    session.undo(session.at)
    assert session.at == 0 and session.game == session.game.start()
    _first_move(session)
    assert session.game == before, "the same move leads to the same position again"
    watched = new_session(Game(2, seed=7), [SPEC, SPEC])
    for _ in range(3):
        watched.advance(watched.at)
    watched.undo(watched.at)
    assert watched.at == 2
    with pytest.raises(ArgumentError):
        new_session(Game(2, seed=7), PEOPLE).undo(0)


def test_others_can_take_a_seat_in_a_running_game(served: Served) -> None:
    game = served.deal(PEOPLE)
    changed = served.post(f"games/{game['id']}/seats", {"seats": [SPEC, SPEC]})
    assert changed["seats"] == [SPEC, SPEC] and not changed["yours"]
    assert served.post(f"games/{game['id']}/advance", {"at": 0})["at"] == 1
    assert served.ask(f"/api/games/{game['id']}/seats", {"seats": ["human"] * 3}).status == 400


# Files


def test_a_saved_game_is_a_right_record_with_its_seats_and_opens_again(served: Served) -> None:
    game = served.deal(("human", SPEC), seed="9")
    for _ in range(9):
        if game["yours"]:
            game = served.post(f"games/{game['id']}/play", {"at": game["at"], "action": game["legal"][-1]})
        else:
            game = served.post(f"games/{game['id']}/advance", {"at": game["at"]})
    saved = served.ask(f"/api/games/{game['id']}/record")
    assert "attachment" in saved.headers["content-disposition"]
    record = saved.json
    assert check_record(record) == [] and record["seats"] == ["human", SPEC]
    opened = served.post("open", saved.body)
    assert opened["id"] != game["id"]
    assert {**opened, "id": ""} == {**game, "id": ""}


@pytest.mark.parametrize("seats", [None, ["human"], ["os:system", "human"], "human", [1, 2]])
def test_a_record_without_players_that_the_page_knows_opens_with_persons(served: Served, seats: Any) -> None:
    record = {**Game(2, seed=3).to_record(), **({} if seats is None else {"seats": seats})}
    assert served.post("open", record)["seats"] == PEOPLE


def test_a_record_over_several_lines_and_the_first_of_several_are_opened(served: Served) -> None:
    record = Game(3, seed=3).to_record()
    assert len(served.post("open", json.dumps(record, indent=1).encode())["seats"]) == 3
    two = (json.dumps(record) + "\n" + json.dumps(Game(2, seed=1).to_record())).encode()
    assert len(served.post("open", two)["seats"]) == 3


@pytest.mark.parametrize("body", [b"", b"no record", b"{}", b"[1]", b'{"format": "speicherstadt-record/1"}'])
def test_what_is_no_record_is_refused(served: Served, body: bytes) -> None:
    kept = len(served.get("lobby")["games"])
    answer = served.ask("/api/open", body)
    assert answer.status == 400 and answer.json["error"]
    assert len(served.get("lobby")["games"]) == kept


def test_a_record_with_an_illegal_move_is_refused(served: Served) -> None:
    record = {**Game(2, seed=3).to_record(), "moves": [{"player": 0, "action": "end"}]}
    assert "moves[0]" in served.ask("/api/open", record).json["error"]


# What is kept


def test_a_game_survives_a_restart_of_the_server(tmp_path: Path) -> None:
    sessions = new_pool(tmp_path)
    session = sessions.add(Game(2, "sampled", 5), ["human", SPEC])
    while session.at < 12:
        if session.waits_for_person:
            _first_move(session)
        else:
            session.advance(session.at)
    sessions.write(session)
    with new_pool(tmp_path).using(session.id) as again:
        assert again.game == session.game and again.seats == session.seats and again.log == session.log


def test_a_game_that_another_server_played_on_is_read_again(tmp_path: Path) -> None:
    here, there = new_pool(tmp_path), new_pool(tmp_path)
    id = here.add(Game(2, seed=5), PEOPLE).id
    with there.using(id) as session:
        _first_move(session)
        there.write(session)
    with here.using(id) as session:
        assert session.at == 1


def test_memory_holds_a_bounded_number_of_games_and_none_that_is_idle(tmp_path: Path) -> None:
    clock = Clock()
    sessions = new_pool(tmp_path, clock)
    ids = []
    for seed in range(MAX_OPEN + 4):
        clock.now += 1
        ids.append(sessions.add(Game(2, seed=seed), PEOPLE).id)
    assert len(sessions) == MAX_OPEN
    with sessions.using(ids[0]) as session:
        assert session.game.seed == 0, "what left memory is on disk"
    clock.now += IDLE_SECONDS + 1
    with sessions.using(ids[1]):
        assert len(sessions) == 1


def test_a_full_storage_gives_up_a_finished_game_but_never_a_running_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(storage_module, "MAX_GAMES", 3)
    sessions = new_pool(tmp_path)
    running = [sessions.add(Game(2, seed=seed), PEOPLE).id for seed in range(2)]
    over = sessions.add(_finished(3), PEOPLE).id
    third = sessions.add(Game(2, seed=4), PEOPLE).id
    assert sorted(sessions.storage.ids()) == sorted([*running, third]) and over not in sessions.storage.ids()
    with pytest.raises(ArgumentError, match="remove one"):
        sessions.add(Game(2, seed=5), PEOPLE)
    sessions.remove(third)
    with pytest.raises(UnknownGame), sessions.using(third):
        pass


def test_a_game_that_nobody_touched_for_long_is_thrown_away(tmp_path: Path) -> None:
    storage = GameStorage(tmp_path)
    new_pool(tmp_path).add(Game(2, seed=1), PEOPLE)
    assert storage.make_room(time.time() + KEPT_SECONDS - 60) and len(storage.ids()) == 1
    assert storage.make_room(time.time() + KEPT_SECONDS + 60) and storage.ids() == []


def test_a_damaged_file_is_not_listed_and_is_told_of_when_opened(tmp_path: Path) -> None:
    sessions = new_pool(tmp_path)
    good = sessions.add(Game(2, seed=1), PEOPLE).id
    (tmp_path / "0123456789abcdef.json").write_text('{"format": ')
    (tmp_path / "not-a-game.txt").write_text("x")
    assert [told.id for told in sessions.storage.games()] == [good]
    with pytest.raises(RecordError), sessions.using("0123456789abcdef"):
        pass


def test_a_disk_that_takes_nothing_is_told_and_the_game_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sessions = new_pool(tmp_path)
    session = sessions.add(Game(2, seed=1), PEOPLE)
    before = sessions.storage.read(session.id)

    def full(game: str, record: dict[str, Any]) -> None:
        raise FileError("games: cannot be written: the disk is full.")

    monkeypatch.setattr(sessions.storage, "write", full)
    _first_move(session)
    sessions.write(session)
    assert "the disk is full" in session.unsaved
    with sessions.using(session.id) as again:
        assert again.at == 1
    assert sessions.storage.read(session.id) == before
    monkeypatch.undo()
    sessions.write(session)
    assert session.unsaved == "" and len(sessions.storage.read(session.id)["moves"]) == 1


def test_no_part_of_a_file_is_left_behind(tmp_path: Path) -> None:
    storage = GameStorage(tmp_path)
    with pytest.raises(TypeError):
        storage.write("0" * 16, {"no": object()})
    assert list(tmp_path.iterdir()) == []


# The server


def test_a_taken_port_and_a_host_that_is_not_ours_are_said_in_one_sentence() -> None:
    with socket.create_server((HOST, 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ServeError, match=f"port {port}"):
            listen(HOST, port)
    with pytest.raises(ServeError, match=r"192\.0\.2\.1"):
        listen("192.0.2.1", 0)
    with pytest.raises(ServeError, match="65535"):
        listen(HOST, 70_000)


def test_without_a_port_a_free_one_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server((HOST, 0)) as taken:
        monkeypatch.setattr(server_module, "DEFAULT_PORT", taken.getsockname()[1])
        with listen(HOST, None) as free:
            assert free.getsockname()[1] != taken.getsockname()[1]


def test_addresses_are_written_as_a_browser_takes_them() -> None:
    assert [shown_host(host) for host in ("127.0.0.1", "::1", "0.0.0.0")] == ["127.0.0.1", "[::1]", "127.0.0.1"]


def test_a_missing_package_is_named_with_the_extra_that_brings_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delitem(sys.modules, "speicher_apps.web.server")
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    with pytest.raises(ServeError, match=r"uvicorn.*speicher-env\[play\]"):
        serve(state_folder=tmp_path)


def test_seats_of_the_command_line_are_dealt_at_once_and_offered_in_the_form(tmp_path: Path) -> None:
    state, id = server_state([SPEC, "human", SPEC], "sampled", 12, tmp_path)
    assert id is not None
    with state.sessions.using(id) as session:
        assert (session.game.num_players, session.game.seed, session.game.deck_name) == (3, 12, "sampled")
    assert SPEC in [offer["spec"] for offer in state.players.offers()]
    told = {name: state.first[name] for name in ("seats", "deck", "seed")}
    assert told == {"seats": [SPEC, "human", SPEC], "deck": "sampled", "seed": "12"}


@pytest.mark.parametrize("seats", [["human"], ["human"] * 6, ["human", "nobody"]])
def test_wrong_seats_of_the_command_line_are_refused_before_anything_is_kept(tmp_path: Path, seats: list[str]) -> None:
    with pytest.raises(ArgumentError):
        server_state(seats, "standard", None, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_the_form_offers_every_player_that_a_page_may_name(served: Served) -> None:
    from speicher_agents import describe_players

    names = {offer["spec"].partition(":")[0] for offer in served.get("lobby")["players"]}
    refused = {kind.name for kind in describe_players() if kind.command_line_only}
    assert {kind.name for kind in describe_players()} - refused - {"human"} <= names
    assert refused and not refused & names
