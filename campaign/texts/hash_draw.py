"""Random draws that do not depend on machine, version or order."""

from collections.abc import Callable, Iterable
from hashlib import blake2b
from typing import TypeVar

T = TypeVar("T")


class HashDraw:
    """Random draws as a function of (scheme, seed, number, attempt, purpose, item).

    Random generators may change with the version of their library, and depend on earlier draws. Hashes do not,
    so HIT number k can be drawn alone, repeatedly, and in another database.

    Parameters
    ----------
    seed, number : int
        The seed of the campaign, and the number of the HIT or segment that is drawn.
    attempt : int, optional
        Attempts at the same number draw independently.
    scheme : str
        Schemes draw independently of each other.
    """

    __slots__ = ("_root",)

    def __init__(
        self,
        *,
        seed: int,
        number: int,
        attempt: int | None = None,
        scheme: str = "draw",
    ) -> None:
        # Must never change: stored campaigns were drawn with this root.
        root = f"quintet-{scheme}-1\x1f{seed}\x1f{number}"
        if attempt is not None:
            root += f"\x1f{attempt}"
        self._root = blake2b(root.encode(), digest_size=16)

    def integer(self, *purpose: object) -> int:
        """Return a uniform integer of 64 bits."""
        return int.from_bytes(
            _hash_for_purpose(self._root, purpose).digest()[:8],
            "big",
        )

    def below(self, bound: int, *purpose: object) -> int:
        """Return a uniform integer in [0, bound), with a bias below bound / 2**64."""
        return self.integer(*purpose) * bound >> 64

    def integers(self, names: Iterable[str], *purpose: object) -> dict[str, int]:
        """Return `integer(*purpose, name)` for each of the names."""
        begun = _hash_for_purpose(self._root, purpose)
        drawn = {}
        for name in names:
            state = begun.copy()
            state.update(b"\x1f" + name.encode())
            drawn[name] = int.from_bytes(state.digest()[:8], "big")
        return drawn

    def shuffled(
        self,
        items: Iterable[T],
        key: Callable[[T], object],
        *purpose: object,
    ) -> list[T]:
        """Return `items` in uniformly random order, regardless of their given order.

        `key` returns the name of an item; names must differ.
        """
        named = {str(key(item)): item for item in items}
        drawn = self.integers(named, *purpose)
        order = sorted((number, name) for name, number in drawn.items())
        return [named[name] for _number, name in order]


def _hash_for_purpose(root: blake2b, purpose: tuple[object, ...]) -> blake2b:
    state = root.copy()
    if purpose:
        state.update(("\x1f" + "\x1f".join(map(str, purpose))).encode())
    return state
