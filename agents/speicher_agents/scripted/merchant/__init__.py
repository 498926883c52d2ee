"""`merchant`, the strongest scripted player: values every card for every seat, and buys where worth exceeds price."""

from __future__ import annotations

from speicher_agents.scripted.merchant.choices import buy_as_merchant, merchant_taste, place_as_merchant
from speicher_agents.scripted.merchant.weights import TUNED

__all__ = ["TUNED", "buy_as_merchant", "merchant_taste", "place_as_merchant"]
