"""Outliers as Hamon et al. (2007) count them, and means without them."""

from collections.abc import Callable

import pytest
from scipy.stats import norm

from protocols.frame.scale.statistics.criteria import correlated_criteria
from protocols.frame.scale.statistics.judges import RatingJudge, rating_judges
from protocols.frame.scale.statistics.outliers import (
    Rule,
    by_every_criterion,
    overlap,
    rating_outliers,
    removals,
)
from protocols.frame.scale.statistics.ratings import Ratings

MakeRatings = Callable[..., Ratings]


def judges(
    low: int,
    high: int,
    far: dict[str, range],
    easy: range,
) -> list[RatingJudge]:
    """Return 125 judges: the first `low` strict, the next `high` mild, some far from others or careless."""
    found = []
    for number in range(125):
        mean = 2.0 if number < low else 4.0 if number < low + high else 3.0
        distance = 2.0 if any(number in part for part in far.values()) else 1.0
        found.append(
            RatingJudge(
                judge=f"{number:03}",
                ratings=163,
                mean=mean,
                deviation=1.0,
                shared=163,
                others=3.0,
                difference=mean - 3.0,
                distance=distance,
                easy=10,
                easy_missed=9 if number in easy else 1,
            ),
        )
    return found


def test_table_3_is_counted_from_judges_that_fit_it() -> None:
    # 45 by mean score in each criterion, 23 and 18 by mean agreement, 9 and 10 by easy sentences.
    fluency = judges(
        20,
        25,
        {"lower": range(3), "upper": range(20, 37), "other": range(50, 53)},
        range(9),
    )
    adequacy = judges(
        25,
        20,
        {"lower": range(10), "upper": range(25, 30), "other": range(60, 63)},
        range(5, 15),
    )
    found = {
        "fluency": rating_outliers(fluency),
        "adequacy": rating_outliers(adequacy),
    }
    assert [len(each.outliers) for each in found["fluency"]] == [45, 23, 9]
    assert [len(each.outliers) for each in found["adequacy"]] == [45, 18, 10]
    both = {criterion: overlap(each) for criterion, each in found.items()}
    assert [len(each.both) for each in both.values()] == [20, 15]
    assert [(each.upper, each.lower) for each in both.values()] == [(17, 3), (5, 10)]
    assert by_every_criterion(found.values())[Rule.EASY_ITEMS] == (
        "005",
        "006",
        "007",
        "008",
    )


def test_45_of_125_are_a_few_more_than_normal_judges_would_be() -> None:
    assert 45 / 125 == 0.36
    assert 2 * norm.sf(1) == pytest.approx(0.317, abs=0.001)
    assert 125 * norm.sf(1) == pytest.approx(19.8, abs=0.05)


def test_judges_of_few_easy_items_have_no_value() -> None:
    few = judges(5, 5, {}, range(3))
    outcome = rating_outliers(few, least_easy=11)[2]
    assert (outcome.judged, outcome.outliers, outcome.mean) == (0, (), None)
    assert rating_outliers(few, least_easy=10)[2].judged == 125


def test_equal_judges_do_not_stand_out() -> None:
    assert all(
        not each.outliers for each in rating_outliers(judges(0, 0, {}, range(0)))
    )


def test_means_without_outliers_and_by_them_alone(ratings_of: MakeRatings) -> None:
    rows = [
        (segment, system, judge, value)
        for segment, (system, value) in enumerate((("A", 4), ("B", 3), ("C", 2)), 1)
        for judge in ("a", "b", "c", "d")
    ]
    # The last judge is strict, and turns the order round.
    rows += [(1, "A", "z", 1), (2, "B", "z", 1), (3, "C", "z", 2)]
    ratings = ratings_of(rows)
    outcomes = rating_outliers(rating_judges(ratings))
    assert outcomes[0].low == ("z",)
    by_mean = removals(ratings, outcomes)[0]
    assert (by_mean.judges, by_mean.removed_ratings) == (("z",), 3)
    assert by_mean.share == pytest.approx(3 / 15)
    assert by_mean.official == pytest.approx({"A": 3.4, "B": 2.6, "C": 2.0})
    assert by_mean.without == {"A": 4.0, "B": 3.0, "C": 2.0}
    assert by_mean.alone == {"A": 1.0, "B": 1.0, "C": 2.0}
    assert by_mean.correlation.spearman == pytest.approx(1)
    assert by_mean.correlation_alone.spearman == pytest.approx(-0.866, abs=0.001)
    assert (by_mean.mean_kept, by_mean.mean_removed) == pytest.approx((3.0, 4 / 3))


def test_criteria_are_correlated_by_judge_and_item(ratings_of: MakeRatings) -> None:
    fluency = ratings_of([(1, "A", "a", 1), (1, "A", "b", 2), (2, "B", "a", 5)])
    adequacy = Ratings(
        fluency.items,
        fluency.judges,
        fluency.item,
        fluency.judge,
        fluency.value,
    ).take(fluency.value != 2)
    found = correlated_criteria(fluency, adequacy)
    assert (found.of_ratings.pairs, found.of_ratings.pearson) == pytest.approx((2, 1))
    assert (found.of_systems.pairs, found.of_systems.pearson) == pytest.approx((2, 1))
