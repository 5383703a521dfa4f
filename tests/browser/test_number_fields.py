"""Number fields of the organisers' forms: what is no number is not sent as nothing."""

import pytest
from playwright.sync_api import Page, expect

from campaign.models import Campaign
from tests.browser.organising import enter
from tests.factories import make_campaign

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

# Fold a field away, as options of analyses are.
FOLD = """(field) => {
    const folded = document.createElement("details");
    field.before(folded);
    folded.append(field);
}"""


@pytest.mark.thorough
def test_limit_that_is_no_number_is_not_sent_as_none(page: Page) -> None:
    """mrbeam/MrBeamPlugin 1169, enketo/enketo-core 792, mozilla/experimenter 4275: the field was saved empty, unseen."""
    campaign = make_campaign(blocks_per_judge=45)
    enter(page, campaign)
    page.goto(f"/campaigns/{campaign.slug}/settings/")
    limit = page.locator("[name=blocks_per_judge]")
    limit.fill("")
    limit.press_sequentially("1-0")
    page.get_by_role("button", name="Save").click()
    expect(limit).to_be_focused()
    assert Campaign.objects.get().blocks_per_judge == 45
    limit.evaluate(FOLD)
    page.get_by_role("button", name="Save").click()
    expect(limit).to_be_focused()
    limit.fill("40")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved: Blocks per judge.")).to_be_visible()
    assert Campaign.objects.get().blocks_per_judge == 40
