"""The baselines that come with the package: what each says about fixed positions, and that it is what its card says.

`python tests/training/test_shipped_baselines.py` writes down anew what they say; do that when a baseline is replaced,
and only then.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from speicher_agents import load_agent
from speicher_agents.baselines import Baseline, read_baseline
from speicher_agents.baselines.files import packaged
from speicher_env.rules.actions import ACTION_TEXTS
from tests.support.small_networks import views

SAID = Path(__file__).with_name("shipped_baselines.json")
NAMES = ("2p", "3p", "4p", "5p", "universal", "2p-small", "4p-small")
POSITIONS = 6


def said_by(name: str) -> dict[str, list[dict[str, object]]]:
    """Logits of all legal actions, and the value, in fixed positions, by number of players."""
    baseline = Baseline(name)
    told: dict[str, list[dict[str, object]]] = {}
    for players in baseline.card.players:
        shown = views(players, POSITIONS, baseline.padded, decisions=40, figures=baseline.figures)
        logits = baseline.network.logits(shown.observations, shown.masks)
        values = baseline.network.values(shown.observations)
        told[str(players)] = [
            {
                "logits": {ACTION_TEXTS[k]: round(float(row[k]), 4) for k in np.flatnonzero(mask)},
                "value": round(float(value), 4),
            }
            for row, mask, value in zip(logits, shown.masks, values, strict=True)
        ]
    return told


def test_all_that_are_promised_are_there():
    assert set(packaged()) == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_baseline_says_what_it_has_always_said(name: str):
    wanted = json.loads(SAID.read_text(encoding="utf-8"))[name]
    found = said_by(name)
    assert found.keys() == wanted.keys() and wanted
    for players, positions in wanted.items():
        assert len(positions) == POSITIONS
        for own, other in zip(found[players], positions, strict=True):
            assert own["logits"] == pytest.approx(other["logits"], abs=1e-3)
            assert own["value"] == pytest.approx(other["value"], abs=1e-3)


@pytest.mark.parametrize("name", NAMES)
def test_a_card_tells_how_its_baseline_came_about_and_how_strong_it_is(name: str):
    card, network = read_baseline(name)
    assert card.players == ((2, 3, 4, 5) if name == "universal" else (int(name[0]),))
    assert card.reward == "outcome"
    assert {"recipe", "settings", "seed", "steps", "minutes", "versions"} <= card.training.keys()
    assert card.strength
    assert network.shape == card.shape


@pytest.mark.parametrize("players", [2, 3, 4, 5])
def test_a_baseline_without_a_name_is_the_one_for_the_table(players: int):
    shown = views(players)
    own = load_agent("baseline").act(shown)
    assert np.array_equal(own, load_agent(f"baseline:{players}p").act(shown))


if __name__ == "__main__":
    SAID.write_text(json.dumps({name: said_by(name) for name in NAMES}, indent=1) + "\n", encoding="utf-8")
