"""An organiser rehearses a draft in a real browser, looks at the rehearsal, and ends it."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from campaign.models import Campaign, CampaignState
from campaign.services.jobs import jobs_run_waiting
from tests.browser.conftest import ON_A_DESKTOP, NewPage
from tests.browser.organising import enter
from tests.factories import make_campaign, make_task

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@ON_A_DESKTOP
def test_a_draft_is_rehearsed_and_the_rehearsal_ended(
    new_page: NewPage,
    axe_check: Callable[[Page], None],
    viewport: dict[str, int],
    scheme: str,
) -> None:
    campaign = make_campaign(state=CampaignState.DRAFT)
    make_task(campaign, documents=(30,), planned=0)
    page = new_page(viewport=viewport, color_scheme=scheme)
    enter(page, campaign)
    with page.expect_navigation():
        page.get_by_role("link", name="Rehearse …").click()
    axe_check(page)
    page.get_by_label("Simulated judges").fill("3")
    page.get_by_label("Skill").fill("0.9")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Simulated judges are at work")).to_be_visible()
    assert jobs_run_waiting() == 1
    # The page looks for itself.
    expect(page.get_by_text("90 times in 100")).to_be_visible()
    axe_check(page)
    page.get_by_role("link", name="See the rehearsal").click()
    bar = page.get_by_text("Rehearsal of Museum: simulated judges; gone when it opens.")
    expect(bar).to_be_visible()
    axe_check(page)
    page.get_by_role("link", name="Back to Museum").click()
    with page.expect_navigation():
        page.get_by_role("link", name="End the rehearsal").click()
    axe_check(page)
    page.get_by_role("button", name="End the rehearsal").click()
    expect(page.get_by_text("in a moment nothing is left of it")).to_be_visible()
    assert jobs_run_waiting() == 1
    assert list(Campaign.objects.all()) == [campaign]
