"""Rules in a real browser: what one would do, more than one in five, undoing, switching off."""

import pytest
from playwright.sync_api import Page, expect

from annotation.models import QualityAction, QualityRule
from annotation.selectors import excluded_judges
from ranking.tasks import rank_task
from tests.browser.organising import enter
from tests.factories import make_campaign
from tests.integration.ranking.writing import TestSetWriter

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.thorough]


@pytest.fixture
def judged() -> TestSetWriter:
    """Six judges: the first always prefers the reference, the others in half of the blocks."""
    writer = TestSetWriter(make_campaign(), "museum en-de", ["A", "B", "C"])
    writer.system("_ref", kind="reference")
    for segment in range(1, 9):
        block = writer.block(segment, ["A", "_ref", "B", "C"])
        for number, name in enumerate(("ada", "ben", "cem", "dora", "eli", "fay")):
            likes = number == 0 or segment % 2
            writer.judgment(name, block, [2, 1, 3, 4] if likes else [1, 4, 2, 3])
    rank_task(writer.task.pk)
    return writer


def fill(page: Page, threshold: str) -> None:
    page.get_by_label("What to do").select_option("exclude")
    page.get_by_label("Measure").select_option("reference")
    page.get_by_label("Side").select_option("below")
    page.get_by_label("Threshold").fill(threshold)
    page.get_by_label("Minimum of evidence").fill("10")
    page.get_by_role("button", name="See what the rule would do").click()


def test_a_typo_is_stopped_and_what_it_would_have_done_is_shown(
    page: Page, judged: TestSetWriter, tolerate: list[str]
) -> None:
    tolerate.append("400")
    enter(page, judged.campaign)
    page.goto(f"/campaigns/{judged.campaign.slug}/rules/")
    fill(page, "50")
    expect(page.get_by_text("write it with the sign, such as 55 %")).to_be_visible()
    expect(page.get_by_label("Threshold")).to_have_value("50")
    fill(page, "5000 %")
    expect(page.get_by_text("is from 0 % to 100 %")).to_be_visible()
    fill(page, "100 %")
    expect(
        page.get_by_text("It would exclude 5 of 6 judges: ben, cem, dora, eli and fay.")
    ).to_be_visible()
    put = page.get_by_role("button", name="Put the rule in force")
    put.click()
    # The browser wants the box to be ticked first.
    expect(page.get_by_label("Yes, act on these 5 of 6 judges.")).to_be_visible()
    assert not QualityRule.objects.exists()
    page.get_by_role("link", name="Cancel").click()
    expect(page.get_by_text("No rule is in force")).to_be_visible()
    assert not QualityAction.objects.exists()


def test_a_rule_is_confirmed_and_all_it_did_undone(page: Page, judged: TestSetWriter) -> None:
    campaign = judged.campaign
    enter(page, campaign)
    page.goto(f"/campaigns/{campaign.slug}/rules/")
    fill(page, "100 %")
    page.get_by_label("Yes, act on these 5 of 6 judges.").check()
    page.get_by_role("button", name="Put the rule in force").click()
    expect(page.get_by_role("status")).to_contain_text("It acted on ben, cem, dora, eli and fay.")
    assert len(excluded_judges(campaign_id=campaign.pk)) == 5
    rank_task(judged.task.pk)
    page.goto(f"/campaigns/{campaign.slug}/tasks/{judged.task.pk}/")
    expect(page.get_by_text("5 judges are left out of this ranking.")).to_be_visible()
    page.get_by_role("link", name="Who, and why").click()
    expect(page.locator("#left-out").get_by_role("listitem")).to_have_count(5)
    page.locator("#left-out").get_by_role("link", name="Rules, and undoing").click()
    page.get_by_role("button", name="Undo all it did").click()
    expect(page.get_by_role("status")).to_contain_text("5 actions of the rule were undone")
    assert excluded_judges(campaign_id=campaign.pk) == []
