"""Agreement of judges of two outputs, against the tables of Bojar et al. (2011, §2.5.2)."""

import math
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as student

from protocols.two_outputs.statistics import Choices, fleiss_chance, judges_compared
from ranking.core.agreement.intervals import jackknife, left_out_interval
from ranking.core.arrays import BoolArray

# Table 7: the author of T by rows, the author of B by columns; B > T, T > B, both fine, both wrong.
TABLE_7 = ((9, 0, 1, 1), (2, 13, 0, 3), (2, 0, 2, 3), (10, 5, 1, 11))
# Table 8: each annotator's answers.
TABLE_8 = {"A": (24, 23, 5, 11), "C": (10, 12, 5, 36), "D": (32, 20, 2, 9), "M": (11, 18, 7, 27), "O": (23, 18, 4, 18), "Z": (25, 27, 2, 9)}  # fmt: skip


def choices_of(rows: list[tuple[int, int, int]], judges: int, items: int) -> Choices:
    item, judge, choice = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    return Choices(
        item,
        judge,
        choice,
        tuple(f"judge {n}" for n in range(judges)),
        items,
    )


@pytest.fixture
def two_authors() -> Choices:
    """63 sentences, as Table 7 has them."""
    cells = [
        pair
        for pair in product(range(4), range(4))
        for _ in range(TABLE_7[pair[0]][pair[1]])
    ]
    rows = [
        (item, judge, choice)
        for item, pair in enumerate(cells)
        for judge, choice in enumerate(pair)
    ]
    return choices_of(rows, 2, len(cells))


def test_table_7(two_authors: Choices) -> None:
    found = judges_compared(two_authors)
    [pair] = found.pairs
    assert pair.table == TABLE_7
    assert found.totals == ((11, 18, 7, 27), (23, 18, 4, 18))
    assert (pair.items, pair.agreeing) == (63, 35)
    assert pair.p_agree == pytest.approx(35 / 63)
    assert pair.p_chance == pytest.approx(float(Fraction(1091, 3969)))
    assert f"{pair.kappa:.3f}" == "0.387"
    assert found.lowest == found.highest == found.mean == pair.kappa
    assert found.deviation is None


def test_table_8() -> None:
    """The answers themselves were not released: their totals give P(E), and with the printed κ P(A)."""
    totals = np.array(list(TABLE_8.values()))
    assert set(totals.sum(axis=1)) == {63}
    assert totals.sum(axis=0).tolist() == [125, 118, 25, 110]
    rows: list[tuple[int, int, int]] = []
    for judge, row in enumerate(totals):
        choices = np.repeat(np.arange(4), row).tolist()
        rows += [(item, judge, choice) for item, choice in enumerate(choices)]
    found = judges_compared(choices_of(rows, 6, 63))
    assert found.totals == tuple(TABLE_8.values())
    assert found.together.p_chance == pytest.approx(fleiss_chance(totals.sum(axis=0)))
    assert f"{found.together.p_chance:.3f}" == "0.296"
    chance = fleiss_chance(totals.sum(axis=0))
    assert f"{0.394 * (1 - chance) + chance:.3f}" == "0.573"


def test_no_items_in_common() -> None:
    found = judges_compared(choices_of([(0, 0, 0), (1, 1, 1)], 2, 2))
    assert found.pairs == ()
    assert (found.mean, found.together.kappa, found.together.items) == (None, None, 0)


def test_one_answer_to_everything_has_no_kappa() -> None:
    found = judges_compared(
        choices_of([(n, j, 2) for n in range(3) for j in range(2)], 2, 3),
    )
    assert found.pairs[0].kappa is None
    assert found.mean is None
    assert (found.together.unanimous, found.together.kappa) == (3, None)


@given(
    st.lists(
        st.tuples(st.integers(0, 9), st.integers(0, 3), st.integers(0, 3)),
        min_size=1,
        max_size=60,
    ),
)
def test_against_counting_by_hand(rows: list[tuple[int, int, int]]) -> None:
    once = list(
        {(item, judge): (item, judge, choice) for item, judge, choice in rows}.values(),
    )
    found = judges_compared(choices_of(once, 4, 10))
    said = {(item, judge): choice for item, judge, choice in once}
    by_names = {pair.judges: pair for pair in found.pairs}
    for one, other in combinations(range(4), 2):
        common = [n for n in range(10) if (n, one) in said and (n, other) in said]
        pair = by_names.get((f"judge {one}", f"judge {other}"))
        assert (pair is None) == (not common)
        if pair is not None:
            assert pair.items == len(common)
            assert pair.agreeing == sum(said[n, one] == said[n, other] for n in common)
    of_items = [
        [choice for (n, _), choice in said.items() if n == item] for item in range(10)
    ]
    several = [each for each in of_items if len(each) > 1]
    assert found.together.items == len(several)
    assert found.together.unanimous == sum(len(set(each)) == 1 for each in several)


@given(
    st.lists(
        st.tuples(st.integers(0, 9), st.integers(0, 2), st.integers(0, 3)),
        min_size=1,
        max_size=40,
    ),
    st.integers(0, 9),
)
def test_mirrored_agreement_does_not_depend_on_which_system_is_x(
    rows: list[tuple[int, int, int]],
    turned: int,
) -> None:
    mirrored = [1, 0, 2, 3]
    others = [
        (n, judge, mirrored[choice] if n == turned else choice)
        for n, judge, choice in rows
    ]
    one, other = (
        judges_compared(choices_of(each, 3, 10), is_mirrored=True)
        for each in (rows, others)
    )
    assert [pair.kappa for pair in one.pairs] == pytest.approx(
        [pair.kappa for pair in other.pairs],
    )
    assert one.together.kappa == pytest.approx(other.together.kappa)


def random_choices(judges: int, items: int) -> Choices:
    """Let each judge choose what was drawn for the item in two of three cases."""
    random = np.random.default_rng(5)
    drawn = random.integers(0, 4, items)
    rows = [
        (
            item,
            judge,
            int(drawn[item] if random.random() < 2 / 3 else random.integers(4)),
        )
        for item in range(items)
        for judge in range(judges)
    ]
    return choices_of(rows, judges, items)


def left_out(choices: Choices, kept: BoolArray) -> Choices:
    rows = zip(
        choices.item[kept],
        choices.judge[kept],
        choices.choice[kept],
        strict=True,
    )
    return choices_of(list(rows), len(choices.judges), choices.items)


@pytest.mark.parametrize("is_mirrored", [False, True])
def test_intervals_are_those_of_leaving_out_each_item_and_judge(
    is_mirrored: bool,
) -> None:
    choices = random_choices(4, 30)

    def kappas(kept: BoolArray) -> tuple[float | None, float | None]:
        found = judges_compared(left_out(choices, kept), is_mirrored=is_mirrored)
        return found.together.kappa, found.pairs[0].kappa

    without_items = [kappas(choices.item != item) for item in range(30)]
    without_judges = [kappas(choices.judge != judge)[0] for judge in range(4)]
    found = judges_compared(choices, is_mirrored=is_mirrored)
    together, pair = found.together, found.pairs[0]
    assert together.kappa is not None
    assert together.p_chance is not None
    expected = left_out_interval(
        together.kappa,
        together.p_chance,
        without_segment=np.array([whole for whole, _pair in without_items]),
        without_judge=np.array(without_judges),
    )
    assert (together.low, together.high) == pytest.approx((expected.low, expected.high))
    assert pair.kappa is not None
    assert pair.low is not None
    assert pair.high is not None
    variance = jackknife(
        pair.kappa,
        np.array([of_pair for _whole, of_pair in without_items]),
    )
    reach = student.ppf(0.975, 29) * math.sqrt(variance) / (1 - pair.kappa)
    assert pair.high == pytest.approx(1 - (1 - pair.kappa) * math.exp(-reach))


def test_kappa_of_few_items_is_not_reported() -> None:
    few = judges_compared(random_choices(3, 4))
    assert few.together.kappa is not None
    shown = few.reported()
    assert (shown.together.kappa, shown.together.reason) == (None, "interval_too_wide")
    assert (shown.lowest, shown.mean) == (None, None)
    many = judges_compared(random_choices(6, 200))
    assert many.reported() == many
