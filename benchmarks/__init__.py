"""Speed of this project, where its time goes, and what others reach on the same machine.

The meter itself is `speicher_training.bench`, which the wheel ships. Here is what needs the repository:

- `python -m benchmarks`: all that concerns this project alone, one after the other
- `python -m benchmarks.layers`, `.limit`, `.scaling`, `.training_share`: one of them
- `python -m benchmarks.peers`: other projects, each in a virtual environment of its own
- `python -m benchmarks.page`: the pages of the documentation, from the results that are kept in `results/`
"""
