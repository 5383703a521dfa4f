from itertools import product

import numpy as np
import pytest

from ranking.core.blocks import BlockRow, blocks_from_rows
from ranking.core.random_clicking import reference_preferences

REF = ("_ref",)
SYSTEMS = ["a", "b", "c", "d", "_ref"]


def test_hand_worked_preference() -> None:
    rows = [
        BlockRow("ann", 1, ["a", REF, "b"], [2, 1, 1]),
        BlockRow("ann", 2, ["a", REF, "b"], [2, 3, None]),
        BlockRow("ann", 3, ["a", REF, "b"], [2, None, 1]),  # the reference has no label
        BlockRow("ann", 4, [("a", "_ref"), "b"], [1, 2]),  # a is the reference, word for word
        BlockRow("bob", 4, ["a", "b"], [1, 2]),
    ]
    ann, bob = reference_preferences(blocks_from_rows(rows, SYSTEMS), "_ref")
    assert (ann.comparisons, ann.preferred, ann.tied) == (4, 2, 1)
    assert ann.share == 0.5
    assert (bob.comparisons, bob.share, bob.p_random, bob.p_lowest) == (0, None, None, None)


def test_probability_is_that_of_all_ways_to_click() -> None:
    # Two blocks, with two and one outputs beside the reference, which wins two of three.
    rows = [
        BlockRow("ann", 1, ["a", REF, "b"], [2, 1, 1]),
        BlockRow("ann", 2, ["a", REF], [2, 1]),
    ]
    (ann,) = reference_preferences(blocks_from_rows(rows, SYSTEMS), "_ref")
    ways = list(product(range(1, 6), repeat=5))
    wins = [(r < a) + (r < b) + (s < c) for r, a, b, s, c in ways]
    assert ann.p_random == pytest.approx(sum(won >= 2 for won in wins) / len(ways))
    assert ann.p_lowest == pytest.approx(sum(won == 3 for won in wins) / len(ways))
    assert ann.p_binomial == pytest.approx(3 * 0.4**2 * 0.6 + 0.4**3)


def test_random_clickers_pass_the_exact_test_as_often_as_its_level_says() -> None:
    rng = np.random.default_rng(11)
    rows = [
        BlockRow(
            f"j{judge:03d}", segment, ["a", "b", "c", "d", REF], rng.integers(1, 6, 5).tolist()
        )
        for judge in range(400)
        for segment in range(30)
    ]
    found = reference_preferences(blocks_from_rows(rows, SYSTEMS), "_ref")
    exact = np.mean([each.p_random <= 0.05 for each in found if each.p_random is not None])
    naive = np.mean([each.p_binomial <= 0.05 for each in found if each.p_binomial is not None])
    # Three standard errors above the level: 0.05 + 3 · 0.011.
    assert exact <= 0.083
    # Comparisons of a block hang together, which a binomial test does not know.
    assert naive > 0.1


def test_unknown_reference_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown reference 'nobody'"):
        reference_preferences(blocks_from_rows([], SYSTEMS), "nobody")
