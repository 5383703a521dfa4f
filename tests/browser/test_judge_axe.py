"""What axe says of the pages a judge meets."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from annotation.services import pool_fill
from tests.browser.conftest import IN_VIEWS, PHONE, NewPage, SignIn
from tests.browser.judging import at_sentence, rank_of, type_ranks
from tests.factories import make_campaign, make_judge, make_task

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@IN_VIEWS
def test_axe_finds_nothing_while_judging(
    new_page: NewPage,
    sign_in: SignIn,
    axe_check: Callable[[Page], None],
    viewport: dict[str, int],
    scheme: str,
) -> None:
    task = make_task(make_campaign(blocks_per_judge=9), documents=(3,), blocks_wanted=3)
    page = new_page(viewport=viewport, color_scheme=scheme)
    sign_in(page, make_judge(task.test_set.campaign))
    at_sentence(page, 1)
    axe_check(page)
    type_ranks(page, "123")
    page.keyboard.press("d")
    page.keyboard.press("c")
    page.keyboard.press("Enter")
    expect(page.locator("#missing")).to_contain_text("still to be ranked")
    page.keyboard.press("m")
    axe_check(page)
    rank_of(page, "A", 1).focus()
    page.keyboard.press("s")
    page.keyboard.press("Enter")
    axe_check(page)
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    axe_check(page)
    page.keyboard.press("Escape")
    for position in (1, 2, 3):
        at_sentence(page, position)
        page.keyboard.press("s")
        page.keyboard.press("Space")
        page.keyboard.press("Enter")
    expect(page.get_by_text("Your next sentences are being prepared")).to_be_visible()
    axe_check(page)
    pool_fill(task_id=task.pk)
    expect(page.get_by_role("heading", name="No more work for now")).to_be_visible()
    axe_check(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    ("address", "heading"),
    [
        ("/sign-in/", "Sign in"),
        ("/i/mistyped/", "This link no longer works"),
        ("/nowhere/", "Page not found"),
    ],
)
def test_axe_finds_nothing_on_pages_with_one_thing_to_say(
    new_page: NewPage,
    axe_check: Callable[[Page], None],
    tolerate: list[str],
    address: str,
    heading: str,
    scheme: str,
) -> None:
    tolerate.append("404")
    page = new_page(viewport=PHONE, color_scheme=scheme)
    page.goto(address)
    expect(page.get_by_role("heading", level=1)).to_have_text(heading)
    axe_check(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
