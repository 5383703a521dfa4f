"""The page of exports in a real browser."""

import zipfile

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from tests.browser.conftest import PHONE, axe_finds, too_wide
from tests.browser.organising import enter
from tests.factories import make_campaign
from tests.integration.ranking.writing import TestSetWriter

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_everything_is_downloaded_and_columns_are_explained(page: Page) -> None:
    writer = TestSetWriter(make_campaign(), "museum en-de", ["A", "B"])
    writer.judgment("ada", writer.block(1, ["A", "B"]), [1, 2])
    enter(page, writer.campaign)
    page.goto(f"/campaigns/museum/tasks/{writer.task.pk}/exports/")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download everything").click()
    with zipfile.ZipFile(download.value.path()) as archive:
        assert "judgments.csv" in archive.namelist()
    summary = page.get_by_text("Columns", exact=True).first
    summary.click()
    expect(page.get_by_text("segmentId").first).to_be_visible()
    page.set_viewport_size(ViewportSize(width=PHONE["width"], height=PHONE["height"]))
    assert not too_wide(page)
    assert not axe_finds(page)
