"""Tests of the observation, against a slow reading of the state written for them alone."""
