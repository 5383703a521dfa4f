"""Agreement of ratings against the paper's tables and other implementations."""

from collections.abc import Callable
from itertools import product

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.frame.scale.statistics.agreement import (
    chance_corrected,
    rating_agreement,
)
from protocols.frame.scale.statistics.ratings import Ratings
from tests.simulated.ratings import RatingWorld, simulated_ratings

MakeRatings = Callable[..., Ratings]

#: Table 2: P̄_o, P̄_e and κ.
TABLE_2 = {"fluency": (0.331, 0.209, 0.155), "adequacy": (0.326, 0.222, 0.135)}
WORLD = RatingWorld(quality=(2.6, 3.2, 3.9), segments=30, judges=8)


@pytest.fixture(scope="module")
def simulated() -> Ratings:
    return simulated_ratings(WORLD, seed=7)


@pytest.mark.parametrize(
    ("criterion", "kappa"),
    [("fluency", 0.154), ("adequacy", 0.134)],
)
def test_table_2_follows_from_its_rounded_inputs_within_rounding(
    criterion: str,
    kappa: float,
) -> None:
    observed, chance, printed = TABLE_2[criterion]

    def of(observed: float, chance: float) -> float:
        return float(chance_corrected(np.array(observed), np.array(chance)))

    assert round(of(observed, chance), 3) == kappa
    ends = [
        of(observed + one, chance + other)
        for one, other in product((-0.0005, 0.0005), repeat=2)
    ]
    assert min(ends) <= printed + 0.0005
    assert max(ends) >= printed - 0.0005


def test_shares_beyond_n_add_up_to_the_mean_difference(simulated: Ratings) -> None:
    found = rating_agreement(simulated)
    pairs = [
        simulated.value[simulated.item == item] for item in range(len(simulated.items))
    ]
    assert all(len(pair) == 2 for pair in pairs)
    shares = [row.share.value or 0.0 for row in found.n_agreement]
    assert sum(1 - share for share in shares[:4]) == pytest.approx(
        np.mean([abs(int(one) - int(other)) for one, other in pairs]),
    )
    assert shares[4] == 1
    # With two judges, P̄_o is n-agreement at 0.
    assert found.p_observed == pytest.approx(shares[0])
    assert found.kappa.value == found.n_agreement[0].corrected.value


def test_a_worked_example_with_two_and_three_judges(ratings_of: MakeRatings) -> None:
    found = rating_agreement(
        ratings_of(
            [
                *((1, "A", judge, value) for judge, value in (("a", 1), ("b", 1))),
                *(
                    (2, "A", judge, value)
                    for judge, value in (("a", 2), ("b", 4), ("c", 5))
                ),
                (3, "A", "a", 3),
            ],
        ),
    )
    # The third item has one rating. Of the second, one of three pairs is within one point, two within two.
    assert (found.items, found.segments, found.pairs) == (2, 2, 4)
    shares = [row.share.value for row in found.n_agreement]
    assert shares == pytest.approx([1 / 2, 2 / 3, 5 / 6, 1, 1])
    # Mean shares of the points: ½, ⅙, 0, ⅙, ⅙.
    assert found.p_chance == pytest.approx(1 / 4 + 3 / 36)
    assert found.kappa.value == pytest.approx((1 / 2 - 1 / 3) / (2 / 3))


@given(
    st.lists(
        st.lists(st.integers(0, 3), min_size=5, max_size=5),
        min_size=1,
        max_size=6,
    ).filter(
        lambda rows: (
            np.count_nonzero(np.sum([r for r in rows if sum(r) > 1], axis=0)) > 1
        ),
    ),
)
def test_alpha_is_krippendorffs(ratings_of: MakeRatings, rows: list[list[int]]) -> None:
    ratings = ratings_of(
        [
            (segment, "A", f"{segment}-{value}-{number}", value)
            for segment, row in enumerate(rows, 1)
            for value, count in enumerate(row, 1)
            for number in range(count)
        ],
    )
    found = rating_agreement(ratings)
    assert found.alpha.value == pytest.approx(
        krippendorff.alpha(
            value_counts=ratings.counts(),
            level_of_measurement="ordinal",
            value_domain=range(1, 6),
        ),
        abs=1e-9,
    )


def test_agreement_without_enough_ratings_is_none(ratings_of: MakeRatings) -> None:
    alone = rating_agreement(ratings_of([(1, "A", "a", 3)]))
    assert (alone.pairs, alone.kappa.value, alone.p_observed, alone.alpha.value) == (
        0,
        None,
        None,
        None,
    )
    same = rating_agreement(ratings_of([(1, "A", "a", 3), (1, "A", "b", 3)]))
    assert (same.n_agreement[0].share.value, same.p_chance) == (1, 1)
    assert (same.kappa.value, same.alpha.value) == (None, None)


def test_conditions_are_measured_apart(ratings_of: MakeRatings) -> None:
    ratings = ratings_of(
        [
            (1, "A", "a", 3, "ASR"),
            (1, "A", "b", 3, "ASR"),
            (1, "B", "a", 1, "FTE"),
            (1, "B", "b", 5, "FTE"),
        ],
    )
    shares = [
        rating_agreement(ratings.of_condition(place)).n_agreement[0].share.value
        for place in (0, 1)
    ]
    assert shares == [1, 0]


def test_points_are_merged_without_gaps(simulated: Ratings) -> None:
    merged = simulated.merged()
    assert merged.scale.points == 3
    assert merged.value.tolist() == [
        {1: 1, 2: 1, 3: 2, 4: 3, 5: 3}[value] for value in simulated.value.tolist()
    ]
