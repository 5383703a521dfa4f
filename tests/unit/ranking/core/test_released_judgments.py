"""The core against what WMT published, on the judgments WMT released."""

import csv
import json
from collections.abc import Iterator
from math import comb
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from ranking.core.agreement.report import Chance, inter_judge_agreement
from ranking.core.counting.tallies import tally
from ranking.core.diagnosis.campaign import sole_winners
from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows
from ranking.core.judged.collapsed_candidates import Outcome, collapsed_comparisons
from ranking.core.methods.expected_wins import expected_wins
from ranking.core.rankings.rank import rank
from ranking.core.rankings.ranking import Ranking

pytestmark = pytest.mark.realdata


def five_way_rows(path: Path) -> Iterator[BlockRow]:
    with path.open(encoding="utf-8", newline="") as file:
        for line in csv.DictReader(file):
            numbers = [k for k in range(1, 6) if line[f"system{k}Id"]]
            ranks = [int(line[f"system{k}rank"]) for k in numbers]
            yield BlockRow(
                judge=line["judgeId"],
                segment=int(line["srcIndex"]),
                candidates=[line[f"system{k}Id"].split(",") for k in numbers],
                labels=[rank if rank > 0 else None for rank in ranks],
            )


def appraise_rows(path: Path) -> Iterator[BlockRow]:
    for task in ET.parse(path).iter("ranking-task"):
        for result in task.iter("ranking-result"):
            shown = list(result.iter("translation"))
            if shown:  # an empty result is a skipped block
                yield BlockRow(
                    judge=result.attrib["user"],
                    segment=int(task.attrib["id"]),
                    candidates=[each.attrib["system"].split(",") for each in shown],
                    labels=[int(each.attrib["rank"]) for each in shown],
                )


def blocks_of(rows: Iterator[BlockRow]) -> Blocks:
    listed = list(rows)
    return blocks_from_rows(
        listed, {name for row in listed for shown in row.candidates for name in shown}
    )


def expected_of(folder: Path) -> dict[str, Any]:
    expected: dict[str, Any] = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    return expected


def clusters_of(ranking: Ranking) -> list[list[str]]:
    count = max(row.cluster for row in ranking.systems)
    return [
        [row.system for row in ranking.systems if row.cluster == cluster]
        for cluster in range(1, count + 1)
    ]


def assert_point_estimates(ranking: Ranking, systems: list[dict[str, Any]]) -> None:
    assert [row.system for row in ranking.systems] == [row["system"] for row in systems]
    for found, row in zip(ranking.systems, systems, strict=True):
        assert found.score == pytest.approx(row["expected_wins"], abs=1e-6)
        assert (found.wins, found.losses, found.ties) == (row["wins"], row["losses"], row["ties"])


@pytest.mark.parametrize("name", ["wmt12-cs-en", "wmt12-es-en"])
def test_expected_wins_of_wmt12(real_data: Path, name: str) -> None:
    expected = expected_of(real_data / name)
    ranking = rank(blocks_of(five_way_rows(real_data / name / "judgments.csv")), resamples=10)
    assert_point_estimates(ranking, expected.get("systems_by_expected_wins") or expected["systems"])
    assert ranking.blocks == expected["blocks"]
    assert ranking.judges == expected["judges"]
    assert ranking.comparisons == expected["pairs"]
    assert ranking.ties == expected["ties"]


def test_pairwise_table_of_wmt12_czech_english(real_data: Path) -> None:
    folder = real_data / "wmt12-cs-en"
    tallies = tally(blocks_of(five_way_rows(folder / "judgments.csv")))
    found = {
        a: {
            b: [int(tallies.wins[i, j]), int(tallies.wins[j, i]), int(tallies.ties[i, j])]
            for j, b in enumerate(tallies.systems)
            if a != b
        }
        for i, a in enumerate(tallies.systems)
    }
    assert found == expected_of(folder)["pairwise"]


@pytest.mark.parametrize("seed", range(8))
def test_ranges_and_clusters_of_wmt12_czech_english(real_data: Path, seed: int) -> None:
    folder = real_data / "wmt12-cs-en"
    expected = expected_of(folder)
    ranking = rank(blocks_of(five_way_rows(folder / "judgments.csv")), resample="blocks", seed=seed)
    for row in ranking.systems:
        seen = expected["rank_ranges_blocks"][row.system]
        assert seen["lo_seen"][0] <= row.rank_low <= seen["lo_seen"][1]
        assert seen["hi_seen"][0] <= row.rank_high <= seen["hi_seen"][1]
    (published,) = expected["clusters_blocks"]
    assert clusters_of(ranking) == published["clusters"]


@pytest.mark.parametrize("seed", range(8))
def test_ranges_and_clusters_of_wmt12_spanish_english(real_data: Path, seed: int) -> None:
    folder = real_data / "wmt12-es-en"
    # One draw of ranges is given, not bounds over seeds: allow for one rank of seed noise.
    expected = expected_of(folder)["bootstrap"]["block_bootstrap"]
    ranking = rank(blocks_of(five_way_rows(folder / "judgments.csv")), resample="blocks", seed=seed)
    for row in ranking.systems:
        low, high = expected["ranges"][row.system]
        assert abs(row.rank_low - low) <= 1
        assert abs(row.rank_high - high) <= 1
    assert clusters_of(ranking) == expected["clusters"]


def test_collapsed_outputs_of_wmt15_english_finnish(real_data: Path) -> None:
    folder = real_data / "wmt15-en-fi"
    expected = expected_of(folder)
    rows = list(appraise_rows(folder / "judgments.xml"))
    blocks = blocks_of(iter(rows))
    tallies = tally(blocks)
    # The expected counts take two systems with one text for a tie; nobody compared them, so here
    # they are no comparison. Nothing else differs, and Expected Wins drops ties anyway.
    unjudged = sum(comb(len(shown), 2) for row in rows for shown in row.candidates)
    assert tallies.comparisons + unjudged == expected["pairs"]
    assert tallies.tied + unjudged == expected["ties"]
    scores = dict(zip(blocks.systems, expected_wins(tallies.wins).values, strict=True))
    for row in expected["systems"]:
        assert scores[row["system"]] == pytest.approx(row["expected_wins"], abs=1e-6)
    collapsed = collapsed_comparisons(blocks)
    assert len(collapsed.item) == expected["pairs_collapsed"]
    assert np.count_nonzero(collapsed.outcome == Outcome.TIE) == expected["ties_collapsed"]


@pytest.mark.parametrize(
    ("pair", "systems", "blocks", "labels", "comparisons", "kappa"),
    [("cs-en", 13, 543, 2691, 5375, 0.504), ("es-en", 15, 1140, 5665, 11307, 0.508)],
)
def test_agreement_of_wmt10_is_that_of_bojar_et_al_2011_table_1(
    real_data: Path,
    pair: str,
    systems: int,
    blocks: int,
    labels: int,
    comparisons: int,
    kappa: float,
) -> None:
    judged = blocks_of(five_way_rows(real_data / "wmt10" / f"judgments.{pair}.csv"))
    assert (len(judged.systems), len(judged)) == (systems, blocks)
    assert np.count_nonzero(judged.labels) == labels
    report = inter_judge_agreement(judged, chance=Chance.UNIFORM, resamples=100)
    assert report.comparisons == comparisons
    assert report.inter.kappa is not None
    assert round(report.inter.kappa, 3) == kappa
    # Table 3: agreement is lower without the reference, on which it is easy to agree.
    without = inter_judge_agreement(judged.without(["_ref"]), chance=Chance.UNIFORM, resamples=100)
    assert without.inter.kappa is not None
    assert without.inter.kappa < report.inter.kappa


@pytest.mark.parametrize(("pair", "lone"), [("cs-en", 0), ("es-en", 1)])
def test_lone_labels_of_wmt10_are_sole_winners(real_data: Path, pair: str, lone: int) -> None:
    judged = blocks_of(five_way_rows(real_data / "wmt10" / f"judgments.{pair}.csv"))
    labels = np.count_nonzero(judged.labels, axis=1)
    only = judged.take(np.flatnonzero(labels == 1))
    assert len(only) == lone
    without, with_them = (
        sole_winners(judged.take(np.flatnonzero(labels > 1))),
        sole_winners(judged.take(np.flatnonzero(labels > 0))),
    )
    for row in range(lone):
        without[only.systems[int(np.argmax(only.labels[row]))]] += 1
    assert with_them == without
