"""The file of a campaign is taken, changed and applied again in a real browser."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from campaign.models import Campaign
from tests.browser.organising import enter
from tests.factories import make_campaign, make_task

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def campaign() -> Campaign:
    return make_task(make_campaign(), planned=0).test_set.campaign


def to_file(page: Page) -> None:
    page.get_by_role("link", name="Settings", exact=True).click()
    page.get_by_role("link", name="This campaign as a file").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("This campaign as a file")


def test_a_file_is_taken_changed_and_applied(
    page: Page, campaign: Campaign, tmp_path: Path, tolerate: list[str]
) -> None:
    tolerate += ["400"]
    enter(page, campaign)
    to_file(page)
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the file").click()
    file = tmp_path / download.value.suggested_filename
    download.value.save_as(file)
    assert file.name == "museum.yaml"
    file.write_text(file.read_text().replace("lease_minutes: 60", "lease_minutes: 6x"))
    page.get_by_label("File", exact=True).set_input_files(file)
    page.get_by_role("button", name="Show what differs").click()
    expect(page.locator(".field-error")).to_contain_text("museum.yaml, line")
    file.write_text(file.read_text().replace("lease_minutes: 6x", "lease_minutes: 25"))
    page.get_by_label("File", exact=True).set_input_files(file)
    page.get_by_role("button", name="Show what differs").click()
    expect(page.get_by_text("~ lease_minutes: 60 → 25")).to_be_visible()
    page.get_by_role("button", name="Apply the file").click()
    expect(page.get_by_text("Done.")).to_be_visible()
    campaign.refresh_from_db()
    assert campaign.lease_minutes == 25
