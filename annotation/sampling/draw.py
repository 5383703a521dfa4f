"""Random draws that are the same on every machine, in every version, in every order."""

from collections.abc import Callable, Iterable
from hashlib import blake2b
from typing import TypeVar

T = TypeVar("T")


class Draw:
    """The randomness of one HIT: a function of (seed, HIT number, purpose, item).

    A generator's stream may change with the version of its library and depends
    on what was drawn before. A hash of what is drawn does neither, so HIT
    number k can be drawn alone, again, and in another database.
    """

    def __init__(self, *, seed: int, number: int) -> None:
        self._root = blake2b(f"quintet-draw-1\x1f{seed}\x1f{number}".encode(), digest_size=16)

    def integer(self, *purpose: object) -> int:
        """A uniform integer of 64 bits."""
        state = self._root.copy()
        state.update("".join(f"\x1f{part}" for part in purpose).encode())
        return int.from_bytes(state.digest()[:8], "big")

    def below(self, bound: int, *purpose: object) -> int:
        """A uniform integer in [0, bound); its bias is below bound / 2**64."""
        return self.integer(*purpose) * bound >> 64

    def shuffled(self, items: Iterable[T], key: Callable[[T], object], *purpose: object) -> list[T]:
        """`items` in uniformly random order, whatever order they came in.

        `key` names an item; names must differ.
        """
        return sorted(items, key=lambda item: (self.integer(*purpose, key(item)), str(key(item))))
