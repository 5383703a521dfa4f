"""Draws as hashes: the same on every machine, in every version and in every order."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b


def draw(seed: int, *purpose: str) -> int:
    """Return a uniform integer of 64 bits, a function of the seed and of what it is drawn for."""
    # Sorts that have begun were drawn with this root: it never changes.
    content = "\x1f".join(("quintet-sorting-1", str(seed), *purpose))
    return int.from_bytes(blake2b(content.encode(), digest_size=8).digest(), "big")


def shuffled(systems: Iterable[str], seed: int) -> tuple[str, ...]:
    """Return the systems in an order that only the seed and their names decide."""
    return tuple(sorted(systems, key=lambda name: (draw(seed, "start", name), name)))


def drawn_winner(one: str, other: str, seed: int) -> str:
    """Return one of two systems, each with probability 1/2, whichever is named first."""
    pair = sorted((one, other))
    return pair[draw(seed, "undecided", *pair) >> 63]
