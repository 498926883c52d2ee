"""`speicher tune`: tune the weights of the scripted `merchant`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from speicher_env import ArgumentError
from speicher_env.arguments import check_players
from speicher_training.cli.errors import INTERRUPTED, say
from speicher_training.cli.progress import progress_bar

FEWEST_MEMBERS = 5
"""Members of a generation that the optimiser needs."""


def tune(
    players: Annotated[int, typer.Option(help="Players, 2 to 5; each count has weights of its own.")] = 2,
    generations: Annotated[int, typer.Option(help="Generations to evolve.")] = 16,
    members: Annotated[int, typer.Option(help="Sets of weights in a generation.")] = 26,
    deals: Annotated[int, typer.Option(help="Deals against each rival in a trial, each played in every seat.")] = 64,
    seed: Annotated[int, typer.Option(help="Seed of the optimiser and of the deals.")] = 1,
    deck: Annotated[str, typer.Option(help="[bold]standard[/bold], [bold]sampled[/bold] or a deck file.")] = "standard",
    check: Annotated[
        int, typer.Option(help="Held-out deals on which the result is compared with the beginning.")
    ] = 1500,
    output: Annotated[
        str, typer.Option("--output", "-o", help="Weights file to put the set into; none: the package's own.")
    ] = "",
    log: Annotated[str, typer.Option(help="File to which a line of JSON is added for each generation.")] = "",
) -> None:
    """Tune the merchant's weights by differential evolution, from games against a panel of scripted players.

    Begins with the weights in use and writes the result only if it wins more on deals that tuning never saw. Ctrl-C
    ends the evolution early; the best set so far is then compared and written all the same.
    """
    check_players(players, "--players")
    for name, value, least in (
        ("--generations", generations, 1),
        ("--members", members, FEWEST_MEMBERS),
        ("--deals", deals, 1),
        ("--check", check, 2),
        ("--seed", seed, 0),
    ):
        if value < least:
            raise ArgumentError(f"{name}: found {value}, must be a whole number from {least}")
    # Loaded here, so that no other command waits for SciPy.
    from speicher_agents._jit import WEIGHTS_FILE
    from speicher_training.tune import Tuning, compare, gain, write_weights

    target = Path(output) if output else WEIGHTS_FILE
    for name, path in (("--output", target), ("--log", Path(log))):
        if not path.parent.is_dir():
            raise ArgumentError(f"{name}: there is no folder {path.parent}")
    tuning = Tuning(players, deals, seed, deck)
    done = 0
    with progress_bar(beside_output=False) as bar:
        task = bar.add_task("generations", total=generations)

        def report(line: dict[str, Any]) -> None:
            nonlocal done
            done = line["generation"]
            bar.update(task, completed=done)
            if log:
                with Path(log).open("a", encoding="utf-8") as stream:
                    stream.write(json.dumps({"players": players, "seed": seed} | line) + "\n")

        weights = tuning.run(members, generations, report)
    say("comparing on held-out deals")
    comparison = compare(tuning, weights, check)
    for rival, (before, after, half) in comparison.items():
        print(f"win share against {rival:10s} {before:.3f} -> {after:.3f}, change {after - before:+.3f} ± {half:.3f}")
    risen = gain(comparison)
    if log:
        with Path(log).open("a", encoding="utf-8") as stream:
            held_out = {rival: [round(number, 4) for number in told] for rival, told in comparison.items()}
            stream.write(json.dumps({"players": players, "seed": seed, "gain": round(risen, 4), "held_out": held_out}))
            stream.write("\n")
    if risen > 0:
        how = f"{done} generations of {members}, {deals} deals, {deck} deck, seed {seed}; win share {risen:+.3f}"
        write_weights(players, weights, how, target)
        say(f"the panel's mean win share rises by {risen:.3f}: weights written to {target}")
    else:
        say(f"the panel's mean win share does not rise on held-out deals ({risen:+.3f}): nothing was written")
    if done < generations:
        raise typer.Exit(INTERRUPTED)
