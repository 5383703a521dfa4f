"""An organiser makes a campaign and brings its texts, in the browser alone."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from campaign.models import Campaign, Task
from campaign.services.jobs import jobs_run_waiting
from tests.browser.organising import enter
from tests.factories import make_campaign
from tests.integration.uploads.conftest import FILES

import annotation.tasks  # noqa: F401  isort: skip  the worker's handlers

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, content in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return tmp_path / "news"


def worker_works() -> None:
    assert jobs_run_waiting() == 1


def uploaded(page: Page, folder: Path) -> None:
    """Choose the folder, and wait until all of it has arrived and waits for the worker."""
    page.get_by_role("button", name="Add texts").click()
    page.locator("#folder").set_input_files(folder)
    expect(page.get_by_role("heading", name="Check of uploaded texts: waiting")).to_be_visible()


def test_a_campaign_and_its_texts_are_made_without_a_shell(page: Page, folder: Path) -> None:
    enter(page, make_campaign("older"))
    page.goto("/campaigns/")
    page.get_by_role("link", name="New campaign").click()
    page.get_by_label("Name", exact=True).fill("News of 2026")
    page.get_by_role("button", name="Make the campaign").click()
    checklist = page.get_by_role("region", name="Before it opens")
    expect(checklist.get_by_role("listitem")).to_have_count(8)
    checklist.get_by_role("link", name="Add texts").first.click()
    uploaded(page, folder)
    worker_works()
    expect(page.get_by_text("Segments: 2 · Documents: 1 · References: 1")).to_be_visible()
    expect(page.get_by_text("Die Katze schlief auf dem Dach.")).to_be_visible()
    expect(page.get_by_label("Source language")).to_have_value("de")
    page.get_by_role("button", name="Make the test set").click()
    # What is missing is said where it is missing, and nothing is begun.
    expect(page.get_by_text("Still missing: name of the test set.")).to_be_visible()
    page.get_by_label("Name of the test set").fill("News")
    page.get_by_role("button", name="Make the test set").click()
    expect(page.get_by_role("heading", name="Import of a test set: waiting")).to_be_visible()
    worker_works()
    expect(page.get_by_role("heading", name="Segment 1")).to_be_visible()
    task = Task.objects.get(test_set__name="News")
    assert task.test_set.campaign == Campaign.objects.get(slug="news-of-2026")
    assert task.test_set.segments.count() == 2
    page.get_by_role("link", name="Overview").click()
    expect(checklist.get_by_role("listitem").first).to_contain_text("done")
    checklist.get_by_role("link", name="Invite judges").click()
    page.get_by_role("button", name="Make the link").click()
    page.get_by_role("link", name="Overview").click()
    expect(checklist.get_by_role("listitem").nth(3)).to_contain_text(
        "1 link by which judges may join"
    )
    checklist.get_by_role("link", name="Open the campaign").click()
    page.get_by_role("button", name="Open the campaign").click()
    page.get_by_role("link", name="Overview").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("News of 2026")
    expect(checklist).to_be_hidden()
    assert Campaign.objects.get(slug="news-of-2026").state == "open"


def test_an_upload_goes_on_after_the_connection_was_lost(
    page: Page, folder: Path, tolerate: list[str]
) -> None:
    tolerate.append("ERR_INTERNET_DISCONNECTED|ERR_FAILED")
    enter(page, make_campaign())
    page.goto("/campaigns/museum/test-sets/")
    lost: list[Route] = []

    def lose(route: Route) -> None:
        lost.append(route)
        route.abort()

    page.route("**/content/**", lose, times=1)
    uploaded(page, folder)
    assert len(lost) == 1
    worker_works()
    expect(page.get_by_text("Segments: 2 · Documents: 1 · References: 1")).to_be_visible()
