"""An organiser makes a campaign and brings its texts, in the browser alone."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

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
    expect(page.get_by_role("heading", name="Text check: waiting")).to_be_visible()


@pytest.mark.thorough
def test_an_upload_goes_on_after_the_connection_was_lost(
    page: Page,
    folder: Path,
    tolerate: list[str],
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
    expect(
        page.get_by_text("Segments: 2 · Documents: 1 · References: 1"),
    ).to_be_visible()
