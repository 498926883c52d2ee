"""Baselines: trained networks with a card each, played without PyTorch."""

from __future__ import annotations

from speicher_agents.baselines.card import Card, read_card
from speicher_agents.baselines.columns import column_places
from speicher_agents.baselines.files import packaged, read_baseline
from speicher_agents.baselines.network import Layer, Network
from speicher_agents.baselines.player import Baseline
from speicher_agents.baselines.shape import Shape
from speicher_agents.baselines.tensors import BadTensors, read_tensors, write_tensors

__all__ = [
    "BadTensors",
    "Baseline",
    "Card",
    "Layer",
    "Network",
    "Shape",
    "column_places",
    "packaged",
    "read_baseline",
    "read_card",
    "read_tensors",
    "write_tensors",
]
