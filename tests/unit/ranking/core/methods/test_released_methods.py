"""Methods and levels of resampling against the tables made from released judgments."""

import csv
import json
from collections.abc import Iterator
from itertools import groupby
from math import comb
from pathlib import Path
from typing import Any, Literal
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from ranking.core.anytime.ranges import anytime_ranges
from ranking.core.counting.comparisons import comparisons_of
from ranking.core.counting.tallies import tally
from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows
from ranking.core.methods.davidson.judge_effects import JudgeEffectsModel, Penalty
from ranking.core.methods.linear_ordering.lopez import lopez_order
from ranking.core.methods.registry import METHODS
from ranking.core.ranges.clusters import clusters
from ranking.core.ranges.sign_tests import Correction, better
from ranking.core.rankings.rank import rank
from ranking.core.rankings.ranking import Ranking
from tests.benchmarks.rank_confidence_sets import KINDS, scored

pytestmark = pytest.mark.realdata

SETS = ["wmt12-cs-en", "wmt12-es-en", "wmt15-en-fi", "wmt16-it-en-nl"]


def five_way(path: Path) -> Iterator[BlockRow]:
    with path.open(encoding="utf-8", newline="") as file:
        for line in csv.DictReader(file):
            shown = [k for k in range(1, 6) if line[f"system{k}Id"]]
            labels = [int(line[f"system{k}rank"]) for k in shown]
            yield BlockRow(
                judge=line["judgeId"],
                segment=int(line["srcIndex"]),
                candidates=[line[f"system{k}Id"].split(",") for k in shown],
                labels=[label if label > 0 else None for label in labels],
            )


def appraise(path: Path) -> Iterator[BlockRow]:
    for task in ET.parse(path).iter("ranking-task"):
        for result in task.iter("ranking-result"):
            shown = list(result.iter("translation"))
            if shown:
                yield BlockRow(
                    judge=result.attrib["user"],
                    segment=int(task.attrib["id"]),
                    candidates=[each.attrib["system"].split(",") for each in shown],
                    labels=[int(each.attrib["rank"]) for each in shown],
                )


def pairwise(path: Path) -> Iterator[BlockRow]:
    with path.open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    for _, group in groupby(lines, key=lambda line: line["rankingID"]):
        ranks: dict[str, int] = {}
        for line in group:
            for side in "12":
                ranks[line[f"system{side}Id"]] = int(line[f"system{side}rank"])
        yield BlockRow(
            judge=line["judgeID"],
            segment=int(line["srcIndex"]),
            candidates=[(name,) for name in ranks],
            labels=list(ranks.values()),
        )


READERS = {"judgments.csv": five_way, "judgments.xml": appraise, "pairwise.csv": pairwise}


def rows_of(folder: Path) -> list[BlockRow]:
    (path,) = [folder / name for name in READERS if (folder / name).exists()]
    return list(READERS[path.name](path))


def blocks_of(rows: list[BlockRow]) -> Blocks:
    return blocks_from_rows(
        rows, {name for row in rows for each in row.candidates for name in each}
    )


def expected_of(folder: Path) -> dict[str, Any]:
    expected: dict[str, Any] = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    return expected


def systems_of(expected: dict[str, Any]) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = expected.get("systems") or expected["systems_by_expected_wins"]
    return listed


def scores_of(blocks: Blocks, method: str) -> dict[str, float]:
    return dict(zip(blocks.systems, METHODS[method].score(blocks).values.tolist(), strict=True))


@pytest.mark.parametrize("name", SETS)
def test_point_scores_of_the_released_sets(real_data: Path, name: str) -> None:
    rows, expected = rows_of(real_data / name), expected_of(real_data / name)
    blocks = blocks_of(rows)
    tallies = tally(blocks)
    unjudged = dict.fromkeys(blocks.systems, 0)
    for shown in (each for row in rows for each in row.candidates):
        for system in shown:
            unjudged[system] += len(shown) - 1
    assert int(tallies.wins.sum()) == expected["non_tied"]
    assert tallies.tied + sum(unjudged.values()) // 2 == expected["ties"]
    for method in ("expected_wins", "bojar"):
        found = scores_of(blocks, method)
        for row in systems_of(expected):
            assert found[row["system"]] == pytest.approx(row[method], abs=1e-6)
    for row in systems_of(expected):
        if "ge_others" not in row:
            continue
        # The expected shares take two systems of one candidate for a tie; here they are no
        # comparison. With as many ties more, the shares are the expected ones.
        system = row["system"]
        index = blocks.systems.index(system)
        won, lost = int(tallies.wins[index].sum()), int(tallies.wins[:, index].sum())
        tied = int(tallies.ties[index].sum())
        assert (won, lost, tied + unjudged[system]) == (row["wins"], row["losses"], row["ties"])
        total = won + lost + tied
        assert scores_of(blocks, "geq_others")[system] == pytest.approx((won + tied) / total)
        assert scores_of(blocks, "gt_others")[system] == pytest.approx(won / total)
        whole = total + unjudged[system]
        assert row["ge_others"] == pytest.approx((won + tied + unjudged[system]) / whole, abs=1e-6)
        assert row["gt_others"] == pytest.approx(won / whole, abs=1e-6)


@pytest.mark.parametrize("name", SETS)
def test_orders_of_bojar_and_costs_of_lopez(real_data: Path, name: str) -> None:
    expected = expected_of(real_data / name)
    blocks = blocks_of(rows_of(real_data / name))
    ranking = rank(blocks, "bojar", resamples=2)
    assert [row.system for row in ranking.systems] == expected["bojar_order"]
    ranking = rank(blocks, "lopez", resamples=2)
    cost = expected["lopez_cost"] if "lopez_cost" in expected else expected["lopez"]["minimum_cost"]
    assert ranking.extra["violations"] == cost
    assert ranking.extra["proven_optimal"]
    assert [row.system for row in ranking.systems] == ranking.extra["order"]


def clusters_of(ranking: Ranking) -> list[list[str]]:
    count = max(row.cluster for row in ranking.systems)
    return [
        [row.system for row in ranking.systems if row.cluster == cluster]
        for cluster in range(1, count + 1)
    ]


def expected_ranges(expected: dict[str, Any], level: str) -> dict[str, tuple[int, int]]:
    if "bootstrap" in expected:
        key = {"pairs": "pair_bootstrap_ties_in_pool", "blocks": "block_bootstrap"}[level]
        ranges: dict[str, tuple[int, int]] = expected["bootstrap"][key]["ranges"]
        return ranges
    key = {"pairs": "rank_ranges_pairs_ties_in_pool", "blocks": "rank_ranges_blocks"}[level]
    return {system: seen["modal"] for system, seen in expected[key].items()}


@pytest.mark.parametrize("level", ["pairs", "blocks"])
@pytest.mark.parametrize("name", SETS)
def test_ranges_of_the_released_sets(
    real_data: Path, name: str, level: Literal["pairs", "blocks"]
) -> None:
    expected = expected_ranges(expected_of(real_data / name), level)
    blocks = blocks_of(rows_of(real_data / name))
    for seed in range(3):
        for row in rank(blocks, resample=level, seed=seed).systems:
            # One draw is given: allow for one rank of seed noise.
            assert abs(row.rank_low - expected[row.system][0]) <= 1
            assert abs(row.rank_high - expected[row.system][1]) <= 1


def test_clusters_of_wmt12_czech_english_by_pairs(real_data: Path) -> None:
    folder = real_data / "wmt12-cs-en"
    (expected,) = expected_of(folder)["clusters_pairs_ties_in_pool"]
    for seed in range(3):
        ranking = rank(blocks_of(rows_of(folder)), resample="pairs", seed=seed)
        assert clusters_of(ranking) == expected["clusters"]


def test_ranges_widen_from_pairs_to_judges(real_data: Path) -> None:
    blocks = blocks_of(rows_of(real_data / "wmt12-es-en"))
    widths = {}
    for level in ("pairs", "blocks", "judges"):
        assert level in ("pairs", "blocks", "judges")
        ranking = rank(blocks, resample=level)
        widths[level] = sum(row.rank_high - row.rank_low for row in ranking.systems)
    assert widths["pairs"] < widths["blocks"] < widths["judges"]


@pytest.mark.parametrize(("pair", "expected"), [("cs-en", 0.976), ("es-en", 0.989)])
def test_the_reference_of_wmt10_is_that_of_bojar_et_al_2011_table_1(
    real_data: Path, pair: str, expected: float
) -> None:
    blocks = blocks_of(list(five_way(real_data / "wmt10" / f"judgments.{pair}.csv")))
    # "Ref ≥ others", the one column of the table that is a score.
    assert round(scores_of(blocks, "geq_others")["_ref"], 3) == expected
    assert (
        sum(comb(k, 2) for k in np.count_nonzero(blocks.labels, axis=1).tolist())
        == tally(blocks).comparisons
    )


def test_the_expected_order_of_wmt12_spanish_english_costs_one_violation(real_data: Path) -> None:
    folder = real_data / "wmt12-es-en"
    blocks = blocks_of(rows_of(folder))
    order = expected_of(folder)["lopez_order_one_optimum"]
    index = [blocks.systems.index(name) for name in order]
    wins = tally(blocks).wins[np.ix_(index, index)]
    assert int(np.triu(np.maximum(wins.T - wins, 0)).sum()) == lopez_order(wins).violations == 1


def test_corrected_tests_separate_fewer_pairs_of_wmt12_spanish_english(real_data: Path) -> None:
    wins = tally(blocks_of(rows_of(real_data / "wmt12-es-en"))).wins
    counts = [
        int(better(wins, sides=2, correction=correction).sum())
        for correction in (Correction.HOLM, Correction.BENJAMINI_HOCHBERG, Correction.NONE)
    ]
    assert counts == sorted(counts)
    assert counts[0] < counts[2]


@pytest.mark.parametrize("name", SETS)
def test_bradley_terry_orders_the_released_sets_much_as_expected_wins(
    real_data: Path, name: str
) -> None:
    blocks = blocks_of(rows_of(real_data / name))
    ability = rank(blocks, "bradley_terry", resamples=2)
    assert ability.not_estimable == ()
    assert ability.extra["tie_parameter"] > 0
    place = {row.system: row.rank for row in rank(blocks, resamples=2).systems}
    assert all(abs(row.rank - place[row.system]) <= 1 for row in ability.systems)


@pytest.mark.parametrize(
    ("name", "sizes", "found"),
    [
        ("wmt12-cs-en", (1.33, 1.33, 1.67), (5, 5, 4)),
        ("wmt12-es-en", (4.0, 6.33, 7.0), (2, 2, 2)),
        ("wmt15-en-fi", (2.6, 3.4, 3.6), (4, 4, 4)),
        ("wmt16-it-en-nl", (1.5, 1.5, 1.5), (3, 3, 3)),
    ],
)
def test_the_price_of_confidence_sets_on_the_released_sets(
    real_data: Path, name: str, sizes: tuple[float, ...], found: tuple[int, ...]
) -> None:
    campaign = scored(blocks_of(rows_of(real_data / name)), seed=0)
    ranges = [KINDS[kind](campaign) for kind in ("percentiles", "marginal", "simultaneous")]
    size = [float((each.high - each.low + 1).mean()) for each in ranges]
    # A bound that hangs on the draws moves a mean over twelve systems by 0.17 or less.
    assert size == pytest.approx(sizes, abs=0.18)
    assert [int(clusters(each).max()) for each in ranges] == list(found)


def test_judges_effects_predict_held_out_comparisons_no_worse(real_data: Path) -> None:
    """Five folds of blocks of WMT12 Czech–English: −ln probability a comparison, ties included."""
    blocks = blocks_of(rows_of(real_data / "wmt12-cs-en"))
    fold = np.random.default_rng(12).integers(0, 5, len(blocks))

    def held_out(penalty: Penalty) -> float:
        total, count = 0.0, 0
        for left_out in range(5):
            model, other = (
                JudgeEffectsModel(
                    comparisons_of(blocks.take(rows)),
                    systems=len(blocks.systems),
                    judges=len(blocks.judges),
                    penalty=penalty,
                )
                for rows in (fold != left_out, fold == left_out)
            )
            found = other.log_probabilities(model.fit())
            total, count = total + float(found.sum()), count + len(found)
        return -total / count

    plain = held_out(Penalty(discrimination=0, leniency=0))
    assert plain == pytest.approx(0.958, abs=0.004)
    assert held_out(Penalty()) < plain - 0.02


@pytest.mark.parametrize(("name", "pairs"), [("wmt12-es-en", 15), ("wmt12-cs-en", 10)])
def test_who_looks_every_day_is_told_less_of_wmt12(real_data: Path, name: str, pairs: int) -> None:
    blocks = blocks_of(rows_of(real_data / name))
    found = anytime_ranges(blocks.without([s for s in blocks.systems if s == "_ref"]))
    assert found.refusals == {}
    assert int(found.above.sum()) == pairs
    place = (-found.scores.values).argsort().argsort() + 1
    assert np.all((found.ranges.low <= place) & (place <= found.ranges.high))
