"""Windows of consecutive segments that make up HITs."""

from bisect import bisect_right
from collections.abc import (
    Callable,
    Collection,
    Container,
    Iterable,
    Iterator,
    Sequence,
)
from functools import cached_property
from itertools import accumulate, pairwise

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
        runs = [
            run
            for document in documents
            for run in _runs(document, lambda segment: only is None or segment in only)
        ]
        if are_pages:
            runs = [page for run in runs for page in _pages(run, length)]
        self._runs = tuple(runs)
        # Cumulative numbers of windows and of tiles, by run.
        self._windows = list(accumulate(self._starts(run) for run in self._runs))
        self._tiles = list(accumulate(-(-len(run) // length) for run in self._runs))

    @property
    def segments(self) -> list[int]:
        """All segments of the windows, in their order."""
        return [segment for run in self._runs for segment in run]

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
            return self._sequential(
                turn, avoid, None if around is None else frozenset(around)
            )
        if around is not None:
            return self._around(draw, avoid, around)
        return self._random(draw, avoid)

    def _starts(self, run: Sequence[int]) -> int:
        return max(1, len(run) - self._length + 1)

    def _random(self, draw: HashDraw, avoid: Collection[int]) -> tuple[int, ...] | None:
        # Trying until one fits makes all fitting windows equally likely. The first usually fits,
        # whereas listing them requires a look at every segment.
        for attempt in range(_ATTEMPTS if avoid else 1):
            purpose = ("window", attempt) if attempt else ("window",)
            index = draw.below(self._windows[-1], *purpose)
            run = bisect_right(self._windows, index)
            start = index - (self._windows[run - 1] if run else 0)
            window = self._runs[run][start : start + self._length]
            if not any(segment in avoid for segment in window):
                return window
        return self._listed(draw, avoid)

    def _listed(self, draw: HashDraw, avoid: Collection[int]) -> tuple[int, ...] | None:
        free = []
        full = []
        for whole in self._runs:
            parts = list(_runs(whole, lambda segment: segment not in avoid))
            free += parts
            full += [part for part in parts if len(part) >= self._full_length(whole)]
        full = full or free
        if not full:
            return None
        counts = list(accumulate(self._starts(run) for run in full))
        index = draw.below(counts[-1], "window", "listed")
        run = bisect_right(counts, index)
        start = index - (counts[run - 1] if run else 0)
        return full[run][start : start + self._length]

    def _around(
        self, draw: HashDraw, avoid: Collection[int], around: Sequence[int]
    ) -> tuple[int, ...] | None:
        best: tuple[int, ...] = ()
        # The first one usually fits. Otherwise the following ones are tried, each once.
        if around:
            first = draw.below(len(around), "around")
        else:
            first = 0
        for step in range(len(around)):
            segment = around[(first + step) % len(around)]
            part = () if segment in avoid else self._free_part(segment, avoid)
            full = self._full_length(self._places[segment][0]) if part else self._length
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
        run, position = self._places.get(segment, ((), 0))
        first = last = position
        while (
            first > max(0, position - self._length + 1) and run[first - 1] not in avoid
        ):
            first -= 1
        while last < min(len(run), position + self._length) and run[last] not in avoid:
            last += 1
        return run[first:last]

    @cached_property
    def _places(self) -> dict[int, tuple[tuple[int, ...], int]]:
        """Each segment's run and its place in it."""
        return {
            segment: (run, position)
            for run in self._runs
            for position, segment in enumerate(run)
        }

    def _sequential(
        self, turn: int, avoid: Collection[int], around: Container[int] | None
    ) -> tuple[int, ...] | None:
        first = (turn - 1) % self._tiles[-1]
        if not avoid and around is None:
            return self._tile(first)
        best: tuple[int, ...] = ()
        for step in range(self._tiles[-1]):
            tile = self._tile((first + step) % self._tiles[-1])
            parts = [
                part
                for part in _runs(tile, lambda segment: segment not in avoid)
                if around is None or any(segment in around for segment in part)
            ]
            if parts and len(parts[0]) == len(tile):
                return tile
            best = max([best, *parts], key=len)
        return best or None

    def _tile(self, index: int) -> tuple[int, ...]:
        run = bisect_right(self._tiles, index)
        start = (index - (self._tiles[run - 1] if run else 0)) * self._length
        return self._runs[run][start : start + self._length]


def _runs(
    segments: Sequence[int], wanted: Callable[[int], bool]
) -> Iterator[tuple[int, ...]]:
    """Return the maximal runs of consecutive segments that all take part."""
    run: list[int] = []
    for segment in segments:
        if wanted(segment):
            run.append(segment)
        elif run:
            yield tuple(run)
            run = []
    if run:
        yield tuple(run)


def _pages(run: Sequence[int], length: int) -> Iterator[tuple[int, ...]]:
    """Divide a run into as few parts of at most `length` segments as possible, of about equal lengths."""
    count = -(-len(run) // length)
    bounds = [len(run) * part // count for part in range(count + 1)]
    for start, end in pairwise(bounds):
        yield tuple(run[start:end])
