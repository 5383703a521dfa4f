"""The sample of sentences that a judge is given of a comparison."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from annotation.sampling.drawing import sample_order, sample_window

PAIR = ("amber", "birch")
SEGMENTS = st.sets(st.integers(1, 500), min_size=1, max_size=60)


@given(SEGMENTS, st.integers(0, 2**63 - 1), st.data())
def test_the_order_of_the_others_stays_where_segments_are_left_out(
    segments: set[int],
    seed: int,
    data: st.DataObject,
) -> None:
    order = sample_order(segments, seed=seed, pair=PAIR, judge="ada")
    assert sorted(order) == sorted(segments)
    left = data.draw(st.sets(st.sampled_from(order)))
    assert sample_order(left, seed=seed, pair=PAIR, judge="ada") == [
        n for n in order if n in left
    ]


def test_sample_order_depends_on_judge_comparison_and_seed() -> None:
    orders = {
        tuple(sample_order(range(1, 101), seed=seed, pair=pair, judge=judge))
        for seed in (1, 2)
        for pair in (PAIR, ("amber", "cobalt"))
        for judge in ("ada", "ben")
    }
    assert len(orders) == 8


def test_every_segment_has_the_same_chance() -> None:
    """10 of 50 segments for 1,000 judges: 200 each, and 5 standard deviations are 63."""
    drawn = Counter(
        segment
        for judge in range(1000)
        for segment in sample_order(
            range(50),
            seed=3,
            pair=PAIR,
            judge=f"judge{judge}",
        )[:10]
    )
    assert all(abs(drawn[segment] - 200) <= 63 for segment in range(50))


def test_a_window_is_the_next_that_can_be_compared() -> None:
    order = [9, 4, 7, 1, 8]

    def window(**asked: object) -> tuple[int, ...]:
        return sample_window(order, is_compared=lambda segment: segment != 4, **asked)  # type: ignore[arg-type]

    assert window(length=2) == (9, 7)
    assert window(length=9) == (9, 7, 1, 8)
    # A check comes among them, in place of the last.
    assert window(length=2, around={8, 1}) == (1, 9)
    assert window(length=2, around={9}) == (9, 7)
    assert window(length=2, around={4}) == ()
