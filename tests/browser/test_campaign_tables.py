"""Tables over the test sets of a campaign in a real browser: read, asked for, followed, and wide ones scroll alone."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from campaign.models import Campaign
from campaign.services.jobs import jobs_run_waiting
from ranking.campaign_tables import TABLES
from ranking.tasks import rank_task
from tests.browser.conftest import ON_A_DARK_PHONE, NewPage
from tests.browser.organising import enter
from tests.browser.test_quality import look
from tests.factories import make_campaign
from tests.integration.ranking.writing import TestSetWriter

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def judged() -> Campaign:
    """Two test sets of six judges and three systems."""
    campaign = make_campaign()
    for name in ("museum cs-en", "museum de-en"):
        writer = TestSetWriter(campaign, name, ["A", "B", "C"])
        writer.system("_ref", kind="reference")
        for segment in range(1, 7):
            block = writer.block(segment, ["A", "_ref", "B", "C"])
            for number, judge in enumerate(("ada", "ben", "cem", "dora", "eli", "fay")):
                writer.judgment(judge, block, [3, 1, 2, 4] if number < 2 else [2, 1, 3, 4])
        rank_task(writer.task.pk)
    return campaign


@ON_A_DARK_PHONE
def test_tables_are_read_and_computed_and_axe_finds_nothing(
    new_page: NewPage,
    judged: Campaign,
    axe_check: Callable[[Page], None],
    viewport: dict[str, int],
    scheme: str,
) -> None:
    page = new_page(viewport=viewport, color_scheme=scheme)
    enter(page, judged)
    page.goto(f"/campaigns/{judged.slug}/tables/")
    axe_check(page)
    page.get_by_role("main").get_by_role("link", name="Clusters", exact=True).click()
    expect(page.get_by_role("heading", name="Czech–English, museum cs-en")).to_be_visible()
    for kind in TABLES.values():
        page.goto(f"/campaigns/{judged.slug}/tables/{kind.name}/")
        if kind.find is not None:
            summary = page.get_by_text("What the table is of")
            if not page.get_by_role("button", name="Compute").is_visible():
                summary.click()
            if kind.name in {"clusters", "average-ranks"}:
                page.get_by_label("Method", exact=True).select_option("geq_others")
            axe_check(page)
            page.get_by_role("button", name="Compute").click()
            expect(page.get_by_role("heading", name="Being computed")).to_be_visible()
            assert jobs_run_waiting() == 1
            # The page follows by itself.
            expect(page.get_by_role("heading", name=re.compile("^Computed"))).to_be_visible()
        axe_check(page)
        look(page, f"table-{kind.name}-{scheme}-{viewport['width']}")
        assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
