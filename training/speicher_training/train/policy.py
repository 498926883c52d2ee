"""The policy that learns: sb3-contrib's, with a forward pass that skips what is 0 and what is not legal.

The library computes all 184 logits, normalizes them twice and checks its input each time. Here the first layer reads
only the numbers that are not 0, and the last one computes the logits of legal actions alone, see `sparse`. The numbers
are the same up to rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from torch import nn
from torch.nn import functional

from speicher_training.train.features import Features
from speicher_training.train.sparse import chosen_actions, multiply_rows

__all__ = ["FORBIDDEN", "Judgement", "SparsePolicy", "computes_in_half"]

FORBIDDEN = -1e8
"""Logit of an illegal action, as in sb3-contrib; its probability is 0 in float32."""


class Judgement(NamedTuple):
    """What the network says of some decisions."""

    logs: torch.Tensor
    """(rows,) logarithms of the probabilities of the chosen actions; means by another policy."""
    entropies: torch.Tensor
    """(rows,) of the probabilities of all legal actions."""
    values: torch.Tensor
    """(rows, outputs): see `Shape.values`."""


class SparsePolicy(MaskableActorCriticPolicy):
    """A `MlpPolicy` for one discrete action, on rows of float32 or uint8, whose value may answer for every seat."""

    features_extractor: Features
    action_net: nn.Linear
    value_net: nn.Linear
    half_precision = False
    """Whether layers within the network are computed in bfloat16: faster on processors with instructions for it
    (AVX512-BF16, AMX), slower on others. Weights, first and last layers and losses stay in float32."""

    def _build(self, lr_schedule: Any) -> None:
        super()._build(lr_schedule)
        outputs = self.features_extractor.shape.values
        if outputs > 1:
            self.value_net = nn.Linear(self.value_net.in_features, outputs)
            nn.init.orthogonal_(self.value_net.weight, gain=1.0)
            nn.init.zeros_(self.value_net.bias)
            arguments = {"lr": lr_schedule(1), **self.optimizer_kwargs}
            self.optimizer = self.optimizer_class(self.parameters(), **arguments)

    def judge(self, rows: torch.Tensor, masks: torch.Tensor | None, actions: torch.Tensor) -> Judgement:
        """What an update asks about decisions; without masks, all actions count as legal.

        Args:
            rows: What the network reads.
            masks: (rows, 184), 1 = legal.
            actions: (rows,) that were chosen; or (rows, 184), such as the policy of a teacher, in any unit.
        """
        latent_policy, latent_value = self._latent(rows)
        if masks is None:
            masks = torch.ones((len(rows), self.action_net.out_features), dtype=torch.int8)
        chosen = chosen_actions(latent_policy, self.action_net.weight, self.action_net.bias, masks, actions)
        return Judgement(chosen.logs, chosen.entropies, self.value_net(latent_value))

    def forward(
        self, obs: Any, deterministic: bool = False, action_masks: Any = None
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Actions, values and logarithms of the actions' probabilities."""
        logits, values = self.logits_and_values(obs, action_masks)
        actions = logits.argmax(dim=1) if deterministic else torch.multinomial(logits.softmax(dim=1), 1)[:, 0]
        logs = functional.log_softmax(logits, dim=1)
        return actions, values[:, :1], logs.gather(1, actions[:, None])[:, 0]

    def evaluate_actions(
        self, obs: torch.Tensor, actions: torch.Tensor, action_masks: Any = None
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Own values, logarithms of the actions' probabilities, and entropies."""
        masks = None if action_masks is None else torch.as_tensor(action_masks).reshape(len(obs), -1)
        judgement = self.judge(obs, masks, actions.flatten())
        return judgement.values[:, :1], judgement.logs, judgement.entropies

    def predict_values(self, obs: Any) -> torch.Tensor:
        """(rows, 1): the payoffs of the deciding seats."""
        values: torch.Tensor = self.value_net(self._latent(obs)[1])
        return values[:, :1]

    def logits_and_values(self, obs: Any, action_masks: Any) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits, very low for illegal actions, and all outputs of the value."""
        latent_policy, latent_value = self._latent(obs)
        logits = self.action_net(latent_policy)
        if action_masks is not None:
            allowed = torch.as_tensor(action_masks, dtype=torch.bool).reshape(logits.shape)
            logits = logits.masked_fill(~allowed, FORBIDDEN)
        return logits, self.value_net(latent_value)

    def _latent(self, rows: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """What the last layers of policy and value read."""
        features = self.features_extractor
        networks = self.mlp_extractor
        heads = [[*networks.policy_net], [*networks.value_net]]
        readers: list[Any] = [*features.shared[:1]] if features.shared else [head[0] for head in heads]
        products, outputs = self._first_products(rows, readers)
        with self._precision():
            sums = [
                product
                if outputs is None
                else product + functional.linear(outputs, first.weight[:, -outputs.shape[1] :])
                for product, first in zip(products, readers, strict=True)
            ]
            if features.shared:
                numbers = features.activate(sums[0])
                for layer in list(features.shared)[1:]:
                    numbers = features.activate(layer(numbers))
                latent = [_run(head, numbers) for head in heads]
            else:
                latent = [_run(head[1:], sum_) for head, sum_ in zip(heads, sums, strict=True)]
        return latent[0].float(), latent[1].float()

    def _first_products(
        self, rows: torch.Tensor, readers: Sequence[Any]
    ) -> tuple[list[torch.Tensor], torch.Tensor | None]:
        """What each of the layers that read the observation makes of it, and the outputs of the layers for columns."""
        features = self.features_extractor
        numbers, own = features.shape.numbers, features.shape.column_numbers
        matrices = [reader.weight[:, :numbers].T for reader in readers]
        biases = [reader.bias for reader in readers]
        if features.layers:
            first: Any = features.layers[0]
            matrices.append(first.weight[:, own:].T)
            biases.append(first.bias)
        matrix = torch.cat(matrices, dim=1)
        scale, offset = features.scale_and_offset(rows.dtype)
        product = multiply_rows(rows, scale, offset, matrix) + (
            torch.cat(biases) - (features.mean / features.spread) @ matrix
        )
        parts = list(torch.split(product, [part.shape[1] for part in matrices], dim=1))
        return parts[: len(readers)], self._column_outputs(rows, parts[-1]) if features.layers else None

    def _precision(self) -> torch.autocast:
        # The cache of weights in bfloat16 would be shared by threads, and each weight is read once.
        return torch.autocast("cpu", torch.bfloat16, enabled=self.half_precision, cache_enabled=False)

    def _column_outputs(self, rows: torch.Tensor, of_all: torch.Tensor) -> torch.Tensor:
        """The outputs of the layers for columns; `of_all` is what the first of them makes of the whole observation."""
        features = self.features_extractor
        first, *others = list[Any](features.layers)
        columns, own = features.places.shape
        scale, offset = features.scale_and_offset(rows.dtype)
        # The same number has the same scale in every column.
        here = features.places.select(0, 0)
        spread = scale[here] * features.spread[here] / features.column_spread
        matrix = first.weight[:, :own].T
        described = rows[:, features.places.reshape(-1)].reshape(-1, own)
        product = multiply_rows(described, spread, offset[here], matrix) - (
            (features.column_mean / features.column_spread) @ matrix
        )
        with self._precision():
            outputs = features.activate(product.reshape(len(rows), columns, -1) + of_all[:, None])
            for layer in others:
                outputs = features.activate(layer(outputs))
            flat: torch.Tensor = outputs.flatten(1)
            return flat


def computes_in_half(precision: str) -> bool:
    """Whether a setting of precision means bfloat16 on this machine."""
    return precision == "bfloat16" or (
        precision == "auto" and (torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported())
    )


def _run(modules: Sequence[nn.Module], numbers: torch.Tensor) -> torch.Tensor:
    for module in modules:
        numbers = module(numbers)
    return numbers
