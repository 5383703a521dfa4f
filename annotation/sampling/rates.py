"""Rates of references, damaged references and attention checks in HITs, and the schedule of repeats.

Gaps are geometric: however many HITs have passed, the next one is as likely to be a check as any
other, so a judge's history reveals nothing about it. The only exception is the bound: after
`LONGEST` times the mean gap, a check is certain, but fewer than one gap in 140 gets that long.
"""

from enum import IntEnum
from fractions import Fraction
from functools import lru_cache
from math import ceil
from typing import Final

from campaign.texts.hash_draw import HashDraw

_ONE = 1 << 64


class Rate(IntEnum):
    """Rates at which blocks are drawn. The values are steps of 64-bit fractions.

    (√5 − 1) / 2, √2 − 1 and √3 − 1: their multiples are spread over the circle as evenly as those
    of any number (L. Kuipers, H. Niederreiter (1974), Uniform Distribution of Sequences, §2.3), and
    one rate reveals nothing about another. Steps of the rate itself would stay within one block of
    it, but are periodic: if repeats take every third number, or documents recur, the same segments
    would get the reference every time.
    """

    REFERENCE = 11400714819323198485
    BAD_REFERENCE = 7640891576956012808
    ACTIVE_FLOOR = 13503953896175478587


def blocks_at_rate(
    rate: float,
    blocks: int,
    *,
    of: Rate,
    seed: int,
    number: int,
) -> int:
    """Return a HIT's number of blocks at a rate: `rate * blocks`, rounded up or down.

    The sum over consecutive HITs stays within five blocks of the rate for 300 HITs, and within
    seven for 100,000 (measured); random rounding would be off by 250. The rounding follows an
    additive sequence whose start depends on the seed.

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
    position = (_begin(of, seed) + number * of.value) % _ONE
    return _rounded(rate, blocks, position)


def blocks_by_chance(rate: float, blocks: int, *, of: Rate, draw: HashDraw) -> int:
    """Return a HIT's number of blocks at a rate: `rate * blocks`, randomly rounded up or down.

    HITs are independent, so the number cannot be predicted from earlier HITs.

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
    return _rounded(rate, blocks, draw.integer("rate", of.name))


def _rounded(rate: float, blocks: int, rounding: int) -> int:
    """Return `rate * blocks`, rounded up as often as its fraction if `rounding` is uniform in [0, 2⁶⁴)."""
    # A block is 2⁶⁴ units, so that the result is the same on all machines.
    units = blocks * int(rate * _ONE)
    return (units + rounding) // _ONE


@lru_cache(maxsize=256)
def _begin(of: Rate, seed: int) -> int:
    return HashDraw(seed=seed, number=0).integer("rate", of.name)


# Longest gap as a multiple of the mean.
LONGEST: Final = 5
# Shares are counted in millionths, so that no rounding depends on a machine.
_WHOLE: Final = 1_000_000


def attention_due(
    *,
    seed: int,
    judge: str,
    every: int,
    checks: int,
    hits_since: int,
) -> bool:
    """Return whether a judge's next HIT should hold an attention check.

    Parameters
    ----------
    seed : int
        Of the design.
    judge : str
        Their pseudonym.
    every : int
        Mean number of HITs from one check to the next.
    checks : int
        HITs with a check that they were lent so far.
    hits_since : int
        HITs since the last of them, or since the first HIT. Training and intra repeats do not
        count: a repeat takes the place of another HIT, and must not bring a check nearer.
    """
    return _gap_is_over(
        Fraction(every),
        hits_since,
        HashDraw(seed=seed, number=0),
        judge,
        checks,
    )


def intra_due(
    *,
    seed: int,
    judge: str,
    share: float,
    repeat_gap: int,
    repeats: int,
    hits_since: int,
) -> bool:
    """Return whether a judge's next HIT should repeat one of their own.

    Parameters
    ----------
    seed : int
        Of the design.
    judge : str
        Their pseudonym.
    share : float
        `DesignParameters.intra_share`.
    repeat_gap : int
        `DesignParameters.repeat_gap`. The first gap begins once there is a HIT to repeat; if it
        began earlier, it would usually end exactly then.
    repeats : int
        HITs lent to them so far that were intra repeats.
    hits_since : int
        HITs since the last of them, or since the first HIT, without training.
    """
    millionths = round(share * _WHOLE)
    if repeats:
        since = hits_since
    else:
        since = hits_since - repeat_gap - 1
    if not millionths or since < 0:
        return False
    draw = HashDraw(seed=seed, number=0)
    return _gap_is_over(
        Fraction(_WHOLE, millionths),
        since,
        draw,
        judge,
        "repeat",
        repeats,
    )


def _gap_is_over(mean: Fraction, since: int, draw: HashDraw, *which: object) -> bool:
    """Return whether a gap drawn with this mean ends with the HIT after `since` others."""
    position = since + 1
    if position >= ceil(LONGEST * mean):
        return True
    return draw.integer("gap", *which) >= _power(_going_on(mean), position)


@lru_cache(maxsize=256)
def _going_on(mean: Fraction) -> int:
    """Return the probability that a gap continues after a HIT, in units of 2**-64.

    The largest q for which 1 + q + … + q**(longest − 1), the mean of the bounded gap, is at most
    `mean`.
    """
    longest = ceil(LONGEST * mean)
    low = 0
    high = _ONE
    while high - low > 1:
        middle = (low + high) // 2
        if (_ONE - _power(middle, longest)) <= mean * (_ONE - middle):
            low = middle
        else:
            high = middle
    return low


def _power(base: int, exponent: int) -> int:
    """Return base**exponent in units of 2**-64, in integers, so that all machines agree."""
    result = _ONE
    while exponent:
        if exponent & 1:
            result = result * base >> 64
        base = base * base >> 64
        exponent >>= 1
    return result
