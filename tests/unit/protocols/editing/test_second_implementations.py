"""Acceptability beside other implementations: intervals, Fisher's test, Holm's correction, κ."""

from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import fleiss_kappa
from statsmodels.stats.multitest import multipletests

from protocols.editing.statistics import Counting, Outcome, acceptability, fisher_p
from tests.unit.protocols.editing.test_edits import Row, edits_of
from tests.unit.protocols.plain_shares import plain_interval

_ROWS = st.lists(
    st.tuples(st.sampled_from("ABC"), st.integers(1, 6), st.sampled_from(Outcome), st.integers(0, 3), st.integers(0, 3)).map(
        # Outputs that could not be edited have no acceptances, and there are at most as many as acceptors.
        lambda row: (*row[:3], 0, 0) if row[2] is Outcome.UNABLE else (*row[:3], min(row[3], row[4]), row[4]),
    ),
    min_size=1,
    max_size=30,
)  # fmt: skip


def counted(
    rows: list[Row],
    system: str,
    counting: Counting,
) -> list[tuple[int, int, int, int]]:
    """Return successes and trials of the edits of a system, with segment and editor: three who take turns."""
    asked = [row[4] for row in rows if row[4]]
    # The commonest number of acceptors, the smallest of several.
    common = (
        min(asked, key=lambda number: (-asked.count(number), number)) if asked else 1
    )
    found = []
    for place, (name, segment, outcome, yes, of) in enumerate(rows):
        if name == system and (outcome is Outcome.UNABLE or of):
            won, all_ = (
                (int(yes > of / 2), 1) if counting is Counting.MAJORITY else (yes, of)
            )
            found.append((won, all_ or common, segment, place % 3))
    return found


@given(_ROWS, st.sampled_from(Counting), st.sampled_from([0.8, 0.95]))
def test_shares_and_intervals(
    rows: list[Row],
    counting: Counting,
    confidence: float,
) -> None:
    found = acceptability(
        edits_of(rows, editors=[place % 3 for place in range(len(rows))]),
        fewest=1,
        counting=counting,
        confidence=confidence,
    ).systems
    assert {row.system for row in found} == {row[0] for row in rows}
    for row in found:
        clusters = counted(rows, row.system, counting)
        if not clusters:
            assert (row.share, row.rank) == (None, None)
            continue
        assert row.share is not None
        won, of = (sum(each[place] for each in clusters) for place in (0, 1))
        assert (row.share.successes, row.share.trials) == (won, of)
        low, high = plain_interval(clusters, confidence)
        assert row.share.value == won / of
        assert (row.share.low, row.share.high) == pytest.approx((low, high))
    ranked = [row for row in found if row.rank is not None]
    values = [row.share.value or 0 for row in ranked if row.share]
    assert values == sorted(values, reverse=True)
    # Equal shares share the best of their ranks.
    assert [row.rank for row in ranked] == [
        1 + sum(other > value for other in values) for value in values
    ]


@given(st.integers(0, 12), st.integers(1, 12), st.integers(0, 12), st.integers(1, 12))
def test_fishers_test_adds_up_what_is_no_likelier(
    a: int,
    n: int,
    b: int,
    m: int,
) -> None:
    a, b = min(a, n), min(b, m)
    whole = a + b
    ways = {
        x: comb(n, x) * comb(m, whole - x)
        for x in range(max(0, whole - m), min(n, whole) + 1)
    }
    expected = sum(each for each in ways.values() if each <= ways[a]) / comb(
        n + m,
        whole,
    )
    assert fisher_p(a, n, b, m) == pytest.approx(expected)


@pytest.mark.thorough
@given(_ROWS)
def test_pairs_are_corrected_by_holm_and_bound_ranks(rows: list[Row]) -> None:
    found = acceptability(edits_of(rows), fewest=3)
    shown = {row.system: row for row in found.systems if row.share is not None}
    family = [pair for pair in found.pairs if {pair.first, pair.second} <= set(shown)]
    decided = [row.system for row in found.systems if row.decided]
    assert {frozenset((pair.first, pair.second)) for pair in found.pairs} == {
        frozenset(pair) for pair in combinations(decided, 2)
    }
    assert all(pair.adjusted_p is None for pair in found.pairs if pair not in family)
    if family:
        corrected = multipletests([pair.p_value for pair in family], method="holm")[1]
        assert [pair.adjusted_p for pair in family] == pytest.approx(corrected.tolist())
    for name, row in shown.items():
        better, worse = 0, 0
        for pair in family:
            if name in (pair.first, pair.second) and (pair.adjusted_p or 0) <= 0.05:
                other = shown[pair.second if pair.first == name else pair.first]
                assert row.share is not None
                assert other.share is not None
                is_better = (other.share.value or 0) > (row.share.value or 0)
                better, worse = better + is_better, worse + (not is_better)
        assert (row.rank_low, row.rank_high) == (1 + better, len(shown) - worse)


@given(st.lists(st.integers(0, 3), min_size=1, max_size=20))
def test_acceptors_agree_as_statsmodels_says(yes: list[int]) -> None:
    rows: list[Row] = [
        ("A", place, Outcome.EDITED, each, 3) for place, each in enumerate(yes)
    ]
    # An edit with one acceptor says nothing about agreement.
    rows.append(("A", len(yes), Outcome.EDITED, 1, 1))
    found = acceptability(edits_of(rows)).acceptors
    assert found.edits == len(yes)
    if set(yes) in ({0}, {3}):
        assert found.kappa is None
    else:
        counts = np.array([[each, 3 - each] for each in yes])
        assert found.kappa == pytest.approx(fleiss_kappa(counts))
