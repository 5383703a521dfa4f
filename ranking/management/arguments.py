"""Types of command-line arguments: each says what it wants instead."""

from __future__ import annotations

import argparse
import math


def whole_number(smallest: int, largest: int | None = None) -> type[int]:
    """Make a type of whole numbers from `smallest` (to `largest`)."""

    def parse(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = smallest - 1
        if value < smallest or (largest is not None and value > largest):
            upto = f" to {largest:,}" if largest is not None else ""
            raise argparse.ArgumentTypeError(f"{text!r} is no whole number from {smallest:,}{upto}")
        return value

    return parse  # type: ignore[return-value]  # a callable serves argparse as well as a type


def number_between(low: float, high: float, *, including_high: bool = False) -> type[float]:
    """Make a type of numbers above `low` and below (or up to) `high`."""

    def parse(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not (low < value < high or (including_high and value == high)):
            below = "up to" if including_high else "below"
            raise argparse.ArgumentTypeError(
                f"{text!r} is no number above {low:g} and {below} {high:g}"
            )
        return value

    return parse  # type: ignore[return-value]


SEED = whole_number(0, 2**64 - 1)
POSITIVE = whole_number(1)
SHARE = number_between(0, 1)
