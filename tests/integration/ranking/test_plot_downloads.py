"""Every plot of organisers' pages comes as SVG, PNG and CSV, where it is shown."""

import csv
import re
from datetime import UTC, datetime, timedelta
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import WorkedQuarterHour
from campaign.export.downloads import content_type
from campaign.models import Judge, Output, Segment
from ranking.models import Analysis
from ranking.pages.page_plots import PLOTS
from ranking.pages.report_shown import PLOT_FILES
from ranking.selectors.runs import latest_run
from ranking.services.analyses import analysis_ask, analysis_choice, analysis_compute
from ranking.services.quality import quality_evaluate
from ranking.services.runs import ranking_history_compute
from tests.integration.ranking.conftest import WriteTestSet
from tests.integration.ranking.writing import TestSetWriter

pytestmark = [pytest.mark.django_db, pytest.mark.thorough]

AT_NINE = datetime(2026, 11, 16, 9, tzinfo=UTC)
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def drawn(write_test_set: WriteTestSet) -> TestSetWriter:
    """Twelve days of four judges, ranked several times, whose judges are measured; it will end."""
    writer = write_test_set(["A", "B", "C"])
    now = timezone.now()
    with writer.at_once():
        for segment in range(1, 13):
            block = writer.block(segment, ["A", "B", "C"])
            Segment.objects.filter(pk=block.segment_id).update(
                source_text=" ".join(["word"] * (25 if segment % 2 else 5)),
            )
            for judge in ("ann", "ben", "cat", "dan"):
                labels = [2, 1, 3] if segment % 4 == 0 or judge == "dan" else [1, 2, 3]
                at = now - timedelta(days=12 - segment)
                writer.judgment(
                    judge,
                    block,
                    labels,
                    at=at,
                    active_ms=30_000 + 900 * segment,
                )
    Output.objects.filter(segment__test_set=writer.task.test_set_id).update(
        text="some words of a text",
    )
    # Of imported judgments nobody's time is counted.
    for person in Judge.objects.filter(campaign=writer.campaign):
        WorkedQuarterHour.objects.create(
            task=writer.task,
            judge=person,
            start=AT_NINE,
            sentences=12,
            active_ms=360_000,
            untimed=0,
        )
    writer.task.blocks_wanted = 200
    writer.task.save()
    ranking_history_compute(task_id=writer.task.pk, steps=4)
    run = latest_run(task_id=writer.task.pk)
    assert run is not None
    quality_evaluate(run=run)
    return writer


def page_address(writer: TestSetWriter, name: str, *more: Any) -> str:
    return reverse(name, args=[writer.campaign.slug, writer.task.pk, *more])


def linked(page: str) -> list[str]:
    """Return the addresses of the files of plots on a page."""
    parts = re.findall(r'<p class="quiet plot-files">(.*?)</p>', page, flags=re.DOTALL)
    return [
        address for part in parts for address in re.findall(r'href="([^"]+)"', part)
    ]


def names_of(addresses: list[str]) -> dict[str, set[str]]:
    """Return the endings there are of each plot."""
    found: dict[str, set[str]] = {}
    for address in addresses:
        name, ending = address.partition("?")[0].rsplit("/", 1)[1].split(".")
        found.setdefault(name, set()).add(ending)
    return found


def check(client: Client, address: str) -> None:
    """Assert that a file is what its name says."""
    answer = client.get(address)
    ending = address.partition("?")[0].rsplit(".", 1)[1]
    assert answer.status_code == 200, address
    assert answer["Content-Type"] == content_type(f"plot.{ending}")
    assert f'.{ending}"' in answer["Content-Disposition"]
    if ending == "png":
        assert answer.content.startswith(b"\x89PNG\r\n")
    elif ending == "svg":
        root = ET.fromstring(answer.content)
        assert root.get("role") == "img"
        # Named and described for those who do not see it.
        assert (
            len([each for each in root if each.tag in {f"{SVG}title", f"{SVG}desc"}])
            == 2
        )
        assert [
            *root.iter(f"{SVG}circle"),
            *root.iter(f"{SVG}rect"),
            *root.iter(f"{SVG}polyline"),
        ]
    else:
        head, *rows = csv.reader(answer.content.decode().splitlines())
        assert rows
        assert {len(row) for row in rows} == {len(head)}


def computed(writer: TestSetWriter, kind: str, **given: Any) -> Analysis:
    asked = analysis_ask(
        task=writer.task,
        choice=analysis_choice(kind, given),
        is_queued=False,
    )
    return analysis_compute(analysis=asked)


def test_every_plot_of_every_page_is_downloaded_in_three_ways(
    drawn: TestSetWriter,
    as_organiser: Client,
) -> None:
    system = drawn.task.test_set.systems.get(name="A")
    computed(drawn, "system", system="A")
    judge = Judge.objects.get(campaign=drawn.campaign, pseudonym="ann")
    pages = {
        reverse("campaign-detail", args=[drawn.campaign.slug]): set(
            PLOTS["campaign-plot"],
        ),
        page_address(drawn, "test-set-dashboard"): {"ranks", "history", "progress"},
        page_address(drawn, "test-set-live"): {"ranks", "history", "progress"},
        page_address(drawn, "test-set-progress"): {"progress"},
        page_address(drawn, "judge-quality"): {"agreement"},
        page_address(drawn, "design"): {"forecast"},
        page_address(drawn, "judge-page", judge.pk): set(PLOTS["judge-plot"]),
        page_address(drawn, "system-results", system.pk): {"opponents", "lengths"},
    }
    seen = set()
    for page, expected in pages.items():
        found = linked(as_organiser.get(page).content.decode())
        assert names_of(found) == {name: set(PLOT_FILES) for name in expected}, page
        seen |= set(found)
    for address in sorted(seen):
        check(as_organiser, address)
