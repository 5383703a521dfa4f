"""Agreement and diagnostics against what was published, on the judgments WMT released."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ranking.core.agreement.intervals import AgreementEstimate
from ranking.core.agreement.measures import measure_agreement
from ranking.core.agreement.statistics import Chance
from ranking.core.diagnosis.campaign import diagnose_campaign
from ranking.core.judged.blocks import BlockRow
from ranking.core.judged.collapsed_candidates import Pairing
from ranking.core.judges.diagnosis import diagnose_judges
from ranking.core.judges.outliers import Rule, outliers, ranking_without
from ranking.core.methods.registry import METHODS
from tests.released import appraise_timed, blocks_of, expected_of, five_way, pairwise

pytestmark = pytest.mark.realdata


def expanded(row: BlockRow) -> BlockRow:
    """Show the systems of a collapsed candidate one after the other, as the released CSV does."""
    return BlockRow(
        row.judge,
        row.segment,
        [(name,) for shown in row.candidates for name in shown],
        [
            label
            for shown, label in zip(row.candidates, row.labels, strict=True)
            for _ in shown
        ],
    )


def as_published(found: AgreementEstimate) -> list[float | None]:
    shares = (found.p_agree, found.p_chance, found.kappa)
    return [
        *(None if share is None else round(share, 3) for share in shares),
        *(found.agreeing, found.comparable, found.ties, found.labels),
    ]


WMT10 = pytest.mark.parametrize(
    ("pair", "table_1", "table_5", "table_10"),
    [
        ("cs-en", (13, 543, 2691, 5375, "0.976", "0.700", "0.504"), "-0.290", "-0.041"),
        (
            "es-en",
            (15, 1140, 5665, 11307, "0.989", "0.693", "0.508"),
            "-0.240",
            "0.341",
        ),
    ],
)


@WMT10
def test_rows_of_bojar_et_al_2011(
    real_data: Path,
    pair: str,
    table_1: tuple[Any, ...],
    table_5: str,
    table_10: str,
) -> None:
    blocks = blocks_of(five_way(real_data / "wmt10" / f"judgments.{pair}.csv"))
    found = diagnose_campaign(blocks, reference="_ref", decimals=3)
    agreement = measure_agreement(blocks, chance=Chance.UNIFORM, resamples=100)
    assert table_1 == (
        len(found.systems),
        found.blocks,
        found.labels,
        found.comparisons,
        f"{found.geq_others['_ref']:.3f}",
        f"{agreement.intra.kappa:.3f}",
        f"{agreement.inter.kappa:.3f}",
    )
    assert f"{found.score_by_times_judged.pearson:.3f}" == table_5
    assert found.score_by_reference is not None
    assert f"{found.score_by_reference.pearson:.3f}" == table_10
    # Without rounding the scores first, as printed, the last digit can differ.
    unrounded = diagnose_campaign(
        blocks,
        reference="_ref",
    ).score_by_times_judged.pearson
    assert unrounded == pytest.approx(float(table_5), abs=0.001)


def test_kappa_of_wmt15_english_finnish(real_data: Path) -> None:
    folder = real_data / "wmt15-en-fi"
    published = json.loads((folder / "published-kappa-collapsed.json").read_text())
    expected = expected_of(folder)
    rows = [row for row, _ in appraise_timed(folder / "judgments.xml")]
    for blocks, kappas in (
        (blocks_of(rows), published),
        (blocks_of(rows), expected["kappa_collapsed"]),
        (blocks_of(expanded(row) for row in rows), expected["kappa_expanded"]),
    ):
        found = measure_agreement(
            blocks,
            pairing=Pairing.PRESENTED,
            chance=Chance.SCOTT,
        )
        assert as_published(found.inter) == kappas["inter"]
        assert as_published(found.intra) == kappas["intra"]


@pytest.mark.parametrize("name", ["wmt12-es-en", "wmt15-en-fi", "wmt16-it-en-nl"])
def test_counts_and_scores_of_the_released_judgments(
    real_data: Path,
    name: str,
) -> None:
    folder = real_data / name
    expected = expected_of(folder)
    if name == "wmt12-es-en":
        rows = list(five_way(folder / "judgments.csv"))
    elif name == "wmt15-en-fi":
        # The expected counts take systems of one text for compared, and tied.
        rows = [expanded(row) for row, _ in appraise_timed(folder / "judgments.xml")]
    else:
        rows = list(pairwise(folder / "pairwise.csv"))
    found = diagnose_campaign(blocks_of(rows))
    assert (found.comparisons, found.ties) == (expected["pairs"], expected["ties"])
    assert found.judges == expected.get("judges", found.judges)
    if name == "wmt12-es-en":  # those of WMT15 count the segments of skipped blocks too
        assert (found.blocks, found.segments) == (
            expected["blocks"],
            expected["segments"],
        )
    for row in expected["systems"]:
        against = found.pairwise[row["system"]].values()
        totals = [sum(cell[i] for cell in against) for i in range(3)]
        assert totals == [row["wins"], row["losses"], row["ties"]]
        assert found.geq_others[row["system"]] == pytest.approx(
            row["ge_others"],
            abs=1e-6,
        )


def test_judges_of_wmt15_have_times_and_leaving_outliers_out_hardly_changes_the_ranking(
    real_data: Path,
) -> None:
    rows, seconds = zip(
        *appraise_timed(real_data / "wmt15-en-fi" / "judgments.xml"),
        strict=True,
    )
    blocks = blocks_of(rows)
    diagnosed = diagnose_judges(blocks, seconds=np.array(seconds), resamples=10)
    assert len(diagnosed) == 5
    assert sum(judge.time.blocks for judge in diagnosed if judge.time) == len(blocks)
    for each in outliers(diagnosed, deviations=1):
        # One judge shared too few easy items; the reference was not among the systems.
        assert each.judged == {Rule.REFERENCE: 0, Rule.EASY_ITEMS: 4}.get(each.rule, 5)
        # Hamon et al. (2007, Table 4): at least .98 whatever the rule.
        pearson = ranking_without(
            blocks,
            each.outliers,
            METHODS["expected_wins"].score,
        ).correlation.pearson
        assert pearson is not None
        assert pearson >= 0.98
