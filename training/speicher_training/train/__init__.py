"""Training: recipes, the league, and runs that can be interrupted at any moment.

`LeagueCallback` and `EvaluationCallback` also work in a stable-baselines3 script of your own.
Importing names from here loads torch; `speicher_training.train.recipe` does not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from speicher_env.lazy import load_name

if TYPE_CHECKING:
    from speicher_training.train.baseline_files import write_baseline
    from speicher_training.train.evaluation import WinShare, evaluate, evaluate_all
    from speicher_training.train.evaluation_callback import EvaluationCallback
    from speicher_training.train.export import load_into, network_of, policy_arguments
    from speicher_training.train.league import League, Member
    from speicher_training.train.league_callback import LeagueCallback
    from speicher_training.train.recipe import Recipe, load_recipe, recipes
    from speicher_training.train.run import Trained, train
    from speicher_training.train.run_settings import RunSettings

_HOME = {
    "EvaluationCallback": "evaluation_callback",
    "WinShare": "evaluation",
    "evaluate": "evaluation",
    "evaluate_all": "evaluation",
    "League": "league",
    "LeagueCallback": "league_callback",
    "Member": "league",
    "Recipe": "recipe",
    "RunSettings": "run_settings",
    "Trained": "run",
    "load_into": "export",
    "load_recipe": "recipe",
    "network_of": "export",
    "policy_arguments": "export",
    "recipes": "recipe",
    "train": "run",
    "write_baseline": "baseline_files",
}
"""The module of each name, loaded when the name is first used: the command must not wait for torch."""

__all__ = [
    "EvaluationCallback",
    "League",
    "LeagueCallback",
    "Member",
    "Recipe",
    "RunSettings",
    "Trained",
    "WinShare",
    "evaluate",
    "evaluate_all",
    "load_into",
    "load_recipe",
    "network_of",
    "policy_arguments",
    "recipes",
    "train",
    "write_baseline",
]


def __getattr__(name: str) -> Any:
    """A name from the module that it is in."""
    try:
        return load_name(__name__, name, _HOME)
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package in ("", "speicher_agents", "speicher_env", "speicher_training"):
            raise
        raise ImportError(f"{name} needs {package}, which pip install 'speicher-env[train]' brings") from error
