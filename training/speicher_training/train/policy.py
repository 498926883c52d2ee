"""The policy of sb3-contrib with its arithmetic done once.

The library's masked distribution normalizes the logits twice and checks its input each time, which takes about as long
as a layer of the network, and its exp() is slow for the very low logits of illegal actions. The numbers here are the
same up to rounding.
"""

from __future__ import annotations

from typing import Any

import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from torch import nn
from torch.nn import functional

from speicher_training.train.features import linear_in_parts

__all__ = ["LeanPolicy", "computes_in_half"]

FORBIDDEN = -1e8
"""Logit of an illegal action, as in sb3-contrib; its probability is 0 in float32."""


class LeanPolicy(MaskableActorCriticPolicy):
    """A `MlpPolicy` for one discrete action."""

    half_precision = False
    """Whether the hidden layers are computed in bfloat16: about twice as fast where the processor has instructions for
    it (AVX512-BF16, AMX), slower where it has none. Weights, last layers and losses stay in float32."""

    def forward(
        self, obs: Any, deterministic: bool = False, action_masks: Any = None
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Actions, values and logarithms of the actions' probabilities."""
        logits, values = self.logits_and_values(obs, action_masks)
        actions = logits.argmax(dim=1) if deterministic else torch.multinomial(logits.softmax(dim=1), 1)[:, 0]
        logs = functional.log_softmax(logits, dim=1)
        return actions, values, _chosen(logs, actions)

    def evaluate_actions(
        self, obs: torch.Tensor, actions: torch.Tensor, action_masks: Any = None
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Values, logarithms of the actions' probabilities, and entropies."""
        logits, values = self.logits_and_values(obs, action_masks)
        logs = functional.log_softmax(logits, dim=1)  # its exp() is slow far below 0, where illegal actions are
        return values, _chosen(logs, actions.long().flatten()), -(logits.softmax(dim=1) * logs).sum(dim=1)

    def logits_and_values(self, obs: Any, action_masks: Any) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits, very low for illegal actions, and values."""
        with torch.autocast("cpu", torch.bfloat16, enabled=self.half_precision):
            latent_policy, latent_value = self._hidden(self.extract_features(obs))  # type: ignore[arg-type]
        latent_policy, latent_value = latent_policy.float(), latent_value.float()
        logits = self.action_net(latent_policy)
        if action_masks is not None:
            allowed = torch.as_tensor(action_masks, dtype=torch.bool, device=logits.device).reshape(logits.shape)
            logits = logits.masked_fill(~allowed, FORBIDDEN)
        return logits, self.value_net(latent_value)

    def _hidden(self, features: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Outputs of the last hidden layers of policy and value."""
        given = getattr(self.features_extractor, "given", 0)
        if not given:
            latent_policy, latent_value = self.mlp_extractor(features)
            return latent_policy, latent_value
        latent = []
        for first, *others in (self.mlp_extractor.policy_net, self.mlp_extractor.value_net):
            assert isinstance(first, nn.Linear)
            numbers = linear_in_parts(first, features, given)
            for module in others:
                numbers = module(numbers)
            latent.append(numbers)
        return latent[0], latent[1]


def computes_in_half(precision: str) -> bool:
    """Whether a setting of precision means bfloat16 on this machine."""
    return precision == "bfloat16" or (
        precision == "auto" and (torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported())
    )


def _chosen(logs: torch.Tensor, actions: torch.Tensor) -> torch.Tensor:
    return logs.gather(1, actions[:, None])[:, 0]
