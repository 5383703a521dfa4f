"""A static copy from a folder in a real browser: no server, no script, nothing asked of anybody."""

from pathlib import Path
from urllib.parse import unquote

import pytest
from playwright.sync_api import Browser, Request, expect

from campaign.models import Campaign
from campaign.services import instructions_write
from cells.campaign_copy.writing import folder_write
from ranking.services.analyses import analysis_ask, analysis_choice, analysis_compute
from ranking.services.campaign_tables import table_ask, table_choice, table_compute
from ranking.services.publishing import result_publish
from ranking.tasks import rank_task
from tests.browser.conftest import axe_finds, new_context
from tests.factories import make_campaign
from tests.integration.publishing.conftest import ranked_task

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.thorough]


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_campaign("autumn")
    for name in ("news", "talks"):
        writer = ranked_task(campaign, name)
        rank_task(writer.task.pk)
        for kind in ("ranking", "firmness", "methods", "diagnosis", "remarks"):
            choice = analysis_choice(kind, {})
            asked = analysis_ask(task=writer.task, choice=choice, is_queued=False)
            analysis_compute(analysis=asked)
        anonymous = ["cobalt"] if name == "news" else []
        result_publish(task=writer.task, by=None, anonymous=anonymous)
    for kind in ("agreement", "methods"):
        choice_of_table = table_choice(kind, {})
        table = table_ask(campaign=campaign, choice=choice_of_table, is_queued=False)
        table_compute(table=table)
    instructions_write(
        campaign=campaign, language="en", text="# Read both", demands_acceptance=False
    )
    return campaign


def test_a_copy_opens_from_its_folder(
    browser: Browser,
    campaign: Campaign,
    tmp_path: Path,
) -> None:
    folder_write(
        tmp_path,
        campaign,
        with_texts=True,
        address="https://q.example",
        told=lambda _done, _total: None,
    )
    # Without scripts, axe could not look: that there are none, another test says.
    context = new_context(browser, color_scheme="dark")
    problems: list[str] = []
    asked: list[str] = []
    context.on("console", lambda message: problems.append(message.text))

    def failed(request: Request) -> None:
        # Leaving a page stops what it still asks for, its icon for one.
        if request.failure != "net::ERR_ABORTED":
            problems.append(f"failed: {request.url}")

    context.on("requestfailed", failed)
    context.on("request", lambda request: asked.append(request.url))
    page = context.new_page()
    page.goto((tmp_path / "index.html").as_uri())
    expect(page.get_by_role("heading", name="Autumn")).to_be_visible()
    page.get_by_role("link", name="news").first.click()
    expect(page.get_by_role("rowheader", name="amber").first).to_be_visible()
    for name in ("Pairs", "Agreement", "Analyses", "Design", "Texts"):
        tabs = page.get_by_role("navigation", name="Test set")
        tabs.get_by_role("link", name=name, exact=True).click()
        expect(page.get_by_role("heading", name=name, level=1)).to_be_visible()
    page.get_by_role("link", name="Analyses", exact=True).click()
    page.get_by_role("link", name="Diagnosis").click()
    expect(page.get_by_role("heading", name="Diagnosis", level=1)).to_be_visible()
    expect(page.get_by_role("img", name="Win ratios")).to_be_visible()
    page.get_by_role("link", name="Autumn").click()
    page.get_by_role("link", name="Clusters", exact=True).click()
    expect(page.get_by_role("heading", name="Clusters", level=1)).to_be_visible()
    paths = sorted(tmp_path.rglob("*.html"))
    for path in paths:
        page.goto(path.as_uri())
        # What is wide scrolls within its card.
        wide = page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wide <= 0, (path.relative_to(tmp_path), wide)
        # Style sheets are there: the paper is not white.
        paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert paper == "rgb(20, 22, 26)", path
    assert problems == []
    folder = f"{tmp_path.as_uri()}/"
    assert [url for url in asked if not url.startswith(folder)] == []
    names = {unquote(url.removeprefix(folder)).partition("#")[0] for url in asked}
    assert {name for name in names if not (tmp_path / name).is_file()} == set()
    # Pages of a kind differ in their figures alone: one in five.
    for path in paths[::5]:
        page.goto(path.as_uri())
        assert axe_finds(page) == "", path
    context.close()
