"""The steps of a player's loading: which are legal, and what each does to cubes, coins and stock."""

from __future__ import annotations

from .things import GOODS, MERCHANT_BUYS, Player


def legal_steps(player: Player, stock: list[str]) -> list[str]:
    """The legal steps of the player who is loading, in action order."""
    pool = player.pool()
    steps = []

    for contract in player.contracts():
        for good in GOODS:
            if good in pool and good in contract.missing():
                steps.append(f"deliver {good} {contract.id}")

    for merchant, good in MERCHANT_BUYS.items():
        if player.number_of(merchant) and good in pool:
            steps.append(f"sell {good}")

    for first, a in enumerate(GOODS):
        for second, b in enumerate(GOODS[first:], start=first):
            for c in GOODS[second:]:
                if has_all([a, b, c], pool):
                    for wanted in GOODS:
                        if wanted in stock and wanted not in (a, b, c):
                            steps.append(f"convert {a} {b} {c} to {wanted}")

    for first, a in enumerate(GOODS):
        for b in GOODS[first:]:
            if has_all([a, b], pool):
                steps.append(f"trade {a} {b}")

    if len(pool) > player.capacity():
        for good in GOODS:
            if good in pool:
                steps.append(f"discard {good}")
    else:
        steps.append("end")

    return steps


def has_all(wanted: list[str], cubes: list[str]) -> bool:
    """Whether all the wanted cubes, each for itself, are among the cubes."""
    left = list(cubes)
    for cube in wanted:
        if cube not in left:
            return False
        left.remove(cube)
    return True


def carry_out(step: str, player: Player, stock: list[str]) -> None:
    """Carry out a legal step."""
    words = step.split()
    if words[0] == "deliver":
        _, good, contract_id = words
        for contract in player.contracts():
            if contract.id == contract_id:
                contract.placed.append(player.give_up(good))
    elif words[0] == "sell":
        stock.append(player.give_up(words[1]))
        player.coins += 1
    elif words[0] == "convert":
        _, a, b, c, _, wanted = words
        for good in (a, b, c):
            stock.append(player.give_up(good))
        stock.remove(wanted)
        player.quay.append(wanted)
    elif words[0] == "trade":
        for good in words[1:]:
            stock.append(player.give_up(good))
        player.coins += 1
    elif words[0] == "discard":
        stock.append(player.give_up(words[1]))
    elif words[0] == "end":
        player.store()
    else:
        raise ValueError(f"{step!r} is not a step of loading")
