from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

from ranking.core.anytime import (
    MIXTURE,
    Refusal,
    anytime_ranges_of_moments,
    difference_variances,
    half_width,
    log_evidence,
    log_evidence_of_rate,
    scores_and_influence,
    separated,
)
from ranking.core.counting.counts import Layout, tally
from ranking.core.counting.moments import (
    ClusterUnit,
    Moments,
    effective_units_by_system,
    moments_of_blocks,
)
from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows
from ranking.core.ranges import better
from ranking.core.uncertainty import clustered_covariance
from tests.anytime import anytime_ranges
from tests.benchmarks.growing_campaign import Growing, Setting, looks
from tests.some_now import some_now
from tests.worlds import World, draw_campaign, world_named

FloatArray = npt.NDArray[np.float64]


def evidence(difference: float, variance: float, degrees_of_freedom: float) -> float:
    return float(
        np.exp(
            log_evidence(
                np.array(difference),
                np.array(variance),
                np.array(degrees_of_freedom),
            ),
        ),
    )


def test_a_difference_of_three_standard_errors_worked_by_hand() -> None:
    # r = 0.01 / (0.01 + 0.1²) = ½, t² = 9: √½ · (2 / 1.5)^5.
    assert evidence(0.3, 0.01, 9) == pytest.approx(0.5**0.5 * (4 / 3) ** 5)
    assert evidence(0.0, 0.01, 9) == pytest.approx(0.5**0.5)


@pytest.mark.parametrize(
    ("difference", "variance", "degrees_of_freedom"),
    [(0.3, 0.01, 9), (0.1, 0.004, 4)],
)
def test_anytime_statistic_equals_mixture_of_noncentral_t_densities(
    difference: float,
    variance: float,
    degrees_of_freedom: float,
) -> None:
    t, spread = difference / variance**0.5, MIXTURE / variance**0.5
    mixed, _ = integrate.quad(
        lambda shift: (
            stats.nct.pdf(t, degrees_of_freedom, shift)
            * stats.norm.pdf(shift, 0, spread)
        ),
        -9 * spread,
        9 * spread,
    )
    expected = mixed / stats.t.pdf(t, degrees_of_freedom)
    assert evidence(difference, variance, degrees_of_freedom) == pytest.approx(
        expected,
        rel=1e-6,
    )


def test_with_a_known_variance_it_is_the_mixture_of_normal_densities() -> None:
    difference, variance = 0.2, 0.003
    expected = stats.norm.pdf(
        difference,
        0,
        (variance + MIXTURE**2) ** 0.5,
    ) / stats.norm.pdf(difference, 0, variance**0.5)
    assert evidence(difference, variance, 1e9) == pytest.approx(expected, rel=1e-5)


@given(
    variance=st.floats(1e-6, 1),
    degrees_of_freedom=st.floats(1, 1e4),
    level=st.floats(1e-6, 0.5),
)
def test_an_estimate_half_a_width_away_has_just_the_evidence(
    variance: float,
    degrees_of_freedom: float,
    level: float,
) -> None:
    width = float(
        half_width(np.array(variance), np.array(degrees_of_freedom), level=level),
    )
    needed = -np.log(level)
    if np.isinf(width):
        # The most that any difference can be evidence for.
        assert degrees_of_freedom / 2 * np.log1p(MIXTURE**2 / variance) <= needed * (
            1 + 1e-9
        )
    elif width < 1e5:
        found = log_evidence(
            np.array(width),
            np.array(variance),
            np.array(degrees_of_freedom),
        )
        assert float(found) == pytest.approx(needed, rel=1e-4, abs=1e-6)


def test_looking_after_every_unit_keeps_the_error_rate() -> None:
    runs, units = 2000, 400
    seen = np.random.default_rng(4).normal(0, 1, (runs, units))
    number = np.arange(1, units + 1)
    mean = np.cumsum(seen, axis=1) / number
    square = np.cumsum(seen**2, axis=1) / number - mean**2
    from_ = slice(4, None)
    variance = (square[:, from_] / (number[from_] - 1)).clip(1e-12)
    found = log_evidence(
        mean[:, from_],
        variance,
        np.broadcast_to(number[from_] - 1.0, variance.shape),
    )
    wrong = (found >= np.log(20)).any(axis=1).mean()
    assert wrong <= 0.05 + 3 * (0.05 * 0.95 / runs) ** 0.5
    # An ordinary test that looks as often is wrong in most of them.
    t = np.abs(mean[:, from_]) / variance**0.5
    assert (t > stats.t.isf(0.025, number[from_] - 1)).any(axis=1).mean() > 0.3


PAIRS = np.triu_indices(6, 1)


def campaign(*, judges: int, disputed: int | None) -> Moments:
    world = replace(
        world_named("10 judges, taste 3"),
        systems=6,
        spread=0,
        judges=judges,
        disputed=disputed,
        blocks=1500,
    )
    return moments_of_blocks(draw_campaign(world, 2)[0], Layout(6))


def estimated(
    moments: Moments,
    ready: list[bool] | None = None,
) -> tuple[FloatArray, FloatArray]:
    return difference_variances(
        moments,
        scores_and_influence(moments, 6)[1],
        segments=effective_units_by_system(moments, Layout(6), "segments"),
        judges=effective_units_by_system(moments, Layout(6), "judges"),
        ready=np.array(ready or [True] * 6),
    )


def clustered(moments: Moments, unit: ClusterUnit) -> FloatArray:
    influence = scores_and_influence(moments, 6)[1]
    total = int(moments.cells.sum())
    covariance = clustered_covariance(total, getattr(moments, unit), influence).matrix
    own = np.diag(covariance)
    return np.asarray((own[:, np.newaxis] + own - 2 * covariance)[PAIRS])


def test_a_pair_that_few_judges_happen_to_agree_about_has_the_variance_of_all() -> None:
    moments = campaign(judges=5, disputed=None)
    found = estimated(moments)[0][PAIRS]
    judges, blocks = clustered(moments, "judges"), clustered(moments, "blocks")
    assert judges.min() < judges.mean() / 3
    assert np.all(found >= blocks * judges.mean() / blocks.mean())
    assert np.all(found >= judges)


def test_pairs_that_judges_dispute_keep_their_own_variance() -> None:
    moments = campaign(judges=10, disputed=1)
    found = estimated(moments)[0][PAIRS]
    judges = clustered(moments, "judges")
    disputed = PAIRS[0] == 0
    np.testing.assert_allclose(found[disputed], judges[disputed], rtol=0.05)
    assert found[disputed].min() > 1.5 * found[~disputed].max()


def test_more_systems_make_the_variance_surer_but_not_without_end() -> None:
    moments = campaign(judges=10, disputed=None)
    _, two = estimated(moments, [True, True] + [False] * 4)
    _, three = estimated(moments, [True] * 3 + [False] * 3)
    # Nine degrees of freedom for nearly equal parts, twice as many for two contrasts, at most four.
    assert two[0, 1] == pytest.approx(9, rel=0.1)
    assert three[0, 1] == pytest.approx(18, rel=0.1)
    assert estimated(moments)[1][0, 1] == pytest.approx(36, rel=0.1)


def test_systems_that_are_not_ready_have_no_variance_and_change_no_other() -> None:
    moments = campaign(judges=10, disputed=None)
    variance, freedom = estimated(moments, [True] * 5 + [False])
    assert np.all(np.isnan(variance[5]))
    assert np.all(np.isnan(freedom[:, 5]))
    assert np.all(np.isnan(np.diag(variance)))
    assert not np.isnan(variance[:5, :5][np.triu_indices(5, 1)]).any()
    assert np.isnan(estimated(moments, [True] + [False] * 5)[0]).all()


def pairwise(
    wins: dict[tuple[int, int], bool],
    *,
    first: str = "a",
    second: str = "b",
) -> list[BlockRow]:
    """Rows in which `first` wins or loses, by (segment, judge)."""
    return [
        BlockRow(
            judge=f"j{judge:02}",
            segment=segment,
            candidates=[[first], [second]],
            labels=[1, 2] if won else [2, 1],
        )
        for (segment, judge), won in wins.items()
    ]


def everybody_judges_everything(segments: int, judges: int, won_on: int) -> Blocks:
    """A wins on the first segments with all judges, and loses on the others."""
    wins = {(s, j): s < won_on for s in range(segments) for j in range(judges)}
    return blocks_from_rows(pairwise(wins), ["a", "b"])


def different() -> Blocks:
    """Six systems that differ a lot, in 1,200 blocks."""
    world = World(name="different", systems=6, spread=40, blocks=1200)
    return draw_campaign(world, 3)[0]


def test_an_interval_worked_by_hand() -> None:
    found = anytime_ranges(everybody_judges_everything(40, 5, won_on=30))
    assert found.scores.values.tolist() == [0.75, 0.25]
    # One success and one failure added to 150 of 200; a win moves the difference by 2 w (1 − q).
    q, w = 151 / 202, (200 / 199) ** 0.5 / 200
    segments = 40 / 39 * (30 * (10 * w * (1 - q)) ** 2 + 10 * (10 * w * q) ** 2)
    judges = 5 / 4 * 5 * (2 * w * (30 * (1 - q) - 10 * q)) ** 2
    degrees_of_freedom = 1 / (1 / 39 + (judges / segments) ** 2 / 4)
    # With r = V / (V + 0.1²) the evidence against 0.5 ± width is √r ((1 + s) / (1 + r s))^20 = 20.
    r = segments / (segments + 0.01)
    needed = (20 / r**0.5) ** (2 / (degrees_of_freedom + 1))
    width = (segments * degrees_of_freedom * (needed - 1) / (1 - needed * r)) ** 0.5
    assert 0.5 < width < 0.9
    assert found.low[0, 1] == pytest.approx(0.5 - width)
    assert found.high[0, 1] == 1
    assert not found.above.any()
    assert (found.ranges.low.tolist(), found.ranges.high.tolist()) == ([1, 1], [2, 2])


def test_effective_units_are_those_of_equal_size() -> None:
    # Judges with 3, 2 and 1 comparisons of a: 6² / 14.
    wins = dict.fromkeys(((0, 0), (1, 0), (2, 0), (3, 1), (4, 1), (5, 2)), True)
    moments = moments_of_blocks(blocks_from_rows(pairwise(wins), ["a", "b"]), Layout(2))
    assert effective_units_by_system(
        moments,
        Layout(2),
        "judges",
    ).tolist() == pytest.approx([36 / 14] * 2)
    assert effective_units_by_system(
        moments,
        Layout(2),
        "segments",
    ).tolist() == pytest.approx([6, 6])


def test_systems_that_differ_are_told_apart_in_the_right_order() -> None:
    world = World(name="different", systems=6, spread=40, blocks=1200)
    blocks, truth = draw_campaign(world, 3)
    found = anytime_ranges(blocks)
    assert found.above.sum() >= 12
    assert not (found.above & (truth[:, np.newaxis] < truth)).any()
    assert not (found.above & found.above.T).any()
    rank = (-truth).argsort().argsort() + 1
    assert np.all((found.ranges.low <= rank) & (rank <= found.ranges.high))
    np.testing.assert_array_equal(found.above, found.low > 0)
    np.testing.assert_array_equal(
        found.above | found.above.T,
        found.log_evidence > np.log(300),
    )


def test_intervals_are_mirrored_and_hold_the_estimate() -> None:
    found = anytime_ranges(different())
    np.testing.assert_allclose(found.low, -found.high.T)
    values = found.scores.values
    difference = values[:, np.newaxis] - values
    assert np.all((found.low <= difference) & (difference <= found.high))
    surer = anytime_ranges(different(), confidence=0.999)
    assert np.all(surer.low <= found.low)
    assert surer.above.sum() < found.above.sum()


def test_the_order_of_the_blocks_does_not_matter() -> None:
    blocks = different()
    order = np.random.default_rng(1).permutation(len(blocks))
    documents = (blocks.segment // 10).astype(np.int32)
    for chosen in (None, documents):
        known = replace(blocks, document=chosen)
        one, other = anytime_ranges(known), anytime_ranges(known.take(order))
        for name in ("low", "high", "log_evidence", "segments", "judges"):
            assert getattr(one, name).tobytes() == getattr(other, name).tobytes()


def test_asking_the_same_judges_about_the_same_segments_again_adds_nothing() -> None:
    once = everybody_judges_everything(20, 8, won_on=13)
    again = once.take(np.tile(np.arange(len(once)), 10))
    few, many = anytime_ranges(once), anytime_ranges(again)
    np.testing.assert_allclose(many.log_evidence, few.log_evidence, atol=0.02)
    assert not many.above.any()
    # Taken for independent, the copies are overwhelming evidence.
    wins = tally(again).wins
    assert log_evidence_of_rate(wins[0, 1], wins[1, 0]) > 50


def test_seven_judges_of_ten_are_not_evidence_however_much_they_judge() -> None:
    taste = {(s, j): j < 7 for s in range(100) for j in range(10)}
    disputed = blocks_from_rows(pairwise(taste), ["a", "b"])
    assert anytime_ranges(disputed).log_evidence[0, 1] < 2
    assert log_evidence_of_rate(np.array(700), np.array(300)) > 70
    # The same wins, spread over all judges and segments alike, are.
    even = {(s, j): (s + j) % 10 < 7 for s, j in taste}
    assert anytime_ranges(blocks_from_rows(pairwise(even), ["a", "b"])).above[0, 1]


@pytest.mark.parametrize(
    ("segments", "judges", "reasons"),
    [(40, 4, (Refusal.FEW_JUDGES,)), (9, 12, (Refusal.FEW_SEGMENTS,)), (9, 4, (Refusal.FEW_JUDGES, Refusal.FEW_SEGMENTS)), (10, 5, ())],
)  # fmt: skip
def test_few_judges_and_few_segments_are_refused(
    segments: int,
    judges: int,
    reasons: tuple[Refusal, ...],
) -> None:
    found = anytime_ranges(
        everybody_judges_everything(segments, judges, won_on=segments),
    )
    assert found.refused == reasons
    assert found.refusals == (dict.fromkeys("ab", reasons) if reasons else {})
    if reasons:
        assert (found.ranges.low.tolist(), found.ranges.high.tolist()) == (
            [1, 1],
            [2, 2],
        )
        assert (found.low[0, 1], found.high[0, 1], found.log_evidence[0, 1]) == (
            -1,
            1,
            0,
        )


def test_many_segments_of_few_documents_are_refused() -> None:
    blocks = everybody_judges_everything(60, 6, won_on=60)
    documents = (blocks.segment // 10).astype(np.int32)
    assert anytime_ranges(blocks).above[0, 1]
    few = replace(blocks, document=documents)
    assert anytime_ranges(few).refused == (Refusal.FEW_SEGMENTS,)
    # Fewer than four, too: segments do not take their place here.
    fewer = replace(blocks, document=documents // 2)
    assert anytime_ranges(fewer).refused == (Refusal.FEW_SEGMENTS,)


def test_a_newcomer_is_refused_and_the_others_are_not() -> None:
    wins = {(s, j): True for s in range(40) for j in range(6)}
    rows = pairwise(wins)
    rows += pairwise({(s, 0): True for s in range(8)}, first="a", second="new")
    rows += pairwise({(s, 0): True for s in range(8)}, first="b", second="new")
    found = anytime_ranges(blocks_from_rows(rows, ["a", "b", "new", "unseen"]))
    assert found.refusals == {
        "new": (Refusal.FEW_JUDGES, Refusal.FEW_SEGMENTS),
        "unseen": (Refusal.NO_COMPARISON,),
    }
    assert found.refused == ()
    assert found.above[0, 1]
    # They may be anywhere: the two that are known keep the ranks that this leaves.
    assert (found.ranges.low.tolist(), found.ranges.high.tolist()) == (
        [1, 2, 1, 1],
        [3, 4, 4, 4],
    )


def test_single_system_with_enough_judges_is_reported() -> None:
    rows = [
        row
        for judge, name in enumerate("bcdefg")
        for row in pairwise(
            {(10 * judge + s, judge): True for s in range(10)},
            second=name,
        )
    ]
    found = anytime_ranges(blocks_from_rows(rows, "abcdefg"))
    assert found.refusals["a"] == (Refusal.ALONE,)
    assert {found.refusals[name] for name in "bcdefg"} == {(Refusal.FEW_JUDGES,)}
    assert found.refused == (Refusal.FEW_JUDGES, Refusal.ALONE)


def test_systems_that_met_others_are_not_compared() -> None:
    wins = {(s, j): True for s in range(40) for j in range(6)}
    rows = pairwise(wins) + pairwise(wins, first="c", second="d")
    found = anytime_ranges(blocks_from_rows(rows, "abcd"))
    assert np.argwhere(found.above).tolist() == [[0, 1], [2, 3]]
    alone = anytime_ranges(
        blocks_from_rows([*rows, *pairwise(wins, second="c")], "abcd"),
    )
    assert alone.refused == (Refusal.OTHER_OPPONENTS,)


@given(data=st.data())
def test_three_judges_on_three_segments_are_refused_whatever_they_say(
    rows_strategy: st.SearchStrategy[list[BlockRow]],
    systems: tuple[str, ...],
    data: st.DataObject,
) -> None:
    found = anytime_ranges(blocks_from_rows(data.draw(rows_strategy), systems))
    assert set(found.refusals) == set(systems)
    for index, name in enumerate(found.systems):
        judged = bool(found.scores.estimable[index])
        few = (
            (Refusal.FEW_JUDGES, Refusal.FEW_SEGMENTS)
            if judged
            else (Refusal.NO_COMPARISON,)
        )
        assert found.refusals[name] == few
    assert not found.above.any()
    assert set(found.ranges.low.tolist()) == {1}
    assert set(found.ranges.high.tolist()) == {len(systems)}


def test_empty_input_gives_no_statement() -> None:
    empty = blocks_from_rows([], ["a", "b"])
    found = anytime_ranges(empty)
    assert found.refused == (Refusal.NO_COMPARISON,)
    assert anytime_ranges(blocks_from_rows([], [])).refused == ()


def test_arguments_out_of_range_are_refused() -> None:
    blocks = everybody_judges_everything(10, 5, won_on=5)
    with pytest.raises(ValueError, match="confidence"):
        anytime_ranges(blocks, confidence=95)


def test_moments_of_a_growing_campaign_are_those_of_its_blocks() -> None:
    blocks, _truth = draw_campaign(
        replace(world_named("redundancy 3"), systems=6, blocks=90),
        1,
    )
    growing = Growing(6, (90, 20, 90))
    for rows in (slice(0, 30), slice(30, 90)):
        part = blocks.take(rows)
        units = (part.segment.astype(np.int64), part.judge.astype(np.int64))
        growing.add(part.labels, (*units, np.arange(rows.start, rows.stop)))
    grown, counted = growing.moments(), moments_of_blocks(blocks, Layout(6))
    for name in ("cells", "blocks", "segments", "judges"):
        np.testing.assert_array_equal(getattr(grown, name), getattr(counted, name))
    one = anytime_ranges_of_moments(grown, blocks.systems)
    assert one.low.tobytes() == anytime_ranges(blocks).low.tobytes()


@pytest.mark.parametrize("name", some_now(["100 segments", "10 judges, taste 3"]))
def test_equal_systems_are_seldom_told_apart_by_who_looks_often(name: str) -> None:
    world = replace(world_named(name), systems=6, spread=0)
    campaigns = 60
    wrong, by_test, as_independent = np.zeros((3, campaigns), dtype=np.bool_)
    for seed in range(campaigns):
        for look, _truth in looks(Setting(name=name, world=world), 1000 + seed, 75, 20):
            wrong[seed] |= look.anytime.above.any()
            by_test[seed] |= look.two_way.any()
            as_independent[seed] |= look.independent.any()
    assert wrong.mean() <= 0.05 + 3 * (0.05 * 0.95 / campaigns) ** 0.5
    # What the promise is worth here: others, looked at as often, do not keep it.
    assert by_test.mean() > 0.1
    assert as_independent.mean() > 0.2


def allowed(share: float, runs: int) -> float:
    """Largest share of errors that three standard errors of a simulation explain."""
    return float(share + 3 * np.sqrt(share * (1 - share) / runs))


@pytest.mark.parametrize("rate", [0.5, 0.65, 0.95])
def test_the_error_rate_holds_for_who_looks_after_every_comparison(rate: float) -> None:
    runs, comparisons = 2000, 1500
    won = np.random.default_rng(1).random((runs, comparisons)) < rate
    wins, losses = (
        np.cumsum(won, axis=1, dtype=np.int64),
        np.cumsum(~won, axis=1, dtype=np.int64),
    )
    ever_out = (log_evidence_of_rate(wins, losses, rate) >= np.log(20)).any(axis=1)
    assert ever_out.mean() <= allowed(0.05, runs)


def test_a_campaign_watched_block_by_block_names_no_wrong_pair() -> None:
    # Five equal systems; each block ranks all of them, so its ten comparisons hang together.
    runs, blocks = 400, 300
    quality = np.random.default_rng(3).random((runs, blocks, 5))
    beats = quality[..., :, np.newaxis] > quality[..., np.newaxis, :]
    wins = np.cumsum(beats, axis=1, dtype=np.int64)
    ever = separated(wins[:, ::3], confidence=1 - 0.05 / 10).any(axis=(1, 2, 3))
    assert ever.mean() <= allowed(0.05, runs)
    peeked = better(wins[:, ::3], sides=2).any(axis=(1, 2, 3))
    assert peeked.mean() > 0.5


def test_the_evidence_is_the_likelihood_ratio_mixed_by_jeffreys_prior() -> None:
    for wins, losses, rate in ((3, 5, 0.5), (10, 2, 0.3)):
        mixed, _ = integrate.quad(
            lambda x, w=wins, l_=losses: x ** (w - 0.5) * (1 - x) ** (l_ - 0.5) / np.pi,
            0,
            1,
        )
        expected = np.log(mixed / (rate**wins * (1 - rate) ** losses))
        assert log_evidence_of_rate(
            np.array(wins),
            np.array(losses),
            rate,
        ) == pytest.approx(expected)


def test_the_winner_of_a_pair_is_above_once_the_evidence_is_strong_enough() -> None:
    wins = np.array([[0, 60, 52], [40, 0, 90], [48, 10, 0]])
    # ln M(1/2) of 60 : 40 is −0.59, of 52 : 48 −2.53, of 90 : 10 34.7; ln 20 is 3.0.
    assert separated(wins).tolist() == [[False] * 3, [False, False, True], [False] * 3]
    assert not separated(wins, confidence=1 - 1e-16).any()


@pytest.mark.parametrize("confidence", [0.0, 1.0, 95.0])
def test_a_confidence_out_of_range_is_refused(confidence: float) -> None:
    with pytest.raises(ValueError, match="confidence"):
        separated(np.zeros((2, 2), dtype=np.int64), confidence=confidence)
