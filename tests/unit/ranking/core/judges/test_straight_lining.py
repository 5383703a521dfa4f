from itertools import permutations, product

import numpy as np
import pytest
from scipy.stats import binom

from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows
from ranking.core.judges.clicking import line_chances, straight_lining
from ranking.core.judges.patterns import Patterns, tally_lines

SYSTEMS = ["a", "b", "c", "d", "e"]


def blocks(*labels: list[int | None], judge: str = "ann") -> Blocks:
    rows = [
        BlockRow(judge, number, SYSTEMS[: len(each)], each)
        for number, each in enumerate(labels, start=1)
    ]
    return blocks_from_rows(rows, SYSTEMS)


def test_hand_worked_lines() -> None:
    (ann,) = straight_lining(
        blocks(
            [3, 3, 3, 3, 3],  # one label
            [1, 2, 3, 4, 5],  # in shown order
            [5, 5, 2, 2, 1],  # in reverse
            [2, 1, 3, 4, 5],  # neither
            [1, None, 2, 3, None],  # blanks aside, in shown order
            [1, 1],  # two outputs say nothing
            [4, None, None, 4, None],
        )
    )
    assert (ann.one_label.successes, ann.one_label.trials) == (1, 5)
    assert (ann.shown_order.successes, ann.shown_order.trials) == (3, 4)
    # 2 of 5!, 2 of 5! / (2! 2!), 2 of 5!, 2 of 3!
    assert ann.expected == pytest.approx(2 / 120 + 2 / 30 + 2 / 120 + 2 / 6)


def test_the_probability_is_that_of_all_ways_to_shuffle() -> None:
    given = ([1, 2, 3], [1, 1, 2, 3], [2, 2, 5])
    (ann,) = straight_lining(blocks([1, 2, 3], [3, 2, 1, 1], [2, 5, 2]))

    def is_line(labels: tuple[int, ...]) -> bool:
        return list(labels) in (sorted(labels), sorted(labels, reverse=True))

    ways = list(product(*(list(permutations(labels)) for labels in given)))
    at_least_two = sum(sum(map(is_line, way)) >= 2 for way in ways)
    assert ann.shown_order.successes == 2
    assert ann.p_shuffled == pytest.approx(at_least_two / len(ways))


def test_who_shuffles_is_found_out_as_often_as_the_level_says() -> None:
    rng = np.random.default_rng(4)
    rows = [
        BlockRow(f"j{judge:03d}", segment, SYSTEMS, rng.permutation([1, 2, 2, 3, 4]).tolist())
        for judge in range(300)
        for segment in range(60)
    ]
    p_values = [each.p_shuffled for each in straight_lining(blocks_from_rows(rows, SYSTEMS))]
    found = np.mean([p is not None and p <= 0.05 for p in p_values])
    assert found <= 0.05 + 3 * (0.05 * 0.95 / 300) ** 0.5


def test_chances_of_a_line_worked_by_hand() -> None:
    judged = blocks([3, 3, 3], [1, 2], [1, 2, 3], [2, 1, 3], [1, 2, 2])
    found = Patterns.of(tally_lines(judged))
    patterns = [tuple(used) for used in found.used[:, :3].tolist()]
    assert list(zip(patterns, found.detail.tolist(), found.blocks.tolist(), strict=True)) == [
        ((1, 1, 0), 1, 1),
        ((1, 1, 1), 0, 1),
        ((1, 1, 1), 1, 1),
        ((1, 2, 0), 1, 1),
        ((3, 0, 0), 1, 1),
    ]
    assert line_chances(found.used) == pytest.approx([0, 2 / 6, 2 / 6, 4 / 6, 0])


def test_the_probability_is_that_of_a_sum_of_unequal_trials() -> None:
    rng = np.random.default_rng(6)
    labels: list[list[int | None]] = [rng.integers(1, 6, 3 + n % 3).tolist() for n in range(150)]
    (ann,) = straight_lining(blocks(*labels))
    found = Patterns.of(tally_lines(blocks(*labels)))
    distribution = np.ones(1)
    for chance, times in zip(line_chances(found.used), found.blocks.tolist(), strict=True):
        outcomes = binom.pmf(np.arange(times + 1), times, chance)
        distribution = np.convolve(distribution, outcomes)
    expected = distribution[ann.shown_order.successes :].sum()
    assert ann.p_shuffled == pytest.approx(expected, rel=1e-11)
