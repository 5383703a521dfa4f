"""Scores of best-worst scaling (Kiritchenko & Mohammad 2017)."""

from collections import Counter
from random import Random

import pytest

from protocols.top.answers import TopAnswer, best_worst_labels
from protocols.top.statistics import best_minus_worst, split_half_reliability
from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows

SYSTEMS = ("a", "b", "c", "d", "e", "f")


def judged(blocks: int, *, noise: float, seed: int = 1) -> list[BlockRow]:
    """Judge blocks of four systems, of which earlier ones are better."""
    random = Random(seed)
    rows = []
    for number in range(blocks):
        shown = random.sample(SYSTEMS, 4)
        seen = [SYSTEMS.index(name) + random.gauss(0, noise) for name in shown]
        answer: TopAnswer = {
            "best": seen.index(min(seen)) + 1,
            "worst": seen.index(max(seen)) + 1,
        }
        labels = best_worst_labels(answer, 4)
        rows.append(
            BlockRow(
                f"judge {number % 5}",
                number // 2,
                [[name] for name in shown],
                labels,
            ),
        )
    return rows


def blocks_of(rows: list[BlockRow]) -> Blocks:
    return blocks_from_rows(rows, SYSTEMS)


def test_score_is_the_share_chosen_best_minus_the_share_chosen_worst() -> None:
    rows = judged(60, noise=2)
    counts: Counter[tuple[str, int | None]] = Counter()
    for row in rows:
        for [system], label in zip(row.candidates, row.labels, strict=True):
            counts[system, label] += 1
    plain = {
        name: (counts[name, 1] - counts[name, 3])
        / sum(counts[name, label] for label in (1, 2, 3))
        for name in SYSTEMS
    }
    found = best_minus_worst(blocks_of(rows))
    assert {row.system: row.score for row in found} == pytest.approx(plain)
    assert all(
        row.low is not None and row.low <= row.score <= (row.high or 0) for row in found
    )


def test_order_of_blocks_changes_no_digit() -> None:
    rows = judged(60, noise=2)
    forth, back = blocks_of(rows), blocks_of(rows[::-1])
    assert best_minus_worst(forth) == best_minus_worst(back)
    assert split_half_reliability(forth) == split_half_reliability(back)


def test_reliability_is_one_without_noise_and_low_for_random_answers() -> None:
    sure = split_half_reliability(blocks_of(judged(300, noise=0)))
    random = split_half_reliability(blocks_of(judged(300, noise=1000)))
    assert sure is not None
    assert sure > 0.95
    assert random is not None
    assert abs(random) < 0.7


def test_one_judge_gives_no_interval() -> None:
    rows = [BlockRow("ann", 1, [["a"], ["b"], ["c"]], [1, 2, 3])]
    assert {row.low for row in best_minus_worst(blocks_of(rows))} == {None}
    assert split_half_reliability(blocks_of(rows)) is None
