"""Speed of this project, where its time goes, and what others reach on the same machine.

The meter itself is `speicher_apps.meter`, which the wheel ships. Here is what needs the repository:

- `python -m benchmarks`: all that concerns this project alone, one after the other
- `python -m benchmarks.layers`, `.limit`, `.scaling`, `.training_share`, `.search`: one of them
- `python -m benchmarks.peers`: other projects, each in a virtual environment of its own
- `python -m benchmarks.page`: the pages on speed, from the results that are kept in `results/`
- `python -m benchmarks.strength` and `.strategy`: the players in the arena, and what wins; `.strength_page` and
  `.strategy_page` make pages of them
- `python -m benchmarks.baselines`: the shipped baselines in the arena, and how fast they are; `.baselines_page` makes
  the pages on them and on results
- `python -m benchmarks.ablations` and `.time_to_strength`: what settings of training are worth, and how long it takes;
  `.ablations_page` makes the page of both
"""
