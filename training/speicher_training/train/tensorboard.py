"""The numbers of a run for TensorBoard."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from stable_baselines3.common.logger import KVWriter
from torch.utils.tensorboard import SummaryWriter


class TensorBoard(KVWriter):
    """Writes what the logger gives; going on from a checkpoint, it hides what was written after that."""

    def __init__(self, folder: Path, steps: int) -> None:
        self._writer = SummaryWriter(str(folder), purge_step=steps or None)

    def write(self, key_values: dict[str, Any], key_excluded: dict[str, tuple[str, ...]], step: int = 0) -> None:
        """Add the numbers of an update."""
        for key, value in key_values.items():
            if isinstance(value, int | float) or hasattr(value, "dtype"):
                self._writer.add_scalar(key, float(value), step)
        self._writer.flush()

    def close(self) -> None:
        """Close the file."""
        self._writer.close()
