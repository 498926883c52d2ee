"""Tests of the environment in other people's frameworks, each in a virtual environment of its own: `make stacks`."""
