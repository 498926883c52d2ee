"""What the pages say of more training time is what the learning curves in the cards say."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="the extra [train] is not installed")


from docs.tables import baselines as baseline_tables
from docs.tables import learning
from speicher_agents.baselines import Card, Network, Shape, read_baseline
from speicher_training.train.recipe import load_recipe

CARD = Card(
    "2p", (2,), "standard", False, "outcome", Shape(2, (8,), (8,), activation="tanh"), "2p.safetensors", "ab" * 32,
    {"recipe": "2p", "seed": 1, "from": None, "steps": 8_000_000, "minutes": 24.6,
     "settings": {"ppo": {"steps": 7_999_999, "games": 1000, "rollout": 50}}},
)  # fmt: skip
RISEN = [0.1, 0.2, 0.3, 0.4, 0.50, 0.52, 0.60, 0.62]
"""Ten points more in the last quarter than in the one before, with a standard error of 1.4."""
LEVEL = [0.1, 0.2, 0.3, 0.4, 0.600, 0.592, 0.592, 0.604]
"""0.2 points more, with a standard error of 0.7."""
UNCLEAR = [0.1, 0.2, 0.3, 0.4, 0.60, 0.56, 0.57, 0.61]
"""One point more, with a standard error of 2.8."""


def curve(shares: list[float], players: int = 2, opponent: str = "merchant") -> dict[str, Any]:
    """An evaluation after every million decisions, three minutes each."""
    at = range(1, len(shares) + 1)
    return {
        "players": players, "opponent": opponent, "steps": [1_000_000 * k for k in at],
        "minutes": [3.0 * k for k in at], "win_share": shares,
    }  # fmt: skip


def with_curves(*curves: dict[str, Any], card: Card = CARD, **training: object) -> Card:
    return replace(card, training={**card.training, "curve": list(curves), **training})


def everybody(shares: list[float] = RISEN) -> dict[str, Card]:
    """Four specialists and the baseline for all."""
    cards = {f"{count}p": with_curves(curve(shares, count, "random"), curve(shares, count)) for count in (2, 3, 4, 5)}
    whole = replace(CARD, name="universal", players=(2, 3, 4, 5), padded=True)
    return cards | {"universal": with_curves(*(curve(shares, count) for count in (5, 4, 3, 2)), card=whole)}


@pytest.fixture
def panels(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The panels that are drawn."""
    drawn, draw = [], learning._panel

    def panel(axes: Any, name: str, card: Card) -> None:
        draw(axes, name, card)
        drawn.append(axes)

    monkeypatch.setattr(learning, "_panel", panel)
    return drawn


def test_the_learning_rate_of_the_packaged_baselines_fell_as_the_page_says() -> None:
    for card in baseline_tables.packaged_cards().values():
        ppo = card.training["settings"]["ppo"]
        assert ppo["learning_rate_end"] < ppo["learning_rate"] and ppo["entropy_end"] < ppo["entropy"]


def test_the_page_says_of_each_baseline_how_its_run_ended() -> None:
    text = learning.trends({"2p": with_curves(curve(RISEN)), "3p": with_curves(curve(LEVEL, 3))})
    assert (
        "- `baseline:2p` (`speicher train 2p`): 8,000,000 decisions in 25 minutes; 61.0 % on average in the "
        "last quarter of the run after 51.0 % in the one before, +10.0 points (standard error 1.4): **still rising**.\n"
    ) in text
    assert "+0.2 points (standard error 0.7): **flat at the end**.\n" in text


def test_the_baseline_for_all_is_told_for_each_number_of_players() -> None:
    text = learning.trends(everybody())
    sentence = next(line for line in text.splitlines() if line.startswith("- `baseline:universal`"))
    assert [sentence.count(f"with {count} players 61.0 %") for count in (2, 3, 4, 5)] == [1, 1, 1, 1]


def test_the_page_says_from_which_baseline_another_went_on() -> None:
    card = with_curves(curve(RISEN), **{"from": "baseline:universal"})
    text = learning.trends({"2p": card})
    assert "(`speicher train 2p --from baseline:universal`): 8,000,000 decisions in 25 minutes, on from" in text
    assert "speicher train 2p --from baseline:universal " in text.split("```bash")[1]


EARLIER = {
    "name": "2p", "sha256": "cd" * 32, "recipe": "2p", "seed": 1, "from": None, "steps": 22_000_000, "minutes": 50.2,
    "commit": "ef" * 20,
}  # fmt: skip


def test_a_baseline_that_went_on_from_one_that_is_gone_is_not_said_to_come_of_a_command_that_now_gives_another() -> (
    None
):
    card = with_curves(curve(RISEN), **{"from": "baseline:2p", "before": [EARLIER]})
    text = learning.trends({"2p": card})
    assert (
        "(by the recipe `2p`): 8,000,000 decisions in 25 minutes, on from an earlier `baseline:2p` (22,000,000" in text
    )
    assert "weights cdcdcdcd)" in text
    assert "--from" not in text and "speicher train 2p " in text.split("```bash")[1]


def test_a_baseline_that_went_on_from_one_that_is_still_there_is_said_to_come_of_its_command() -> None:
    there = {**EARLIER, "name": "universal", "sha256": read_baseline("universal")[0].sha256}
    text = learning.trends({"2p": with_curves(curve(RISEN), **{"from": "baseline:universal", "before": [there]})})
    assert (
        "(`speicher train 2p --from baseline:universal`): 8,000,000 decisions in 25 minutes, on from `baseline" in text
    )
    assert "earlier" not in text


def test_decisions_of_the_runs_before_are_counted_and_shown() -> None:
    card = with_curves(curve(RISEN), **{"from": "baseline:2p", "before": [EARLIER, EARLIER]})
    assert learning.in_all(card) == 52_000_000 and learning.in_all(CARD) == 8_000_000
    network = Network.zeros(card.shape)
    text = baseline_tables.training({"2p": (card, network)})
    assert "| 8,000,000 | 52,000,000 |" in text and "an earlier `baseline:2p`" in text


def test_cards_without_a_curve_are_left_out_and_without_any_there_is_no_section(tmp_path: Path) -> None:
    learning.draw({"2p": CARD}, tmp_path)
    assert not list(tmp_path.iterdir())
    text = learning.trends({"2p": CARD, "3p": with_curves(curve(RISEN, 3))})
    assert "`baseline:3p`" in text and "`baseline:2p`" not in text
    none = {"2p": with_curves(curve(RISEN, opponent="random"))}
    assert learning.trends(none) == "The cards hold no learning curve."


@pytest.mark.parametrize(
    ("shares", "told"),
    [
        (RISEN, "still rising"),
        (LEVEL, "flat at the end"),
        (UNCLEAR, "too close to tell"),
        ([0.1, 0.2, 0.3, 0.4, 0.60, 0.62, 0.50, 0.52], "falling"),
        ([0.9, 0.9, 0.9, 0.9, 0.5, 0.5, 0.5, 0.5], "flat at the end"),
    ],
)
def test_a_trend_compares_the_last_quarter_with_the_one_before(shares: list[float], told: str) -> None:
    found = learning.trend(curve(shares), 8_000_000)
    assert found is not None and found.verdict == told


def test_the_error_of_a_trend_is_that_of_a_difference_of_means() -> None:
    found = learning.trend(curve(RISEN), 8_000_000)
    assert found is not None
    assert (found.last, found.before, found.gain) == pytest.approx((0.61, 0.51, 0.1))
    assert found.error == pytest.approx((0.0002 * (1 / 2 + 1 / 2)) ** 0.5)  # each quarter's variance is 0.0002


def test_a_rise_and_a_standstill_are_claimed_only_beyond_two_standard_errors() -> None:
    assert learning.Trend(0.52, 0.50, 0.0099).verdict == "still rising"
    assert learning.Trend(0.52, 0.50, 0.0101).verdict == "too close to tell"
    assert learning.Trend(0.50, 0.50, 0.0151).verdict == "too close to tell"
    assert learning.Trend(0.50, 0.50, 0.0149).verdict == "flat at the end"


def test_too_few_evaluations_say_nothing() -> None:
    few = with_curves(curve([0.2, 0.3, 0.4]), steps=3_000_000)
    assert learning.trend(curve([0.2, 0.3, 0.4]), 3_000_000) is None
    assert "too few evaluations to tell whether it was still rising" in learning.trends({"2p": few})
    assert learning.still_rising({"2p": few}) == ""


def test_the_page_on_baselines_claims_no_rise_that_the_curves_do_not_show() -> None:
    def told(**cards: Card) -> str:
        found = {name: (card, Network.zeros(card.shape)) for name, card in cards.items()}
        return baseline_tables.training(found)

    assert "still rising" not in told(two=CARD)
    level, risen = with_curves(curve(LEVEL)), with_curves(curve(RISEN))
    assert "no run was clearly still rising at its end" in told(two=level)
    assert "clearly still rising at the end of the run: `baseline:two`." in told(two=risen, three=level)
    cards = everybody()
    cards["universal"].training["curve"][0].update(win_share=LEVEL)
    assert "`baseline:5p`; `baseline:universal` with 2, 3 and 4 players." in learning.still_rising(cards)


def test_a_baseline_of_a_recipe_that_has_changed_since_is_not_said_to_be_trained_by_it() -> None:
    settings = {**CARD.training["settings"], "network": load_recipe("2p").tables["network"]}
    as_it_is = with_curves(curve(RISEN), settings=settings)
    as_it_was = with_curves(curve(RISEN), settings={**settings, "network": {"policy": [512], "value": [512]}})
    assert "(`speicher train 2p`)" in learning.trends({"2p": as_it_is})
    assert "(by the recipe `2p` as it was then, which its card tells, and not as it is now)" in learning.trends(
        {"2p": as_it_was}
    )


def test_the_command_is_that_of_the_run() -> None:
    assert learning.command(CARD) == "speicher train 2p"
    other = with_curves(steps=4_000_000, seed=3, **{"from": "baseline:2p"})
    assert learning.command(other) == "speicher train 2p --steps 4_000_000 --seed 3 --from baseline:2p"
    text = learning.trends({"2p": with_curves(curve(RISEN))})
    assert "\nspeicher train 2p --steps 16_000_000 --out runs/2p-longer " in text


def test_there_is_a_panel_for_each_baseline_and_a_line_for_each_number_of_players(
    tmp_path: Path, panels: list[Any]
) -> None:
    learning.draw(everybody(), tmp_path)
    assert [axes.get_title() for axes in panels] == [f"baseline:{name}" for name in everybody()]
    lines = [[line for line in axes.lines if line.get_marker() == "."] for axes in panels]
    assert [len(own) for own in lines] == [1, 1, 1, 1, 4]
    assert lines[0][0].get_xdata().tolist() == [1, 2, 3, 4, 5, 6, 7, 8]
    assert lines[0][0].get_ydata() == pytest.approx([100 * share for share in RISEN])
    assert [line.get_label() for line in lines[4]] == [f"{count} players" for count in (2, 3, 4, 5)]


def test_par_and_aim_are_lines_in_the_panel_of_the_baseline_they_are_for(tmp_path: Path, panels: list[Any]) -> None:
    learning.draw(everybody(), tmp_path)

    def heights(axes: Any, style: str) -> list[float]:
        straight = [line for line in axes.lines if line.get_marker() != "."]
        return [line.get_ydata()[0] for line in straight if line.get_linestyle() == style]

    assert [heights(axes, "--") for axes in panels] == [[93.0], [66.0], [60.0], [52.0], []]
    pars = [pytest.approx(100 / count) for count in (2, 3, 4, 5)]
    assert [heights(axes, "-") for axes in panels] == [*([par] for par in pars), pars]


def test_the_same_curves_draw_the_same_picture_and_others_another(tmp_path: Path) -> None:
    for name, shares in (("one", RISEN), ("again", RISEN), ("other", LEVEL)):
        learning.draw({"2p": with_curves(curve(shares))}, tmp_path / name)
    one, again, other = (
        [(tmp_path / name / f"{learning.PLOT}.{kind}").read_bytes() for kind in ("svg", "png")]
        for name in ("one", "again", "other")
    )
    assert one == again and one[0] != other[0] and one[1] != other[1]
    assert learning.digest({"2p": with_curves(curve(RISEN))}).encode() in one[0]
