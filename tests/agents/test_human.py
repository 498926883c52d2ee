"""The person at the terminal: what is understood, what is answered, and what is shown."""

from __future__ import annotations

import io
import random

import numpy as np
import pytest

from speicher_agents import load_agent, views_of
from speicher_agents.human import Human, Stop, Undo
from speicher_agents.move_parser import InvalidMove, legal_ids, numbered, read_move
from speicher_env import ACTION_TEXTS, ArgumentError, Game
from speicher_env.batch import Batch
from speicher_env.rules.state import PHASES
from tests.support import searches
from tests.support.games import PLAYER_COUNTS, game_in
from tests.support.positions import JIT, card, position, seat
from tests.support.terminal import Typist, ask, endless, look

LOADING = position(
    2,
    seats=[
        seat(cards=["contract_4", "contract_6", "coffee_roaster", "ship_1"], aboard="coffee tea tea carpet"),
        seat(cards=["contract_5"]),
    ],
    stock="saffron rubber",
)
PURCHASE = position(2, phase="purchase", columns=[card("ship_11", queue=[0, 1])])
DEMAND = position(2, phase="demand", columns=["ship_11", "ship_12", "bank"], season="D")


# What is understood


@pytest.mark.parametrize("players", PLAYER_COUNTS)
def test_every_legal_action_is_accepted_by_its_text_and_by_its_number(players):
    rng = random.Random(players)
    game = Game(players, seed=players)
    for _ in range(150 if JIT else 30):
        if game.over:
            break
        state = game.state
        numbers = numbered(state)
        assert list(numbers) == game.legal_ids()
        for action, number in numbers.items():
            assert read_move(ACTION_TEXTS[action], state) == action
            assert read_move(str(number), state) == action
        game.play(rng.choice(game.legal_ids()))


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("  DELIVER  tea contract_6 ", "deliver tea contract_6"),
        ("deliver tea contract 6", "deliver tea contract_6"),
        ("de te 6", "deliver tea contract_6"),
        ("d t c6", "deliver tea contract_6"),
        ("d 6 tea", "deliver tea contract_6"),
        ("deliver tea", "deliver tea contract_6"),
        ("d co 6", "deliver coffee contract_6"),
        ("d car 4", "deliver carpet contract_4"),
        ("s", "sell coffee"),
        ("s c", "sell coffee"),
        ("t te te", "trade tea tea"),
        ("trade 2 tea", "trade tea tea"),
        ("t carpet tea", "trade tea carpet"),
        ("t car cof", "trade coffee carpet"),
        ("convert tea tea coffee to saffron", "convert coffee tea tea to saffron"),
        ("c 2 tea, coffee to saf", "convert coffee tea tea to saffron"),
        ("c t cof t s", "convert coffee tea tea to saffron"),
        ("di car", "discard carpet"),
    ],
)
def test_short_forms_in_loading(typed, meant):
    assert ask(LOADING, typed)[0] == meant


@pytest.mark.parametrize(("typed", "meant"), [("b", "buy"), ("y", "buy"), ("1", "buy"), ("p", "pass"), ("no", "pass")])
def test_short_forms_in_purchase(typed, meant):
    assert ask(PURCHASE, typed)[0] == meant


@pytest.mark.parametrize(("typed", "meant"), [("2", "place 2"), ("p 0", "place 0"), ("pl column 1", "place 1")])
def test_short_forms_in_demand(typed, meant):
    assert ask(DEMAND, typed)[0] == meant


def test_a_number_is_the_column_even_where_another_one_is_full():
    full = position(
        4,
        phase="demand",
        columns=["ship_12", card("ship_11", queue=[0, 1, 2, 3, 0, 1, 2, 3]), "ship_13", "ship_14", "ship_15"],
    )
    assert legal_ids(full[0]) == [0, 2, 3, 4]
    assert ask(full, "2")[0] == "place 2"
    _, shown = ask(full, "1", "0")
    assert shown[1] == "'place 1' is illegal: all 8 spaces above column 1 are taken."


def test_done_ends_a_loading():
    states = position(2, seats=[seat(cards=["warehouse"], aboard="tea tea")])
    assert ask(states, "done")[0] == ask(states, "e")[0] == "end"


# What is answered


@pytest.mark.parametrize(
    ("states", "typed", "nearest"),
    [
        (DEMAND, "plase 2", "place 2"),
        (DEMAND, "frobnicate", None),
        (PURCHASE, "bye", "buy"),
        (LOADING, "delivr tea contract_6", "deliver tea contract_6"),
        (LOADING, "trade tee tea", "trade tea tea"),
        (LOADING, "²", None),
        (LOADING, "sell tea!", None),
    ],
)
def test_what_is_no_move_is_answered_with_one_sentence_and_the_nearest_legal_move(states, typed, nearest):
    _, shown = ask(states, typed, ACTION_TEXTS[legal_ids(states[0])[0]])
    assert shown[0] == typed
    assert shown[2].startswith("> ")
    assert shown[1].startswith(f"{typed!r} is not a move; the nearest legal one is ")
    named = shown[1].split("'")[3]
    assert named in [ACTION_TEXTS[action] for action in legal_ids(states[0])]
    assert nearest in (None, named)


@pytest.mark.parametrize(
    ("states", "typed", "answer"),
    [
        (DEMAND, "buy", "'buy' is illegal: cards are bought only in purchase"),
        (DEMAND, "5", "'place 5' is illegal: with 2 players there are only columns 0 to 2."),
        (DEMAND, "d te 4", "'deliver tea contract_4' is illegal: cubes are used only in loading"),
        (DEMAND, "trade", "'trade' is illegal: cubes are used only in loading"),
        (LOADING, "d te 4", "'deliver tea contract_4' is illegal: contract 4 does not ask for tea."),
        (LOADING, "d te 5", "'deliver tea contract_5' is illegal: cubes go only to contracts of one's own"),
        (LOADING, "e", "'end' is illegal: seat 1 has 4 cubes and room for 1"),
        (LOADING, "99", "No move has the number 99"),
        (LOADING, "t tea", "'t tea' may mean trade coffee tea, trade tea tea or trade tea carpet: type a little more."),
        (LOADING, "sell saf", "'sell saffron' is illegal: only the owner of the spice trader"),
        (LOADING, "s t", "'sell tea' is illegal: only the owner of the tea taster"),
    ],
)
def test_an_illegal_or_unclear_move_is_answered_with_the_reason(states, typed, answer):
    _, shown = ask(states, typed, ACTION_TEXTS[legal_ids(states[0])[0]])
    assert shown[1].startswith(answer)
    assert shown[2].startswith("> ")


def test_nothing_that_is_typed_does_harm():
    rng = random.Random(5)
    alphabet = "pbdtsce 0123456789_²²٣,.;\x00\x1b'\"éß tea coffee to"
    words = [*alphabet.split(), "contract", "place", "convert", "1" * 5000, "x" * 5000]
    for _ in range(300 if JIT else 30):
        typed = " ".join(rng.choices(words, k=rng.randrange(1, 6)))
        for states in (DEMAND, PURCHASE, LOADING):
            try:
                assert read_move(typed, states[0]) in legal_ids(states[0])
            except InvalidMove as told:
                assert "\n" not in str(told) and len(str(told)) < 400


def test_an_empty_line_says_what_is_asked():
    assert ask(DEMAND, " ", "0")[1][1] == "Seat 1 (you) places its 1st worker of 3 above a card; ? helps."


def test_help_names_every_command_and_who_gives_hints():
    _, shown = ask(DEMAND, "help", "0")
    words = "\n".join(shown)
    for command in ("moves", "look", "hint", "why", "undo", "quit"):
        assert command in words
    assert "what merchant would do" in words


def test_moves_lists_every_legal_move_with_its_number():
    _, shown = ask(LOADING, "m", "s")
    words = " ".join(" ".join(shown).split())
    for action, number in numbered(LOADING[0]).items():
        assert f"{number}. {ACTION_TEXTS[action]}" in words


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("why", "Name a move after why, as in why deliver tea 4."),
        ("why sell coffee", "'sell coffee' is legal."),
        ("why buy", "'buy' is illegal: cards are bought only in purchase"),
        ("w d te 5", "'deliver tea contract_5' is illegal: cubes go only to contracts of one's own, and contract 5 "),
        ("why trade", "'trade' may mean 15 moves, such as 'trade coffee coffee'"),
        ("why nothing", "'nothing' is not a move; the nearest legal one is"),
    ],
)
def test_why_explains_without_playing(typed, answer):
    assert ask(LOADING, typed, "s")[1][1].startswith(answer)


# Hints


def test_a_hint_is_what_the_player_would_do():
    chosen = int(load_agent("merchant").act(views_of(Game.from_state(LOADING[0])))[0])
    _, shown = ask(LOADING, "hint", "s")
    assert shown[1].startswith(f"merchant plays {ACTION_TEXTS[chosen]!r}: it ")


def test_a_hint_of_a_search_shows_probabilities_values_and_its_line():
    game = game_in("purchase", 3, seed=4)
    report = searches.MAKERS["mcts"](iterations=60).search(game)
    _, shown = ask(game, "hint mcts:60", "b")
    words = "\n".join(shown)
    assert f"mcts:60 plays {ACTION_TEXTS[report.best]!r}" in words
    for text, visits in zip(report.texts, report.visits, strict=True):
        assert f"{text:4} {visits / 60:4.0%} " in words
    best = report.values[report.actions.index(report.best)]
    assert f"seat 1{' (you)' if game.player == 0 else ''} {best[0]:+.2f}" in words
    assert len(report.line) > 1  # a line of one move is not shown
    assert f"line: {', '.join(report.line_texts)}" in words


@pytest.mark.parametrize(
    ("spec", "answer"),
    [
        ("merchnat", 'Player="merchnat": must be '),
        ("human", 'Hint="human": must be a player that decides by itself'),
        ("mcts:none", 'Player "mcts:none": iterations="none": must be'),
    ],
)
def test_a_hint_of_no_player_is_answered_with_a_sentence(spec, answer):
    _, shown = ask(DEMAND, f"hint {spec}", "0")
    assert shown[1].startswith(answer)
    assert shown[2].startswith("> ")


@pytest.mark.parametrize(
    ("body", "answer"),
    [
        ("raise ZeroDivisionError('no worth')", "No hint: {spec} failed with ZeroDivisionError: no worth"),
        ("raise KeyboardInterrupt", "The hint was interrupted."),
        ("return [99]", f"Player Own: it chose {ACTION_TEXTS[99]!r}, which is not legal."),
    ],
)
def test_a_hint_that_fails_leaves_the_game_alone(body, answer, tmp_path):
    source = f"from speicher_agents import Agent\n\nclass Own(Agent):\n    def act(self, views):\n        {body}\n"
    (tmp_path / "own.py").write_text(source, encoding="utf-8")
    spec = f"{tmp_path}/own.py:Own"
    chosen, shown = ask(DEMAND, f"hint {spec}", "0")
    assert chosen == "place 0"
    assert shown[1] == answer.format(spec=spec)


# Stopping and taking back


@pytest.mark.parametrize("lines", [["q"], ["quit"], ["exit"], [], ["frob"], [EOFError()]])
def test_quitting_and_the_end_of_the_input_stop(lines):
    with pytest.raises(Stop):
        ask(DEMAND, *lines)


def test_undo_is_refused_where_there_is_nothing_to_take_back():
    chosen, shown = ask(DEMAND, "undo", "1")
    assert chosen == "place 1"
    assert shown[1].startswith("There is nothing to undo")
    with pytest.raises(Undo):
        ask(DEMAND, "u", may_undo=True)


def test_bytes_that_are_no_text_are_answered():
    stream = io.TextIOWrapper(io.BytesIO(b"\xff\xfe\n"), encoding="utf-8")
    shown = io.StringIO()
    with pytest.raises(Stop):
        Human(stdin=stream, stdout=shown).ask(views_of(Game(2, seed=1)))
    assert "not text in UTF-8" in shown.getvalue()


@pytest.mark.parametrize("line", ["\x0c", "place\x1b]0;x\x07", "hint \x9b31m", "why \u202e", "hint own\x1b:Mine"])
def test_answers_from_a_file_reach_the_terminal_escaped(line: str):
    shown = io.StringIO()
    with pytest.raises(Stop):
        Human(stdin=Typist([line]), stdout=shown).ask(views_of(Game(2, seed=1)))
    assert all(letter.isprintable() or letter == "\n" for letter in shown.getvalue())


# What is shown


def test_the_table_is_shown_with_the_seat_as_you_and_without_colours_in_a_file():
    shown = io.StringIO()
    game = game_in("purchase", 3, seed=2)
    Human(stdin=Typist(["b"]), stdout=shown).ask(views_of(game))
    assert f"seat {game.player + 1} (you)" in shown.getvalue()
    assert "\x1b" not in shown.getvalue()
    painted = io.StringIO()
    Human(stdin=Typist(["b"]), stdout=painted, color=True).ask(views_of(game))
    assert "\x1b[1;3" in painted.getvalue()


def test_within_a_loading_only_the_change_is_shown_and_look_shows_the_table():
    game = Game.from_state(LOADING[0])
    for lines, table in ((["s"], 0), (["l", "s"], 1)):
        shown = io.StringIO()
        Human(stdin=Typist(lines), stdout=shown).ask(views_of(game), whole_table=False)
        assert shown.getvalue().count("── Seats") == table
        assert "Cubes: 1 coffee, 2 tea, 1 carpet; 5 coins." in shown.getvalue()


def test_many_moves_are_listed_only_when_asked_for():
    states = position(2, seats=[seat(cards=["warehouse"], cubes="coffee tea rubber carpet", aboard="saffron coffee")],
                      stock="coffee tea saffron rubber carpet")  # fmt: skip
    _, before, after = look(states, "m", "di tea")
    count = len(legal_ids(states[0]))
    assert f"{count} moves: m lists them." in before
    assert f"{count}. " in after


# As a player among others


def test_a_person_plays_in_a_batch_of_games():
    shown = io.StringIO()
    person = Human(stdin=Typist(endless()), stdout=shown)
    batch = Batch(2, 3, seat="none", opponents=["random", person, "frugal"], autoreset="disabled")
    batch.reset(np.arange(2))
    assert batch.arrays.lanes["ended"].all()
    assert "Decision 1 of 2, each in a game of its own" in shown.getvalue()
    for phase in PHASES[:3]:
        assert f"· {phase} " in shown.getvalue()


def test_the_spec_makes_a_person_who_reads_standard_input(monkeypatch, capsys):
    person = load_agent("human:hints=mcts:20")
    assert person.name == "human"
    monkeypatch.setattr("sys.stdin", Typist(["hint", "2"]))
    assert person.act(views_of(Game(2, seed=3))).tolist() == [2]
    assert "mcts:20 plays" in capsys.readouterr().out
    with pytest.raises(ArgumentError, match=r"parameter=.*must be hints"):
        load_agent("human:color=1")
