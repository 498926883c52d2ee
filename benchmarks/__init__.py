"""Measurements: speed, strength and training. Results go to `results/`; `make pages` shows them in the documentation.

The speed meter itself is `speicher_apps.meter`, which the wheel ships. These commands need the repository:

- `python -m benchmarks`: the speed of every layer, the limit, scaling, and the share of the game in training
- `python -m benchmarks.peers`: other projects beside this one
- `python -m benchmarks.strength` and `.strategy`: the players in the arena, and what wins
- `python -m benchmarks.baselines`: the shipped baselines in the arena
- `python -m benchmarks.ablations` and `.time_to_strength`: what single settings of training are worth
- `python -m benchmarks.tune`: the weights of the scripted merchant
"""
