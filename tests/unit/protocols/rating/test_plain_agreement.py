"""n-agreement, with and without chance, and κ counted pair by pair: a second implementation."""

from collections.abc import Callable
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.inter_rater import fleiss_kappa

from protocols.frame.scale.statistics.agreement import rating_agreement
from protocols.frame.scale.statistics.ratings import Ratings
from tests.benchmarks.rating_agreement_coverage import coverage_of_agreement
from tests.benchmarks.rating_coverage import WORLDS

MakeRatings = Callable[..., Ratings]
_POINTS = range(1, 6)
#: Ratings of each text: by one judge, by two, or by more.
_TEXTS = st.lists(
    st.lists(st.sampled_from(_POINTS), min_size=1, max_size=4),
    max_size=7,
)


def made(ratings_of: MakeRatings, texts: list[list[int]]) -> Ratings:
    return ratings_of(
        [
            (segment, "A", f"judge {judge}", value)
            for segment, values in enumerate(texts)
            for judge, value in enumerate(values)
        ],
    )


def within(texts: list[list[int]], n: int) -> float:
    """Return Aₙ: each text counts alike, whatever its number of pairs."""
    shares = []
    for values in texts:
        pairs = list(combinations(values, 2))
        shares.append(sum(abs(one - other) <= n for one, other in pairs) / len(pairs))
    return sum(shares) / len(shares)


def by_chance(texts: list[list[int]], n: int) -> float:
    """Return Eₙ: of two ratings drawn with replacement, each of a text drawn before."""
    used = {
        point: sum(values.count(point) / len(values) for values in texts) / len(texts)
        for point in _POINTS
    }
    return sum(
        used[one] * used[other]
        for one, other in product(_POINTS, repeat=2)
        if abs(one - other) <= n
    )


@given(_TEXTS.filter(lambda texts: any(len(values) > 1 for values in texts)))
def test_agreement_is_what_counting_pairs_gives(
    ratings_of: MakeRatings,
    texts: list[list[int]],
) -> None:
    found = rating_agreement(made(ratings_of, texts))
    several = [values for values in texts if len(values) > 1]
    assert found.items == len(several)
    assert found.pairs == sum(len(list(combinations(values, 2))) for values in several)
    assert found.p_observed == pytest.approx(within(several, 0))
    assert found.p_chance == pytest.approx(by_chance(several, 0))
    for row in found.n_agreement:
        observed, expected = within(several, row.n), by_chance(several, row.n)
        assert row.share.value == pytest.approx(observed)
        assert row.expected == pytest.approx(expected)
        if expected > 1 - 1e-9:
            assert row.corrected.value is None
        else:
            assert row.corrected.value == pytest.approx(
                (observed - expected) / (1 - expected),
            )
    assert found.kappa == found.n_agreement[0].corrected


@given(st.integers(2, 4), st.data())
def test_kappa_of_equally_many_ratings_is_that_of_statsmodels(
    ratings_of: MakeRatings,
    raters: int,
    data: st.DataObject,
) -> None:
    texts = data.draw(
        st.lists(
            st.lists(st.sampled_from(_POINTS), min_size=raters, max_size=raters),
            min_size=1,
        ).filter(
            lambda texts: len({value for values in texts for value in values}) > 1,
        ),
    )
    counts = np.array([[values.count(point) for point in _POINTS] for values in texts])
    found = rating_agreement(made(ratings_of, texts))
    assert found.kappa.value == pytest.approx(fleiss_kappa(counts), abs=1e-12)


def test_agreement_of_two_judges_has_no_interval(ratings_of: MakeRatings) -> None:
    """Without one of two judges nothing is left, so nothing tells how judges differ."""
    rows = [
        (segment, "A", judge, 1 + (segment * step) % 5)
        for segment in range(60)
        for judge, step in (("a", 1), ("b", 2))
    ]
    found = rating_agreement(ratings_of(rows))
    assert not found.for_judges
    estimates = [found.kappa, found.alpha, *(each.share for each in found.n_agreement)]
    assert all(each.value is not None for each in estimates)
    assert {(each.low, each.high) for each in estimates} == {(None, None)}


def test_intervals_are_for_other_judges_too(ratings_of: MakeRatings) -> None:
    """The delete-one jackknife over judges and over segments less that over a judge's ratings of a segment, done by hand."""
    random = np.random.default_rng(11)
    rows = [
        (
            segment,
            "A",
            f"judge {judge}",
            int(np.clip(random.normal(3 + judge / 3), 1, 5)),
        )
        for segment in range(12)
        for judge in random.permutation(5)[:3].tolist()
    ]
    found = rating_agreement(ratings_of(rows))
    share = found.n_agreement[1].share
    assert found.for_judges

    def without(segment: int | None, judge: str | None) -> float:
        texts: dict[int, list[int]] = {}
        for own, _system, name, value in rows:
            if not (segment in (None, own) and judge in (None, name)):
                texts.setdefault(own, []).append(value)
        return within([values for values in texts.values() if len(values) > 1], 1)

    value = share.value or 0.0
    by_segment = [(without(segment, None) - value) ** 2 for segment in range(12)]
    by_judge = [(without(None, f"judge {judge}") - value) ** 2 for judge in range(5)]
    by_cell = [
        (without(segment, judge) - value) ** 2 for segment, _s, judge, _v in rows
    ]
    of_segments, of_judges = 11 / 12 * sum(by_segment), 4 / 5 * sum(by_judge)
    variance = max(of_segments + of_judges - sum(by_cell), of_segments, of_judges)
    pairs = np.array(
        [2 * sum(row[2] == f"judge {judge}" for row in rows) for judge in range(5)],
    )
    judges = pairs.sum() ** 2 / (pairs**2).sum()
    degrees = judges * (judges - 1) / (2 * judges - 1)
    degrees = max(degrees, variance**2 / (of_judges**2 / degrees + of_segments**2 / 11))
    reach = stats.t.ppf(0.975, degrees) * np.sqrt(variance) / (1 - value)
    assert share.low == pytest.approx(max(0.0, 1 - (1 - value) * np.exp(reach)))
    assert share.high == pytest.approx(1 - (1 - value) * np.exp(-reach))


def test_intervals_hold_where_judges_differ_much() -> None:
    """Seeded: 100 campaigns of ten unlike judges; those of a bootstrap of segments held in half of them."""
    world = WORLDS["100 segments, 10 unlike judges"]
    assert min(coverage_of_agreement(world, campaigns=100)) >= 0.9
