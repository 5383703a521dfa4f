"""Organisers answer a problem report in a real browser, and the judge reads it."""

import re
from collections.abc import Callable
from uuid import uuid4

import pytest
from playwright.sync_api import Page, expect

from annotation.models import ProblemReport
from tests.browser.conftest import ON_A_DESKTOP, NewPage
from tests.browser.organising import enter
from tests.factories import make_campaign
from tests.integration.ranking.writing import TestSetWriter

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def writer() -> TestSetWriter:
    writer = TestSetWriter(make_campaign(), "news", ["A", "a-system-of-a-long-name-2026"])
    block = writer.block(1, ["A", "a-system-of-a-long-name-2026"])
    for comment in ("Cut off after the third word.", ""):
        ProblemReport.objects.create(
            client_id=uuid4(),
            judge=writer.judge("somebody-of-a-long-name"),
            block=block,
            task=writer.task,
            kind="source",
            comment=comment,
        )
    return writer


@ON_A_DESKTOP
def test_a_report_is_found_answered_and_taken_back(
    new_page: NewPage,
    axe_check: Callable[[Page], None],
    writer: TestSetWriter,
    viewport: dict[str, int],
    scheme: str,
) -> None:
    page = new_page(viewport=viewport, color_scheme=scheme)
    enter(page, writer.campaign)

    def check(title: str) -> None:
        expect(page.get_by_role("heading", level=1)).to_have_text(title)
        axe_check(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]

    page.goto("/campaigns/museum/")
    page.get_by_role("link", name="Look at the reports").click()
    check("Problem reports")
    expect(page.get_by_label("State")).to_have_value("open")
    expect(page.get_by_role("rowheader")).to_have_count(2)
    page.get_by_role("rowheader").get_by_role("link").last.click()
    check("Problem report open")
    answer = page.get_by_label("Your answer")
    expect(answer).to_have_accessible_description(re.compile("Name no systems"))
    answer.fill("The source is whole now.")
    page.get_by_role("button", name="Send").press("Enter")
    check("Problem report closed")
    expect(page.get_by_text("The source is whole now.")).to_be_visible()
    page.get_by_role("button", name="Take back").press("Enter")
    check("Problem report open")
    expect(page.get_by_text("Taken back by")).to_be_visible()
