"""Windows of consecutive segments that make up HITs."""

from bisect import bisect_right
from collections.abc import (
    Collection,
    Container,
    Iterable,
    Iterator,
    Sequence,
)
from functools import cached_property
from itertools import accumulate, chain, pairwise
from math import ceil

from annotation.sampling.parameters import SegmentOrder
from campaign.texts.hash_draw import HashDraw

# Number of random draws before all windows are listed.
_ATTEMPTS = 8


class Windows:
    """The windows of `length` consecutive segments inside the documents of a test set.

    Parameters
    ----------
    documents : sequence of sequences of int
        Each document's segment numbers in order.
    length : int
        Segments in a window. A shorter document is one window.
    only : container of int, optional
        Segments that take part; None for all. Segments separated by one that does not take part are
        not consecutive.
    are_pages : bool
        True if windows do not overlap: a document is one window, or is divided into as few as possible,
        of about equal lengths.
    """

    def __init__(
        self,
        documents: Iterable[Sequence[int]],
        *,
        length: int,
        only: Container[int] | None = None,
        are_pages: bool = False,
    ) -> None:
        self._length = length
        self.are_pages = are_pages
        runs: list[tuple[int, ...]] = []
        for document in documents:
            left_out: set[int] = set()
            if only is not None:
                left_out.update(segment for segment in document if segment not in only)
            for run in _runs(document, left_out):
                if are_pages:
                    runs.extend(_pages(run, length))
                else:
                    runs.append(run)
        self._runs = tuple(runs)
        # Cumulative numbers of windows and of tiles, by run.
        self._windows = list(accumulate(map(self._starts, runs)))
        self._tiles = list(accumulate(ceil(len(run) / length) for run in runs))

    @property
    def segments(self) -> list[int]:
        """All segments of the windows, in their order."""
        return list(chain.from_iterable(self._runs))

    @property
    def pages(self) -> Sequence[Sequence[int]]:
        """All windows, if they do not overlap."""
        return self._runs

    def window(
        self,
        *,
        order: SegmentOrder,
        draw: HashDraw,
        turn: int,
        avoid: Collection[int] = frozenset(),
        around: Sequence[int] | None = None,
    ) -> tuple[int, ...] | None:
        """Return the window of a HIT.

        Parameters
        ----------
        order : SegmentOrder
            Random: all windows are equally likely, so segments at the ends of a document come up
            less often than those inside. Sequential: windows follow one another, so every segment
            comes up once before any comes up again.
        draw : HashDraw
            The draw of this HIT; used if the order is random.
        turn : int
            Number of the window in the sequence, from 1; used if the order is sequential.
        avoid : collection of int
            Segments to exclude, because a judge has seen them or they have been judged often
            enough.
        around : sequence of int, optional
            Segments of which one must be included. If the order is random, each of them is equally
            likely.

        Returns
        -------
        tuple of int or None
            Shorter than `length` at the end of a document, and if the avoided segments leave
            no full window anywhere. None if they leave no segment, or none of those in `around`.
        """
        if not self._runs:
            return None
        if order is SegmentOrder.SEQUENTIAL:
            return self._sequential(turn, avoid, around)
        if around is not None:
            return self._around(draw, avoid, around)
        return self._random(draw, avoid)

    def _starts(self, run: Sequence[int]) -> int:
        return max(1, len(run) - self._length + 1)

    def _random(self, draw: HashDraw, avoid: Collection[int]) -> tuple[int, ...] | None:
        # Trying until one fits makes all fitting windows equally likely. The first usually fits,
        # whereas listing them requires a look at every segment.
        attempts = 1
        if avoid:
            attempts = _ATTEMPTS
        for attempt in range(attempts):
            purpose: list[object] = ["window"]
            if attempt:
                purpose.append(attempt)
            index = draw.below(self._windows[-1], *purpose)
            run, start = _locate_item(self._windows, index)
            window = self._runs[run][start : start + self._length]
            if not any(segment in avoid for segment in window):
                return window
        return self._draw_free_window(draw, avoid)

    def _draw_free_window(
        self,
        draw: HashDraw,
        avoid: Collection[int],
    ) -> tuple[int, ...] | None:
        free = []
        full = []
        for run in self._runs:
            for part in _runs(run, avoid):
                free.append(part)
                if len(part) >= self._full_length(run):
                    full.append(part)
        parts = full or free
        if not parts:
            return None
        counts = list(accumulate(map(self._starts, parts)))
        index = draw.below(counts[-1], "window", "listed")
        number, start = _locate_item(counts, index)
        return parts[number][start : start + self._length]

    def _around(
        self,
        draw: HashDraw,
        avoid: Collection[int],
        around: Sequence[int],
    ) -> tuple[int, ...] | None:
        if not around:
            return None
        best: tuple[int, ...] = ()
        # The first one usually fits. Otherwise the following ones are tried, each once.
        first = draw.below(len(around), "around")
        for step in range(len(around)):
            segment = around[(first + step) % len(around)]
            if segment in avoid or segment not in self._places:
                continue
            part = self._free_part(segment, avoid)
            run, _position = self._places[segment]
            full = self._full_length(run)
            if len(part) >= full:
                start = draw.below(len(part) - full + 1, "around", segment)
                return part[start : start + full]
            best = max(best, part, key=len)
        return best or None

    def _full_length(self, run: Sequence[int]) -> int:
        """Return the length of a window of a run from which no segment is missing."""
        if self.are_pages:
            return len(run)
        return self._length

    def _free_part(self, segment: int, avoid: Collection[int]) -> tuple[int, ...]:
        """Return the part of the windows around a segment that avoids excluded segments."""
        run, position = self._places[segment]
        earliest = max(0, position - self._length + 1)
        first = position
        while first > earliest and run[first - 1] not in avoid:
            first -= 1
        latest = min(len(run), position + self._length)
        last = position
        while last < latest and run[last] not in avoid:
            last += 1
        return run[first:last]

    @cached_property
    def _places(self) -> dict[int, tuple[tuple[int, ...], int]]:
        """Each segment's run and its place in it."""
        places = {}
        for run in self._runs:
            for position, segment in enumerate(run):
                places[segment] = (run, position)
        return places

    def _sequential(
        self,
        turn: int,
        avoid: Collection[int],
        around: Sequence[int] | None,
    ) -> tuple[int, ...] | None:
        first = (turn - 1) % self._tiles[-1]
        if not avoid and around is None:
            return self._tile(first)
        required = None
        if around is not None:
            required = frozenset(around)
        best: tuple[int, ...] = ()
        for step in range(self._tiles[-1]):
            tile = self._tile((first + step) % self._tiles[-1])
            for part in _runs(tile, avoid):
                if required is not None and required.isdisjoint(part):
                    continue
                if len(part) == len(tile):
                    return tile
                best = max(best, part, key=len)
        return best or None

    def _tile(self, index: int) -> tuple[int, ...]:
        run, number = _locate_item(self._tiles, index)
        start = number * self._length
        return self._runs[run][start : start + self._length]


def _locate_item(ends: Sequence[int], index: int) -> tuple[int, int]:
    """Return the run that holds item `index`, and the item's number in it; `ends` are cumulative numbers of items."""
    run = bisect_right(ends, index)
    if run == 0:
        return 0, index
    return run, index - ends[run - 1]


def _runs(segments: Sequence[int], avoid: Container[int]) -> Iterator[tuple[int, ...]]:
    """Return the maximal runs of consecutive segments without excluded ones."""
    run: list[int] = []
    for segment in segments:
        if segment not in avoid:
            run.append(segment)
        elif run:
            yield tuple(run)
            run = []
    if run:
        yield tuple(run)


def _pages(run: Sequence[int], length: int) -> Iterator[tuple[int, ...]]:
    """Divide a run into as few parts of at most `length` segments as possible, of about equal lengths."""
    count = ceil(len(run) / length)
    bounds = [len(run) * part // count for part in range(count + 1)]
    for start, end in pairwise(bounds):
        yield tuple(run[start:end])
