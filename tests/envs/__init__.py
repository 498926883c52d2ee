"""Tests of the environments: what each interface promises to those who train with it."""
