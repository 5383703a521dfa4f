"""One long output whose errors are marked: sentence by sentence beside its source, which says where a judge is."""

import pytest
from playwright.sync_api import Locator, Page, expect

from annotation.services.planning.designs import design_change
from annotation.services.planning.pool import hits_plan
from campaign.models import Judge, Task
from campaign.services.campaigns import task_close
from tests.browser.conftest import OpenLong
from tests.browser.long_texts import source_of
from tests.factories import make_campaign, make_judge, make_task

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

LONG = 250
SENTENCES = source_of(LONG).count(".")


def task_of_one_output(**rules: bool) -> Task:
    ranking = make_task(make_campaign(), documents=(6, 6), identical=())
    task_close(task=ranking)
    task = Task.objects.create(
        test_set=ranking.test_set,
        protocol="spans",
        rules={"spans_asked": True, "missing": True, **rules},
    )
    design_change(task=task, kind="balanced", systems_per_block=1, seed=7)
    hits_plan(task_id=task.pk, count=6)
    return task


@pytest.fixture
def judge() -> Judge:
    return make_judge(task_of_one_output().test_set.campaign)


def source_beside(page: Page) -> Locator:
    return page.get_by_role("group", name="Source", exact=True).and_(
        page.locator(".compared"),
    )


def sentences(page: Page) -> Locator:
    return page.locator(".marking-text > [data-line]")


def marked(page: Page, part: str) -> Locator:
    return page.locator(f"{part} [data-line].at-line")


@pytest.mark.thorough
def test_a_key_goes_from_sentence_to_sentence_and_reads_what_it_is_compared_with(
    open_long: OpenLong,
) -> None:
    page = open_long("laptop")
    expect(source_beside(page)).to_be_visible()
    source = source_beside(page).locator("[data-line]").all_text_contents()
    for line in (1, 2):
        page.keyboard.press("j")
        expect(marked(page, ".compared-text")).to_have_attribute("data-line", str(line))
        first_word = sentences(page).nth(line).inner_text().split()[0]
        expect(page.locator(".marking-text .at")).to_have_text(first_word)
        heard = page.locator("#announcement > span")
        expect(heard).to_have_text(
            [source[line], sentences(page).nth(line).inner_text()],
        )
        assert heard.evaluate_all("all => all.map((each) => each.lang)") == ["en", "de"]
    page.keyboard.press("k")
    expect(marked(page, ".compared-text")).to_have_attribute("data-line", "1")
    for _ in range(SENTENCES + 2):
        page.keyboard.press("j")
    expect(marked(page, ".compared-text")).to_have_attribute(
        "data-line",
        str(SENTENCES - 1),
    )
