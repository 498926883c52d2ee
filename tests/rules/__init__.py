"""Tests of the rules, a file per part of the rulebook."""
