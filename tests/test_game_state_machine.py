"""Any sequence of playing, copying, saving, recording and redealing leaves sound games that agree with each other."""

from __future__ import annotations

import json
import os

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from speicher_env import ACTION_TEXTS, ArgumentError, Game, IllegalAction, check_record
from speicher_env.rules.status import status
from tests.support.games import OWN_DECK, PLAYER_COUNTS

pytestmark = [pytest.mark.nojit, pytest.mark.bounds]

seeds = st.integers(0, 2**64 - 1)
picks = st.integers(0, 183)


class Games(RuleBasedStateMachine):
    """One game that goes on, and an earlier copy of it that must not change."""

    @initialize(
        players=st.sampled_from(PLAYER_COUNTS),
        deck=st.sampled_from(["standard", "sampled", OWN_DECK]),
        seed=seeds,
    )
    def deal(self, players: int, deck: str, seed: int) -> None:
        self.game = Game(players, deck, seed)
        self.deck = self.game.deck
        self.keep()

    @rule()
    def keep(self) -> None:
        self.kept = self.game.copy()
        self.kept_bytes = self.game.get_state()

    @precondition(lambda self: not self.game.over)
    @rule(choices=st.lists(picks, min_size=1, max_size=60), by_text=st.booleans())
    def play(self, choices: list[int], by_text: bool) -> None:
        for choice in choices:
            legal = self.game.legal_ids()
            if not legal:
                return
            action = legal[choice % len(legal)]
            self.game.play(ACTION_TEXTS[action] if by_text else action)

    @precondition(lambda self: not self.game.over)
    @rule(pick=picks, seed=seeds)
    def play_with_a_supply_that_is_given(self, pick: int, seed: int) -> None:
        legal = self.game.legal_ids()
        action = legal[pick % len(legal)]
        supply = self.game.next_supply.sample(seed)
        if self.game.ends_round(action):
            self.game.play(action, supply=supply)
            return
        before = self.game.get_state()
        with pytest.raises(ArgumentError):
            self.game.play(action, supply=supply)
        assert self.game.get_state() == before

    @rule(action=picks)
    def refuse_what_is_illegal(self, action: int) -> None:
        if action in self.game.legal_ids():
            return
        before = self.game.get_state()
        with pytest.raises(IllegalAction):
            self.game.play(action)
        assert self.game.get_state() == before

    @rule()
    def go_on_with_a_copy(self) -> None:
        self.game = self.game.copy()

    @rule()
    def go_back_to_what_was_kept(self) -> None:
        self.game.set_state(self.kept_bytes)
        assert self.game == self.kept

    @rule()
    def pass_through_a_snapshot(self) -> None:
        again = Game.from_state(self.game.get_state())
        assert again.get_state() == self.game.get_state()
        self.game = again

    @rule(legal=st.booleans())
    def pass_through_a_record(self, legal: bool) -> None:
        record = json.loads(json.dumps(self.game.to_record(legal=legal)))
        assert check_record(record) == []
        again = Game.from_record(record)
        assert again.get_state() == self.game.get_state()
        self.game = again

    @rule(seed=seeds)
    def redeal(self, seed: int) -> None:
        other = self.game.redealt(seed)
        assert (other.legal(), other.points(), other.moves) == (self.game.legal(), self.game.points(), self.game.moves)
        self.game = other

    @invariant()
    def the_game_is_sound(self) -> None:
        assert status(self.game.state) == []
        assert len(self.game.legal()) >= 2 or (self.game.over and not self.game.legal())
        assert self.game.deck == self.deck
        assert bool(self.game.winners()) == self.game.over

    @invariant()
    def what_was_kept_did_not_change(self) -> None:
        assert self.kept.get_state() == self.kept_bytes


Games.TestCase.settings = settings(
    max_examples=25,
    stateful_step_count=12,
    deadline=None,
    derandomize="CI" in os.environ,
    suppress_health_check=[HealthCheck.too_slow],  # without JIT a step takes milliseconds
)
test_games = Games.TestCase
