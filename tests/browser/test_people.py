"""The judges of a campaign at the desk: paste a list, check it, add them, change one, group several."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from campaign.models import GroupMember, Judge
from tests.browser.organising import enter
from tests.factories import make_campaign, make_task

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.thorough]

AxeCheck = Callable[[Page], None]


def test_judges_are_pasted_checked_added_changed_and_grouped(
    page: Page,
) -> None:
    campaign = make_campaign()
    make_task(campaign, documents=(3,))
    enter(page, campaign)
    page.get_by_role("link", name="People").click()
    page.get_by_role("link", name="Groups").click()
    page.get_by_label("Name of the group").fill("experts")
    with page.expect_navigation():
        page.get_by_role("button", name="Make the group").click()
    page.get_by_label("People", exact=True).get_by_role("link", name="Judges").click()
    page.get_by_role("link", name="Add judges").click()
    pasted = page.get_by_label("Addresses, or a CSV")
    pasted.fill("Ada <ada@example.org>\nbob@example\n")
    page.get_by_role("button", name="Check the list").click()
    expect(page.get_by_role("status")).to_contain_text("1 new judge")
    expect(page.get_by_text("“bob@example” is not an e-mail address.")).to_be_visible()
    page.get_by_label("Addresses, or a CSV").fill("Ada <ada@example.org>\nbob@example.org\n")
    with page.expect_navigation():
        page.get_by_role("button", name="Check the list").click()
    assert not Judge.objects.exists()
    page.get_by_role("button", name="Add them and make the links").click()
    expect(page.get_by_role("heading", name="2 judges were added.")).to_be_visible()
    assert "/i/" in page.get_by_label("The links as CSV").input_value()
    with page.expect_download() as saved:
        page.get_by_role("link", name="Save as CSV").click()
    content = saved.value.path().read_text(encoding="utf-8")
    assert content == page.get_by_label("The links as CSV").input_value()
    with page.expect_navigation():
        page.get_by_role("link", name="To the judges").click()
    ada, bob = Judge.objects.order_by("pk")
    # Change one.
    with page.expect_navigation():
        page.get_by_role("link", name=ada.pseudonym).click()
    page.get_by_label("English").check()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("They get no more sentences")).to_be_visible()
    page.get_by_role("button", name="Save it all the same").click()
    expect(page.get_by_text("Saved.")).to_be_visible()
    ada.refresh_from_db()
    assert ada.languages == ["en"]
    with page.expect_navigation():
        page.get_by_role("button", name="New link for a judge who lost theirs …").click()
    page.get_by_role("button", name="End the old links and make a new one").click()
    expect(page.get_by_label("Link", exact=True)).to_be_focused()
    # Group several.
    page.get_by_label("People", exact=True).get_by_role("link", name="Judges").click()
    page.get_by_label(f"Choose {bob.pseudonym}").check()
    page.get_by_role("button", name="Put into the group").click()
    expect(page.get_by_text("1 judge was put into “experts”.")).to_be_visible()
    assert [member.judge for member in GroupMember.objects.all()] == [bob]
