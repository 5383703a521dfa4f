"""Tokens and webhooks in a real browser."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from campaign.models import WebhookEndpoint
from campaign.services.webhooks import delivery_attempt, delivery_claim, webhook_test
from campaign.services.webhooks.sending import Answer
from tests.browser.conftest import ON_A_DESKTOP, NewPage
from tests.browser.organising import enter
from tests.factories import make_campaign

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def fits(page: Page, viewport: dict[str, int]) -> bool:
    width: int = page.evaluate("document.documentElement.scrollWidth")
    return width <= viewport["width"]


@ON_A_DESKTOP
def test_a_token_is_made_for_one_campaign_copied_and_revoked(
    new_page: NewPage,
    axe_check: Callable[[Page], None],
    viewport: dict[str, int],
    scheme: str,
) -> None:
    page = new_page(
        viewport=viewport,
        color_scheme=scheme,
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
    axe_check(page)
    assert fits(page, viewport)
    listed = page.get_by_role("listitem").filter(has_text="Plots of a notebook")
    expect(listed).to_contain_text("read only · Museum")
    listed.get_by_role("button", name="Revoke the token").click()
    expect(page.get_by_text("Plots of a notebook")).to_have_count(0)


@ON_A_DESKTOP
def test_a_webhook_is_added_tested_and_its_deliveries_are_shown(
    new_page: NewPage,
    axe_check: Callable[[Page], None],
    viewport: dict[str, int],
    scheme: str,
) -> None:
    page = new_page(viewport=viewport, color_scheme=scheme)
    enter(page, make_campaign())
    page.get_by_role("link", name="Settings", exact=True).click()
    page.get_by_role("link", name="Webhooks", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Webhooks")
    axe_check(page)
    assert fits(page, viewport)
    page.get_by_label("Address").fill("https://hooks.example.org/a/long/way/to/quintet?key=5f3c")
    page.get_by_label("Description").fill("Our notebook")
    page.get_by_role("button", name="Add the webhook").click()
    expect(page.get_by_label("Secret", exact=True)).to_have_value(
        WebhookEndpoint.objects.get().secret
    )
    axe_check(page)
    assert fits(page, viewport)
    page.get_by_role("button", name="Send a test").click()
    expect(page.get_by_text("A test message is sent within seconds.")).to_be_visible()
    for code in (503, 200):
        delivery = delivery_claim()
        assert delivery is not None
        delivery_attempt(delivery=delivery, post=lambda code=code, **_sent: Answer(code=code))
        webhook_test(endpoint=WebhookEndpoint.objects.get())
    page.reload()
    rows = page.get_by_role("row").filter(has_text="webhook.test")
    expect(rows).to_have_count(3)
    axe_check(page)
    assert fits(page, viewport)
    # By its cell: a message's number, which is hexadecimal, may have the same digits.
    refused = rows.filter(has=page.get_by_text("503", exact=True))
    refused.get_by_role("button", name="Send again").click()
    expect(page.get_by_text("The message is sent again within seconds.")).to_be_visible()
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Switch on again")).to_be_visible()
    page.get_by_role("link", name="All webhooks").click()
    expect(page.get_by_role("link", name="Our notebook")).to_be_visible()
    axe_check(page)
    assert fits(page, viewport)
