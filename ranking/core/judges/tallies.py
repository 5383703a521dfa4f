"""Everything that measures of judges are computed from, as whole numbers that add up in any order."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from itertools import compress

import numpy as np
import numpy.typing as npt

from ranking.core.judged.blocks import MAX_LABEL, Blocks
from ranking.core.judges.judging_times import NO_TIMES, tally_times
from ranking.core.judges.keyed_sums import KeyedSums
from ranking.core.judges.label_patterns import (
    NO_LINES,
    NO_PLACES,
    lines_of_rows,
    places_of_rows,
    tally_places,
)
from ranking.core.judges.position_bias import NO_POSITIONS, positions_of_rows
from ranking.core.judges.repeats import NO_REPEATS, tally_repeats
from ranking.core.judges.shown_rows import shown_rows

Int64Array = npt.NDArray[np.int64]

_NOTHING = {
    "lines": NO_LINES,
    "repeats": NO_REPEATS,
    "positions": NO_POSITIONS,
    "places": NO_PLACES,
    "damaged_places": NO_PLACES,
    "times": NO_TIMES,
}


@dataclass(frozen=True, eq=False)
class JudgeTallies:
    """Tallies of judges, in one canonical form: equal judgments have equal tallies.

    To take judgments in, add the tallies of what their judges said about their segments as it is
    now, and subtract the tallies of the same as it was. Repeated comparisons need all judgments of a
    segment by a judge at once; nothing depends on other judges, or on other segments.

    Attributes
    ----------
    judges : tuple of str
        Names of the judges who are in any of the tallies, sorted; the sums have their indices.
    lines, repeats, positions : KeyedSums
        See `tally_lines`, `tally_repeats` and `tally_positions`.
    places, damaged_places : KeyedSums
        See `tally_places`: of the reference, and of the damaged reference in attention checks with
        best and worst exchanged.
    times : KeyedSums
        See `tally_times`.
    """

    judges: tuple[str, ...] = ()
    lines: KeyedSums = field(default_factory=lambda: NO_LINES)
    repeats: KeyedSums = field(default_factory=lambda: NO_REPEATS)
    positions: KeyedSums = field(default_factory=lambda: NO_POSITIONS)
    places: KeyedSums = field(default_factory=lambda: NO_PLACES)
    damaged_places: KeyedSums = field(default_factory=lambda: NO_PLACES)
    times: KeyedSums = field(default_factory=lambda: NO_TIMES)

    def __post_init__(self) -> None:
        if list(self.judges) != sorted(set(self.judges)):
            raise ValueError("judges: expected different names, sorted")
        for name, sums in self.sums().items():
            like = _NOTHING[name]
            if sums.bits != like.bits or sums.values.shape[1:] != like.values.shape[1:]:
                raise ValueError(f"{name}: these are other sums")
            if len(sums) and not 0 <= int(sums.judge[0]) <= int(sums.judge[-1]) < len(self.judges):
                raise ValueError(f"{name}: a judge has no name")

    def sums(self) -> dict[str, KeyedSums]:
        """Return the tallies by the names of their fields; with `judges` they are all there is."""
        return {name: getattr(self, name) for name in _NOTHING}

    def __add__(self, other: JudgeTallies) -> JudgeTallies:
        """Return both together."""
        judges = tuple(sorted({*self.judges, *other.judges}))
        mine, theirs = self._renumbered(judges).sums(), other._renumbered(judges).sums()
        return JudgeTallies(judges, **{name: mine[name] + theirs[name] for name in mine})._named()

    def __sub__(self, other: JudgeTallies) -> JudgeTallies:
        """Return what is here and not in the other; what is only in the other counts negative."""
        return self + JudgeTallies(
            other.judges,
            **{
                name: KeyedSums(sums.bits, sums.code, -sums.values)
                for name, sums in other.sums().items()
            },
        )

    def __eq__(self, other: object) -> bool:
        """Return whether judges and all sums are the same."""
        if not isinstance(other, JudgeTallies):
            return NotImplemented
        return self.judges == other.judges and self.sums() == other.sums()

    __hash__ = None  # type: ignore[assignment]

    def only(self, judges: Collection[str]) -> JudgeTallies:
        """Return the tallies of some judges."""
        return self._renumbered(tuple(name for name in self.judges if name in judges))

    def changed_from(self, before: JudgeTallies) -> frozenset[str]:
        """Return the names of judges whose tallies differ from those of before."""
        judges = tuple(sorted({*self.judges, *before.judges}))
        old, new = before._renumbered(judges).sums(), self._renumbered(judges).sums()
        differ = np.zeros(len(judges), dtype=np.bool_)
        for name in _NOTHING:
            differ[new[name].differing_judges(old[name])] = True
        return frozenset(compress(judges, differ.tolist()))

    def _renumbered(self, judges: tuple[str, ...]) -> JudgeTallies:
        """Return the tallies of these judges, with their indices among them; both are sorted."""
        if judges == self.judges:
            return self
        index_of = {name: index for index, name in enumerate(judges)}
        index = np.array([index_of.get(name, -1) for name in self.judges], dtype=np.int64)
        sums = {name: sums.renumbered(index) for name, sums in self.sums().items()}
        return JudgeTallies(judges, **sums)

    def _named(self) -> JudgeTallies:
        """Return the tallies without the names of judges who are in none of them."""
        present = np.zeros(len(self.judges), dtype=np.bool_)
        for sums in self.sums().values():
            present[sums.judge] = True
        return self._renumbered(tuple(compress(self.judges, present.tolist())))


def tally_judges(
    blocks: Blocks,
    *,
    reference: str | None = None,
    attention: Blocks | None = None,
    bad_reference: str | None = None,
    seconds: Mapping[str, npt.NDArray[np.floating]] | None = None,
) -> JudgeTallies:
    """Tally judged blocks for the measures of their judges.

    Parameters
    ----------
    blocks : Blocks
        Judgments that count, all of a judge on a segment, with every system that was shown.
    reference : str or None
        Name of the reference among their systems, if it was ranked.
    attention : Blocks or None
        Judged attention checks, with the damaged reference.
    bad_reference : str or None
        Its name among their systems.
    seconds : mapping of str to float array, or None
        Times of each judge's blocks.

    Returns
    -------
    JudgeTallies

    Raises
    ------
    ValueError
        If a reference is not among the systems.
    """
    if reference is not None and reference not in blocks.systems:
        raise ValueError(f"unknown reference {reference!r}")
    lines, positions, places = [NO_LINES], [NO_POSITIONS], [NO_PLACES]
    for rows in shown_rows(blocks, reference):
        lines.append(lines_of_rows(rows))
        positions.append(positions_of_rows(rows))
        if reference is not None:
            places.append(places_of_rows(rows))
    found = JudgeTallies() + _sorted(
        blocks.judges,
        lines=KeyedSums.total(lines),
        repeats=tally_repeats(blocks),
        positions=KeyedSums.total(positions),
        places=KeyedSums.total(places),
    )
    if attention is not None and bad_reference is not None:
        found += tally_damaged(attention, bad_reference)
    if seconds:
        names = tuple(sorted(seconds))
        judge = np.repeat(np.arange(len(names)), [len(seconds[name]) for name in names])
        times = tally_times(judge, np.concatenate([seconds[name] for name in names]))
        found += JudgeTallies(names, times=times)
    return found


def tally_damaged(attention: Blocks, bad_reference: str) -> JudgeTallies:
    """Tally attention checks with the damaged reference of this name: `JudgeTallies.damaged_places`, and nothing else."""
    checks = tally_places(_flipped(attention), bad_reference)
    return _sorted(attention.judges, damaged_places=checks)


def _sorted(judges: tuple[str, ...], **sums: KeyedSums) -> JudgeTallies:
    """Return tallies of judges in any order."""
    names = tuple(sorted(judges))
    index_of = {name: index for index, name in enumerate(names)}
    index = np.array([index_of[name] for name in judges], dtype=np.int64)
    if names != judges:
        sums = {name: each.renumbered(index) for name, each in sums.items()}
    return JudgeTallies(names, **sums)


def _flipped(blocks: Blocks) -> Blocks:
    """Return the blocks with best and worst exchanged: rejecting an output becomes preferring it."""
    labels = np.where(blocks.labels > 0, MAX_LABEL + 1 - blocks.labels, 0).astype(np.int8)
    return replace(blocks, labels=labels)
