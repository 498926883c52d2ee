"""The variants of the learner that are compared compute the same."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the extra [train] is not installed")

from benchmarks import learner_parts  # noqa: E402
from speicher_training.train.recipe import load_recipe  # noqa: E402
from speicher_training.train.sparse import chosen_actions, multiply_rows  # noqa: E402


def test_the_dense_layers_compute_what_the_sparse_ones_do():
    rows, masks, actions = (tensor[::64] for tensor in learner_parts.rows_of_games())
    generator = torch.Generator().manual_seed(1)
    scale, matrix = torch.rand(rows.shape[1], generator=generator), torch.randn(rows.shape[1], 16, generator=generator)
    read = rows, scale, torch.ones(rows.shape[1], dtype=torch.uint8), matrix
    np.testing.assert_allclose(learner_parts.dense_rows(*read), multiply_rows(*read), rtol=1e-3, atol=1e-2)
    latent, weight = torch.randn(len(rows), 16, generator=generator), torch.randn(184, 16, generator=generator)
    asked = latent, weight, torch.randn(184, generator=generator), masks, actions
    for own, wanted in zip(learner_parts.dense_actions(*asked), chosen_actions(*asked), strict=True):
        np.testing.assert_allclose(own, wanted, rtol=1e-4, atol=1e-4)


def test_every_variant_learns():
    recipe = load_recipe("2p").changed(network={"columns": [8, 4], "shared": [16], "policy": [8], "value": [8]})
    for variant in learner_parts.PATCHES:
        assert learner_parts.update_of(variant, recipe)() == learner_parts.GAMES * learner_parts.STEPS
