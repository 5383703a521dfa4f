"""Agreement and diagnostics against what was published, on the judgments WMT released."""

import csv
import json
from collections.abc import Iterable, Iterator
from datetime import time
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from ranking.core.agreement.breakdowns import agreement_by_reference
from ranking.core.agreement.intervals import AgreementEstimate
from ranking.core.agreement.measures import measure_agreement
from ranking.core.agreement.report import Chance
from ranking.core.diagnosis.campaign import diagnose_campaign
from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows
from ranking.core.judged.collapsed_candidates import Pairing
from ranking.core.judges.diagnosis import diagnose_judges
from ranking.core.judges.outliers import Rule, outliers, ranking_without

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


def pairwise_rows(path: Path) -> Iterator[BlockRow]:
    found: dict[str, tuple[str, int, dict[str, int]]] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for line in csv.DictReader(file):
            key = (line["judgeID"], int(line["srcIndex"]))
            *_, ranks = found.setdefault(line["rankingID"], (*key, {}))
            for k in (1, 2):
                ranks[line[f"system{k}Id"]] = int(line[f"system{k}rank"])
    for judge, segment, ranks in found.values():
        yield BlockRow(judge, segment, [(name,) for name in ranks], list(ranks.values()))


def appraise_rows(path: Path) -> Iterator[tuple[BlockRow, float]]:
    """Yield judged blocks and the seconds each took."""
    for task in ET.parse(path).iter("ranking-task"):
        for result in task.iter("ranking-result"):
            shown = list(result.iter("translation"))
            if not shown:  # an empty result is a skipped block
                continue
            row = BlockRow(
                judge=result.attrib["user"],
                segment=int(task.attrib["id"]),
                candidates=[each.attrib["system"].split(",") for each in shown],
                labels=[int(each.attrib["rank"]) for each in shown],
            )
            took = time.fromisoformat(result.attrib["duration"])
            seconds = took.hour * 3600 + took.minute * 60 + took.second + took.microsecond / 1e6
            yield row, seconds


def expanded(row: BlockRow) -> BlockRow:
    """Show the systems of a collapsed candidate one after the other, as the released CSV does."""
    return BlockRow(
        row.judge,
        row.segment,
        [(name,) for shown in row.candidates for name in shown],
        [label for shown, label in zip(row.candidates, row.labels, strict=True) for _ in shown],
    )


def blocks_of(rows: Iterable[BlockRow]) -> Blocks:
    listed = list(rows)
    return blocks_from_rows(
        listed, {name for row in listed for shown in row.candidates for name in shown}
    )


def expected_of(folder: Path) -> dict[str, Any]:
    expected: dict[str, Any] = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    return expected


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
        ("es-en", (15, 1140, 5665, 11307, "0.989", "0.693", "0.508"), "-0.240", "0.341"),
    ],
)


@WMT10
def test_rows_of_bojar_et_al_2011(
    real_data: Path, pair: str, table_1: tuple[Any, ...], table_5: str, table_10: str
) -> None:
    blocks = blocks_of(five_way_rows(real_data / "wmt10" / f"judgments.{pair}.csv"))
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
    unrounded = diagnose_campaign(blocks, reference="_ref").score_by_times_judged.pearson
    assert unrounded == pytest.approx(float(table_5), abs=0.001)


@WMT10
def test_agreement_is_lower_without_the_reference_on_which_it_is_easy_to_agree(
    real_data: Path, pair: str, table_1: Any, table_5: str, table_10: str
) -> None:
    blocks = blocks_of(five_way_rows(real_data / "wmt10" / f"judgments.{pair}.csv"))
    for chance in (Chance.UNIFORM, Chance.SCOTT):
        found = agreement_by_reference(blocks, "_ref", chance=chance, resamples=100)
        for side in ("inter", "intra"):
            included, excluded = getattr(found.included, side), getattr(found.excluded, side)
            assert excluded.kappa < included.kappa


def test_kappa_of_wmt15_english_finnish(real_data: Path) -> None:
    folder = real_data / "wmt15-en-fi"
    published = json.loads((folder / "published-kappa-collapsed.json").read_text())
    expected = expected_of(folder)
    rows = [row for row, _ in appraise_rows(folder / "judgments.xml")]
    for blocks, kappas in (
        (blocks_of(rows), published),
        (blocks_of(rows), expected["kappa_collapsed"]),
        (blocks_of(expanded(row) for row in rows), expected["kappa_expanded"]),
    ):
        found = measure_agreement(blocks, pairing=Pairing.PRESENTED, resamples=10)
        assert as_published(found.inter) == kappas["inter"]
        assert as_published(found.intra) == kappas["intra"]


@pytest.mark.parametrize("name", ["wmt12-es-en", "wmt15-en-fi", "wmt16-it-en-nl"])
def test_counts_and_scores_of_the_released_judgments(real_data: Path, name: str) -> None:
    folder = real_data / name
    expected = expected_of(folder)
    if name == "wmt12-es-en":
        rows = list(five_way_rows(folder / "judgments.csv"))
    elif name == "wmt15-en-fi":
        # The expected counts take systems of one text for compared, and tied.
        rows = [expanded(row) for row, _ in appraise_rows(folder / "judgments.xml")]
    else:
        rows = list(pairwise_rows(folder / "pairwise.csv"))
    found = diagnose_campaign(blocks_of(rows))
    assert (found.comparisons, found.ties) == (expected["pairs"], expected["ties"])
    assert found.judges == expected.get("judges", found.judges)
    if name == "wmt12-es-en":  # those of WMT15 count the segments of skipped blocks too
        assert (found.blocks, found.segments) == (expected["blocks"], expected["segments"])
    for row in expected["systems"]:
        against = found.pairwise[row["system"]].values()
        totals = [sum(cell[i] for cell in against) for i in range(3)]
        assert totals == [row["wins"], row["losses"], row["ties"]]
        assert found.geq_others[row["system"]] == pytest.approx(row["ge_others"], abs=1e-6)


def test_pairwise_table_of_wmt12_czech_english(real_data: Path) -> None:
    folder = real_data / "wmt12-cs-en"
    expected = expected_of(folder)
    found = diagnose_campaign(blocks_of(five_way_rows(folder / "judgments.csv")))
    table = {a: {b: list(cell) for b, cell in row.items()} for a, row in found.pairwise.items()}
    assert table == expected["pairwise"]
    assert (found.blocks, found.judges) == (expected["blocks"], expected["judges"])
    assert (found.comparisons, found.ties) == (expected["pairs"], expected["ties"])


def test_judges_of_wmt15_have_times_and_leaving_outliers_out_hardly_changes_the_ranking(
    real_data: Path,
) -> None:
    rows, seconds = zip(*appraise_rows(real_data / "wmt15-en-fi" / "judgments.xml"), strict=True)
    blocks = blocks_of(rows)
    diagnosed = diagnose_judges(blocks, seconds=np.array(seconds), resamples=10)
    assert len(diagnosed) == 5
    assert sum(judge.time.blocks for judge in diagnosed if judge.time) == len(blocks)
    for each in outliers(diagnosed):
        # One judge shared too few easy items; the reference was not among the systems.
        assert each.judged == {Rule.REFERENCE: 0, Rule.EASY_ITEMS: 4}.get(each.rule, 5)
        # Hamon et al. (2007, Table 4): at least .98 whatever the rule.
        pearson = ranking_without(blocks, each.outliers).correlation.pearson
        assert pearson is not None
        assert pearson >= 0.98
