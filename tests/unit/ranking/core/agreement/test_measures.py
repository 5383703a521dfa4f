import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import asdict
from itertools import combinations
from typing import Literal

import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.inter_rater import cohens_kappa, fleiss_kappa

from ranking.core.agreement import units as agreement_counts
from ranking.core.agreement.measures import label_agreement, measure_agreement
from ranking.core.agreement.report import inter_judge_agreement
from ranking.core.agreement.statistics import Chance, cohen_of_tables
from ranking.core.counting.resampling import poisson_weights
from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows
from ranking.core.judged.collapsed_candidates import Pairing
from tests.properties import examples
from tests.some_now import some_now

Rows = st.SearchStrategy[list[BlockRow]]
Vote = tuple[str, tuple[object, ...], int]
Level = Literal["nominal", "ordinal"]


def votes(rows: list[BlockRow], pairing: Pairing) -> Iterator[Vote]:
    """List judge, item and outcome (-1, 0, 1) of each comparison."""
    for row in rows:
        judged = [
            (tuple(sorted(shown)), label)
            for shown, label in zip(row.candidates, row.labels, strict=True)
            if label is not None
        ]
        for (one, first), (other, second) in combinations(judged, 2):
            outcome = int(first > second) - int(first < second)
            if pairing is Pairing.UNORDERED and one > other:
                yield row.judge, (row.segment, other, one), -outcome
            else:
                yield row.judge, (row.segment, one, other), outcome


def naive_counts(found: list[Vote], pairing: Pairing) -> Counter[str]:
    counts: Counter[str] = Counter()
    for (judge, item, outcome), (judge2, item2, outcome2) in combinations(found, 2):
        if item == item2:
            same = judge == judge2
            if pairing is Pairing.PRESENTED or not same:
                counts["inter"] += 1
                counts["inter agreeing"] += outcome == outcome2
            if same:
                counts["intra"] += 1
                counts["intra agreeing"] += outcome == outcome2
    return counts


def rated(
    seed: int,
    *,
    judges: int,
    items: int,
    share: float,
) -> tuple[Blocks, np.ndarray]:
    """Blocks of two outputs, and outcomes by judge and item, NaN where not judged.

    Each item is a segment, and each judge judges it at most once.
    """
    rng = np.random.default_rng(seed)
    quality = rng.normal(size=items)
    outcomes = np.full((judges, items), np.nan)
    rows = []
    for judge in range(judges):
        for item in range(items):
            if rng.random() >= share:
                continue
            seen = quality[item] + rng.normal() / 2
            outcome = int(seen > 0.4) - int(seen < -0.4)
            outcomes[judge, item] = outcome
            rows.append(BlockRow(f"j{judge}", item, ["a", "b"], [2 + outcome, 2]))
    return blocks_from_rows(rows, "ab"), outcomes


def test_hand_worked_pairings() -> None:
    rows = [
        BlockRow("ann", 1, ["a", "b"], [1, 2]),
        BlockRow(
            "ann",
            1,
            ["b", "a"],
            [2, 1],
        ),  # says the same, shown the other way round
        BlockRow("ann", 1, ["a", "b"], [1, 1]),
        BlockRow("bob", 1, ["a", "b"], [1, 2]),
        BlockRow("bob", 2, ["a", "b"], [2, 2]),
    ]
    blocks = blocks_from_rows(rows, "ab")
    unordered = measure_agreement(blocks, resamples=1)
    # Bob's against Ann's three; Ann's three among each other. Ties from all five.
    assert (unordered.inter.agreeing, unordered.inter.comparable) == (2, 3)
    assert (unordered.intra.agreeing, unordered.intra.comparable) == (1, 3)
    assert (unordered.intra.ties, unordered.intra.labels) == (2, 5)
    presented = measure_agreement(blocks, pairing=Pairing.PRESENTED, resamples=1)
    # a before b: Ann twice, Bob once. Ties of intra from Ann's three on the segment.
    assert (presented.inter.agreeing, presented.inter.comparable) == (1, 3)
    assert (presented.intra.agreeing, presented.intra.comparable) == (0, 1)
    assert (presented.inter.ties, presented.inter.labels) == (2, 5)
    assert (presented.intra.ties, presented.intra.labels) == (1, 3)


@pytest.mark.thorough
@pytest.mark.parametrize("pairing", Pairing)
@given(data=st.data())
def test_counts_equal_those_of_all_pairs_of_comparisons(
    rows_strategy: Rows,
    systems: tuple[str, ...],
    data: st.DataObject,
    pairing: Pairing,
) -> None:
    rows = data.draw(rows_strategy)
    found = list(votes(rows, pairing))
    counts = naive_counts(found, pairing)
    measures = measure_agreement(
        blocks_from_rows(rows, systems),
        pairing=pairing,
        resamples=1,
    )
    assert measures.inter.comparable == counts["inter"]
    assert measures.inter.agreeing == counts["inter agreeing"]
    assert measures.intra.comparable == counts["intra"]
    assert measures.intra.agreeing == counts["intra agreeing"]
    assert measures.inter.labels == len(found)
    assert measures.inter.ties == sum(outcome == 0 for _, _, outcome in found)


@pytest.mark.parametrize(
    ("chance", "p_chance"),
    [("uniform", 1 / 3), ("random_clicker", 0.36)],
)
def test_chance_that_does_not_depend_on_the_judgments(
    chance: str,
    p_chance: float,
) -> None:
    blocks, _ = rated(1, judges=3, items=20, share=0.8)
    inter = measure_agreement(blocks, chance=Chance(chance), resamples=1).inter
    assert inter.p_agree is not None
    assert inter.p_agree == inter.agreeing / inter.comparable
    assert inter.p_chance == pytest.approx(p_chance)
    assert inter.kappa == pytest.approx((inter.p_agree - p_chance) / (1 - p_chance))


@given(data=st.data())
def test_scott_between_judges_is_what_the_dashboard_shows(
    rows_strategy: Rows,
    systems: tuple[str, ...],
    data: st.DataObject,
) -> None:
    blocks = blocks_from_rows(data.draw(rows_strategy), systems)
    report = inter_judge_agreement(blocks, resample="segments", resamples=10)
    found = measure_agreement(blocks, resample="segments", resamples=10).inter
    assert (found.comparable, found.agreeing) == (
        report.inter.comparable,
        report.inter.agreeing,
    )
    for name in ("p_agree", "kappa", "low", "high", "reason"):
        assert getattr(found, name) == getattr(report.inter, name)


@pytest.mark.parametrize("share", [1.0, 0.5])
@pytest.mark.parametrize(
    ("chance", "level"),
    [("krippendorff", "nominal"), ("krippendorff_ordinal", "ordinal")],
)
def test_alpha_is_that_of_the_krippendorff_package(
    chance: str,
    level: Level,
    share: float,
) -> None:
    blocks, outcomes = rated(2, judges=5, items=40, share=share)
    found = measure_agreement(
        blocks,
        chance=Chance(chance),
        symmetric=False,
        resamples=1,
    )
    expected = krippendorff.alpha(
        reliability_data=outcomes,
        level_of_measurement=level,
        value_domain=[-1, 0, 1],
    )
    assert found.inter.kappa == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("chance", "level"),
    [("krippendorff", "nominal"), ("krippendorff_ordinal", "ordinal")],
)
def test_symmetric_alpha_is_that_of_each_comparison_read_both_ways(
    chance: str,
    level: Level,
) -> None:
    blocks, outcomes = rated(3, judges=4, items=40, share=0.7)
    found = measure_agreement(blocks, chance=Chance(chance), resamples=1).inter.kappa
    alpha = krippendorff.alpha(
        reliability_data=np.hstack([outcomes, -outcomes]),
        level_of_measurement=level,
        value_domain=[-1, 0, 1],
    )
    pairable = np.count_nonzero(~np.isnan(outcomes), axis=0)
    n = pairable[pairable > 1].sum()
    # Reading n values both ways makes 2n of them, but no more information than n.
    assert found == pytest.approx(
        1 - (1 - alpha) * 2 * (n - 1) / (2 * n - 1),
        abs=1e-12,
    )


@pytest.mark.parametrize("symmetric", [False, True])
def test_fleiss_is_that_of_statsmodels(symmetric: bool) -> None:
    blocks, outcomes = rated(4, judges=5, items=30, share=1.0)
    both = np.hstack([outcomes, -outcomes]) if symmetric else outcomes
    table = np.stack([(both == value).sum(axis=0) for value in (-1, 0, 1)], axis=1)
    found = measure_agreement(
        blocks,
        chance=Chance.FLEISS,
        symmetric=symmetric,
        resamples=1,
    )
    assert found.inter.kappa == pytest.approx(fleiss_kappa(table), abs=1e-12)


@pytest.mark.parametrize("symmetric", [False, True])
def test_cohen_of_two_judges_is_that_of_statsmodels(symmetric: bool) -> None:
    blocks, outcomes = rated(5, judges=2, items=50, share=0.8)
    shared = outcomes[:, ~np.isnan(outcomes).any(axis=0)].astype(int)
    if symmetric:
        shared = np.hstack([shared, -shared])
    table = np.zeros((3, 3))
    np.add.at(table, (shared[0] + 1, shared[1] + 1), 1)
    found = measure_agreement(
        blocks,
        chance=Chance.COHEN,
        symmetric=symmetric,
        resamples=1,
    )
    expected = cohens_kappa(table, return_results=False)
    assert found.inter.kappa == pytest.approx(expected, abs=1e-12)


def test_cohen_of_bojar_et_al_2011_table_7() -> None:
    table = np.array([[9, 0, 1, 1], [2, 13, 0, 3], [2, 0, 2, 3], [10, 5, 1, 11]])
    pairs, p_agree, p_chance = cohen_of_tables(table)
    assert (int(pairs), int(np.trace(table))) == (63, 35)
    assert f"{float((p_agree - p_chance) / (1 - p_chance)):.3f}" == "0.387"


def test_fleiss_and_alpha_of_items_judged_repeatedly_count_only_different_judges() -> (
    None
):
    # Item 1: ann says first twice, bob second: both pairs disagree. Item 2: they agree.
    rows = [BlockRow("ann", 1, ["a", "b"], [1, 2])] * 2 + [
        BlockRow("bob", 1, ["a", "b"], [2, 1]),
    ]
    rows += [BlockRow(judge, 2, ["a", "b"], [1, 2]) for judge in ("ann", "bob")]
    blocks = blocks_from_rows(rows, "ab")
    fleiss = measure_agreement(
        blocks,
        chance=Chance.FLEISS,
        symmetric=False,
        resamples=1,
    ).inter
    assert fleiss.p_agree == pytest.approx(1 / 2)
    assert fleiss.p_chance == pytest.approx((4 / 5) ** 2 + (1 / 5) ** 2)
    alpha = measure_agreement(
        blocks,
        chance=Chance.KRIPPENDORFF,
        symmetric=False,
        resamples=1,
    ).inter
    # Item 1 weighs 3 ratings, 1.5 each way; so 3.5 values are "first" and 1.5 "second".
    assert alpha.p_agree == pytest.approx(2 / 5)
    assert alpha.p_chance == pytest.approx(1 - 2 * 3.5 * 1.5 / (5 * 4))


def test_chance_of_the_judgments_with_the_reference() -> None:
    rows = [
        BlockRow("ann", 1, ["a", "b", ("_ref",)], [2, 2, 1]),
        BlockRow("bob", 1, ["a", "b", ("_ref",)], [2, 3, 1]),
    ]
    blocks = blocks_from_rows(rows, ["a", "b", "_ref"])
    found = measure_agreement(
        blocks.without(["_ref"]),
        chance_from=blocks,
        resamples=1,
    ).inter
    assert (found.ties, found.labels, found.comparable) == (1, 6, 1)
    with pytest.raises(ValueError, match="chance_from"):
        measure_agreement(blocks, chance=Chance.COHEN, chance_from=blocks)


@pytest.mark.parametrize(
    "chance",
    [each for each in Chance if each not in {"uniform", "random_clicker"}],
)
def test_nothing_but_ties_leaves_nothing_to_agree_on_beyond_chance(
    chance: Chance,
) -> None:
    rows = [BlockRow(judge, 1, ["a", "b"], [2, 2]) for judge in ("ann", "bob")]
    found = measure_agreement(
        blocks_from_rows(rows, "ab"),
        chance=chance,
        resamples=5,
    ).inter
    assert (found.p_agree, found.kappa, found.reason) == (1, None, "chance_is_certain")


@pytest.mark.parametrize("pairing", some_now(Pairing, most=4))
@pytest.mark.parametrize("chance", Chance)
@examples(15)
@given(data=st.data())
def test_renaming_systems_and_reordering_rows_changes_nothing(
    rows_strategy: Rows,
    systems: tuple[str, ...],
    data: st.DataObject,
    chance: Chance,
    pairing: Pairing,
) -> None:
    rows = data.draw(rows_strategy)
    names = dict(zip(systems, data.draw(st.permutations(systems)), strict=True))
    renamed = [
        BlockRow(
            row.judge,
            row.segment,
            [[names[name] for name in shown] for shown in row.candidates],
            row.labels,
        )
        for row in data.draw(st.permutations(rows))
    ]
    one, other = (
        asdict(
            measure_agreement(
                blocks_from_rows(some, systems),
                pairing=pairing,
                chance=chance,
                resample="segments",
                resamples=7,
            ),
        )
        for some in (rows, renamed)
    )
    json.dumps(one, allow_nan=False)
    for side in ("inter", "intra"):
        assert one[side] == pytest.approx(other[side], abs=1e-12)


@pytest.mark.parametrize("chance", Chance)
@examples(10)
@given(data=st.data())
def test_shards_and_chunks_change_no_bit(
    rows_strategy: Rows,
    systems: tuple[str, ...],
    data: st.DataObject,
    chance: Chance,
) -> None:
    blocks = blocks_from_rows(data.draw(rows_strategy), systems)
    whole = measure_agreement(blocks, chance=chance, resample="segments", resamples=9)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(agreement_counts, "_BLOCKS_AT_A_TIME", 1)
        patch.setattr("ranking.core.agreement.cohen._CELLS_AT_A_TIME", 100)
        again = measure_agreement(
            blocks,
            chance=chance,
            resample="segments",
            resamples=9,
        )
        assert again == whole


@pytest.mark.parametrize("chance", Chance)
def test_intervals_are_those_of_literally_repeated_segments(chance: Chance) -> None:
    rng = np.random.default_rng(6)
    rows = [
        BlockRow(
            f"j{rng.integers(3)}",
            int(rng.integers(1, 6)),
            "abc",
            rng.integers(1, 4, 3).tolist(),
        )
        for _ in range(60)
    ]
    weights = poisson_weights(np.arange(1, 6, dtype=np.uint64), seed=4, resamples=9)
    found = measure_agreement(
        blocks_from_rows(rows, "abc"),
        chance=chance,
        resample="segments",
        resamples=9,
        confidence=0.5,
        seed=4,
    )
    kappas = defaultdict(list)
    for resample in range(9):
        # Copies of a segment are segments of their own: give them numbers of their own.
        copies = [
            BlockRow(row.judge, row.segment + 10 * copy, row.candidates, row.labels)
            for row in rows
            for copy in range(int(weights[row.segment - 1, resample]))
        ]
        repeated = measure_agreement(
            blocks_from_rows(copies, "abc"),
            chance=chance,
            resamples=1,
        )
        kappas["inter"].append(repeated.inter.kappa)
        kappas["intra"].append(repeated.intra.kappa)
    for side in ("inter", "intra"):
        expected = sorted(kappa for kappa in kappas[side] if kappa is not None)
        assert len(expected) == 9
        measure = getattr(found, side)
        assert (measure.low, measure.high) == pytest.approx((expected[2], expected[-3]))


def test_bad_arguments_are_refused() -> None:
    blocks = blocks_from_rows([], "ab")
    with pytest.raises(ValueError, match="resamples"):
        measure_agreement(blocks, resamples=0)
    with pytest.raises(ValueError, match="confidence"):
        measure_agreement(blocks, confidence=1.5)
    with pytest.raises(ValueError, match="cohen is not the same for all judges"):
        inter_judge_agreement(blocks, chance=Chance.COHEN)


def labelled(seed: int, share: float) -> tuple[Blocks, np.ndarray]:
    """Blocks of five outputs, and labels by judge and output, NaN where there is none."""
    rng = np.random.default_rng(seed)
    rows, labels = [], np.full((3, 8 * 5), np.nan)
    for segment in range(8):
        quality = rng.normal(size=5)
        for judge in range(3):
            if rng.random() < share:
                given = np.clip(
                    np.round(3 - quality + rng.normal(size=5) / 2),
                    1,
                    5,
                ).astype(int)
                labels[judge, 5 * segment : 5 * segment + 5] = given
                rows.append(BlockRow(f"j{judge}", segment, "abcde", given.tolist()))
    return blocks_from_rows(rows, "abcde"), labels


def test_n_agreement_of_two_judges_is_the_formula_of_hamon_et_al() -> None:
    rows = [
        BlockRow("ann", 1, "abcd", [1, 2, 3, 5]),
        BlockRow("bob", 1, "abcd", [1, 3, 5, 1]),  # apart by 0, 1, 2, 4
        BlockRow("ann", 2, "ab", [1, None]),  # nobody else
    ]
    found = label_agreement(blocks_from_rows(rows, "abcd"), resamples=20)
    assert [each.agreeing for each in found.inter.n_agreement] == [1, 2, 3, 3, 4]
    assert {each.comparable for each in found.inter.n_agreement} == {4}
    assert [each.kappa for each in found.inter.n_agreement] == [
        0.25,
        0.5,
        0.75,
        0.75,
        1,
    ]
    assert found.intra.n_agreement[0].comparable == 0
    assert found.intra.n_agreement[0].kappa is None


def test_intervals_hold_the_share() -> None:
    blocks, _ = labelled(1, 0.8)
    for each in label_agreement(
        blocks,
        resample="segments",
        resamples=100,
    ).inter.n_agreement:
        assert each.kappa is not None
        assert each.low is not None
        assert each.high is not None
        assert 0 <= each.low <= each.kappa <= each.high <= 1


def test_ordinal_alpha_is_that_of_the_krippendorff_package() -> None:
    blocks, labels = labelled(2, 0.7)
    found = label_agreement(blocks, resamples=5).inter.alpha
    expected = krippendorff.alpha(
        reliability_data=labels,
        level_of_measurement="ordinal",
        value_domain=[1, 2, 3, 4, 5],
    )
    assert found.kappa == pytest.approx(expected, abs=1e-12)


def test_global_kappa_is_that_of_statsmodels() -> None:
    blocks, labels = labelled(3, 1.0)
    table = np.stack([(labels == value).sum(axis=0) for value in range(1, 6)], axis=1)
    found = label_agreement(blocks, resamples=5).inter.fleiss
    assert found.kappa == pytest.approx(fleiss_kappa(table), abs=1e-12)


def test_a_judge_who_repeats_labels_agrees_with_himself_only() -> None:
    rows = [BlockRow("ann", 1, [("a", "b"), ("c",)], [1, 2])] * 2
    found = label_agreement(blocks_from_rows(rows, "abc"), resamples=5)
    assert found.inter.n_agreement[0].comparable == 0
    # Two outputs: identical ones were labelled once.
    assert found.intra.n_agreement[0].comparable == 2
    assert found.intra.n_agreement[0].kappa == 1
