"""Tokens and webhooks in a real browser."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import NewPage
from tests.browser.organising import enter
from tests.factories import make_campaign

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.thorough]


def test_a_token_is_made_for_one_campaign_copied_and_revoked(
    new_page: NewPage,
) -> None:
    page = new_page(
        permissions=["clipboard-read", "clipboard-write"],
    )
    enter(page, make_campaign())
    page.goto("/credentials/")
    page.get_by_label("Name").fill("Plots of a notebook")
    expect(page.get_by_label("What it may do")).to_have_value("read")
    page.get_by_label("Campaign").select_option(label="Museum")
    page.get_by_role("button", name="Make the token").click()
    page.get_by_role("button", name="Copy the token").click()
    expect(page.get_by_role("status").first).to_have_text("Copied")
    token = page.get_by_label("Token", exact=True).input_value()
    assert page.evaluate("navigator.clipboard.readText()") == token
    listed = page.get_by_role("listitem").filter(has_text="Plots of a notebook")
    expect(listed).to_contain_text("read only · Museum")
    listed.get_by_role("button", name="Revoke the token").click()
    expect(page.get_by_text("Plots of a notebook")).to_have_count(0)
