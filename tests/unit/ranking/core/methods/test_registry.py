"""What holds for every method of counts."""

import json
from collections.abc import Callable
from dataclasses import asdict, replace

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ranking.core.counting.resampling import LEVELS, Level
from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows
from ranking.core.methods.method import CountsMethod
from ranking.core.methods.registry import METHODS
from ranking.core.rankings.rank import Ranking, rank
from ranking.core.sharding import ThisMachine
from tests.properties import examples
from tests.some_now import some_now

Rows = st.SearchStrategy[list[BlockRow]]
Drawn = Callable[[int], Blocks]

OF_COUNTS = sorted(
    name for name, method in METHODS.items() if isinstance(method, CountsMethod)
)
few = examples(25)


def ranked(rows: list[BlockRow], systems: tuple[str, ...], method: str) -> Ranking:
    return rank(blocks_from_rows(rows, systems), method, resamples=20, seed=5)


@pytest.mark.parametrize("method", some_now(OF_COUNTS, most=3))
@given(data=st.data())
@few
def test_relabelling_systems_permutes_results(
    method: str,
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
    one, other = ranked(rows, systems, method), ranked(renamed, systems, method)
    if method == "lopez":
        assert one.extra["violations"] == other.extra["violations"]
        # Of several optimal orders that of Expected Wins decides, unless that ties, too.
        won = METHODS["expected_wins"].score(blocks_from_rows(rows, systems))
        known = np.round(won.values[won.estimable], 9)
        assume(len(set(known.tolist())) == len(known))
    scores = {new[row.system]: row.score for row in one.systems}
    assert {row.system: row.score for row in other.systems} == pytest.approx(scores)
    reasons = {new[row.system]: row.reason for row in one.not_estimable}
    assert {row.system: row.reason for row in other.not_estimable} == reasons


@pytest.mark.parametrize("method", some_now(OF_COUNTS, most=3))
@given(data=st.data())
@few
def test_the_order_of_rows_changes_no_bit(
    method: str,
    rows_strategy: Rows,
    systems: tuple[str, ...],
    data: st.DataObject,
) -> None:
    rows = data.draw(rows_strategy)
    shuffled = data.draw(st.permutations(rows))
    assert ranked(rows, systems, method) == ranked(shuffled, systems[::-1], method)


@pytest.mark.parametrize("method", some_now(OF_COUNTS, most=3))
@given(data=st.data())
@few
def test_a_dominated_system_never_outranks_its_dominator(
    method: str,
    rows_strategy: Rows,
    systems: tuple[str, ...],
    data: st.DataObject,
) -> None:
    # "worse" is shown with "better" and only then, and is always labelled worse.
    labelled = [
        replace(
            row,
            candidates=[*row.candidates, ("better",), ("worse",)],
            labels=[*row.labels, label, data.draw(st.integers(label + 1, 5))],
        )
        for row in data.draw(rows_strategy)
        for label in [data.draw(st.integers(1, 4))]
    ]
    ranking = ranked(labelled, (*systems, "better", "worse"), method)
    ranks = {row.system: row.rank for row in ranking.systems}
    assume("better" in ranks and "worse" in ranks)
    assert ranks["better"] <= ranks["worse"]
    # Better than all others in a block may be neither.
    assert ranks["better"] < ranks["worse"] or METHODS[method].outright  # type: ignore[attr-defined]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("method", OF_COUNTS)
def test_tables_are_sound(drawn_blocks: Drawn, method: str, level: Level) -> None:
    blocks = drawn_blocks(80)
    if METHODS[method].outright and level == "pairs":  # type: ignore[attr-defined]
        with pytest.raises(ValueError, match="pairs"):
            rank(blocks, method, resample=level, resamples=2)
        return
    ranking = rank(blocks, method, resample=level, resamples=60)
    table = ranking.systems
    assert (ranking.method, ranking.resample) == (method, level)
    scores = np.array([row.score for row in table], dtype=np.float64)
    better = scores[:, np.newaxis] > scores + 1e-8
    assert [row.rank for row in table] == (1 + better.sum(axis=0)).tolist()
    assert len(table) == len(blocks.systems)
    assert all(row.rank_low <= row.rank <= row.rank_high for row in table)
    assert (
        all(row.score is not None and 0 <= row.score <= 1 for row in table)
        or not METHODS[method].is_share
    )
    assert json.loads(json.dumps(asdict(ranking), allow_nan=False))["method"] == method


@pytest.mark.parametrize("method", OF_COUNTS)
def test_threads_and_who_watches_change_no_bit(
    drawn_blocks: Drawn,
    method: str,
) -> None:
    blocks, seen = drawn_blocks(80), []
    alone = rank(blocks, method, resamples=33)
    watched = rank(
        blocks,
        method,
        resamples=33,
        engine=ThisMachine(2),
        progress=lambda done, whole: seen.append((done, whole)),
    )
    assert alone == watched
    assert seen == sorted(seen)
    assert seen[-1] == (33, 33)


@pytest.mark.parametrize("method", OF_COUNTS)
def test_no_judgments_give_no_ranks(method: str) -> None:
    ranking = rank(blocks_from_rows([], ("a", "b")), method, resamples=5)
    assert ranking.systems == ()
    assert [row.system for row in ranking.not_estimable] == ["a", "b"]


def test_parameters_are_recorded_in_full_and_unknown_ones_refused(
    drawn_blocks: Drawn,
) -> None:
    blocks = drawn_blocks(20)
    assert rank(blocks, "bradley_terry", resamples=2).parameters == {"prior": 0.1}
    given_prior = rank(blocks, "bradley_terry", resamples=2, parameters={"prior": 0.5})
    assert given_prior.parameters == {"prior": 0.5}
    with pytest.raises(ValueError, match="no parameter 'sigma'"):
        rank(blocks, "bradley_terry", parameters={"sigma": 1})


@pytest.mark.parametrize(
    ("bad", "named"),
    [({"method": "elo"}, "elo"), ({"resample": "documents"}, "documents"), ({"seed": 1 << 64}, "seed"), ({"resamples": 0}, "resamples")],
)  # fmt: skip
def test_arguments_out_of_range_are_refused(
    drawn_blocks: Drawn,
    bad: dict[str, object],
    named: str,
) -> None:
    with pytest.raises(ValueError, match=named):
        rank(drawn_blocks(2), **bad)  # type: ignore[arg-type]
