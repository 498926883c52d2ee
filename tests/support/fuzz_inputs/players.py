"""The forms that name or make players: cards, weights, recipes and specs."""

from __future__ import annotations

import hashlib
import json
import random
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from speicher_agents import describe_players, load_agent
from speicher_agents.baselines import Baseline, Network, read_baseline, write_tensors
from speicher_agents.baselines.card import read_card
from speicher_agents.baselines.tensors import read_tensors
from speicher_agents.specs import parse_named
from speicher_apps.specs import HUMAN, check_untrusted
from speicher_env import ArgumentError
from speicher_env.reading import parse_toml
from speicher_env.views import Views
from speicher_training.arena import load_panel
from tests.support.fuzz_inputs.forms import ACCEPTED, REFUSED, UNCHANGED, Form, Parts, check_sentence, expect, legal
from tests.support.fuzz_inputs.mutations import TEXTS, damaged, damaged_json, damaged_toml, odd_value
from tests.support.games import random_game
from tests.support.small_networks import card as card_of
from tests.support.small_networks import network

CARD, WEIGHTS = "small.json", "small.safetensors"
TRAP = (
    b"open('it_ran', 'w').close()\nclass Mine:\n    def act(self, views):\n        return views.masks.argmax(axis=1)\n"
)
"""A player of one's own that leaves a file when its code runs."""


class _Nets(NamedTuple):
    """Small networks that everything is damaged from."""

    networks: list[Network]
    cards: list[dict[str, Any]]
    weights: list[bytes]


def _nets(own: Path, shared: Path) -> _Nets:
    networks = [network(), network(5, (8,), "relu", 1, True, (6, 4)), network(3, (6, 6), shared=(10,), seed=2)]
    players = ((2,), (2, 3, 4, 5), (3,))
    cards = [card_of(net, counts, padded=len(counts) > 1) for net, counts in zip(networks, players, strict=True)]
    for card, net in zip(cards, networks, strict=True):  # what they need is compiled here, not in the time of a case
        for count in card.players:
            Baseline((card, net)).act(_views(count))
    return _Nets(
        networks, [json.loads(card.text()) for card in cards], [write_tensors(net.tensors()) for net in networks]
    )


def _views(players: int) -> Views:
    return Views.of(random_game(players, seed=3, decisions=20).states_view)


def _read_and_play(folder: Path) -> tuple[Any, Network]:
    """Read the baseline of a folder, and let it choose."""
    card, net = read_baseline(folder / CARD)
    for players in card.players:
        views = _views(players)
        expect(legal(Baseline((card, net)).act(views), views.masks), "a network chooses an illegal action")
    return card, net


# Cards


def _damaged_card(rng: random.Random, nets: _Nets) -> Parts:
    which = rng.randrange(len(nets.cards))
    return {"which": which, "card": damaged_json(nets.cards[which], rng)}


def _read_card(parts: Parts, nets: _Nets, place: Path) -> str:
    Path(CARD).write_bytes(parts["card"])
    Path(WEIGHTS).write_bytes(nets.weights[parts["which"]])
    card, net = _read_and_play(Path())
    expect(read_card(card.text().encode(), "the card") == card, "the card is another one when it is read again")
    expect(write_tensors(net.tensors()) == nets.weights[parts["which"]], "the weights are not those of the digest")
    return UNCHANGED if json.loads(card.text()) == nets.cards[parts["which"]] else ACCEPTED


# Weights


def _damaged_weights(rng: random.Random, nets: _Nets) -> Parts:
    which = rng.randrange(len(nets.weights))
    content, kind = nets.weights[which], rng.random()
    length = int.from_bytes(content[:8], "little")
    if kind < 0.35:
        header = damaged_json(json.loads(content[8 : 8 + length]), rng)
        size = len(header) if rng.random() < 0.8 else rng.choice((0, 1, 2**31, 2**63, len(content)))
        content = size.to_bytes(8, "little") + header + content[8 + length :]
    elif kind < 0.6:
        numbers = np.frombuffer(content[8 + length :], dtype="<f4").copy()
        for _ in range(rng.choice((1, 3, len(numbers)))):
            numbers[rng.randrange(len(numbers))] = rng.choice(
                (np.nan, np.inf, -np.inf, 3e38, -3e38, 1e20, 1e-45, 0, 1e3)
            )
        content = content[: 8 + length] + numbers.tobytes()
    else:
        content = damaged(content, rng, rng.choice(nets.weights))
    return {"which": which, "weights": content, "new digest": rng.random() < 0.7}


def _read_weights(parts: Parts, nets: _Nets, place: Path) -> str:
    content, same = parts["weights"], parts["weights"] == nets.weights[parts["which"]]
    card = dict(nets.cards[parts["which"]])
    if parts["new digest"]:
        card["weights"] = {"file": WEIGHTS, "sha256": hashlib.sha256(content).hexdigest()}
    Path(CARD).write_text(json.dumps(card))
    Path(WEIGHTS).write_bytes(content)
    _, net = _read_and_play(Path())
    expect(same or parts["new digest"], "weights that are not those of the card are used")
    tensors = net.tensors()
    again = read_tensors(write_tensors(tensors))
    expect(all(np.array_equal(again[name], tensors[name]) for name in tensors), "weights change when they are kept")
    return UNCHANGED if same else ACCEPTED


# Recipes and panels


def _recipes(own: Path, shared: Path) -> dict[str, list[bytes]]:
    from importlib import resources

    from speicher_training.train.recipe import load_recipe

    folder = resources.files("speicher_training") / "recipes"
    recipes = [file.read_bytes() for file in folder.iterdir() if file.name.endswith(".toml")]
    panels = [file.read_bytes() for file in (resources.files("speicher_training.arena") / "panels").iterdir()]
    return {
        "recipe": [*recipes, load_recipe("2p").text().encode()],
        "panel": panels,
        "settings": [line.encode() for line in load_recipe("universal").text().splitlines()],
    }


def _damaged_recipe(rng: random.Random, base: dict[str, list[bytes]]) -> Parts:
    kind = "recipe" if rng.random() < 0.85 else "panel"
    settings = [
        *base["settings"],
        b'anchors = ["own.py:Mine"]',
        b'teacher = "own:Mine"',
        b'anchors = ["mcts:5,rollout=own:Mine"]',
        b'opponents = ["own.py:Mine", "random"]',
        b'decks = ["deck.toml"]',
    ]
    return {"kind": kind, "file": damaged_toml(rng.choice(base[kind]), rng, settings)}


def _read_recipe(parts: Parts, base: dict[str, list[bytes]], place: Path) -> str:
    from speicher_training.train.recipe import check_memory, load_recipe, recipe_from

    Path("own.py").write_bytes(TRAP)
    sys.modules.pop("own", None)
    Path("mine.toml").write_bytes(parts["file"])
    try:
        if parts["kind"] == "panel":
            load_panel("mine.toml")
        else:
            recipe = load_recipe("mine.toml")
            again = recipe_from(parse_toml(recipe.text(), "the recipe"), recipe.name)
            expect(again == recipe, "the recipe is another one when it is read again")
            check_memory(recipe)
    finally:
        expect(not Path("it_ran").exists(), "a recipe or a panel has run code")
    return UNCHANGED if parts["file"] in base[parts["kind"]] else ACCEPTED


# Specs

_WORDS = (
    "2p", "5p", "universal", "9", "1", "0", "-1", "1e3", "1e99", "nan", "inf", "9_999_999_999", "9" * 30, "0.5",
    "casual", "random", "merchant", "none", "own.py:Mine", "own:Mine", "own.py", "/etc/passwd", "../x", "small.json",
    "os:system", *TEXTS,
)  # fmt: skip
LARGEST = 40
"""The largest number that `check_untrusted` is to let through, so that no case searches for long."""


def _damaged_spec(rng: random.Random, base: None) -> Parts:
    kinds = describe_players()
    names = [*(kind.name for kind in kinds), "own.py", "own", "os", "mercant", "", *TEXTS]
    spec = rng.choice(names)
    kind = next((kind for kind in kinds if kind.name == spec), None)
    keys = [*(parameter.name for parameter in (kind.parameters if kind else ())), "x", "", "seed"]
    parameters = []
    for _ in range(rng.choice((0, 1, 1, 2, 3))):
        word = rng.choice(_WORDS) if rng.random() < 0.8 else str(odd_value(rng))
        parameters.append(rng.choice((word, f"{rng.choice(keys)}={word}")))
    spec += ":" * bool(parameters) + ",".join(parameters)
    if rng.random() < 0.2:
        spec = damaged(spec.encode("utf-8", "surrogatepass"), rng).decode("utf-8", "replace")
    return {"spec": spec}


def _read_spec(parts: Parts, base: None, place: Path) -> str:
    Path("own.py").write_bytes(TRAP)
    sys.modules.pop("own", None)
    spec = parts["spec"]
    try:
        parse_named(spec)
    except ArgumentError as error:
        check_sentence(str(error))
    try:
        safe = check_untrusted(spec, "seats[0]", largest=LARGEST, trusted_from="on the command line")
        if safe != HUMAN:
            agent = load_agent(safe)
            agent.check_players(3)
            views = _views(3)
            expect(legal(agent.act(views), views.masks), "a player chooses an illegal action")
        outcome = ACCEPTED
    except ArgumentError as error:
        check_sentence(str(error))
        outcome = REFUSED
    expect(not Path("it_ran").exists(), "a spec that is not trusted has run code")
    load_agent(spec)  # as the command line does, where code of one's own may run
    return outcome


CARD_FORM = Form("card", _nets, _damaged_card, _read_card)
WEIGHTS_FORM = Form("weights", _nets, _damaged_weights, _read_weights)
RECIPE = Form("recipe", _recipes, _damaged_recipe, _read_recipe)
SPEC = Form("spec", lambda own, shared: None, _damaged_spec, _read_spec, seconds=20.0)
