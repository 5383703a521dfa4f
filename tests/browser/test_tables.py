"""The tables of judges and judgments, and what their rows lead to, in a real browser."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from ranking.tasks import rank_task
from tests.browser.conftest import ON_A_DARK_PHONE, NewPage
from tests.browser.organising import enter
from tests.factories import make_campaign
from tests.integration.ranking.writing import TestSetWriter

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def writer() -> TestSetWriter:
    writer = TestSetWriter(make_campaign(), "news", ["A", "B", "C", "a-system-of-a-long-name-2026"])
    for number in range(1, 31):
        block = writer.block(number, ["A", "B", "C", "a-system-of-a-long-name-2026"])
        for place, name in enumerate(("ada", "ben", "somebody-of-a-long-name")):
            labels = [1, 2, 3, 4] if place < 2 or number % 3 else [4, 3, 1, 1]
            writer.judgment(name, block, labels, active_ms=9_000 * (place + 1), is_numbered=False)
    writer.judgment("ada", writer.block(31, ["A", "B"]), [1, 2])
    rank_task(writer.task.pk)
    return writer


@ON_A_DARK_PHONE
def test_axe_finds_nothing_and_no_page_is_wider_than_the_screen(
    new_page: NewPage,
    axe_check: Callable[[Page], None],
    writer: TestSetWriter,
    viewport: dict[str, int],
    scheme: str,
) -> None:
    page = new_page(viewport=viewport, color_scheme=scheme)
    enter(page, writer.campaign)
    own = f"/campaigns/museum/tasks/{writer.task.pk}/"

    def check(title: str) -> None:
        expect(page.get_by_role("heading", level=1)).to_have_text(title)
        axe_check(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]

    page.goto(f"{own}judges/")
    check("Judges")
    page.get_by_role("link", name="Blocks").click()
    expect(page.get_by_role("columnheader", name="Blocks")).to_have_attribute(
        "aria-sort", "descending"
    )
    expect(page.get_by_role("rowheader").first).to_have_text("ada")
    page.get_by_label("Name contains").fill("long")
    page.get_by_role("button", name="Filter").click()
    expect(page.get_by_role("rowheader")).to_have_count(1)
    page.get_by_role("rowheader").get_by_role("link").click()
    check("somebody-of-a-long-name")
    page.get_by_role("link", name="Their judgments").click()
    expect(page.get_by_label("Judge", exact=True)).to_have_value("somebody-of-a-long-name")
    check("Judgments")
    page.get_by_role("rowheader").get_by_role("link").first.click()
    check("Judgment 90")
