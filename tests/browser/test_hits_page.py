"""The organiser's list of HITs: open to everybody, on every screen."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from annotation.services import design_change, hits_plan
from tests.browser.conftest import ON_A_DARK_PHONE, NewPage
from tests.browser.organising import enter_ranking
from tests.factories import make_campaign, make_task

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@ON_A_DARK_PHONE
def test_axe_finds_nothing_in_the_list_of_hits(
    new_page: NewPage, axe_check: Callable[[Page], None], viewport: dict[str, int], scheme: str
) -> None:
    task = make_task(make_campaign(), planned=45)
    design_change(task=task, kind="balanced", redundancy=2)
    hits_plan(task_id=task.pk, count=10)
    page = new_page(viewport=viewport, color_scheme=scheme)
    enter_ranking(page, task.test_set.campaign)
    page.get_by_role("link", name="HITs, and why").click()
    expect(page.get_by_role("heading", name="HIT 55")).to_be_visible()
    expect(page.get_by_text("The same as HIT 54 for another judge")).to_be_visible()
    axe_check(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
    page.get_by_role("link", name="Earlier HITs").click()
    expect(page.get_by_role("heading", name="HIT 1", exact=False).last).to_be_visible()
    expect(page.get_by_text("every system equally likely").first).to_be_visible()
