"""Rates are reached over every stretch of HITs, not on average only."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.sampling.rates import Rate, blocks_at_rate, blocks_by_chance
from campaign.texts.hash_draw import HashDraw


@given(
    rate=st.floats(0, 1),
    blocks=st.integers(1, 10),
    of=st.sampled_from(Rate),
    seed=st.integers(0, 2**63),
    begin=st.integers(1, 10**6),
    length=st.integers(1, 300),
)
def test_any_stretch_of_hits_is_within_five_blocks_of_the_rate(
    rate: float,
    blocks: int,
    of: Rate,
    seed: int,
    begin: int,
    length: int,
) -> None:
    counts = [
        blocks_at_rate(rate, blocks, of=of, seed=seed, number=number)
        for number in range(begin, begin + length)
    ]
    assert abs(sum(counts) - rate * blocks * length) < 5
    assert all(abs(count - rate * blocks) < 1 for count in counts)


@pytest.mark.parametrize("of", Rate)
@pytest.mark.parametrize("step", [2, 3, 4, 10])
def test_every_second_or_third_number_reaches_the_rate_too(of: Rate, step: int) -> None:
    """Where repeats take the numbers between, or documents come round."""
    counts = [
        blocks_at_rate(1 / 9, 3, of=of, seed=11, number=number)
        for number in range(1, 600 * step, step)
    ]
    assert abs(sum(counts) - 200) < 6  # 600 chances of a third: a deviation of 12


def test_the_rates_are_independent_of_each_other() -> None:
    both = sum(
        blocks_at_rate(0.5, 1, of=Rate.REFERENCE, seed=2, number=number)
        * blocks_at_rate(0.5, 1, of=Rate.ACTIVE_FLOOR, seed=2, number=number)
        for number in range(1, 2001)
    )
    assert abs(both - 500) < 20


@pytest.mark.parametrize("rate", [0.0, 0.08, 0.3, 0.5, 1.0])
def test_by_chance_the_rate_is_reached_on_average_and_no_hit_says_anything_of_the_next(
    rate: float,
) -> None:
    counts = [
        blocks_by_chance(
            rate,
            3,
            of=Rate.BAD_REFERENCE,
            draw=HashDraw(seed=4, number=number),
        )
        for number in range(1, 6001)
    ]
    assert all(abs(count - 3 * rate) < 1 for count in counts)
    share = 3 * rate % 1
    spread = (share * (1 - share) / 6000) ** 0.5
    assert abs(sum(counts) / 6000 - 3 * rate) <= 3 * spread + 1e-9
    for apart in (1, 2, 3, 4, 5):
        together = sum(
            (one - 3 * rate) * (other - 3 * rate)
            for one, other in zip(counts, counts[apart:], strict=False)
        )
        assert abs(together / 6000) <= 4 * share * (1 - share) / 6000**0.5 + 1e-9
