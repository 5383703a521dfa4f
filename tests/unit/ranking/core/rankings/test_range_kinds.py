"""Ranges of every kind, and the tests of pairs that go with them.

Resampling of segments and judges has the variance of the closed form.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.stats import binomtest, norm, t

from ranking.core.counting.counts import Layout
from ranking.core.counting.moments import CLUSTER_UNITS, moments_of_blocks
from ranking.core.counting.resampling import Level
from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows
from ranking.core.methods.method import CountsMethod
from ranking.core.methods.registry import METHODS
from ranking.core.methods.shares import expected_wins_influence
from ranking.core.ranges import (
    Correction,
    adjusted,
    pairwise_p_values,
    rank_confidence_sets,
)
from ranking.core.rankings.range_kinds import (
    RANGE_KINDS,
    RangeFinder,
    RangeKind,
    RangeOptions,
    _covariance,
    _share,
    two_way_resampling,
)
from ranking.core.rankings.rank import Ranking, rank
from ranking.core.scores import Scores
from ranking.core.uncertainty import RangeLimit, two_way_covariance
from tests.anytime import anytime_ranges
from tests.worlds import World, draw_campaign, world_named

Drawn = Callable[[int], Blocks]


def widths(ranking: Ranking) -> float:
    return float(np.mean([row.rank_high - row.rank_low + 1 for row in ranking.systems]))


@pytest.fixture(scope="module")
def clustered() -> Blocks:
    return draw_campaign(world_named("100 segments"), 3)[0]


def test_pairs_of_the_sign_test_are_those_of_scipy(clustered: Blocks) -> None:
    ranking = rank(clustered, ranges="sign_test", correction=Correction.HOLM, sides=2)
    assert (ranking.resample, ranking.sides, ranking.correction) == ("pairs", 2, "holm")
    p = []
    for pair in ranking.pairs:
        if pair.wins > pair.losses:
            p.append(binomtest(pair.wins, pair.wins + pair.losses).pvalue)
            assert pair.p_value == pytest.approx(p[-1])
        else:
            # The worse-ranked one won more often: nothing speaks for the order.
            assert pair.p_value == 1
    assert len(ranking.pairs) == 15 * 14 / 2
    for pair in ranking.pairs:
        assert pair.adjusted_p is not None
        assert pair.significant == (pair.adjusted_p <= 0.05)


def test_corrected_p_values_are_of_all_pairs(clustered: Blocks) -> None:
    plain = rank(clustered, resamples=50)
    p = np.array([pair.p_value for pair in plain.pairs])
    assert {(pair.adjusted_p, pair.significant) for pair in plain.pairs} == {
        (None, None),
    }
    # Without a correction, pairs are told apart by Holm.
    np.testing.assert_array_equal(
        [pair.adjusted_p for pair in plain.corrected_pairs],
        adjusted(p, Correction.HOLM),
    )
    for correction in (Correction.HOLM, Correction.BENJAMINI_HOCHBERG):
        corrected = rank(clustered, resamples=50, correction=correction)
        assert [pair.adjusted_p for pair in corrected.pairs] == pytest.approx(
            adjusted(p, correction).tolist(),
        )
        assert corrected.corrected_pairs == corrected.pairs
        # Percentile ranges are of ranks, not of tests.
        assert corrected.systems == plain.systems


def test_pairs_are_listed_by_rank_with_their_comparisons() -> None:
    rows = [
        BlockRow(f"j{k % 5}", k, ["a", "b"], [1, 2 - (k % 4 == 0)]) for k in range(20)
    ]
    (pair,) = rank(blocks_from_rows(rows, "ab")).pairs
    assert (pair.better, pair.worse) == ("a", "b")
    assert (pair.wins, pair.losses, pair.ties) == (15, 0, 5)


def test_anytime_ranges_are_the_widest_and_say_so_for_all_pairs(
    clustered: Blocks,
) -> None:
    ranking = rank(clustered, ranges="anytime")
    assert widths(ranking) > widths(rank(clustered))
    assert (ranking.correction, ranking.resample, ranking.limits) == (
        "holm",
        "two_way",
        (),
    )
    for pair in ranking.pairs:
        assert pair.adjusted_p == pytest.approx(min(1, pair.p_value * 105))
    for row in ranking.systems:
        above = [p for p in ranking.pairs if p.significant and p.worse == row.system]
        assert row.rank_low == 1 + len(above)


def test_anytime_ranges_of_too_little_say_why() -> None:
    rows = [BlockRow("j", k, ["a", "b"], [1, 2]) for k in range(30)]
    ranking = rank(blocks_from_rows(rows, "ab"), ranges="anytime")
    assert ranking.limits == ("few_judges",)
    assert ranking.extra["refusals"] == {"a": ["few_judges"], "b": ["few_judges"]}
    assert [(row.rank_low, row.rank_high) for row in ranking.systems] == [
        (1, 2),
        (1, 2),
    ]


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"ranges": "guess"}, "ranges: expected one of"),
        ({"sides": 3}, "sides: expected one of 1, 2"),
        ({"ranges": "confidence_set", "sides": 1}, "two-sided"),
        ({"ranges": "anytime", "sides": 1}, "two-sided"),
        (
            {"ranges": "confidence_set", "correction": Correction.BENJAMINI_HOCHBERG},
            "holm",
        ),
        ({"ranges": "anytime", "correction": Correction.NONE}, "all pairs together"),
        ({"resample": "documents"}, "resample: expected one of"),
        ({"confidence": 1.0}, "between 0 and 1"),
    ],
)
def test_options_that_do_not_go_together_are_refused(
    options: dict[str, Any],
    problem: str,
) -> None:
    with pytest.raises(ValueError, match=problem):
        RangeOptions.completed(**options)


def test_anytime_ranges_are_of_expected_wins_only(drawn_blocks: Drawn) -> None:
    with pytest.raises(ValueError, match="not bojar"):
        rank(drawn_blocks(9), "bojar", ranges="anytime")


@pytest.mark.parametrize("kind", RANGE_KINDS)
def test_renaming_systems_renames_the_ranges(
    drawn_blocks: Drawn,
    kind: RangeKind,
) -> None:
    blocks = drawn_blocks(150)
    ranking = rank(blocks, ranges=kind, resamples=60)
    names = [f"z{index}" for index in range(len(blocks.systems))][::-1]
    renamed = dict(zip(blocks.systems, names, strict=True))
    order = np.argsort(names)
    turned = Blocks(
        systems=tuple(sorted(names)),
        labels=np.ascontiguousarray(blocks.labels[:, order]),
        candidates=np.ascontiguousarray(blocks.candidates[:, order]),
        judge=blocks.judge,
        judges=blocks.judges,
        segment=blocks.segment,
        key=blocks.key,
    )
    found = rank(turned, ranges=kind, resamples=60)
    assert [(row.system, row.rank_low, row.rank_high) for row in found.systems] == [
        (renamed[row.system], row.rank_low, row.rank_high) for row in ranking.systems
    ]


@pytest.mark.parametrize("names", ["abc", "cba"])
def test_p_value_of_systems_with_one_score_does_not_depend_on_their_names(
    names: str,
) -> None:
    """rpatrik96/hallmark#39: which of two comes first in the alphabet decided whether they differed."""
    one, two, three = tuple(names)
    circle = [(one, two), (two, three), (three, one)]
    rows = []
    for segment in range(6):
        rows += [BlockRow("j", segment, pair, [1, 2]) for pair in circle]
    ranking = rank(blocks_from_rows(rows, "abc"), ranges="sign_test", correction="holm")
    assert [row.rank for row in ranking.systems] == [1, 1, 1]
    assert [pair.p_value for pair in ranking.pairs] == [1, 1, 1]
    assert not any(pair.significant for pair in ranking.pairs)


@pytest.mark.parametrize("method", ["lopez", "hopkins_may"])
def test_methods_without_a_closed_form_have_confidence_sets_from_resamples(
    clustered: Blocks,
    method: str,
) -> None:
    ranking = rank(clustered, method, ranges="confidence_set", resamples=60)
    assert METHODS[method].name == ranking.method
    assert 1 < widths(ranking) < 15
    assert any(pair.significant for pair in ranking.corrected_pairs)


def test_anytime_ranges_take_documents_for_independent_where_they_are_known() -> None:
    blocks, _truth = draw_campaign(world_named("documents"), 2)
    without = rank(replace(blocks, document=None), ranges="anytime")
    assert widths(rank(blocks, ranges="anytime")) > widths(without)
    few = replace(blocks, document=(blocks.segment % 3).astype(np.int32))
    assert rank(few, ranges="anytime").limits == ("few_segments",)


def test_the_spread_of_resamples_is_that_of_numpy_where_all_are_estimable() -> None:
    drawn = np.random.default_rng(4).normal(size=(50, 3)) @ np.array(
        [[1.0, 0.5, 0.0], [0.0, 1.0, 0.3], [0.0, 0.0, 1.0]],
    )
    one = Scores(values=np.zeros(3), estimable=np.ones(3, dtype=np.bool_))
    whole = Scores(values=drawn, estimable=np.ones((50, 3), dtype=np.bool_))
    np.testing.assert_allclose(_covariance(one, whole), np.cov(drawn.T))
    # Of resamples in which a score is not estimable, those of the others remain.
    known = np.ones((50, 3), dtype=np.bool_)
    known[:20, 2] = False
    part = Scores(values=np.where(known, drawn, np.nan), estimable=known)
    found = _covariance(one, part)
    np.testing.assert_allclose(found[:2, :2], np.cov(drawn.T)[:2, :2])
    assert found[2, 2] == pytest.approx(drawn[20:, 2].var(ddof=1))
    never = Scores(
        values=np.array([0, 0, np.nan]),
        estimable=np.array([True, True, False]),
    )
    assert not _covariance(never, whole)[2].any()


@pytest.mark.parametrize(
    ("method", "level"),
    [("expected_wins", "two_way"), ("lopez", "two_way"), ("lopez", "blocks")],
)
def test_progress_is_reported_to_the_end(
    drawn_blocks: Drawn,
    method: str,
    level: Level,
) -> None:
    told: list[tuple[int, int]] = []
    rank(
        drawn_blocks(30),
        method,
        resample=level,
        resamples=40,
        progress=lambda done, of: told.append((done, of)),
    )
    assert told[-1] == (40, 40)
    assert told == sorted(told)
    if method == "lopez":
        assert len(told) > 1


def test_confidence_sets_know_of_few_degrees_of_freedom_and_say_their_limits() -> None:
    blocks, _truth = draw_campaign(
        World(name="few", judges=3, systems=5, blocks=300),
        1,
    )
    ranking = rank(blocks, ranges="confidence_set")
    assert ranking.limits == ("few_judges",)


def test_the_seed_is_that_of_the_resamples(drawn_blocks: Drawn) -> None:
    blocks = drawn_blocks(60)
    levels: tuple[Level, ...] = ("two_way", "blocks")
    for level in levels:
        ranges = {
            tuple((row.rank_low, row.rank_high) for row in ranking.systems)
            for ranking in (
                rank(blocks, "lopez", resample=level, resamples=9, seed=seed)
                for seed in range(8)
            )
        }
        assert len(ranges) > 1


def test_tests_of_anytime_pairs_are_of_the_evidence_for_their_order() -> None:
    blocks, _truth = draw_campaign(World(name="few", systems=5, blocks=60), 3)
    ranking = rank(blocks, ranges="anytime")
    found = anytime_ranges(blocks)
    index = blocks.systems.index
    for pair in ranking.pairs:
        evidence = found.log_evidence[index(pair.better), index(pair.worse)]
        assert pair.p_value == pytest.approx(min(1, np.exp(-evidence)))
        assert pair.adjusted_p == pytest.approx(min(1, 10 * pair.p_value))


def test_anytime_ranges_share_the_error_with_systems_without_a_score() -> None:
    """Seven of twelve systems are yet to be judged: each look spends α/66 on a pair, the first ones too."""
    blocks, _truth = draw_campaign(
        World(name="different", systems=5, spread=40, blocks=400),
        3,
    )
    idle = tuple(f"t{number}" for number in range(7))
    of_all = replace(
        blocks,
        systems=(*blocks.systems, *idle),
        labels=np.pad(blocks.labels, ((0, 0), (0, 7))),
        candidates=np.pad(blocks.candidates, ((0, 0), (0, 7)), constant_values=-1),
    )
    alone, found = rank(blocks, ranges="anytime"), rank(of_all, ranges="anytime")
    assert [row.system for row in found.not_estimable] == list(idle)
    assert [row.system for row in found.systems] == [
        row.system for row in alone.systems
    ]
    assert [pair.p_value for pair in found.pairs] == [
        pair.p_value for pair in alone.pairs
    ]
    assert [pair.adjusted_p for pair in found.pairs] == pytest.approx(
        [min(1, 66 * pair.p_value) for pair in found.pairs],
    )
    # The intervals have the same level, and so have the ranges.
    ranges = anytime_ranges(of_all)
    above = ranges.above[:5, :5]
    index = of_all.systems.index
    for pair in found.pairs:
        assert pair.significant == above[index(pair.better), index(pair.worse)]
    for row in found.systems:
        of_system = index(row.system)
        assert row.rank_low == 1 + above[:, of_system].sum()
        assert row.rank_high == 5 - above[of_system].sum()
    apart = sum(bool(pair.significant) for pair in found.pairs)
    assert 0 < apart < sum(bool(pair.significant) for pair in alone.pairs)


@pytest.mark.parametrize("correction", [Correction.NONE, Correction.HOLM])
def test_confidence_sets_are_those_of_students_t(
    clustered: Blocks,
    correction: Correction,
) -> None:
    """With the scores, covariance and degrees of freedom of the method, by hand."""
    few = clustered.take(slice(0, 200))
    method = METHODS["expected_wins"]
    scores, covariance = method.score(few), method.score_covariance(few)
    found = rank(
        few,
        ranges="confidence_set",
        correction=correction,
        confidence=0.8,
        seed=5,
    )
    expected = rank_confidence_sets(
        scores.values,
        covariance.matrix,
        confidence=0.8,
        simultaneous=correction is Correction.HOLM,
        degrees_of_freedom=covariance.degrees_of_freedom,
        seed=5,
    )
    for row in found.systems:
        at = few.systems.index(row.system)
        assert (row.rank_low, row.rank_high) == (expected.low[at], expected.high[at])
    if correction is Correction.HOLM:
        p = pairwise_p_values(
            scores.values,
            covariance.matrix,
            degrees_of_freedom=covariance.degrees_of_freedom,
            seed=5,
        )
        for pair in found.pairs:
            better, worse = (
                few.systems.index(pair.better),
                few.systems.index(pair.worse),
            )
            assert pair.adjusted_p == p[better, worse]


def test_range_kinds_have_their_units_and_sides() -> None:
    defaults = {
        kind: (options.resample, options.sides, str(options.correction))
        for kind in RANGE_KINDS
        for options in [RangeOptions.completed(ranges=kind)]
    }
    assert defaults == {
        "percentile": ("two_way", 2, "none"),
        "sign_test": ("pairs", 1, "none"),
        "confidence_set": ("two_way", 2, "none"),
        "anytime": ("two_way", 2, "holm"),
    }
    method = METHODS["expected_wins"]
    assert RangeOptions().is_closed_form(method)
    assert not RangeOptions(resample="blocks").is_closed_form(method)
    assert not RangeOptions().is_closed_form(METHODS["lopez"])


@pytest.mark.parametrize("correction", [Correction.NONE, Correction.HOLM])
def test_confidence_sets_do_not_compare_groups(correction: Correction) -> None:
    rows = [
        BlockRow(f"j{k % 6}", k, ["a", "b"], [1, 2] if k > 1 else [2, 1])
        for k in range(60)
    ]
    rows += [
        BlockRow(f"j{k % 6}", k, ["c", "d"], [1 + k % 2, 2 - k % 2]) for k in range(60)
    ]
    ranking = rank(
        blocks_from_rows(rows, "abcd"), "bradley_terry", ranges="confidence_set",
        correction=correction,
    )  # fmt: skip
    assert {(pair.better, pair.worse) for pair in ranking.pairs} == {
        ("a", "b"),
        ("c", "d"),
    }
    ranges = {row.system: (row.rank_low, row.rank_high) for row in ranking.systems}
    assert ranges == {"a": (1, 1), "b": (2, 2), "c": (1, 2), "d": (1, 2)}


def test_ranges_in_closed_form_come_with_errors_and_draws_of_the_seed(
    drawn_blocks: Drawn,
) -> None:
    blocks, method = drawn_blocks(60), METHODS["expected_wins"]
    scores, options = method.score(blocks), RangeOptions(resamples=9)
    found = []
    for seed in range(8):
        finder = RangeFinder(
            judged=blocks,
            method=method,
            parameters={},
            options=options,
            scores=scores,
            seed=seed,
        )
        found.append(finder.find())
    assert found[0].errors is not None
    variance = np.diag(method.score_covariance(blocks).matrix)
    np.testing.assert_array_equal(found[0].errors, np.sqrt(variance))
    assert (
        len({(*one.ranges.low.tolist(), *one.ranges.high.tolist()) for one in found})
        > 1
    )


def test_resampling_has_the_variance_of_the_closed_form() -> None:
    """For a method that could have either: Expected Wins, with shared segments and tastes."""
    blocks, _truth = draw_campaign(
        world_named("100 segments and 10 judges, taste 2.5"),
        5,
    )
    method = METHODS["expected_wins"]
    assert isinstance(method, CountsMethod)
    layout = Layout(len(blocks.systems))
    closed = method.covariance(moments_of_blocks(blocks, layout), layout)
    resampling, limits = two_way_resampling(blocks, seed=1)
    assert (resampling.level, limits) == ("two_way", ())
    assert 0 < resampling.share < 1
    scores = method.score_resamples(blocks, resampling, range(2000)).values
    degrees_of_freedom = closed.rank_degrees_of_freedom
    wanted = np.trace(closed.matrix) * degrees_of_freedom / (degrees_of_freedom - 2)
    assert np.trace(np.cov(scores.T)) == pytest.approx(wanted, rel=0.1)


def test_the_share_resampled_solves_its_equation_between_nought_and_one() -> None:
    share = _share(3.0, 2.0, 2.0)
    assert share * 3 + share**2 * 2 == pytest.approx(2)
    assert (_share(1.0, 1.0, 9.0), _share(0.0, 0.0, 1.0), _share(1.0, 1.0, 0.0)) == (
        1,
        1,
        0,
    )


@pytest.mark.parametrize(
    ("judges", "segments", "level"),
    [(2, 30, "segments"), (30, 2, "judges"), (2, 2, "blocks"), (30, 30, "two_way")],
)
def test_resampling_level_with_few_units(
    judges: int,
    segments: int,
    level: Level,
) -> None:
    rows = [
        BlockRow(
            f"j{k % judges}",
            k // 2 % segments,
            ["a", "b", "c"],
            [1 + k % 3, 2, 3 - k % 2],
        )
        for k in range(60)
    ]
    resampling, limits = two_way_resampling(blocks_from_rows(rows, "abc"), seed=7)
    assert (resampling.level, resampling.seed) == (level, 7)
    assert (RangeLimit.FEW_JUDGES in limits) == (judges == 2)
    assert (RangeLimit.FEW_SEGMENTS in limits) == (segments == 2)


def test_resampling_has_a_share_without_variation() -> None:
    """Infinitely many degrees of freedom: ties only, and judges who agree more than chance."""
    ties = [BlockRow(f"j{k % 6}", k // 6, ["a", "b"], [1, 1]) for k in range(36)]
    assert two_way_resampling(blocks_from_rows(ties, "ab"), seed=0)[0].share == 1
    balanced = [
        BlockRow(f"j{j}", s, ["a", "b"], [1, 2] if (s + j) % 2 else [2, 1])
        for s in range(6)
        for j in range(6)
    ]
    assert two_way_resampling(blocks_from_rows(balanced, "ab"), seed=0)[
        0
    ].share == pytest.approx(0)


def test_the_share_is_that_of_the_variance_that_draws_have() -> None:
    """Student's, with the degrees of freedom of ranks."""
    world = World(name="share", judges=30, systems=5, blocks=200)
    blocks = draw_campaign(world, 1)[0]
    layout = Layout(5)
    moments = moments_of_blocks(blocks, layout)
    influence = expected_wins_influence(layout.unpack(moments.cells).wins)
    influence = influence[:, layout.used]
    closed = two_way_covariance(moments, influence)
    degrees_of_freedom = closed.rank_degrees_of_freedom
    assert degrees_of_freedom > 4
    of = {
        unit: np.trace(influence @ getattr(moments, unit) @ influence.T)
        for unit in CLUSTER_UNITS
    }
    share = two_way_resampling(blocks, seed=0)[0].share
    found = share * (of["segments"] + of["judges"]) + share**2 * of["blocks"]
    assert 0 < share < 1
    assert found == pytest.approx(
        np.trace(closed.matrix) * degrees_of_freedom / (degrees_of_freedom - 2),
    )


def test_resamples_of_ten_judges_have_nine_degrees_of_freedom() -> None:
    # Each judge prefers a to b with a share of their own.
    rows = [
        BlockRow(
            f"j{judge}",
            100 * judge + number,
            ["a", "b"],
            [1, 2] if number < wins else [2, 1],
        )
        for judge, wins in enumerate((19, 21, 30, 26, 24, 22, 29, 33, 26, 22))
        for number in range(40)
    ]
    found = rank(
        blocks_from_rows(rows, "ab"),
        resample="judges",
        resamples=4000,
        ranges="confidence_set",
    )
    [pair] = found.pairs
    error = found.extra["standard_errors"]["values"]["a"]
    ahead = {row.system: row.score for row in found.systems}["a"]
    assert ahead is not None
    statistic = abs(ahead - 0.5) / error
    assert pair.p_value == pytest.approx(2 * t.sf(statistic, 9), rel=0.5)
    assert pair.p_value > 2 * (2 * norm.sf(statistic))
