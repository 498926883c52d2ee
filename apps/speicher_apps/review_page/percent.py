"""Win shares as people read them."""

from __future__ import annotations

__all__ = ["change", "loss", "share"]


def share(value: float) -> str:
    """A share of the win: '57 %'; one decimal below 1 %."""
    return f"{100 * value:.1f} %" if 0.0005 <= value < 0.01 else f"{100 * value:.0f} %"


def loss(value: float) -> str:
    """A share of the win that was given away, so exact that its class can be seen: '−9.6 %'."""
    return f"−{100 * value:.1f} %"


def change(value: float) -> str:
    """A change of a share: '+5 %', '−12 %', '0 %'."""
    whole = round(100 * value)
    return f"{whole:+d} %".replace("-", "−") if whole else "0 %"
