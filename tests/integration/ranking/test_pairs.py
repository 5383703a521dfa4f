"""The analysis of pairs: as WMT counted them, with what contradicts the order."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from campaign.models import Task
from ranking.models import Analysis
from ranking.reports.analyses.options import OptionError
from ranking.reports.stored import report_in
from ranking.services.analyses import analysis_ask, analysis_choice, analysis_compute
from tests.integration.ranking.conftest import WriteTestSet
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db


def answer(task: Task, **given: Any) -> Analysis:
    choice = analysis_choice("pairs", given)
    asked = analysis_ask(task=task, choice=choice, is_queued=False)
    return analysis_compute(analysis=asked)


def data_of(analysis: Analysis) -> dict[str, Any]:
    assert analysis.data is not None
    found: dict[str, Any] = analysis.data
    return found


@pytest.fixture
def contradicting(write_test_set: WriteTestSet) -> TestSetWriter:
    """`t` wins against `b` where both are shown; `b` won against `c` on other sentences."""
    writer = write_test_set(["b", "c", "t"])
    for segment in range(1, 4):
        writer.judgment(
            "j1",
            writer.block(segment, ["t", "b"]),
            [1, 2] if segment < 3 else [2, 1],
        )
    for segment in range(4, 8):
        writer.judgment("j2", writer.block(segment, ["b", "c"]), [1, 2])
    return writer


@pytest.mark.thorough
@pytest.mark.realdata
def test_wmt12_has_the_published_matrix(wmt12: Task, wmt12_folder: Path) -> None:
    expected = json.loads((wmt12_folder / "expected.json").read_text(encoding="utf-8"))
    found = data_of(answer(wmt12, resample="pairs"))
    assert found["order"] == [
        row["system"] for row in expected["systems_by_expected_wins"]
    ]
    assert len(found["pairs"]) == 15
    for pair in found["pairs"]:
        counts = [pair["wins"], pair["losses"], pair["ties"]]
        assert counts == expected["pairwise"][pair["system"]][pair["other"]]
    # Only cu-bojar and onlineA are not told apart; it is their order that methods differ on.
    assert [row["mark"] for row in found["pairs"]].count("‡") == 14
    assert (found["contradictions"], found["cycles"]) == ([], [])
    by_ties = data_of(
        answer(wmt12, method="geq_others", ties="count", only_shared=True),
    )
    (against,) = by_ties["contradictions"]
    assert (against["system"], against["other"]) == ("onlineA", "cu-bojar")
    assert (against["wins"], against["losses"], against["blocks"]) == (369, 384, 864)
    assert not against["significant"]
    first = by_ties["pairs"][0]
    assert first["share"] == pytest.approx(395 / (395 + 308 + 118))


def test_other_sentences_explain_a_contradiction(contradicting: TestSetWriter) -> None:
    of_all = data_of(answer(contradicting.task, method="bojar"))
    (found,) = of_all["contradictions"]
    assert (found["system"], found["other"], found["wins"], found["losses"]) == (
        "b",
        "t",
        1,
        2,
    )
    assert (found["score"], found["other_score"]) == (5 / 7, 2 / 3)
    shared = answer(contradicting.task, method="bojar", only_shared=True)
    assert data_of(shared)["contradictions"] == []
    assert shared.reports is not None
    assert "No pairs contradict the ranking." in report_in(shared.reports, "en").notes


def test_a_cycle_is_named(writer: TestSetWriter) -> None:
    with writer.at_once():
        for segment in range(1, 13):
            for order in ("AB", "BC", "CA"):
                writer.judgment("j1", writer.block(segment, list(order)), [1, 2])
    asked = answer(writer.task, resample="pairs", confidence=0.99)
    assert [cycle["systems"] for cycle in data_of(asked)["cycles"]] == [["A", "B", "C"]]
    assert data_of(asked)["cycles"][0]["significant"]
    assert asked.reports is not None
    tables = {table.name: table for table in report_in(asked.reports, "en").tables}
    assert tables["cycles"].rows[0][0] == "A > B > C > A"
    assert (
        "1 cycle of majorities (1 significant)." in report_in(asked.reports, "en").notes
    )


def test_nothing_is_called_significant_without_a_correction(
    ten_blocks: TestSetWriter,
) -> None:
    plain, holm = (
        answer(ten_blocks.task, resample="pairs", correction=name)
        for name in ("none", "holm")
    )
    for uncorrected, corrected in zip(
        data_of(plain)["pairs"],
        data_of(holm)["pairs"],
        strict=True,
    ):
        assert (uncorrected["adjusted_p"], uncorrected["significant"]) == (None, None)
        assert corrected["adjusted_p"] >= uncorrected["p_value"]
    assert plain.reports is not None
    report = report_in(plain.reports, "en")
    assert not {"adjusted_p", "significant"} & {
        column.key for column in report.tables[0].columns
    }
    assert "significant" not in " ".join([*report.notes, *report.tables[0].notes])


def test_methods_that_need_all_judgments_have_no_shared_scores(
    ten_blocks: TestSetWriter,
) -> None:
    with pytest.raises(OptionError, match="cannot use shared blocks only") as refused:
        answer(ten_blocks.task, method="hopkins_may", only_shared=True)
    assert refused.value.field == "only_shared"
    assert data_of(answer(ten_blocks.task, method="hopkins_may"))["order"] == [
        "A",
        "B",
        "C",
    ]


def test_the_matrix_is_coloured_by_the_confidence_that_was_chosen(
    ten_blocks: TestSetWriter,
    as_organiser: Client,
) -> None:
    page = reverse(
        "analysis",
        args=[ten_blocks.campaign.slug, ten_blocks.task.pk, "pairs"],
    )

    def coloured(level: str, **given: str) -> set[frozenset[str]]:
        asked = answer(ten_blocks.task, resample="pairs", **given)
        asked_for = {"resample": "pairs", **given}
        section = as_organiser.get(page, asked_for, headers={"HX-Request": "true"})
        shown = section.content.decode()
        assert f"Strong shade: p ≤ {level}." in shown
        cells = re.findall(
            r"<title>(.) – (.): [^<]*</title><rect class=\"\w+ strength-[1-3]\"",
            shown,
        )
        significant = {
            frozenset((row["system"], row["other"]))
            for row in data_of(asked)["pairs"]
            if row["significant"]
        }
        assert {frozenset(pair) for pair in cells} == significant
        return significant

    usual, sure = coloured("0.05"), coloured("0.001", confidence="0.999")
    assert sure < usual
