"""Compute how many blocks of a HIT hold a reference, or a damaged one, at the rates of a design."""

from enum import IntEnum
from functools import lru_cache

from campaign.texts.hash_draw import HashDraw

_ONE = 1 << 64


class Rate(IntEnum):
    """What is drawn at a rate. The values are steps of 64-bit fractions.

    (√5 − 1) / 2, √2 − 1 and √3 − 1: their multiples are spread over the circle as evenly as those
    of any number (L. Kuipers, H. Niederreiter (1974), Uniform Distribution of Sequences, §2.3),
    and one rate says nothing of another. Steps of the rate itself would stay within one block, but
    come round with a period: whenever repeats take every third number, or documents come round,
    the same segments would have the reference every time.
    """

    REFERENCE = 11400714819323198485
    BAD_REFERENCE = 7640891576956012808
    ACTIVE_FLOOR = 13503953896175478587


def blocks_at_rate(rate: float, blocks: int, *, of: Rate, seed: int, number: int) -> int:
    """Return a HIT's number of blocks at a rate: `rate * blocks`, rounded up or down.

    The sum over a stretch of HITs stays within five blocks of what the rate promises for 300 HITs,
    and within seven for 100,000 (measured); chance would miss by 250. The rounding follows an
    additive sequence that begins anywhere, by the seed.

    Parameters
    ----------
    rate : float
        Share of blocks, in [0, 1].
    blocks : int
        Of this HIT.
    of : Rate
    seed, number : int
        Of the design and of the HIT.
    """
    place = (_begin(of, seed) + number * of.value) % _ONE
    return (blocks * int(rate * _ONE) + place) >> 64


def blocks_by_chance(rate: float, blocks: int, *, of: Rate, draw: HashDraw) -> int:
    """Return a HIT's number of blocks at a rate: `rate * blocks`, rounded up or down by chance.

    No HIT says anything of another, so whoever knows the HITs before it cannot foresee it.

    Parameters
    ----------
    rate : float
        Share of blocks, in [0, 1].
    blocks : int
        Of this HIT.
    of : Rate
    draw : HashDraw
        Of the HIT.
    """
    return (blocks * int(rate * _ONE) + draw.integer("rate", of.name)) >> 64


@lru_cache(maxsize=256)
def _begin(of: Rate, seed: int) -> int:
    return HashDraw(seed=seed, number=0).integer("rate", of.name)
