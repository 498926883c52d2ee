"""Tests of gradients that several threads compute in parts."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch")

import torch
from torch import nn

from speicher_training.train import gradients as module
from speicher_training.train.gradients import Gradients

EXAMPLES = 103  # parts of unequal sizes


class Small(nn.Module):
    """A network with a layer that no loss reads."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(1)
        self.layers, self.unused = nn.Sequential(nn.Linear(7, 16), nn.Tanh(), nn.Linear(16, 1)), nn.Linear(2, 2)

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        """One number for each row."""
        outputs: torch.Tensor = self.layers(rows)[:, 0]
        return outputs


@pytest.fixture
def network() -> nn.Module:
    return Small()


def fill(network: nn.Module, threads: int) -> tuple[list[np.ndarray], dict[str, float]]:
    rows, wanted = torch.linspace(-1, 1, EXAMPLES * 7).reshape(EXAMPLES, 7), torch.linspace(0, 3, EXAMPLES)

    def loss(part: slice) -> tuple[torch.Tensor, dict[str, float]]:
        error = (network(rows[part]) - wanted[part]).square().mean()
        return error, {"error": error.item()}

    with Gradients(threads) as gradients:
        numbers = gradients.fill(network, EXAMPLES, loss)
    return [parameter.grad.numpy().copy() for parameter in network.parameters() if parameter.grad is not None], numbers


def test_gradients_are_the_same_with_every_number_of_threads(
    network: nn.Module, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PART", 20)
    one, two, many = (fill(network, threads) for threads in (1, 2, 8))
    for other in (two, many):
        assert other[1] == one[1]
        assert all(np.array_equal(mine, theirs) for mine, theirs in zip(other[0], one[0], strict=True))


def test_parts_together_have_the_gradient_and_the_numbers_of_the_whole(
    network: nn.Module, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts, numbers = fill(network, 1)
    monkeypatch.setattr(module, "PART", 10)
    smaller, same = fill(network, 1)
    assert numbers == pytest.approx(same)
    for mine, theirs in zip(parts, smaller, strict=True):
        assert mine == pytest.approx(theirs, abs=1e-6)
    rows = torch.linspace(-1, 1, EXAMPLES * 7).reshape(EXAMPLES, 7)
    error = (network(rows) - torch.linspace(0, 3, EXAMPLES)).square().mean()
    whole = torch.autograd.grad(error, list(network.parameters()), materialize_grads=True)
    assert numbers["error"] == pytest.approx(error.item())
    for gradient, together in zip(whole, parts, strict=True):
        assert together == pytest.approx(gradient.numpy(), abs=1e-6)


def test_an_error_in_a_thread_reaches_the_caller(network: nn.Module) -> None:
    def loss(part: slice) -> tuple[torch.Tensor, dict[str, float]]:
        raise ZeroDivisionError

    with Gradients(2) as gradients, pytest.raises(ZeroDivisionError):
        gradients.fill(network, 10, loss)
