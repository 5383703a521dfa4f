"""Whether to go on judging: a forecast on the campaign's own noise, and words where there is none."""

from typing import Any

import pytest

from campaign.models import TestSet
from ranking.models import Analysis
from ranking.reports.stored import report_in
from ranking.reports.tables import Table
from ranking.services.analyses import analysis_ask, analysis_choice, analysis_compute
from tests.integration.ranking.conftest import WriteTestSet
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db


def answer(test_set: TestSet, **given: Any) -> Analysis:
    choice = analysis_choice("stopping", given)
    return analysis_compute(
        analysis=analysis_ask(test_set=test_set, choice=choice, is_queued=False)
    )


def tables_of(analysis: Analysis) -> dict[str, Table]:
    report = report_in(analysis.reports or {}, "en")
    return {table.name: table for table in report.tables}


def notes_of(analysis: Analysis) -> str:
    return " ".join(report_in(analysis.reports or {}, "en").notes)


def test_without_a_decision_it_says_why(writer: TestSetWriter) -> None:
    writer.judgment("j0", writer.block(1, ["A", "B", "C"]), [1, 1, 1])
    found = answer(writer.test_set)
    assert found.data is not None
    assert found.data["why_not"] == "nothing_decided"
    assert tables_of(found) == {}
    assert "no comparison is decided yet" in notes_of(found)


def test_where_nobody_is_told_apart_or_all_are_it_says_why(
    writer: TestSetWriter, write_test_set: WriteTestSet
) -> None:
    writer.judgment("j0", writer.block(1, ["A", "B", "C"]), [1, 2, 3])
    found = answer(writer.test_set)
    assert found.data is not None
    assert found.data["why_not"] == "none_apart"
    assert list(tables_of(found)) == ["pairs_told_apart"]
    assert "no two systems are told apart yet" in notes_of(found)


@pytest.mark.realdata
def test_the_forecast_of_wmt12(wmt12: TestSet) -> None:
    found = answer(wmt12, experiments=60, limit=20_000)
    data = found.data
    assert data is not None
    # 14 of 15 pairs: cu-bojar and onlineA alone are not told apart.
    assert "93.3 % of the pairs" in notes_of(found)
    low, noise, high = (data["plan"][f"fitted_noise{end}"] for end in ("_low", "", "_high"))
    assert low < noise < high
    tables = tables_of(found)
    reached = data["judgments"][0]
    # Reached: never placed in the future.
    assert (reached["target"], reached["more"]) == (0.8, 0)
    assert reached["comparisons"] <= 1294
    assert tables["plan"].rows[0][0] == "80 % of the pairs told apart"
    figure = tables["pairs_told_apart"]
    so_far = [row for row in figure.rows if row[5] == "so far"]
    assert so_far[-1][0] == pytest.approx(1291, abs=5)
    assert so_far[-1][1] == pytest.approx(14 / 15)
    # The forecast begins where the campaign is.
    ahead = data["forecast"]
    assert len(ahead["share"]) == len(figure.rows) - len(so_far)
    for low, share, high in zip(ahead["low"], ahead["share"], ahead["high"], strict=True):
        assert low <= share <= high
    assert figure.plot is not None
    now, more = data["from_start"]
    assert more[0]["comparisons"] > now[0]["comparisons"]
