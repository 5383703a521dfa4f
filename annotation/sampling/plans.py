"""The result of a draw: the plans of HITs and their blocks."""

from dataclasses import dataclass
from typing import TypeAlias

# Numbers and words that explain a draw to organisers; JSON.
Why: TypeAlias = dict[str, str | int | float | bool | list[int] | list[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockPlan:
    """A segment and its candidates in shown order.

    Attributes
    ----------
    segment : int
        Its number in the test set.
    candidates : tuple of tuple of int
        For each candidate the ids of the outputs it stands for, ascending.
    systems : tuple of tuple of str
        For each candidate the names of the systems of those outputs, in alphabetical order.
    control : tuple of str
        The one of `systems` that is a damaged reference; empty where there is none.
    why : dict
        Explains the draw to an organiser.
    """

    segment: int
    candidates: tuple[tuple[int, ...], ...]
    systems: tuple[tuple[str, ...], ...]
    control: tuple[str, ...] = ()
    why: Why

    @property
    def ranked(self) -> tuple[tuple[int, tuple[str, ...]], ...]:
        """Return the position, from 0, and the systems of each candidate that is no control."""
        return tuple(
            (position, names)
            for position, names in enumerate(self.systems)
            if names != self.control
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class HITPlan:
    """A HIT as drawn; it has no blocks if nothing in its window can be ranked."""

    number: int
    blocks: tuple[BlockPlan, ...]
    why: Why

    @property
    def holds_check(self) -> bool:
        """Return whether one of its blocks is an attention check."""
        return any(block.control for block in self.blocks)
