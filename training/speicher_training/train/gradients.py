"""The gradient of a minibatch, computed in parts on several threads.

The parts are the same on every machine and their gradients are added up in order, so what is learned does not depend on
the number of threads. PyTorch's and this project's compiled loops let other threads run, and each of them works with
one thread of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
import torch
from torch import nn

from speicher_training.executor.closing import Closing

__all__ = ["Gradients", "Loss"]

PART = 1024
"""Examples of a part, about; half as many cost 5 % more time on one core."""

Loss = Callable[[slice], tuple[torch.Tensor, dict[str, float]]]
"""The mean loss of some examples of a minibatch, and mean numbers to be shown."""


class Gradients(Closing):
    """Fills the gradients of a network."""

    def __init__(self, threads: int = 1) -> None:
        """Start the threads; there is no use for more threads than a minibatch has parts."""
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None

    def fill(self, network: nn.Module, examples: int, loss: Loss) -> dict[str, float]:
        """Set the gradients of a network to those of the mean loss of a minibatch.

        Args:
            network: Its parameters get the gradients.
            examples: Of the minibatch.
            loss: Called for each part of the minibatch, in several threads at a time.

        Returns:
            The means of the numbers that `loss` gives.
        """
        parameters = list(network.parameters())
        parts = min(examples, max(2, round(examples / PART)))
        ends = np.linspace(0, examples, parts + 1).round().astype(int).tolist()

        def gradients_of(part: slice) -> tuple[list[torch.Tensor], dict[str, float]]:
            mean, numbers = loss(part)
            weight = (part.stop - part.start) / examples
            gradients = torch.autograd.grad(mean * weight, parameters, materialize_grads=True)
            return list(gradients), {name: number * weight for name, number in numbers.items()}

        slices = [slice(begin, end) for begin, end in pairwise(ends)]
        results = list((self._pool.map if self._pool else map)(gradients_of, slices))
        sums, numbers = results[0]
        for gradients, others in results[1:]:
            torch._foreach_add_(sums, gradients)
            for name, number in others.items():
                numbers[name] += number
        for parameter, gradient in zip(parameters, sums, strict=True):
            parameter.grad = gradient
        return numbers

    def close(self) -> None:
        """End the threads."""
        if self._pool:
            self._pool.shutdown()
