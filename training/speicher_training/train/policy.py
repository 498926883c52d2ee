"""The policy of sb3-contrib with its arithmetic done once.

The library's masked distribution normalises the logits twice and checks what it is given each time, which takes about
as long as a layer of the network, and its exp() is slow for the very low logits of illegal actions. The numbers here
are the same up to rounding.
"""

from __future__ import annotations

from typing import Any

import torch
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from torch.nn import functional

FORBIDDEN = -1e8
"""Logit of an illegal action, as in sb3-contrib; its probability is 0 in float32."""


class LeanPolicy(MaskableActorCriticPolicy):
    """A `MlpPolicy` for one discrete action."""

    half = False
    """Whether the hidden layers are computed in bfloat16: about twice as fast where the processor has instructions for
    it (AVX512-BF16, AMX), slower where it has none. Weights, last layers and losses stay in float32."""

    def forward(
        self, obs: Any, deterministic: bool = False, action_masks: Any = None
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Actions, values and logarithms of the actions' probabilities."""
        logits, values = self._run(obs, action_masks)
        actions = logits.argmax(dim=1) if deterministic else torch.multinomial(logits.softmax(dim=1), 1)[:, 0]
        logs = functional.log_softmax(logits, dim=1)
        return actions, values, _chosen(logs, actions)

    def evaluate_actions(
        self, obs: torch.Tensor, actions: torch.Tensor, action_masks: Any = None
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Values, logarithms of the actions' probabilities, and entropies."""
        logits, values = self._run(obs, action_masks)
        logs = functional.log_softmax(logits, dim=1)  # its exp() is slow far below 0, where illegal actions are
        return values, _chosen(logs, actions.long().flatten()), -(logits.softmax(dim=1) * logs).sum(dim=1)

    def _run(self, obs: Any, action_masks: Any) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits with the illegal ones set low, and values."""
        with torch.autocast("cpu", torch.bfloat16, enabled=self.half):
            latent_policy, latent_value = self._hidden(self.extract_features(obs))
        latent_policy, latent_value = latent_policy.float(), latent_value.float()
        logits = self.action_net(latent_policy)
        if action_masks is not None:
            allowed = torch.as_tensor(action_masks, dtype=torch.bool, device=logits.device).reshape(logits.shape)
            logits = logits.masked_fill(~allowed, FORBIDDEN)
        return logits, self.value_net(latent_value)

    def _hidden(self, read: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """What the last hidden layers of policy and value say.

        Most of what they read is the observation itself, to which no gradient needs to flow: so the first layers are
        computed in two parts, which saves a sixth of an update.
        """
        learned = getattr(self.features_extractor, "learned", 0)
        if not learned:
            latent_policy, latent_value = self.mlp_extractor(read)
            return latent_policy, latent_value
        given, said = read[:, :-learned].detach(), read[:, -learned:]
        found = []
        for first, *others in (self.mlp_extractor.policy_net, self.mlp_extractor.value_net):
            numbers = functional.linear(given, first.weight[:, :-learned], first.bias)
            numbers = numbers + functional.linear(said, first.weight[:, -learned:])
            for module in others:
                numbers = module(numbers)
            found.append(numbers)
        return found[0], found[1]


def computes_in_half(precision: str) -> bool:
    """Whether a setting of precision means bfloat16 on this machine."""
    return precision == "bfloat16" or (
        precision == "auto" and (torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported())
    )


def _chosen(logs: torch.Tensor, actions: torch.Tensor) -> torch.Tensor:
    return logs.gather(1, actions[:, None])[:, 0]
