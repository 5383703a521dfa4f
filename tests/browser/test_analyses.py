"""Pages of results in a real browser: answers come by themselves, others are asked for below them."""

import pytest
from playwright.sync_api import Page, expect

from campaign.models import Task
from campaign.services.jobs import jobs_run_waiting
from ranking.tasks import rank_task
from tests.browser.organising import enter
from tests.factories import make_campaign
from tests.integration.ranking.writing import TestSetWriter

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def address(task: Task, name: str) -> str:
    return f"/campaigns/{task.test_set.campaign.slug}/tasks/{task.pk}/{name}/"


@pytest.fixture
def judged() -> TestSetWriter:
    """Six judges and three systems; two judges put B first."""
    writer = TestSetWriter(make_campaign(), "museum en-de", ["A", "B", "C"])
    writer.system("_ref", kind="reference")
    for segment in range(1, 13):
        block = writer.block(segment, ["A", "_ref", "B", "C"])
        for number, name in enumerate(("ada", "ben", "cem", "dora", "eli", "fay")):
            writer.judgment(name, block, [3, 1, 2, 4] if number < 2 else [2, 1, 3, 4])
    rank_task(writer.task.pk)
    return writer


def test_a_page_has_its_answers_computed_and_others_are_asked_for(
    page: Page,
    judged: TestSetWriter,
) -> None:
    enter(page, judged.campaign)
    page.goto(address(judged.task, "agreement"))
    # The page asks for what it has no answer to, and shows it once it is there.
    pairs = page.locator("#judge_pairs")
    expect(pairs.get_by_text("Computing")).to_be_visible()
    page.get_by_role("link", name="Ranking", exact=True).first.click()
    expect(page.locator("#firmness").get_by_text("Computing")).to_be_visible()
    others = page.locator("#ranking")
    others.get_by_text("Options").click()
    others.get_by_label("Method").select_option("bojar")
    others.get_by_text("Judgments included").click()
    others.get_by_label("Judges to leave out").fill("cem, dora, eli, fay")
    others.get_by_role("button", name="Compute").click()
    expect(others.get_by_text("Computing")).to_be_visible()
    jobs_run_waiting()
    # The page follows by itself.
    expect(others.get_by_role("heading", name="Side by side")).to_be_visible()
    expect(others.locator("table tbody tr").first).to_contain_text("B")
    expect(others.get_by_role("cell", name="≠").first).to_be_visible()
    expect(page.locator("#firmness .figure, #firmness table").first).to_be_visible()
    # The choice is in the address, and in the form.
    page.reload()
    expect(others.get_by_label("Judges to leave out")).to_have_value(
        "cem, dora, eli, fay",
    )
