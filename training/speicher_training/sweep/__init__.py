"""Sweeps: training with every combination of some settings and several seeds, on one machine or on a cluster."""

from speicher_training.sweep.carry_out import Watch, Work, carry_out
from speicher_training.sweep.grid import Trial, parse_settings, trials_of
from speicher_training.sweep.run import Sweep, Swept, sweep

__all__ = ["Sweep", "Swept", "Trial", "Watch", "Work", "carry_out", "parse_settings", "sweep", "trials_of"]
