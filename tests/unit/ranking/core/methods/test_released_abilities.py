"""Abilities against what WMT published, on the judgments WMT released."""

import csv
import json
from collections import defaultdict
from pathlib import Path
from typing import Any, Literal
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from ranking.core.counting.tallies import tally
from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows
from ranking.core.methods.ability import Ability
from ranking.core.methods.expected_wins import expected_wins
from ranking.core.methods.hopkins_may.fit import hopkins_may
from ranking.core.methods.hopkins_may.model import HopkinsMayModel
from ranking.core.methods.trueskill.online import trueskill_online
from ranking.core.methods.trueskill.wmt import trueskill_wmt
from ranking.core.ranges.clusters import clusters, rank_ranges
from ranking.core.selection.cross_validation import select_method
from ranking.core.selection.predictors import by_pairs, predictors

pytestmark = pytest.mark.realdata


def blocks_of(rows: list[BlockRow]) -> Blocks:
    return blocks_from_rows(
        rows, {name for row in rows for shown in row.candidates for name in shown}
    )


def expected_of(folder: Path) -> dict[str, Any]:
    expected: dict[str, Any] = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    return expected


@pytest.fixture(scope="module")
def english_finnish(real_data: Path) -> Blocks:
    rows = []
    for task in ET.parse(real_data / "wmt15-en-fi" / "judgments.xml").iter("ranking-task"):
        for result in task.iter("ranking-result"):
            shown = list(result.iter("translation"))
            if shown:
                rows.append(
                    BlockRow(
                        judge=result.attrib["user"],
                        segment=int(task.attrib["id"]),
                        candidates=[each.attrib["system"].split(",") for each in shown],
                        labels=[int(each.attrib["rank"]) for each in shown],
                    )
                )
    return blocks_of(rows)


@pytest.fixture(scope="module")
def english_dutch(real_data: Path) -> Blocks:
    """Rows of one ranking form a block; the labels of a system there are all the same."""
    shown: dict[tuple[str, str, int], dict[str, int]] = defaultdict(dict)
    path = real_data / "wmt16-it-en-nl" / "pairwise.csv"
    with path.open(encoding="utf-8", newline="") as file:
        for line in csv.DictReader(file):
            block = shown[line["rankingID"], line["judgeID"], int(line["srcIndex"])]
            for side in "12":
                block[line[f"system{side}Id"]] = int(line[f"system{side}rank"])
    return blocks_of(
        [
            BlockRow(judge, segment, [(name,) for name in labels], list(labels.values()))
            for (_, judge, segment), labels in shown.items()
        ]
    )


def assert_published(ability: Ability, published: list[list[list[Any]]]) -> None:
    """Hold μ to 0.01 and the ends of the ranges to one rank."""
    ranges = rank_ranges(ability.drawn_scores)
    for system, mu, low, high in (row for cluster in published for row in cluster):
        index = ability.systems.index(system)
        assert ability.mu[index] == pytest.approx(mu, abs=0.01)
        assert abs(ranges.low[index] - low) <= 1
        assert abs(ranges.high[index] - high) <= 1


@pytest.mark.thorough
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.thorough)])
def test_trueskill_of_wmt15_english_finnish(
    real_data: Path, english_finnish: Blocks, seed: int
) -> None:
    expected = expected_of(real_data / "wmt15-en-fi")
    ability = trueskill_wmt(english_finnish, seed=seed)
    assert ability.extra["comparisons"] == expected["pairs"]
    assert_published(ability, expected["published_trueskill"])
    published = (real_data / "wmt15-en-fi" / "published-trueskill.txt").read_text(encoding="utf-8")
    names = [line.split()[0] for line in published.splitlines() if not line.startswith("+")]
    assert [ability.systems[k] for k in np.argsort(-ability.mu)] == names
    # The first four and the last two stand alone in print, and here.
    cluster = dict(zip(ability.systems, clusters(rank_ranges(ability.drawn_scores)), strict=True))
    alone = [*names[:4], *names[-2:]]
    for name in alone:
        assert [other for other in names if cluster[other] == cluster[name]] == [name]


@pytest.mark.parametrize("resample", ["none", "pairs"])
def test_trueskill_of_wmt16_english_dutch(
    real_data: Path, english_dutch: Blocks, resample: Literal["none", "pairs"]
) -> None:
    expected = expected_of(real_data / "wmt16-it-en-nl")
    assert tally(english_dutch).comparisons == expected["pairs"]
    ability = trueskill_wmt(english_dutch, resample=resample)
    assert_published(ability, expected["published_trueskill"])


def test_all_abilities_order_the_systems_of_wmt15_as_expected_wins_does(
    english_finnish: Blocks,
) -> None:
    by_wins = np.argsort(-expected_wins(tally(english_finnish).wins).values).tolist()
    for ability in (
        hopkins_may(english_finnish),
        hopkins_may(english_finnish, model=HopkinsMayModel(radius=0.5)),
        trueskill_online(english_finnish),
    ):
        order = np.argsort(-ability.mu).tolist()
        # 4th … 8th are within a standard deviation or two of one another.
        assert order[:4] == by_wins[:4]
        assert order[-2:] == by_wins[-2:]


@pytest.mark.thorough
def test_draws_and_mode_agree_on_wmt15(english_finnish: Blocks) -> None:
    mode = hopkins_may(english_finnish)
    drawn = hopkins_may(english_finnish, inference="gibbs")
    assert drawn.problem is None
    assert np.abs((drawn.mu - mode.mu) / mode.sigma).max() < 0.2
    assert drawn.sigma == pytest.approx(mode.sigma, rel=0.12)


@pytest.mark.thorough
def test_methods_are_nearly_as_good_as_the_oracle_as_in_the_papers(
    english_finnish: Blocks,
) -> None:
    found = select_method(english_finnish, {**predictors(runs=5), "pairs": by_pairs}, folds=20)
    for name in predictors():
        assert found.oracle - 0.015 < found.methods[name].accuracy < found.oracle
    assert found.majority < 0.46
