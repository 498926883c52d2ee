"""Tests of the meter and of what is made of its results. No test here looks at a real clock."""
