"""Methods and levels of resampling against the tables made from released judgments.

Abilities against what WMT published, on the judgments WMT released.
"""

from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

from ranking.core.counting.counts import comparisons_of, tally
from ranking.core.judged.blocks import BlockRow, Blocks
from ranking.core.methods.davidson_judges import JudgeEffectsModel, Penalty
from ranking.core.methods.registry import METHODS
from ranking.core.methods.trueskill import trueskill_wmt
from ranking.core.ranges import RankRanges, clusters
from ranking.core.rankings.rank import Ranking, rank
from ranking.core.scores import names_in_order
from tests.anytime import anytime_ranges
from tests.benchmarks.rank_confidence_sets import KINDS, scored
from tests.released import appraise, blocks_of, expected_of, five_way, pairwise

pytestmark = pytest.mark.realdata

SETS = ["wmt12-cs-en", "wmt12-es-en", "wmt15-en-fi", "wmt16-it-en-nl"]


READERS = {
    "judgments.csv": five_way,
    "judgments.xml": appraise,
    "pairwise.csv": pairwise,
}


def rows_of(folder: Path) -> list[BlockRow]:
    (path,) = [folder / name for name in READERS if (folder / name).exists()]
    return list(READERS[path.name](path))


def systems_of(expected: dict[str, Any]) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = (
        expected.get("systems") or expected["systems_by_expected_wins"]
    )
    return listed


def scores_of(blocks: Blocks, method: str) -> dict[str, float]:
    return dict(
        zip(blocks.systems, METHODS[method].score(blocks).values.tolist(), strict=True),
    )


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
        assert (won, lost, tied + unjudged[system]) == (
            row["wins"],
            row["losses"],
            row["ties"],
        )
        total = won + lost + tied
        assert scores_of(blocks, "geq_others")[system] == pytest.approx(
            (won + tied) / total,
        )
        assert scores_of(blocks, "gt_others")[system] == pytest.approx(won / total)
        whole = total + unjudged[system]
        assert row["ge_others"] == pytest.approx(
            (won + tied + unjudged[system]) / whole,
            abs=1e-6,
        )
        assert row["gt_others"] == pytest.approx(won / whole, abs=1e-6)


@pytest.mark.parametrize("name", SETS)
def test_orders_of_bojar_and_costs_of_lopez(real_data: Path, name: str) -> None:
    expected = expected_of(real_data / name)
    blocks = blocks_of(rows_of(real_data / name))
    ranking = rank(blocks, "bojar", resamples=2)
    assert [row.system for row in ranking.systems] == expected["bojar_order"]
    ranking = rank(blocks, "lopez", resamples=2)
    cost = (
        expected["lopez_cost"]
        if "lopez_cost" in expected
        else expected["lopez"]["minimum_cost"]
    )
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
        key = {"pairs": "pair_bootstrap_ties_in_pool", "blocks": "block_bootstrap"}[
            level
        ]
        ranges: dict[str, tuple[int, int]] = expected["bootstrap"][key]["ranges"]
        return ranges
    key = {"pairs": "rank_ranges_pairs_ties_in_pool", "blocks": "rank_ranges_blocks"}[
        level
    ]
    return {system: seen["modal"] for system, seen in expected[key].items()}


@pytest.mark.parametrize("level", ["pairs", "blocks"])
@pytest.mark.parametrize("name", SETS)
def test_ranges_of_the_released_sets(
    real_data: Path,
    name: str,
    level: Literal["pairs", "blocks"],
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


@pytest.mark.parametrize(
    ("name", "sizes", "found"),
    [
        ("wmt12-cs-en", (1.33, 1.33, 1.33), (5, 5, 5)),
        ("wmt12-es-en", (4.0, 6.42, 7.17), (2, 2, 2)),
        ("wmt15-en-fi", (2.6, 3.4, 3.6), (4, 4, 4)),
        ("wmt16-it-en-nl", (1.5, 1.5, 1.5), (3, 3, 3)),
    ],
)
def test_the_price_of_confidence_sets_on_the_released_sets(
    real_data: Path,
    name: str,
    sizes: tuple[float, ...],
    found: tuple[int, ...],
) -> None:
    campaign = scored(blocks_of(rows_of(real_data / name)), seed=0)
    ranges = [
        KINDS[kind](campaign) for kind in ("percentiles", "marginal", "simultaneous")
    ]
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
            found = other.log_probabilities(model.fit().parameters)
            total, count = (
                total + float(other.weights @ found),
                count + int(other.weights.sum()),
            )
        return -total / count

    plain = held_out(Penalty(discrimination=0, leniency=0))
    assert plain == pytest.approx(0.958, abs=0.004)
    assert held_out(Penalty()) < plain - 0.02


@pytest.mark.parametrize(("name", "pairs"), [("wmt12-es-en", 15), ("wmt12-cs-en", 10)])
def test_daily_looks_separate_fewer_systems_of_wmt12(
    real_data: Path,
    name: str,
    pairs: int,
) -> None:
    blocks = blocks_of(rows_of(real_data / name))
    found = anytime_ranges(blocks.without([s for s in blocks.systems if s == "_ref"]))
    assert found.refusals == {}
    assert int(found.above.sum()) == pairs
    place = (-found.scores.values).argsort().argsort() + 1
    assert np.all((found.ranges.low <= place) & (place <= found.ranges.high))


@pytest.fixture(scope="module")
def english_finnish(real_data: Path) -> Blocks:
    return blocks_of(appraise(real_data / "wmt15-en-fi" / "judgments.xml"))


@pytest.fixture(scope="module")
def english_dutch(real_data: Path) -> Blocks:
    return blocks_of(pairwise(real_data / "wmt16-it-en-nl" / "pairwise.csv"))


def assert_published(ranking: Ranking, published: list[list[list[Any]]]) -> None:
    """Hold μ to 0.01 and the ends of the ranges to one rank."""
    rows = {row.system: row for row in ranking.systems}
    for system, mu, low, high in (row for cluster in published for row in cluster):
        row = rows[system]
        assert row.score == pytest.approx(mu, abs=0.01)
        assert abs(row.rank_low - low) <= 1
        assert abs(row.rank_high - high) <= 1


@pytest.mark.thorough
@pytest.mark.parametrize("seed", [0, 1])
def test_trueskill_of_wmt15_english_finnish(
    real_data: Path,
    english_finnish: Blocks,
    seed: int,
) -> None:
    expected = expected_of(real_data / "wmt15-en-fi")
    fit = trueskill_wmt(english_finnish, seed=seed)
    assert fit.extra["comparisons"] == expected["pairs"]
    names = names_in_order(english_finnish.systems, fit.scores)
    ends = fit.extra["ranges_of_runs"]
    for system, mu, low, high in (
        row for part in expected["published_trueskill"] for row in part
    ):
        assert fit.scores.by_system(english_finnish.systems)[system] == pytest.approx(
            mu,
            abs=0.01,
        )
        assert np.abs(np.subtract(ends[system], [low, high])).max() <= 1
    published = (real_data / "wmt15-en-fi" / "published-trueskill.txt").read_text(
        encoding="utf-8",
    )
    assert names == [
        line.split()[0] for line in published.splitlines() if line[0] != "+"
    ]
    # The first four and the last two stand alone in print, and here.
    low, high = np.array([ends[name] for name in names]).T
    cluster = clusters(RankRanges(low, high)).tolist()
    for name in [*cluster[:4], *cluster[-2:]]:
        assert cluster.count(name) == 1


@pytest.mark.thorough
def test_trueskill_of_wmt16_english_dutch(
    real_data: Path,
    english_dutch: Blocks,
) -> None:
    expected = expected_of(real_data / "wmt16-it-en-nl")
    assert tally(english_dutch).comparisons == expected["pairs"]
    assert_published(
        rank(english_dutch, "trueskill_wmt", resample="pairs"),
        expected["published_trueskill"],
    )
