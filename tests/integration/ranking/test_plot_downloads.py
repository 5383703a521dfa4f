"""Every plot of organisers' pages comes as SVG, PNG and CSV, where it is shown."""

import csv
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.models import WorkedQuarterHour
from campaign.models import Judge, Output, Segment, User
from ranking.models import Analysis
from ranking.pages.page_plots import CAMPAIGN_PLOTS, JUDGE_PLOTS, TEST_SET_PLOTS
from ranking.pages.plot_file import PLOT_FILES
from ranking.selectors.runs import latest_run
from ranking.services import quality_evaluate, ranking_history_compute
from ranking.services.analyses import analysis_ask, analysis_choice, analysis_compute
from tests.factories import make_analyst, make_campaign, make_judge, make_organiser
from tests.integration.ranking.conftest import WriteTestSet
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db

AT_NINE = datetime(2026, 11, 16, 9, tzinfo=UTC)
SVG = "{http://www.w3.org/2000/svg}"
#: Templates that draw, and where what they draw is downloaded; or why not.
_SMALL = "Small, without names: the dashboard of the test set has it in full."
_OF_EVERYBODY = "The files of a published result: tests/integration/publishing/test_files.py."
DRAWN = {
    "_language.html": "A picture of a language's name, no plot.",
    "dashboard/_history.html": "test-set-plot/history",
    "dashboard/_judges.html": "test-set-plot/agreement",
    "dashboard/_progress.html": "test-set-plot/progress",
    # On the page of an analysis it is the analysis that is downloaded.
    "dashboard/_ranking_table.html": "test-set-plot/ranks",
    "organiser/_design_forecast.html": "test-set-plot/forecast",
    "organiser/_small_plot.html": _SMALL,
    "organiser/judge.html": "judge-plot/measures, judge-plot/hours",
    # What is small in it is in full on dashboards, too; meters are of one number.
    "organiser/overview.html": "campaign-plot/ends",
    "published/_ranking.html": _OF_EVERYBODY,
    "results/_share_rows.html": "analysis-plot",
}


@pytest.fixture
def drawn(write_test_set: WriteTestSet) -> TestSetWriter:
    """Twelve days of four judges, ranked several times, whose judges are measured; it will end."""
    writer = write_test_set(["A", "B", "C"])
    now = timezone.now()
    with writer.at_once():
        for segment in range(1, 13):
            block = writer.block(segment, ["A", "B", "C"])
            Segment.objects.filter(pk=block.segment_id).update(
                source_text=" ".join(["word"] * (25 if segment % 2 else 5))
            )
            for judge in ("ann", "ben", "cat", "dan"):
                labels = [2, 1, 3] if segment % 4 == 0 or judge == "dan" else [1, 2, 3]
                at = now - timedelta(days=12 - segment)
                writer.judgment(judge, block, labels, at=at, active_ms=30_000 + 900 * segment)
    Output.objects.filter(segment__test_set=writer.task.test_set_id).update(
        text="some words of a text"
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
    return [address for part in parts for address in re.findall(r'href="([^"]+)"', part)]


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
    assert answer["Content-Type"] == PLOT_FILES[ending]
    assert f'.{ending}"' in answer["Content-Disposition"]
    if ending == "png":
        assert answer.content.startswith(b"\x89PNG\r\n")
    elif ending == "svg":
        root = ET.fromstring(answer.content)
        assert root.get("role") == "img"
        # Named and described for those who do not see it.
        assert len([each for each in root if each.tag in {f"{SVG}title", f"{SVG}desc"}]) == 2
        assert [*root.iter(f"{SVG}circle"), *root.iter(f"{SVG}rect"), *root.iter(f"{SVG}polyline")]
    else:
        head, *rows = csv.reader(answer.content.decode().splitlines())
        assert rows
        assert {len(row) for row in rows} == {len(head)}


def computed(writer: TestSetWriter, kind: str, **given: Any) -> Analysis:
    asked = analysis_ask(task=writer.task, choice=analysis_choice(kind, given), is_queued=False)
    return analysis_compute(analysis=asked)


def test_every_plot_of_every_page_is_downloaded_in_three_ways(
    drawn: TestSetWriter, as_organiser: Client
) -> None:
    system = drawn.task.test_set.systems.get(name="A")
    computed(drawn, "system", system="A")
    judge = Judge.objects.get(campaign=drawn.campaign, pseudonym="ann")
    pages = {
        reverse("campaign-detail", args=[drawn.campaign.slug]): set(CAMPAIGN_PLOTS),
        page_address(drawn, "test-set-dashboard"): set(TEST_SET_PLOTS) - {"forecast"},
        page_address(drawn, "test-set-live"): set(TEST_SET_PLOTS) - {"forecast"},
        page_address(drawn, "judge-quality"): {"agreement"},
        page_address(drawn, "design"): {"forecast"},
        page_address(drawn, "judge-page", judge.pk): set(JUDGE_PLOTS),
        page_address(drawn, "system-results", system.pk): {"opponents", "lengths"},
    }
    seen = set()
    for page, expected in pages.items():
        found = linked(as_organiser.get(page).content.decode())
        assert names_of(found) == {name: set(PLOT_FILES) for name in expected}, page
        seen |= set(found)
    for address in sorted(seen):
        check(as_organiser, address)


def test_where_nothing_is_drawn_nothing_is_offered(
    writer: TestSetWriter, as_organiser: Client
) -> None:
    judge = make_judge(writer.campaign)
    for page in (
        reverse("campaign-detail", args=[writer.campaign.slug]),
        page_address(writer, "test-set-dashboard"),
        page_address(writer, "judge-quality"),
        page_address(writer, "judge-page", judge.pk),
        page_address(writer, "system-results", writer.task.test_set.systems.get(name="A").pk),
    ):
        assert linked(as_organiser.get(page).content.decode()) == [], page
    for name in TEST_SET_PLOTS:
        # What a design would do, and hours without a judgment, are known before there is any.
        if name not in {"forecast", "progress"}:
            address = page_address(writer, "test-set-plot", name, "svg")
            assert as_organiser.get(address).status_code == 404, name
    assert (
        as_organiser.get(page_address(writer, "test-set-plot", "nothing", "svg")).status_code == 404
    )
    assert (
        as_organiser.get(page_address(writer, "test-set-plot", "ranks", "json")).status_code == 404
    )


def test_files_have_what_the_page_shows(drawn: TestSetWriter, as_organiser: Client) -> None:
    def rows(name: str, *more: Any, query: str = "") -> list[dict[str, str]]:
        address = page_address(drawn, name, *more, "csv")
        body = as_organiser.get(f"{address}{query}").content.decode()
        return list(csv.DictReader(body.splitlines()))

    ranks = rows("test-set-plot", "ranks")
    assert [row["system"] for row in ranks] == ["A", "B", "C"]
    assert [row["rank"] for row in ranks] == ["1", "2", "3"]
    history = rows("test-set-plot", "history")
    assert {row["system"] for row in history} == {"A", "B", "C"}
    assert len({row["comparisons"] for row in history}) >= 3
    progress = rows("test-set-plot", "progress")
    # Four a day, one a judge.
    assert [row["judged"] for row in progress[-12:]] == ["4"] * 12
    assert rows("test-set-plot", "agreement") == rows("test-set-plot", "agreement", query="?sort=x")
    assert [row["pseudonym"] for row in rows("test-set-plot", "agreement")] == [
        "ann",
        "ben",
        "cat",
        "dan",
    ]
    # The list of judges that is filtered is downloaded so.
    assert [row["pseudonym"] for row in rows("test-set-plot", "agreement", query="?name=an")] == [
        "ann",
        "dan",
    ]
    judge = Judge.objects.get(campaign=drawn.campaign, pseudonym="dan")
    measures = rows("judge-plot", judge.pk, "measures")
    inter = next(row for row in measures if row["measure"] == "κ with the others")
    assert float(inter["least"]) == pytest.approx(float(inter["value"]))
    assert float(inter["least"]) < float(inter["middle"]) <= float(inter["most"])
    hours = rows("judge-plot", judge.pk, "hours")
    assert [row["time"] for row in hours[:2]] == ["00:00", "01:00"]
    assert [row["sentences"] for row in hours if row["time"] == "09:00"] == ["12"]
    assert sum(int(row["sentences"]) for row in hours) == 12
    campaign = reverse("campaign-plot", args=[drawn.campaign.slug, "ends", "csv"])
    (end,) = csv.DictReader(as_organiser.get(campaign).content.decode().splitlines())
    assert (end["task"], end["judged"], end["wanted"]) == ("one", "48", "200")
    assert float(end["low"]) <= float(end["days"])


def test_the_forecast_is_of_the_budget_in_the_address_and_of_the_design_in_force(
    drawn: TestSetWriter, as_organiser: Client
) -> None:
    page = page_address(drawn, "design")
    asked = "budget=20&unit=hours&rate=12.5"
    found = linked(as_organiser.get(f"{page}?{asked}").content.decode())
    assert all(address.endswith(f"?{asked}".replace("&", "&amp;")) for address in found)
    body = as_organiser.get(found[2].replace("&amp;", "&")).content.decode()
    assert "cost_low" in body.splitlines()[0]
    form = as_organiser.get(page).context["form"]
    fields = {
        name: value
        for name in form.fields
        if (value := form[name].value()) is not None and value is not False
    }
    forecast = page_address(drawn, "design-forecast")
    assert linked(as_organiser.post(forecast, fields).content.decode()) != []
    # A design that is only looked at has no address.
    other = {**fields, "inter_share": "33"}
    assert linked(as_organiser.post(forecast, other).content.decode()) == []


def test_members_alone_get_them(drawn: TestSetWriter, organiser: User, client: Client) -> None:
    judge = Judge.objects.get(campaign=drawn.campaign, pseudonym="ann")
    other = make_campaign("other")
    addresses = [
        *(page_address(drawn, "test-set-plot", name, "csv") for name in TEST_SET_PLOTS),
        *(page_address(drawn, "judge-plot", judge.pk, name, "csv") for name in JUDGE_PLOTS),
        reverse("campaign-plot", args=[drawn.campaign.slug, "ends", "csv"]),
    ]
    for address in addresses:
        assert client.get(address).status_code == 302
    for user, status in (
        (make_organiser(other), 404),
        (make_judge(drawn.campaign).user, 404),
        (organiser, 200),
        (make_analyst(drawn.campaign), 200),
    ):
        assert user is not None
        client.force_login(user)
        assert {client.get(address).status_code for address in addresses} == {status}
    # A judge of another campaign is not there.
    stranger = make_judge(other)
    assert (
        client.get(page_address(drawn, "judge-plot", stranger.pk, "hours", "csv")).status_code
        == 404
    )


def _templates() -> Iterator[tuple[str, str]]:
    folder = Path(settings.BASE_DIR) / "templates"
    for path in sorted(folder.rglob("*.html")):
        yield path.relative_to(folder).as_posix(), path.read_text()


def test_every_template_that_draws_says_where_it_is_downloaded() -> None:
    assert {name for name, text in _templates() if "<svg" in text} == set(DRAWN)
    registered = {
        *(f"test-set-plot/{name}" for name in TEST_SET_PLOTS),
        *(f"judge-plot/{name}" for name in JUDGE_PLOTS),
        *(f"campaign-plot/{name}" for name in CAMPAIGN_PLOTS),
        "analysis-plot",
    }
    said = {each for words in DRAWN.values() for each in words.split(", ") if "-plot" in each}
    assert said == registered
