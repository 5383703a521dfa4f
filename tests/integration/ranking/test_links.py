"""Numbers and names lead to what is behind them: on organisers' pages, and nowhere else."""

import re

import pytest
from django.urls import reverse

from campaign.models import Segment
from ranking.pages.formats import Addresses
from ranking.pages.report_shown import rendered_tables
from ranking.reports.tables import Column, Report, Table
from ranking.reports.writing import ReportFormat, write
from ranking.services.runs import ranking_run_compute
from tests.integration.ranking.writing import TestSetWriter, documents_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def told(varied: TestSetWriter) -> TestSetWriter:
    """Texts, documents and a ranking, too."""
    documents_of(varied, 3)
    for segment in Segment.objects.filter(test_set_id=varied.task.test_set_id):
        Segment.objects.filter(pk=segment.pk).update(
            source_text="word " * segment.number,
        )
    ranking_run_compute(task_id=varied.task.pk)
    return varied


def test_cells_lead_to_what_they_name_and_count(told: TestSetWriter) -> None:
    told.judge("j – 9")
    table = Table(
        name="t",
        title="T",
        columns=[
            Column("system", "System", is_text=True, names="system"),
            Column("other", "Other", is_text=True, names="other"),
            Column("won", "Won", counts="won"),
            Column("all", "All", counts="judgments"),
            Column("who", "Who", is_text=True, names="judges"),
            Column("segment", "Segment", names="segment"),
            Column("day", "Day", is_text=True, names="day"),
            Column("score", "Score"),
            Column("skipped", "Skipped", counts="skipped"),
        ],
        rows=[
            ("A", "B", 1234, 0, "j0 – j1", 3, "2026-01-02", 0.5, 7),
            ("gone", "B", 5, 6, "nobody – j1", 4, None, None, 0),
        ],
    )
    report = Report(tables=[table], data={})
    (shown,) = rendered_tables(report, addresses=Addresses(told.task))
    first, second = (
        re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)
        for row in shown.body.split("</tr>")[:2]
    )
    at = reverse("judgments", args=[told.campaign.slug, told.task.pk])
    assert first[2] == (
        f'<a href="{at}?system=A&amp;other=B&amp;outcome=won&amp;counts=yes">1,234</a>'
    )
    # Nothing is behind a nought.
    assert (first[3], first[7]) == ("0", "0.500")
    assert re.fullmatch(
        r'<bdi><a href="[^"]+">j0</a> – <a href="[^"]+">j1</a></bdi>',
        first[4],
    )
    assert first[5].endswith('/segments/3/">3</a>')
    assert first[6] == f'<a href="{at}?day=2026-01-02&amp;counts=yes">Jan. 2, 2026</a>'
    # Who is not there any more leads nowhere, and neither do their figures.
    assert second[:4] == ["<bdi>gone</bdi>", second[1], "5", "6"]
    assert "href" in second[1]
    assert second[4].startswith("<bdi>nobody – <a")
    skips = reverse("skips", args=[told.campaign.slug, told.task.pk])
    assert (first[8], second[8]) == (f'<a href="{skips}">7</a>', "0")
    (plain,) = rendered_tables(report)
    assert "href" not in plain.body
    assert all("href" not in write(report, each) for each in ReportFormat)
