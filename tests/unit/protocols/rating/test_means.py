"""Mean ratings: by hand, by a second formula, and in simulation."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import t as student

from protocols.frame.scale.statistics.judges import standardised
from protocols.frame.scale.statistics.means import MeanRating, mean_ratings
from protocols.frame.scale.statistics.ratings import Ratings, Scale
from ranking.core.ranges import Correction
from ranking.core.scores import Shortage
from tests.benchmarks.rating_coverage import measured
from tests.simulated.ratings import RatingWorld, simulated_ratings

MakeRatings = Callable[..., Ratings]
WORLD = RatingWorld(quality=(2.4, 3.0, 3.6), segments=25, judges=8)


def numbers_of(row: MeanRating) -> set[float | None]:
    """Return the figures that need enough ratings."""
    return {
        *(
            row.low,
            row.high,
            row.standard_error,
            row.rank_low,
            row.rank_high,
            row.cluster,
        ),
    }


def test_means_and_deviations_are_those_of_the_ratings(ratings_of: MakeRatings) -> None:
    rows = [(s, "A", judge, 2 + 2 * (s % 2)) for s in range(1, 7) for judge in "abcd"]
    (found,) = mean_ratings(ratings_of(rows)).systems
    assert (found.mean, found.ratings, found.items) == (3, 24, 6)
    assert found.deviation == pytest.approx((24 / 23) ** 0.5)


@pytest.mark.parametrize(
    ("segments", "judges", "shortage"),
    [
        (1, "a", ("segments", 1, 5)),
        (4, "abcd", ("segments", 4, 5)),
        (6, "abc", ("judges", 3, 4)),
    ],
)
def test_thin_ratings_have_means_and_no_ranges(
    ratings_of: MakeRatings,
    segments: int,
    judges: str,
    shortage: tuple[str, float, int],
) -> None:
    rows = [
        (segment, system, judge, first + segment % 2)
        for segment in range(1, segments + 1)
        for judge in judges
        for system, first in (("A", 1), ("B", 3), ("C", 3))
    ]
    for correction in (Correction.NONE, Correction.HOLM):
        found = mean_ratings(ratings_of(rows), correction=correction)
        assert [(row.system, row.rank) for row in found.systems] == [
            ("B", 1),
            ("C", 1),
            ("A", 3),
        ]
        assert set().union(*map(numbers_of, found.systems)) == {None}
        assert np.isnan(found.tests.p_value).all()
        assert np.isnan(found.tests.adjusted_p).all()
        assert {row.shortage for row in found.systems} == {Shortage(*shortage)}


def test_ratings_that_do_not_differ_are_not_certain(ratings_of: MakeRatings) -> None:
    rows = [
        (segment, system, judge, point)
        for segment in range(1, 7)
        for judge in "abcd"
        for system, point in (("A", 5), ("B", 1))
    ]
    for correction in (Correction.NONE, Correction.HOLM):
        found = mean_ratings(ratings_of(rows), correction=correction)
        first = found.systems[0]
        assert (first.system, first.mean, first.rank) == ("A", 5, 1)
        assert (first.standard_error, first.low, first.high) == (None,) * 3
        assert {(row.rank_low, row.rank_high) for row in found.systems} == {(1, 2)}
        assert {row.cluster for row in found.systems} == {1}
        assert (found.tests.p_value == 1).all()
        assert (found.tests.adjusted_p == 1).all()


def test_a_single_rating_tells_nothing_apart(ratings_of: MakeRatings) -> None:
    rows = [
        (segment, "B", judge, 1 + segment % 2)
        for segment in range(1, 13)
        for judge in "abcd"
    ]
    found = mean_ratings(ratings_of([*rows, (1, "A", "e", 5)]))
    assert [row.system for row in found.systems] == ["A", "B"]
    assert numbers_of(found.systems[0]) == {None}
    assert (found.systems[1].rank_low, found.systems[1].rank_high) == (1, 2)
    assert np.isnan(found.tests.p_value[0, 1])


@pytest.mark.parametrize("correction", [Correction.NONE, Correction.HOLM])
def test_a_difference_that_never_varies_is_not_certain(
    ratings_of: MakeRatings,
    correction: Correction,
) -> None:
    """Judges who give A a point more than B each time, and C much less."""
    rows = [
        (segment, system, judge, point)
        for segment in range(1, 25)
        for judge in "abcd"
        for system, point in (
            ("A", 9 + segment % 2),
            ("B", 8 + segment % 2),
            ("C", 1 + segment % 3),
        )
    ]
    found = mean_ratings(ratings_of(rows, points=10), correction=correction)
    assert [row.system for row in found.systems] == ["A", "B", "C"]
    assert all(row.standard_error is not None for row in found.systems)
    # A and B may stand either way; C is told from both.
    assert [(row.rank_low, row.rank_high) for row in found.systems] == [
        (1, 2),
        (1, 2),
        (3, 3),
    ]
    assert [row.cluster for row in found.systems] == [1, 1, 2]
    assert found.tests.p_value[0, 1] == found.tests.adjusted_p[0, 1] == 1
    assert found.tests.p_value[0, 2] < 0.001


def test_a_shared_text_counts_for_each_system(ratings_of: MakeRatings) -> None:
    found = mean_ratings(
        ratings_of([(1, "A,B", "a", 4), (2, "A", "a", 2), (2, "B", "b", 4)]),
    )
    assert {row.system: row.mean for row in found.systems} == {"A": 3, "B": 4}


def test_the_interval_is_students_t_over_segments_and_judges() -> None:
    ratings = simulated_ratings(WORLD, seed=11)
    found = mean_ratings(ratings)
    for row in found.systems:
        place = ratings.items.systems.index(row.system)
        own = ratings.items.wrote[ratings.item, place]
        apart = (ratings.value[own] - row.mean) / own.sum()
        parts, effective = [], []
        for unit in (ratings.segment[own], ratings.judge[own]):
            sums = np.array([apart[unit == each].sum() for each in np.unique(unit)])
            sizes = np.array([np.sum(unit == each) for each in np.unique(unit)])
            number = sizes.sum() ** 2 / (sizes**2).sum()
            parts.append((sums**2).sum() * number / (number - 1))
            effective.append(number)
        count = len(apart)
        singles = (apart**2).sum() * count / (count - 1)
        total = sum(parts) - singles
        freedom = total**2 / sum(
            v**2 / (g - 1) for v, g in zip(parts, effective, strict=True)
        )
        variance = max(total, parts[0])
        assert row.standard_error is not None
        assert row.standard_error == pytest.approx(variance**0.5)
        # At most two fewer than judges, who may differ extremely.
        half = (
            student.ppf(0.975, max(1.0, min(freedom, effective[1] - 2))) * variance**0.5
        )
        assert (row.low, row.high) == pytest.approx((row.mean - half, row.mean + half))


def test_neither_order_nor_names_matter() -> None:
    ratings = simulated_ratings(WORLD, seed=2)
    shuffled = np.random.default_rng(3).permutation(len(ratings))
    named = {"S01": "x", "S02": "c", "S03": "m"}
    renamed = replace(
        ratings.take(shuffled),
        items=replace(
            ratings.items,
            systems=tuple(named[name] for name in ratings.items.systems),
        ),
    )
    one, other = mean_ratings(ratings), mean_ratings(renamed)
    for row, again in zip(one.systems, other.systems, strict=True):
        assert again.system == named[row.system]
        assert again.mean == pytest.approx(row.mean)
        assert (again.low, again.high) == pytest.approx((row.low, row.high))
        assert (again.rank_low, again.rank_high) == (row.rank_low, row.rank_high)


def test_severity_makes_means_uncertain_and_not_their_differences() -> None:
    """Judges who rate all systems alike move all means together, however much they differ."""
    world = replace(WORLD, segments=24, mildness=0.0, taste=0.0)
    wider = []
    for seed in range(5):
        ratings = simulated_ratings(world, seed=seed)
        # Half of the judges give one point more, on a scale with room for it.
        milder = replace(
            ratings,
            value=ratings.value + 1 - ratings.judge % 2,
            scale=Scale(1, 6),
        )
        one, other = mean_ratings(ratings), mean_ratings(milder)
        errors = [each.systems[0].standard_error for each in (one, other)]
        assert errors[0]
        assert errors[1]
        wider.append(errors[1] / errors[0])
        first, second = (each.tests.p_value[0, 1] for each in (one, other))
        assert second < 1.5 * first
    assert np.mean(wider) > 1.1


def test_intervals_of_few_ratings_end_with_the_scale(ratings_of: MakeRatings) -> None:
    """Four judges of unequal severity: t with two degrees of freedom goes far beyond both ends."""
    severity = {"a": 1, "b": 2, "c": 4, "d": 5}
    rows = [
        (s, "A", judge, value) for s in range(1, 7) for judge, value in severity.items()
    ]
    found = mean_ratings(ratings_of(rows))
    assert [(row.low, row.high) for row in found.systems] == [(1, 5)]


def test_standardised_values_are_ranked_likewise() -> None:
    ratings = simulated_ratings(WORLD, seed=6)
    own = standardised(ratings)
    found = mean_ratings(own.ratings, value=own.value, is_on_scale=False)
    assert [row.system for row in found.systems] == ["S03", "S02", "S01"]
    assert sum(row.mean for row in found.systems) == pytest.approx(0, abs=0.05)
    assert all(row.low is not None and row.low < 1 for row in found.systems)


def test_sets_that_hold_together_are_not_narrower() -> None:
    ratings = simulated_ratings(WORLD, seed=8)
    one, together = (
        mean_ratings(ratings, correction=each)
        for each in (Correction.NONE, Correction.HOLM)
    )
    for row, wide in zip(one.systems, together.systems, strict=True):
        assert wide.shortage is None
        assert (wide.rank_low or 0) <= (row.rank_low or 0)
        assert (wide.rank_high or 0) >= (row.rank_high or 0)
    assert (together.tests.adjusted_p >= one.tests.p_value - 0.01).all()


def test_true_means_are_those_of_many_ratings() -> None:
    world = RatingWorld(quality=(1.2, 3.0, 4.6), segments=2000, judges=300)
    found = mean_ratings(simulated_ratings(world, seed=1))
    means = {row.system: row.mean for row in found.systems}
    assert [means[name] for name in ("S01", "S02", "S03")] == pytest.approx(
        world.true_means().tolist(),
        abs=0.1,
    )


@pytest.mark.parametrize(
    "world",
    [
        RatingWorld(quality=(3.1,) * 4, segments=6, judges=8),
        RatingWorld(quality=(2.6, 3.0, 3.4), segments=40, judges=6, mildness=0.8),
        RatingWorld(quality=(3.0, 3.3), segments=40, judges=4, mildness=1.5, taste=0.3),
    ],
    ids=["few segments, equal systems", "few judges", "very unlike judges"],
)
def test_intervals_hold_as_often_as_they_promise(world: RatingWorld) -> None:
    found = [measured(world, seed=seed) for seed in range(60)]
    # 60 campaigns of a few systems: a standard error of about 2 %.
    assert np.mean([each.two_way for each in found]) < 0.10
    assert np.mean([each.confidence_set for each in found]) < 0.10
