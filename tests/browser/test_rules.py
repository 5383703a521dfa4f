"""Rules in a real browser: what one would do, more than one in five, undoing, switching off."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from playwright.sync_api import Page, expect

from annotation.models import QualityAction, QualityRule
from annotation.selectors import excluded_judges
from annotation.services import RuleTerms, quality_action_take, quality_rule_add
from campaign.models import Judge
from ranking.services import rules_preview, rules_put_in_force
from ranking.tasks import rank_task
from tests.browser.conftest import ON_A_DESKTOP, NewPage
from tests.browser.organising import enter
from tests.browser.test_quality import address, look
from tests.factories import make_campaign
from tests.integration.ranking.writing import TestSetWriter

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

TERMS = RuleTerms(
    measure="reference", direction="below", threshold=1.0, minimum=10, action="exclude"
)


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


@pytest.mark.parametrize(
    ("button", "left"), [("Switch off and undo the 5 actions", 0), ("Switch off and keep the 5", 5)]
)
def test_switching_off_asks_whether_to_undo(
    page: Page, judged: TestSetWriter, button: str, left: int
) -> None:
    campaign = judged.campaign
    user = enter(page, campaign)
    code = rules_preview(campaign=campaign, terms=[TERMS]).code
    rules_put_in_force(campaign=campaign, terms=[TERMS], user=user, confirmed=code)
    page.goto(f"/campaigns/{campaign.slug}/rules/")
    page.get_by_role("link", name="Switch off").click()
    expect(page.get_by_text("Excluded by this rule: ben, cem, dora, eli and fay.")).to_be_visible()
    page.get_by_role("button", name=button).click()
    expect(page.get_by_role("status")).to_contain_text("The rule has been switched off")
    assert len(excluded_judges(campaign_id=campaign.pk)) == left
    if left:
        # Later is not too late.
        page.get_by_role("button", name="Undo all it did").click()
        expect(page.get_by_role("status")).to_contain_text("were undone")
        assert excluded_judges(campaign_id=campaign.pk) == []


@ON_A_DESKTOP
def test_axe_finds_nothing_where_something_is_asked(
    new_page: NewPage,
    judged: TestSetWriter,
    axe_check: Callable[[Page], None],
    viewport: dict[str, int],
    scheme: str,
) -> None:
    """A rule waits, another acted: the page of rules, its questions, the dashboard, the judges."""
    page = new_page(viewport=viewport, color_scheme=scheme)
    campaign = judged.campaign
    user = enter(page, campaign)
    pause = replace(TERMS, action="pause")
    code = rules_preview(campaign=campaign, terms=[pause]).code
    acted = rules_put_in_force(campaign=campaign, terms=[pause], user=user, confirmed=code).rules[0]
    waiting = quality_rule_add(campaign=campaign, terms=TERMS, user=user)
    fay = Judge.objects.get(pseudonym="fay")
    quality_action_take(judge=fay, task=judged.task, action="exclude", user=user)
    rank_task(judged.task.pk)
    rules = f"/campaigns/{campaign.slug}/rules/"
    for name, where in (
        ("rules-waiting", rules),
        ("rule-act", f"{rules}{waiting.pk}/act/"),
        ("rule-off", f"{rules}{acted.pk}/off/"),
        ("dashboard-waiting", f"/campaigns/{campaign.slug}/tasks/{judged.task.pk}/"),
        ("judges-left-out", address(judged.task, "judges")),
    ):
        page.goto(where)
        axe_check(page)
        look(page, f"{name}-{viewport['width']}-{scheme}")
        assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"], where
    page.goto(address(judged.task, "judges"))
    page.get_by_role("link", name="ada", exact=True).click()
    page.get_by_label("Decide about ada").click()
    page.get_by_role("radio", name="Exclude").first.check()
    page.get_by_role("button", name="Apply").first.click()
    expect(page.get_by_role("heading", name="Exclude ada")).to_be_visible()
    axe_check(page)
    look(page, f"exclude-{viewport['width']}-{scheme}")
