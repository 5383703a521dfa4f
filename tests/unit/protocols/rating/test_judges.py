"""Judges beside the others, worked by hand; and with known severity."""

from collections.abc import Callable

import numpy as np
import pytest

from protocols.frame.scale.statistics.judges import (
    proposed_easy_items,
    rating_judges,
    standardised,
)
from protocols.frame.scale.statistics.ratings import Ratings
from tests.simulated.ratings import RatingWorld, simulated_ratings

MakeRatings = Callable[..., Ratings]

ROWS = [
    *((1, "A", judge, value) for judge, value in (("ann", 5), ("bob", 5))),
    *((2, "A", judge, value) for judge, value in (("ann", 2), ("bob", 4))),
    *((3, "A", judge, value) for judge, value in (("ann", 4), ("bob", 5), ("cy", 5))),
    (4, "A", "cy", 1),
]


def test_a_worked_example(ratings_of: MakeRatings) -> None:
    ann, bob, cy = rating_judges(ratings_of(ROWS))
    assert (ann.ratings, ann.shared, ann.mean) == pytest.approx((3, 3, 11 / 3))
    # Others: 5, 4, and the mean of 5 and 5.
    assert ann.others == pytest.approx(14 / 3)
    assert ann.difference == pytest.approx(-1)
    assert ann.distance == pytest.approx((0 + 2 + 1) / 3)
    # Others gave the most points to segments 1 and 3.
    assert (ann.easy, ann.easy_missed) == (2, 1)
    assert bob.others == pytest.approx((5 + 2 + 4.5) / 3)
    assert bob.distance == pytest.approx((0 + 2 + 0.5) / 3)
    # Only this judge rated segment 4: it counts in the mean, not in comparisons.
    assert (cy.ratings, cy.shared, cy.mean) == (2, 1, 3)
    assert (cy.others, cy.difference) == (4.5, 0.5)


def test_a_list_of_easy_items_replaces_the_guess(ratings_of: MakeRatings) -> None:
    ratings = ratings_of(ROWS)
    easy = np.array([False, True, False, True])
    rows = rating_judges(ratings, easy=easy)
    assert [(row.easy, row.easy_missed) for row in rows] == [(1, 1), (1, 1), (1, 1)]
    rows = rating_judges(ratings, easy=easy, easy_below=4)
    assert [row.easy_missed for row in rows] == [1, 0, 1]
    assert [row.easy_share for row in rows] == [1, 0, 1]


def test_easy_items_are_proposed_shortest_first(ratings_of: MakeRatings) -> None:
    ratings = ratings_of(
        [(segment, "A", judge, 5) for segment in (1, 2, 3) for judge in ("ann", "bob")]
        + [(4, "A", "ann", 5), (5, "A", "ann", 5), (5, "A", "bob", 4)],
    )
    words = np.array([7, 2, 5, 1, 1])
    assert proposed_easy_items(ratings, words).tolist() == [1, 2, 0]
    assert proposed_easy_items(ratings, words, most=1).tolist() == [1]
    assert proposed_easy_items(ratings).tolist() == [0, 1, 2]


def test_the_severity_of_simulated_judges_is_found() -> None:
    world = RatingWorld(
        quality=(3.0, 3.0),
        segments=400,
        judges=6,
        mildness=0.6,
        taste=0.0,
    )
    ratings = simulated_ratings(world, seed=5)
    mildness = np.random.default_rng([5, 1])
    mildness.normal(0, world.ease, world.segments)
    mildness.normal(0, world.text, (world.segments, 2))
    known = mildness.normal(0, world.mildness, world.judges)
    found = [row.difference for row in rating_judges(ratings)]
    assert np.corrcoef(known, np.array(found, dtype=np.float64))[0, 1] > 0.95


def test_standardised_values_have_mean_0_and_deviation_1_by_judge(
    ratings_of: MakeRatings,
) -> None:
    found = standardised(ratings_of([*ROWS, (5, "A", "dee", 4), (6, "A", "dee", 4)]))
    assert found.left_out == ("dee",)
    for judge in range(3):
        own = found.value[found.ratings.judge == judge]
        assert own.mean() == pytest.approx(0)
        assert own.std(ddof=1) == pytest.approx(1)
