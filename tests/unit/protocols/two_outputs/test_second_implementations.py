"""Agreement of choices beside statsmodels: Cohen's κ of two judges, Fleiss' of all."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import cohens_kappa, fleiss_kappa

from protocols.two_outputs.statistics import Choice, Choices, judges_compared

_JUDGES = ("ann", "bob", "cy")
_ITEMS = st.lists(
    st.tuples(*[st.sampled_from(Choice)] * len(_JUDGES)),
    min_size=2,
    max_size=30,
)


def choices_of(items: list[tuple[Choice, ...]]) -> Choices:
    judges = len(_JUDGES)
    return Choices(
        np.repeat(np.arange(len(items)), judges),
        np.tile(np.arange(judges), len(items)),
        np.array(items, dtype=np.int64).ravel(),
        _JUDGES,
        len(items),
    )


def table_of(items: list[tuple[Choice, ...]], one: int, other: int) -> np.ndarray:
    table = np.zeros((len(Choice), len(Choice)), dtype=np.int64)
    for answers in items:
        table[answers[one], answers[other]] += 1
    return table


@given(_ITEMS)
def test_kappa_of_two_judges_is_cohens(items: list[tuple[Choice, ...]]) -> None:
    found = judges_compared(choices_of(items))
    kappas = []
    for pair, (one, other) in zip(found.pairs, combinations(range(3), 2), strict=True):
        table = table_of(items, one, other)
        assert pair.judges == (_JUDGES[one], _JUDGES[other])
        assert np.array_equal(pair.table, table)
        if table.trace() == len(items) and np.count_nonzero(table) == 1:
            # Both always made the same choice: chance explains all agreement.
            assert (pair.p_agree, pair.p_chance, pair.kappa) == (1, 1, None)
            continue
        reference = cohens_kappa(table, return_results=False)
        assert pair.kappa == pytest.approx(reference, abs=1e-12)
        assert pair.p_agree == pytest.approx(table.trace() / len(items))
        assert pair.kappa is not None
        kappas.append(pair.kappa)
    if kappas:
        assert (found.lowest, found.highest) == (min(kappas), max(kappas))
        assert found.mean == pytest.approx(np.mean(kappas))
    if len(kappas) > 1:
        assert found.deviation == pytest.approx(np.std(kappas, ddof=1))


@given(_ITEMS)
def test_kappa_of_all_judges_is_fleiss(items: list[tuple[Choice, ...]]) -> None:
    together = judges_compared(choices_of(items)).together
    counts = np.array(
        [[answers.count(choice) for choice in Choice] for answers in items],
    )
    assert together.items == len(items)
    if np.count_nonzero(counts.sum(axis=0)) == 1:
        assert together.kappa is None
    else:
        assert together.kappa == pytest.approx(fleiss_kappa(counts), abs=1e-12)


@given(_ITEMS)
def test_mirrored_kappa_is_that_of_each_table_and_its_mirror(
    items: list[tuple[Choice, ...]],
) -> None:
    """Where X and Y are in an arbitrary order, each item is counted in both orders."""
    mirror = {Choice.X: Choice.Y, Choice.Y: Choice.X}
    both = items + [
        tuple(mirror.get(choice, choice) for choice in each) for each in items
    ]
    found = judges_compared(choices_of(items), is_mirrored=True)
    twice = judges_compared(choices_of(both))
    assert [pair.kappa for pair in found.pairs] == pytest.approx(
        [pair.kappa for pair in twice.pairs],
    )
    assert found.together.kappa == pytest.approx(twice.together.kappa)
    # The table shows the answers.
    assert [pair.items for pair in found.pairs] == [len(items)] * 3
