"""What stops a training run."""

from __future__ import annotations


class TrainingError(RuntimeError):
    """A run that cannot begin or continue; the message is one sentence."""
