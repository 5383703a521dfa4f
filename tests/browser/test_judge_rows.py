"""Rows stay from block to block: nothing of the last block stays with them."""

import pytest
from playwright.sync_api import Page, expect

from campaign.models import Judge
from tests.browser.conftest import SignIn
from tests.browser.judging import at_sentence, judge_block, type_ranks
from tests.factories import make_campaign, make_judge, make_task

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.thorough,
]

LAYOUTS = {"list": "", "columns": "v", "tiers": "t"}
IN_LAYOUTS = pytest.mark.parametrize(
    "layout",
    [
        "tiers",
        pytest.param("list", marks=pytest.mark.thorough),
        pytest.param("columns", marks=pytest.mark.thorough),
    ],
)


@pytest.fixture
def judge() -> Judge:
    campaign = make_campaign(blocks_per_judge=60)
    make_task(campaign, documents=(6, 6), identical=())
    return make_judge(campaign)


def texts(page: Page) -> list[str]:
    return [
        " ".join(text.split())
        for text in page.locator("#rows .row-text").all_inner_texts()
    ]


def lay_out(page: Page, layout: str) -> None:
    if LAYOUTS[layout]:
        page.keyboard.press(LAYOUTS[layout])
    expect(page.locator("#outputs")).to_have_attribute("data-layout", layout)


@IN_LAYOUTS
def test_nothing_of_the_last_block_is_seen_or_brought_back(
    page: Page,
    judge: Judge,
    sign_in: SignIn,
    layout: str,
) -> None:
    sign_in(page, judge)
    at_sentence(page, 1)
    lay_out(page, layout)
    page.keyboard.press("d")
    type_ranks(page, "2134")
    page.keyboard.press("Enter")
    expect(page.locator(".row.wanting")).to_have_count(1)
    page.keyboard.press("Shift+Digit0")
    judge_block(page)
    at_sentence(page, 2)
    expect(page.locator(".row.wanting, .row.ranked")).to_have_count(0)
    expect(page.locator("#rows input:checked")).to_have_count(0)
    page.keyboard.press("Shift+Digit0")
    expect(page.locator("#order")).to_have_text("")
    block = page.evaluate(
        "Array.from(document.querySelectorAll('#rows .row'), (row) => row.getAttribute('aria-label'))",
    )
    for label, text in zip(block, texts(page), strict=True):
        assert " ".join(label.split()).endswith(text)
