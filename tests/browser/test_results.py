"""The page of a system and that of a segment in a real browser: what is known at once, and what a worker adds."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from campaign.models import Output, Segment
from campaign.services.jobs import jobs_run_waiting
from ranking.tasks import rank_task
from tests.browser.conftest import ON_A_DARK_PHONE, NewPage
from tests.browser.organising import enter
from tests.browser.test_quality import address, look
from tests.factories import make_campaign
from tests.integration.ranking.writing import TestSetWriter, documents_of

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def judged() -> TestSetWriter:
    """Six judges and three systems with texts; two judges put B first."""
    writer = TestSetWriter(make_campaign(), "museum en-de", ["A", "B", "C"])
    for segment in range(1, 13):
        block = writer.block(segment, ["A", "B", "C"])
        for number, name in enumerate(("ada", "ben", "cem", "dora", "eli", "fay")):
            writer.judgment(name, block, [2, 1, 3] if number < 2 else [1, 2, 3])
    documents_of(writer, 4)
    Segment.objects.update(source_text="At six she switched off the lights and took the stairs.")
    for name, text in (
        ("A", "Um sechs schaltete sie das Licht aus und nahm die Treppe."),
        ("B", "Um sieben schaltete sie das Licht aus und nahm den Aufzug."),
        ("C", "Um sechs schaltete er die Alarmanlage ein und nahm die Treppe."),
    ):
        Output.objects.filter(system__name=name).update(text=text)
    rank_task(writer.task.pk)
    return writer


@ON_A_DARK_PHONE
def test_a_system_is_there_at_once_and_completed_by_a_worker(
    new_page: NewPage,
    judged: TestSetWriter,
    axe_check: Callable[[Page], None],
    viewport: dict[str, int],
    scheme: str,
) -> None:
    page = new_page(viewport=viewport, color_scheme=scheme)
    enter(page, judged.campaign)
    page.goto(address(judged.task, "").removesuffix("/"))
    page.locator(".ranking").get_by_role("link", name="B", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("B is second")
    expect(page.get_by_role("heading", name="Against each opponent")).to_be_visible()
    expect(page.get_by_role("heading", name="Looking through the comparisons")).to_be_visible()
    axe_check(page)
    assert jobs_run_waiting() == 1
    # The page follows by itself.
    expect(page.get_by_role("heading", name="Where it lost most clearly")).to_be_visible()
    expect(page.get_by_role("heading", name="By document")).to_be_visible()
    expect(page.get_by_role("heading", name="Looking through the comparisons")).to_have_count(0)
    assert page.locator("mark").first.is_visible()
    axe_check(page)
    look(page, f"system-{scheme}-{viewport['width']}")
    assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
    page.locator("#lost-title ~ a, .sentence h3 a").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Judgments")
    page.goto(address(judged.task, "segments/3"))
    expect(page.get_by_role("heading", level=1)).to_have_text("Segment 3")
    axe_check(page)
    look(page, f"segment-{scheme}-{viewport['width']}")
    assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
    page.get_by_role("link", name="Next").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Segment 4")


def test_counts_of_the_ranking_lead_to_judgments(page: Page, judged: TestSetWriter) -> None:
    enter(page, judged.campaign)
    page.goto(address(judged.task, "").removesuffix("/"))
    page.locator(".ranking tbody tr").first.locator("td.count a").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Judgments")
    expect(page.get_by_label("System", exact=True)).to_have_value("A")
    page.get_by_role("link", name="72", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Judgment 72")
