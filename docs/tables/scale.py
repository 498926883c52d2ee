"""Tables of the page on how many workers one process can feed."""

from __future__ import annotations

from benchmarks.results import read
from docs.tables.markdown import measured_on, table

KINDS = {1: "networks", 100: "100 times slower"}


def machine() -> str:
    """Where the numbers of the page were measured."""
    scale = read("scale")
    return measured_on(scale) + f" Median of {scale['rounds']} rounds of {scale['seconds']:g} s of processor time."


def measured() -> str:
    """What was measured, by number of players."""
    rates = read("scale")["measured"]
    titles = {
        "decisions_of_a_game": ("decisions of the learner in a game", 1),
        "bytes_of_a_decision": ("bytes on the wire for each", 1),
        "replay": ("decisions/s played again with observation, figures and mask", 0),
        "update": ("decisions/s through the minibatches of PPO", 0),
        "intake": ("decisions/s that one learner can take in", 0),
        "output": ("decisions/s that one worker makes", 0),
    }
    rows = [
        (title, *(f"{each[key]:,.{digits}f}" for each in rates.values())) for key, (title, digits) in titles.items()
    ]
    rows.append(
        ("workers that one learner can feed", *(f"{each['intake'] / each['output']:.1f}" for each in rates.values()))
    )
    return table(("on one core", *(f"{players} players" for players in rates)), rows)


def assumed() -> str:
    """What the simulation takes as given."""
    about = read("scale")["assumed"]
    rows = [
        ("a task of an arena", f"{about['chunk']:g} s, ±{about['spread']:.0%}"),
        ("a task of training", f"128 games at the measured speed of a worker, ±{about['spread']:.0%}"),
        ("a task or a result travels", f"{1000 * about['delay']:g} ms"),
        (
            "the process that hands out tasks takes for each task, and again for its result",
            f"{1000 * about['handling']:g} ms",
        ),
        ("life of a spot instance", f"{about['life']:g} hours on average"),
        ("its death is noticed", f"after {about['noticed']:g} s"),
        ("another takes its place", f"after {about['absence']:g} s more"),
    ]
    return table(("what", "value"), rows, "ll")


def arenas() -> str:
    """The simulated arenas."""
    rows = [
        (
            f"{run['workers']:,}",
            "spot" if run["life"] else "stay",
            f"{run['utilisation']:.0%}",
            f"{run['driver']:.0%}",
            f"{run['repeated']:.2%}",
            f"{run['scheduling_microseconds']:.0f}",
        )
        for run in read("scale")["arenas"]
    ]
    header = ("workers", "instances", "workers busy", "driver busy", "tasks repeated", "scheduling, µs of a task")
    return table(header, rows, "rlrrrr")


def trainings() -> str:
    """The simulated training."""
    rows = [
        (
            KINDS[run["slower"]],
            f"{run['workers']:,}",
            f"{run['utilisation']:.1%}",
            f"{run['learner']:.0%}",
            f"{run['decisions_per_second']:,.0f}",
            f"{run['staleness']:,}",
            f"{run['repeated']:.1%}",
        )
        for run in read("scale")["trainings"]
    ]
    header = (
        "opponents",
        "workers",
        "workers busy",
        "learner busy",
        "decisions/s",
        "decisions of a rollout",
        "repeated",
    )
    return table(header, rows, "lrrrrrr")


def limit() -> str:
    """From which size on the driver is the limit."""
    about = read("scale")["assumed"]
    most = about["chunk"] / (2 * about["handling"])
    return (
        f"With chunks of {about['chunk']:g} s and {1000 * about['handling']:g} ms for each task and result, one "
        f"process feeds at most {most:,.0f} workers."
    )


TABLES = {
    "scale machine": machine,
    "scale measured": measured,
    "scale assumed": assumed,
    "scale arenas": arenas,
    "scale limit": limit,
    "scale trainings": trainings,
}
