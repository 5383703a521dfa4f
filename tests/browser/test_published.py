"""Published results in a real browser: on a phone, in the dark, on paper; and how one is published."""

import pytest
from playwright.sync_api import expect

from campaign.models import Campaign, System
from ranking.models import PublishedResult
from ranking.services.publishing import PublishedWords, result_publish
from ranking.tasks import rank_task
from tests.browser.conftest import NewPage
from tests.browser.organising import enter
from tests.factories import make_campaign
from tests.integration.ranking.writing import TestSetWriter

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True), pytest.mark.thorough]

NAMES = ("birch", "fjord", "heron", "dune", "amber", "grove", "ember", "cobalt")


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign("autumn-2026")


@pytest.fixture
def judged(campaign: Campaign) -> TestSetWriter:
    writer = TestSetWriter(campaign, "newstest2026 Czech–English", NAMES)
    writer.system("_ref", "reference")
    for segment in range(1, 41):
        shown = [NAMES[(segment + step) % len(NAMES)] for step in (0, 1, 3, 4, 6)]
        block = writer.block(segment, shown)
        for judge in ("7", "8", "9"):
            ranks = [NAMES.index(name) // 2 + 1 for name in shown]
            if (segment + int(judge)) % 4 == 0:
                ranks[0], ranks[1] = ranks[1], ranks[0]
            writer.judgment(judge, block, ranks, is_numbered=segment == 40)
    System.objects.filter(name="grove").update(team="Grove Lab", constrained=True)
    rank_task(writer.task.pk)
    return writer


@pytest.fixture
def result(judged: TestSetWriter) -> PublishedResult:
    words = PublishedWords(
        authors=("Horáková, Marta", "Lind, Jon"),
        acknowledgement="Thanks to all who judged.",
        contact="mail@example.org",
    )
    result_publish(task=judged.task, by=None, words=words)
    return result_publish(task=judged.task, by=None, words=words, anonymous=["cobalt"])


def test_heads_stay_on_paper_with_what_they_are_the_heads_of(
    new_page: NewPage, judged: TestSetWriter, result: PublishedResult
) -> None:
    """Chromium keeps no head with what follows in a grid; where an organiser looks before publishing heads are of a deeper level."""
    page = new_page(viewport={"width": 760, "height": 1000})
    page.emulate_media(media="print")
    enter(page, judged.campaign)
    room = f"/campaigns/{judged.campaign.slug}/tasks/{judged.task.pk}/publish/"
    for address in (f"/results/{result.address}/", room):
        page.goto(address)
        columns = page.locator(".published-columns")
        assert columns.evaluate("each => getComputedStyle(each).display") == "block"
        heads = page.locator(".published section > :is(h2, h4)")
        expect(heads.filter(has_text="Method")).to_be_visible()
        after = heads.evaluate_all("heads => heads.map(head => getComputedStyle(head).breakAfter)")
        assert set(after) == {"avoid"}
        grids = heads.evaluate_all(
            """heads => heads.flatMap(head => {
              const found = [];
              for (let each = head.parentElement; each.closest(".published"); each = each.parentElement)
                if (getComputedStyle(each).display.includes("grid")) found.push(each.className);
              return found;
            })"""
        )
        assert grids == []
        rows = page.locator(".published thead").evaluate_all(
            "heads => heads.map(head => getComputedStyle(head).display)"
        )
        assert set(rows) == {"table-header-group"}
