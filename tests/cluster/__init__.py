"""Tests on a Ray cluster of several nodes on this machine: `python -m tests.cluster`."""
