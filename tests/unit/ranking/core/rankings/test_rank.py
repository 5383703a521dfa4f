"""Ranges that hold at any time beside those of another method, from what was counted for it.

Effective numbers of segments and judges: by hand, and against the moments they stand for.
"""

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.core.counting.moments import moments_of_blocks
from ranking.core.counting.resampling import Level
from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows
from ranking.core.methods.method import CountsMethod
from ranking.core.methods.registry import METHODS, method_named
from ranking.core.rankings.counted_judgments import (
    EffectiveUnits,
    count_judgments,
    effective_units,
)
from ranking.core.rankings.rank import Ranking, rank, rank_at_any_time

Rows = st.SearchStrategy[list[BlockRow]]


def pair(one: str, first: int, other: str, second: int, segment: int = 1) -> BlockRow:
    return BlockRow("j", segment, [(one,), (other,)], [first, second])


def ranked(
    rows: list[BlockRow],
    systems: tuple[str, ...],
    seed: int = 0,
    **options: Any,
) -> Ranking:
    return rank(blocks_from_rows(rows, systems), resamples=40, seed=seed, **options)


def test_a_hand_worked_ranking() -> None:
    # a beats b 29:1, both beat c 30:0, and a ties with c once.
    rows = [BlockRow("j1", i, ["a", "b", "c"], [1, 2, 3]) for i in range(1, 30)]
    rows += [BlockRow("j2", 30, ["c", "a", "b"], [3, 2, 1]), pair("a", 1, "c", 1)]
    ranking = rank(blocks_from_rows(rows, "abc"))
    table = [
        (row.system, row.rank, row.rank_low, row.rank_high, row.cluster)
        for row in ranking.systems
    ]
    assert table == [("a", 1, 1, 1, 1), ("b", 2, 2, 2, 2), ("c", 3, 3, 3, 3)]
    scores = {row.system: row.score for row in ranking.systems}
    assert scores == pytest.approx(
        {"a": (29 / 30 + 1) / 2, "b": (1 / 30 + 1) / 2, "c": 0},
    )
    counts = [(row.wins, row.losses, row.ties) for row in ranking.systems]
    assert counts == [(59, 1, 1), (31, 29, 0), (0, 60, 1)]
    assert (ranking.blocks, ranking.comparisons, ranking.ties, ranking.judges) == (
        31,
        91,
        1,
        3,
    )
    assert ranking.groups == (("a", "b", "c"),)
    assert (ranking.method, ranking.resample) == ("expected_wins", "two_way")


def test_standard_errors_are_told_where_a_method_has_any() -> None:
    rows = [pair("a", 1, "b", 2, i) for i in range(20)] + [pair("a", 2, "b", 1, 20)]
    errors = ranked(rows, ("a", "b")).extra["standard_errors"]
    assert errors["clusters"] == "two_way"
    assert {name for name, error in errors["values"].items() if error > 0} == {"a", "b"}
    assert "standard_errors" not in ranked(rows, ("a", "b"), method="lopez").extra


def test_systems_that_cannot_be_told_apart_share_a_range_and_a_cluster() -> None:
    rows = [pair("a", 1, "b", 2, i) for i in range(10)]
    rows += [pair("a", 2, "b", 1, i) for i in range(10, 20)]
    ranking = rank(blocks_from_rows(rows, "ab"))
    assert [(row.rank_low, row.rank_high, row.cluster) for row in ranking.systems] == [
        (1, 2, 1),
    ] * 2


def test_systems_without_decided_comparisons_are_listed_apart_with_the_reason() -> None:
    rows = [pair("a", 1, "b", 2), pair("a", 1, "c", 1)]
    ranking = ranked(rows, ("a", "b", "c", "d"))
    assert [row.system for row in ranking.systems] == ["a", "b"]
    assert [(row.system, row.reason, row.ties) for row in ranking.not_estimable] == [
        ("c", "only_ties", 1),
        ("d", "no_comparison", 0),
    ]


def test_systems_never_compared_even_indirectly_are_in_different_groups() -> None:
    ranking = ranked(
        [pair("a", 1, "d", 2), pair("c", 1, "b", 2)],
        ("a", "b", "c", "d", "e"),
    )
    assert ranking.groups == (("a", "d"), ("b", "c"))


@pytest.mark.parametrize("resample", ["two_way", "judges"])
@pytest.mark.parametrize(
    ("judges", "segments"),
    [(1, 20), (2, 20), (4, 20), (2, 3)],
)
def test_ranges_of_ties_only_have_the_limits_of_other_ranges(
    judges: int,
    segments: int,
    resample: str,
) -> None:
    limits = set()
    for labels in ([1, 1], [1, 2]):
        rows = [
            BlockRow(f"j{judge}", segment, ["a", "b"], labels)
            for judge in range(judges)
            for segment in range(segments)
        ]
        limits.add(ranked(rows, ("a", "b"), resample=resample).limits)
    assert len(limits) == 1


@pytest.mark.parametrize("seed", range(20))
def test_a_range_holds_the_rank_even_where_hardly_any_resample_has_it(
    seed: int,
) -> None:
    """At a confidence of next to nothing, percentiles are one rank: too good, or too bad."""
    rows = [
        BlockRow("j0", 2, ["c", "a", "b"], [2, 1, 3]),
        BlockRow("j1", 3, ["c", "b", "a"], [3, 1, 3]),
        BlockRow("j0", 3, ["a", "c", "b"], [2, 2, 1]),
    ]
    table = ranked(
        rows,
        ("a", "b", "c"),
        seed,
        resample="blocks",
        confidence=0.05,
    ).systems
    assert all(row.rank_low <= row.rank <= row.rank_high for row in table)


@pytest.mark.parametrize("method", ["geq_others", "expected_wins"])
def test_ties_connect_systems_for_every_method(method: str) -> None:
    rows = [pair("a", 1, "b", 2), pair("c", 1, "d", 2), pair("b", 1, "c", 1)]
    found = rank(blocks_from_rows(rows, "abcd"), method, resamples=20)
    assert found.groups == (("a", "b", "c", "d"),)


@given(data=st.data())
def test_the_order_of_rows_and_systems_changes_no_bit(
    rows_strategy: Rows,
    systems: tuple[str, ...],
    data: st.DataObject,
) -> None:
    rows = data.draw(rows_strategy)
    shuffled = data.draw(st.permutations(rows))
    assert ranked(rows, systems) == ranked(shuffled, tuple(reversed(systems)))


@pytest.mark.thorough
@given(data=st.data())
def test_unjudged_system_does_not_change_the_others(
    rows_strategy: Rows,
    systems: tuple[str, ...],
    data: st.DataObject,
) -> None:
    rows = data.draw(rows_strategy)
    assert (
        ranked(rows, systems).systems == ranked(rows, (*systems, "a newcomer")).systems
    )


@pytest.mark.thorough
@given(data=st.data())
def test_relabelling_systems_permutes_scores(
    rows_strategy: Rows,
    systems: tuple[str, ...],
    data: st.DataObject,
) -> None:
    rows = data.draw(rows_strategy)
    new = dict(zip(systems, data.draw(st.permutations(systems)), strict=True))
    renamed = [
        replace(
            row,
            candidates=[tuple(new[name] for name in c) for c in row.candidates],
        )
        for row in rows
    ]
    scores = {new[row.system]: row.score for row in ranked(rows, systems).systems}
    assert {
        row.system: row.score for row in ranked(renamed, systems).systems
    } == pytest.approx(scores)


@pytest.mark.parametrize(
    "bad",
    [{"resamples": 0}, {"confidence": 1.0}, {"confidence": 95.0}, {"seed": -1}],
)
def test_arguments_out_of_range_are_refused(bad: dict[str, Any]) -> None:
    blocks = blocks_from_rows([pair("a", 1, "b", 2)], "ab")
    with pytest.raises(ValueError, match=next(iter(bad))):
        rank(blocks, **bad)


@pytest.mark.parametrize("level", ["blocks", "pairs"])
def test_following_the_progress_changes_no_bit(
    drawn_blocks: Callable[[int], Blocks],
    level: Level,
) -> None:
    """Davidson's steps end when all resamples scored together have converged."""
    blocks = drawn_blocks(80)

    def of_all(progress: Callable[[int, int], None] | None) -> Ranking:
        return rank(
            blocks,
            "bradley_terry",
            resample=level,
            resamples=300,
            progress=progress,
        )

    told: list[tuple[int, int]] = []
    assert of_all(lambda done, of: told.append((done, of))) == of_all(None)
    assert told[-1] == (300, 300)


@given(data=st.data())
def test_tables_do_not_contradict_themselves(
    rows_strategy: Rows,
    systems: tuple[str, ...],
    data: st.DataObject,
) -> None:
    ranking = ranked(data.draw(rows_strategy), systems)
    table = ranking.systems
    for number, group in enumerate(ranking.groups, 1):
        rows = [row for row in table if row.group == number]
        assert {row.system for row in rows} == set(group)
        assert all(1 <= row.rank_low <= row.rank <= row.last_rank for row in rows)
        assert all(row.last_rank <= row.rank_high <= len(rows) for row in rows)
        assert sum(range(1, len(rows) + 1)) == sum(
            (row.rank + row.last_rank) / 2 for row in rows
        )
        for better, worse in pairwise(rows):
            assert (better.rank, better.last_rank) == (worse.rank, worse.last_rank) or (
                worse.rank == better.last_rank + 1
            )
            if better.score is not None and worse.score is not None:
                assert better.score > worse.score - 1e-11
            assert worse.cluster - better.cluster in (0, 1)
            assert (worse.cluster > better.cluster) <= (
                worse.rank_low > better.rank_high
            )
    assert sum(row.wins for row in table) == sum(row.losses for row in table)
    assert sum(row.wins for row in table) + ranking.ties == ranking.comparisons
    names = {row.system for row in table} | {
        row.system for row in ranking.not_estimable
    }
    assert names == set(systems)


COUNTED = [name for name, method in METHODS.items() if isinstance(method, CountsMethod)]


@pytest.mark.parametrize("name", COUNTED)
@pytest.mark.parametrize("documents", [0, 2, 20])
def test_they_are_those_of_a_ranking_of_their_own_bit_for_bit(
    drawn_blocks: Callable[[int], Blocks],
    name: str,
    documents: int,
) -> None:
    blocks = drawn_blocks(400).without(["_ref"])
    if documents:
        blocks = replace(blocks, document=(blocks.segment % documents).astype(np.int32))
    method = METHODS[name]
    assert isinstance(method, CountsMethod)
    counted = count_judgments(blocks, method, keeps="two_way", resamples=0, seed=0)
    found = rank_at_any_time(counted, confidence=0.9)
    expected = rank(blocks, "expected_wins", ranges="anytime", confidence=0.9)
    assert found is not None
    assert found.systems == expected.systems
    assert found.pairs == expected.pairs
    assert found.extra["refusals"] == expected.extra["refusals"]


def test_without_moments_there_are_none(drawn_blocks: Callable[[int], Blocks]) -> None:
    method = METHODS["expected_wins"]
    assert isinstance(method, CountsMethod)
    counted = count_judgments(
        drawn_blocks(50),
        method,
        keeps="segments",
        resamples=10,
        seed=0,
    )
    assert rank_at_any_time(counted) is None


THREE = [["A"], ["B"], ["C"]]


def row(judge: str, segment: int, labels: list[int | None]) -> BlockRow:
    return BlockRow(judge=judge, segment=segment, candidates=THREE, labels=labels)


def test_by_hand() -> None:
    blocks = blocks_from_rows(
        # Decided comparisons: 3 and 2 of segment 1, 1 of segment 2; 4 of ann, 2 of bob.
        [
            row("ann", 1, [1, 2, 3]),
            row("bob", 1, [1, 1, 2]),
            row("ann", 2, [1, None, 2]),
        ],
        ["A", "B", "C"],
    )
    found = effective_units(blocks, METHODS["expected_wins"])
    assert found.segments == pytest.approx(6**2 / (5**2 + 1**2))
    assert found.judges == pytest.approx(6**2 / (4**2 + 2**2))


def test_equal_shares_are_as_many_as_there_are() -> None:
    blocks = blocks_from_rows(
        [
            row(f"j{judge}", segment, [1, 2, 3])
            for judge in range(5)
            for segment in range(7)
        ],
        ["A", "B", "C"],
    )
    found = effective_units(blocks, METHODS["expected_wins"])
    assert found.segments == pytest.approx(7)
    assert found.judges == pytest.approx(5)


def test_without_comparisons_there_are_none() -> None:
    tied = blocks_from_rows([row("ann", 1, [2, 2, 2])], ["A", "B", "C"])
    nothing = blocks_from_rows([], ["A", "B", "C"])
    for blocks in (tied, nothing):
        assert effective_units(blocks, METHODS["expected_wins"]) == EffectiveUnits(
            0.0,
            0.0,
        )


@pytest.mark.parametrize("method", ["expected_wins", "bradley_terry"])
def test_they_are_those_of_the_moments(method: str) -> None:
    generator = np.random.default_rng(5)
    blocks = blocks_from_rows(
        [
            row(
                f"j{generator.integers(4)}",
                int(generator.integers(30)),
                generator.integers(1, 4, size=3).tolist(),
            )
            for _ in range(1500)
        ],
        ["A", "B", "C"],
    )
    chosen = method_named(method)
    moments = moments_of_blocks(blocks, chosen.layout(3))
    found = effective_units(blocks, chosen)
    assert found.segments == pytest.approx(moments.effective("segments"), rel=1e-12)
    assert found.judges == pytest.approx(moments.effective("judges"), rel=1e-12)


def _chain(systems: str, judges: int, segments: int) -> list[BlockRow]:
    """Return blocks in which each system beats the next, and the last one sometimes the first."""
    rows = []
    for segment in range(1, segments + 1):
        ranks = [1, 2, 3]
        if segment % 5 == 0:
            ranks = [3, 2, 1]
        judge = f"{systems} {segment % judges}"
        rows.append(BlockRow(judge, segment, list(systems), ranks))
    return rows


def test_group_without_ranges_does_not_limit_those_of_other_groups() -> None:
    """The ranges of a, b and c account for judges, and those of d and e do not exist yet."""
    rows = [*_chain("abc", 6, 60), pair("d", 1, "e", 2), pair("e", 1, "d", 2)]
    ranking = rank(blocks_from_rows(rows, "abcde"))
    assert set(ranking.shortages) == {"d", "e"}
    assert ranking.limits == ()


def test_limits_of_a_group_with_ranges_are_kept() -> None:
    rows = [*_chain("abc", 6, 60), *_chain("def", 2, 60)]
    assert rank(blocks_from_rows(rows, "abcdef")).limits == ("few_judges",)
