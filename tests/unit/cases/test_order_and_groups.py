"""Groups that nothing compares, and ranks that equal systems share."""

import csv
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows
from ranking.core.methods.registry import METHODS
from ranking.core.rankings.rank import rank
from ranking.core.scores import Scores, shared_ranks

CASES = Path(__file__).parents[2] / "data" / "cases" / "rankings"
FAST = sorted(
    {"expected_wins", "bojar", "geq_others", "gt_others", "lopez", "bradley_terry"},
)


def blocks_of(name: str) -> Blocks:
    with (CASES / name).open(newline="") as file:
        rows = [
            BlockRow(
                judge=row["judgeId"],
                segment=int(row["segmentId"]),
                candidates=[[row[f"system{slot}Id"]] for slot in range(1, 6)],
                labels=[int(row[f"system{slot}rank"]) for slot in range(1, 6)],
            )
            for row in csv.DictReader(file)
        ]
    systems = {name for row in rows for each in row.candidates for name in each}
    return blocks_from_rows(rows, sorted(systems))


@pytest.mark.parametrize("method", sorted(METHODS))
def test_systems_with_only_ties_share_all_ranks(method: str) -> None:
    found = rank(blocks_of("allties.csv"), method, resamples=40)
    assert not found.not_estimable
    assert [(row.rank, row.last_rank, row.cluster) for row in found.systems] == [
        (1, 5, 1),
    ] * 5
    assert len(found.pairs) == 10
    assert not any(pair.significant for pair in found.pairs)


@pytest.mark.parametrize("method", FAST)
def test_equal_scores_share_a_rank(method: str) -> None:
    found = rank(blocks_of("negkappa.csv"), method, resamples=40)
    assert {(row.rank, row.last_rank) for row in found.systems} == {(1, 5)}


@pytest.mark.parametrize("method", FAST)
def test_group_is_ranked_from_its_judgments_only(method: str) -> None:
    blocks = blocks_of("disconnected.csv")
    found = rank(blocks, method, resamples=40)
    assert len(found.groups) == 2
    for number, group in enumerate(found.groups, 1):
        rows = [row for row in found.systems if row.group == number]
        alone = rank(
            blocks.without(set(blocks.systems).difference(group)),
            method,
            resamples=40,
        )
        assert {row.system for row in rows} == set(group)
        assert [(row.system, row.rank, row.score) for row in rows] == [
            (row.system, row.rank, row.score) for row in alone.systems
        ]
        assert rows[0].rank == 1
    of = {name: number for number, group in enumerate(found.groups) for name in group}
    assert all(of[pair.better] == of[pair.worse] for pair in found.pairs)


@pytest.mark.thorough
@given(
    st.lists(
        st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(1, 2)).filter(
            lambda each: each[0] != each[1],
        ),
        min_size=1,
        max_size=12,
    ),
    st.permutations(range(6)),
)
def test_renaming_systems_renames_groups_and_ranks(
    judged: list[tuple[int, int, int]],
    order: list[int],
) -> None:
    def found(
        names: list[str],
    ) -> tuple[set[frozenset[int]], dict[int, tuple[int, int]]]:
        rows = [
            BlockRow("j", number, [[names[one]], [names[other]]], [1, label])
            for number, (one, other, label) in enumerate(judged)
        ]
        ranking = rank(blocks_from_rows(rows, sorted(names)), resamples=40)
        place = {name: number for number, name in enumerate(names)}
        groups = {frozenset(place[name] for name in group) for group in ranking.groups}
        for number, group in enumerate(ranking.groups, 1):
            members = [row for row in ranking.systems if row.group == number]
            assert {row.system for row in members} == set(group)
            assert min(row.rank for row in members) == 1
        return groups, {
            place[row.system]: (row.rank, row.last_rank) for row in ranking.systems
        }

    assert found([f"s{number}" for number in range(6)]) == found(
        [f"s{each}" for each in order],
    )


def test_rounding_errors_do_not_split_equal_scores() -> None:
    """Both sums are 0.6; rounding to a number of decimals could set them apart."""
    values = np.array([0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1, 0.5])
    first, last = shared_ranks(
        Scores(values=values, estimable=np.ones(3, dtype=np.bool_)),
    )
    assert (first.tolist(), last.tolist()) == ([1, 1, 3], [2, 2, 3])
