"""The sample of sentences that a judge is given of a comparison (Vilar et al. 2007, as `docs/protocols.md` reads them)."""

from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import islice

from campaign.texts.hash_draw import HashDraw


def sample_order(
    segments: Iterable[int], *, seed: int, pair: tuple[str, str], judge: str
) -> list[int]:
    """Return the segments in the order in which a judge is asked about them in a comparison.

    A sample of m are the first m. The order is a function of the seed, the comparison and the judge's pseudonym: those of two judges are
    independent, and it stays the same where segments are left out.
    """
    draw = HashDraw(seed=seed, number=0, scheme="sample")
    return draw.shuffled(segments, int, *pair, judge)


def sample_window(
    order: Sequence[int],
    *,
    length: int,
    is_compared: Callable[[int], bool],
    around: Collection[int] | None = None,
) -> tuple[int, ...]:
    """Return the next `length` segments of an order that can be compared; the first of those `around`, if given, comes first.

    Nothing where none of those can be.
    """
    found = tuple(islice(filter(is_compared, order), length))
    if around is None:
        return found
    first = next((each for each in order if each in around and is_compared(each)), None)
    if first is None:
        return ()
    return (first, *[segment for segment in found if segment != first][: length - 1])
