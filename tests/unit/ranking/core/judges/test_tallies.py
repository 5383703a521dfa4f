"""Attention checks of outputs that are scored one at a time."""

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from annotation.models.judge_measures import JudgeMeasure
from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows
from ranking.core.judges.clicking import reference_margins, reference_preferences
from ranking.core.judges.patterns import KeyedSums, Patterns
from ranking.core.judges.tallies import (
    NO_TIMES,
    JudgeTallies,
    ScoredCheck,
    ScoredOutput,
    median_times_of_tallies,
    tally_judges,
    tally_scored_checks,
    tally_times,
)
from ranking.reports.judge_measures import measures_of_tallies
from tests.properties import examples
from tests.unit.ranking.core.judges import by_block


def counted(*times: float) -> list[tuple[int, int]]:
    found = tally_times(np.zeros(len(times), dtype=np.int64), np.array(times))
    milliseconds = found.columns()[1]
    return list(zip(milliseconds.tolist(), found.values[:, 0].tolist(), strict=True))


def test_times_are_counted_to_three_significant_digits() -> None:
    assert counted(0.0, 0.0004, 0.9994) == [(0, 2), (999, 1)]
    assert counted(0.9996, 1.0, 1.004, 1.005) == [(1000, 3), (1010, 1)]
    assert counted(9.994, 9.996, 10.04, 10.06) == [(9990, 1), (10_000, 2), (10_100, 1)]
    assert counted(86_399.9, float("nan")) == [(86_400_000, 1)]


@given(
    st.lists(
        st.tuples(
            st.integers(0, 2),
            st.integers(0, 999).map(lambda number: number / 10),
        ),
        max_size=40,
    ),
    st.sampled_from([0.8, 0.95]),
)
def test_the_median_and_its_interval_are_those_of_the_ordered_times(
    rows: list[tuple[int, float]],
    confidence: float,
) -> None:
    judge = np.array([index for index, _time in rows], dtype=np.int64)
    seconds = np.array([time for _index, time in rows], dtype=np.float64)
    found = median_times_of_tallies(
        tally_times(judge, seconds),
        3,
        confidence=confidence,
    )
    for index, median in enumerate(found):
        own = np.sort(seconds[judge == index])
        if not len(own):
            assert median is None
            continue
        assert median is not None
        assert median.blocks == len(own)
        assert median.seconds == pytest.approx(np.median(own), rel=1e-12)
        below = int(binom.ppf((1 - confidence) / 2, len(own), 0.5))
        if len(own) == 5:  # the range of all, each end of which errs in 1 of 32
            below = max(below, 1)
        ends = (own[below - 1], own[len(own) - below]) if below else (None, None)
        assert (median.low, median.high) == pytest.approx(ends)


def test_no_judges_have_no_median() -> None:
    assert median_times_of_tallies(NO_TIMES, 0) == []
    assert median_times_of_tallies(NO_TIMES, 1) == [None]


NAMES = ("anna", "bert", "cilla", "dora", "emil", "_ref")
REFERENCE = "_ref"

Judged = tuple[BlockRow, float]


def columns(rows: Sequence[BlockRow], systems: Sequence[str] = NAMES) -> Blocks:
    return blocks_from_rows(rows, systems)


def tallied(rows: Sequence[Judged], checks: Sequence[BlockRow] = ()) -> JudgeTallies:
    seconds: dict[str, list[float]] = {}
    for row, time in rows:
        seconds.setdefault(row.judge, []).append(time)
    return tally_judges(
        columns([row for row, _time in rows]),
        reference=REFERENCE,
        attention=columns(checks),
        bad_reference=REFERENCE,
        seconds={judge: np.array(times) for judge, times in seconds.items()},
    )


def patterns(
    sums: KeyedSums,
    judges: Sequence[str],
) -> Counter[tuple[str, tuple[int, ...], int]]:
    found = Patterns.of(sums)
    return Counter(
        {
            (judges[judge], tuple(count for count in used if count), detail): blocks
            for judge, used, detail, blocks in zip(
                found.judge.tolist(),
                found.used.tolist(),
                found.detail.tolist(),
                found.blocks.tolist(),
                strict=True,
            )
        },
    )


def assert_counted(found: JudgeTallies, rows: Sequence[BlockRow]) -> None:
    """Compare the tallies of rows with those counted block by block."""
    assert patterns(found.lines, found.judges) == by_block.lines(rows)
    assert patterns(found.places, found.judges) == by_block.places(rows, REFERENCE)
    judge, *keys = found.positions.columns()
    assert {
        (found.judges[row[0]], *row[1:]): values
        for row, values in zip(
            np.stack([judge, *keys], axis=1).tolist(),
            found.positions.values.tolist(),
            strict=True,
        )
    } == by_block.positions(rows)
    sums: dict[str, list[int]] = {}
    for (name, _segment), (pairs, agreeing) in by_block.repeats(rows).items():
        of = [1, pairs, agreeing, pairs**2, pairs * agreeing, agreeing**2]
        sums[name] = [a + b for a, b in zip(sums.get(name, [0] * 6), of, strict=True)]
    repeats = found.repeats
    assert {
        found.judges[index]: values
        for index, values in zip(
            repeats.judge.tolist(),
            repeats.values.tolist(),
            strict=True,
        )
    } == sums


@given(data=st.data())
def test_tallies_are_those_counted_block_by_block(
    data: st.DataObject,
    rows_strategy: Any,
) -> None:
    rows = data.draw(rows_strategy)
    assert_counted(tallied([(row, 1.0) for row in rows]), rows)


def test_so_they_are_in_parts_and_with_candidates_that_share_systems(
    monkeypatch: pytest.MonkeyPatch,
    drawn_rows: Callable[[int], list[BlockRow]],
) -> None:
    rows = drawn_rows(300)
    whole = tally_judges(columns(rows), reference=REFERENCE)
    assert_counted(whole, rows)
    monkeypatch.setattr("ranking.core.judges.patterns._BLOCKS_AT_A_TIME", 7)
    monkeypatch.setattr("ranking.core.agreement.units._BLOCKS_AT_A_TIME", 11)
    assert tally_judges(columns(rows), reference=REFERENCE) == whole


@pytest.mark.parametrize("shown", [2, 18, 19, 20, 21, 26])
def test_long_blocks_are_counted_like_short_ones(shown: int) -> None:
    random = np.random.default_rng(shown)
    systems = [f"s{number:02d}" for number in range(69)] + [REFERENCE]
    rows = []
    for number in range(40):
        names = [
            *random.choice(systems[:-1], shown - 1, replace=False).tolist(),
            REFERENCE,
        ]
        # Another system than the last 64, so that one number of 64 bits does not tell all sets.
        candidates = [(name, "twin") if name == "s01" else (name,) for name in names]
        labels = [int(label) or None for label in random.integers(0, 6, shown)]
        rows.append(BlockRow(f"j{number % 3}", number % 2, candidates, labels))
    blocks = columns(rows, [*systems, "twin"])
    assert_counted(tally_judges(blocks, reference=REFERENCE), rows)


@pytest.mark.thorough
@examples(60)
@given(data=st.data())
def test_any_history_adds_up_to_the_tallies_of_what_stands(
    data: st.DataObject,
    rows_strategy: Any,
) -> None:
    times = st.sampled_from([0.4, 12.345, 12.349, 99.95, float("nan")])
    pool = [(row, data.draw(times)) for row in data.draw(rows_strategy)]
    checks = data.draw(rows_strategy)
    standing: set[int] = set()
    checked: set[int] = set()
    state = JudgeTallies()
    for _step in range(data.draw(st.integers(1, 5))):
        toggled = (
            set(data.draw(st.lists(st.integers(0, len(pool) - 1)))) if pool else set()
        )
        met = (
            set(data.draw(st.lists(st.integers(0, len(checks) - 1))))
            if checks
            else set()
        )
        after, checked_after = standing ^ toggled, checked ^ met
        touched = {(pool[row][0].judge, pool[row][0].segment) for row in toggled}

        def tallies(
            rows: set[int],
            met: set[int],
            touched: set[tuple[str, int]] = touched,
        ) -> JudgeTallies:
            of_touched = [
                pool[row]
                for row in rows
                if (pool[row][0].judge, pool[row][0].segment) in touched
            ]
            return tallied(of_touched, [checks[row] for row in met])

        state = (
            state
            - tallies(standing, checked & met)
            + tallies(after, checked_after & met)
        )
        standing, checked = after, checked_after
        wanted = tallied(
            [pool[row] for row in sorted(standing, reverse=True)],
            [checks[row] for row in checked],
        )
        assert state == wanted
        assert state.judges == wanted.judges
    for judge in state.judges:
        assert (state - state.only([judge])).changed_from(state) == {judge}
    assert state - state == JudgeTallies()


def test_difference_of_tallies_names_changed_judges() -> None:
    ann = BlockRow("ann", 1, [("anna",), ("bert",)], [1, 2])
    bob = BlockRow("bob", 1, [("anna",), ("bert",)], [1, 2])
    before, after = tallied([(ann, 1.0), (bob, 1.0)]), tallied([(ann, 1.0), (bob, 2.0)])
    assert after.changed_from(before) == {"bob"}
    assert after.changed_from(tallied([(bob, 2.0)])) == {"ann"}
    assert not after.changed_from(after)
    assert before != after
    assert before.only(["ann"]) == after.only(["ann"]) == tallied([(ann, 1.0)])
    assert before.only(["nobody"]) == JudgeTallies()


def test_names_may_come_in_any_order_and_absent_judges_are_left_out() -> None:
    ann = BlockRow("ann", 1, [("anna",), ("bert",), ("dora",)], [1, 2, 3])
    bob = BlockRow("bob", 1, [("anna",), ("bert",)], [1, 1])
    blocks = columns([ann, bob])
    turned = Blocks(
        systems=blocks.systems,
        labels=blocks.labels,
        candidates=blocks.candidates,
        judge=np.array([2, 1], dtype=np.int32),
        judges=("zoe", "bob", "ann"),
        segment=blocks.segment,
        key=blocks.key,
    )
    assert tally_judges(turned) == tally_judges(blocks)
    assert tally_judges(turned).judges == ("ann", "bob")


def test_an_unknown_reference_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown reference 'nobody'"):
        tally_judges(columns([]), reference="nobody")


def test_tallies_are_arrays_of_whole_numbers_and_names(
    drawn_rows: Callable[[int], list[BlockRow]],
) -> None:
    found = tallied([(row, 3.0) for row in drawn_rows(50)])
    arrays = {name: (sums.code, sums.values) for name, sums in found.sums().items()}
    assert {array.dtype.name for pair in arrays.values() for array in pair} == {"int64"}
    nothing = JudgeTallies().sums()
    again = {name: KeyedSums(nothing[name].bits, *arrays[name]) for name in nothing}
    assert JudgeTallies(found.judges, **again) == found


def test_checks_count_the_damaged_reference_with_best_and_worst_exchanged() -> None:
    shown = [("anna",), ("bert",), (REFERENCE,)]
    checks = [BlockRow("j", 1, shown, [1, 3, 5]), BlockRow("j", 2, shown, [2, 1, 1])]
    exchanged = [BlockRow("j", 1, shown, [5, 3, 1]), BlockRow("j", 2, shown, [4, 5, 5])]
    as_places = tally_judges(columns(exchanged), reference=REFERENCE).places
    assert tallied([], checks).damaged_places == as_places


def check(score: float, *others: tuple[str, float], judge: str = "ada") -> ScoredCheck:
    """Return a check beside outputs of these systems, the nearest first; several by name “A B”."""
    return ScoredCheck(
        judge=judge,
        segment=1,
        score=score,
        others=[ScoredOutput(tuple(names.split()), given) for names, given in others],
    )


def preference(*checks: ScoredCheck):  # type: ignore[no-untyped-def]
    tallies = tally_scored_checks(checks)
    margins = reference_margins(tallies.damaged_places, len(tallies.judges))
    [found] = reference_preferences(margins)
    return found


def test_the_damaged_text_is_compared_with_the_nearest_outputs_of_different_systems() -> (
    None
):
    # B's second output and A's are passed over, and so is the fifth system.
    beside = [
        ("A", 80),
        ("B", 10),
        ("B", 90),
        ("A C", 5),
        ("C", 30),
        ("D", 20),
        ("E", 0),
    ]
    found = preference(check(20, *beside))
    # Lower than A and C, as low as D, higher than B.
    assert (found.comparisons, found.preferred, found.tied) == (4, 2, 1)
    assert found.share == 0.5


def test_the_lowest_of_four_has_one_chance_in_four() -> None:
    low = check(20, ("A", 80), ("B", 60), ("C", 90))
    assert preference(low).p_random == pytest.approx(1 / 4)
    assert preference(low, low).p_random == pytest.approx(1 / 16)
    assert preference(low).share == 1
    high = check(95, ("A", 80), ("B", 60), ("C", 90))
    assert preference(high).p_random == pytest.approx(1)
    assert preference(high).share == 0


def test_equal_scores_say_nothing_of_clicking() -> None:
    assert preference(check(50, ("A", 50), ("B", 50))).p_random == pytest.approx(1)


def test_checks_with_nothing_beside_them_tell_nothing() -> None:
    assert tally_scored_checks([]) == JudgeTallies()
    assert measures_of_tallies(tally_scored_checks([check(10)])) == {"ada": {}} or not (
        tally_scored_checks([check(10)]).judges
    )


def test_careless_scorer_passes_at_most_at_the_level() -> None:
    random = np.random.default_rng(1)
    names = [f"S{place}" for place in range(6)]
    checks = [
        check(
            round(random.normal(60, 20)),
            *(
                (name, round(random.normal(60, 20)))
                for name in random.permutation(names)
            ),
            judge=f"judge {judge:03}",
        )
        for judge in range(400)
        for _check in range(6)
    ]
    found = measures_of_tallies(tally_scored_checks(checks))
    p_values = np.array(
        [
            results[JudgeMeasure.BAD_REFERENCE_RANDOM].value
            for results in found.values()
        ],
    )
    assert len(p_values) == 400
    for level in (0.05, 0.2):
        # Within three standard errors of a share of 400 judges.
        assert np.mean(p_values <= level) <= level + 3 * np.sqrt(
            level * (1 - level) / 400,
        )
    assert np.mean(p_values <= 0.2) >= 0.1
