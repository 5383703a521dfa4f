"""What a conversion could not carry, counted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Loss:
    """One thing that was left out or changed.

    Attributes
    ----------
    what : str
        A phrase, as in errors of files.
    count : int
        How often.
    first : str
        Where first: a line of the file read, or the judgment that was to be written.
    """

    what: str
    count: int
    first: str


class Losses:
    """Counts losses by what they are, in the order in which they first occur."""

    def __init__(self) -> None:
        self._counts: dict[str, tuple[int, str]] = {}

    def add(self, what: str, where: str, count: int = 1) -> None:
        """Count something that was lost."""
        if count:
            before, first = self._counts.get(what, (0, where))
            self._counts[what] = (before + count, first)

    def __iter__(self) -> Iterator[Loss]:
        return iter(self.found())

    def found(self) -> tuple[Loss, ...]:
        """Return what was lost."""
        return tuple(Loss(what, count, first) for what, (count, first) in self._counts.items())
