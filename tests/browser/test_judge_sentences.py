"""Outputs of a paragraph, sentence beside sentence, and the differences marked in them."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenLong

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_differences_are_marked_within_sentences(open_long: OpenLong) -> None:
    page = open_long("laptop", 90)
    page.keyboard.press("d")
    in_list = page.locator("mark").all_text_contents()
    assert in_list[:2] == ["Haus", "Haus"]
    page.keyboard.press("v")
    expect(page.locator("#rows.aligned")).to_be_visible()
    assert page.locator(".row-text > span > mark").all_text_contents() == in_list
