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

    __slots__ = ("_root",)

    def __init__(self, *, seed: int, number: int) -> None:
        self._root = blake2b(f"quintet-draw-1\x1f{seed}\x1f{number}".encode(), digest_size=16)

    def integer(self, *purpose: object) -> int:
        """A uniform integer of 64 bits."""
        return int.from_bytes(_absorbed(self._root, purpose).digest()[:8], "big")

    def below(self, bound: int, *purpose: object) -> int:
        """A uniform integer in [0, bound); its bias is below bound / 2**64."""
        return self.integer(*purpose) * bound >> 64

    def integers(self, names: Iterable[str], *purpose: object) -> dict[str, int]:
        """`integer(*purpose, name)` for each of the names."""
        begun = _absorbed(self._root, purpose)
        drawn = {}
        for name in names:
            state = begun.copy()
            state.update(b"\x1f" + name.encode())
            drawn[name] = int.from_bytes(state.digest()[:8], "big")
        return drawn

    def shuffled(self, items: Iterable[T], key: Callable[[T], object], *purpose: object) -> list[T]:
        """`items` in uniformly random order, whatever order they came in.

        `key` names an item; names must differ.
        """
        named = {str(key(item)): item for item in items}
        drawn = self.integers(named, *purpose)
        return [named[name] for name in sorted(named, key=lambda name: (drawn[name], name))]


def _absorbed(root: blake2b, purpose: tuple[object, ...]) -> blake2b:
    state = root.copy()
    if purpose:
        state.update(("\x1f" + "\x1f".join(map(str, purpose))).encode())
    return state
