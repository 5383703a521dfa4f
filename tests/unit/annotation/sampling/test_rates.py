"""Rates are reached over every stretch of HITs, not on average only."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.sampling.rates import Rate, blocks_at_rate


@given(
    rate=st.floats(0, 1),
    blocks=st.integers(1, 10),
    of=st.sampled_from(Rate),
    seed=st.integers(0, 2**63),
    begin=st.integers(1, 10**6),
    length=st.integers(1, 300),
)
def test_any_stretch_of_hits_is_within_five_blocks_of_the_rate(
    rate: float, blocks: int, of: Rate, seed: int, begin: int, length: int
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
