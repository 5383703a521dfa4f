"""Published results in a real browser: on a phone, in the dark, on paper; and how one is published."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from pytest_django import Settings

from campaign.models import Campaign, System
from ranking.export.bundles import result_bundle_make
from ranking.models import PublishedResult
from ranking.services.publishing import PublishedWords, result_publish, result_retract
from ranking.tasks import rank_task
from tests.browser.conftest import IN_VIEWS, ON_A_DARK_PHONE, NewPage
from tests.browser.organising import enter
from tests.factories import make_campaign
from tests.integration.ranking.writing import TestSetWriter

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

NAMES = ("birch", "fjord", "heron", "dune", "amber", "grove", "ember", "cobalt")


def look(page: Page, name: str) -> None:
    """Photograph the page where somebody wants to look at it."""
    folder = os.environ.get("QUINTET_LOOK")
    if folder:
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)


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


@IN_VIEWS
def test_axe_finds_nothing_on_what_is_published(
    new_page: NewPage,
    result: PublishedResult,
    axe_check: Callable[[Page], None],
    viewport: dict[str, int],
    scheme: str,
) -> None:
    page = new_page(viewport=viewport, color_scheme=scheme)
    for name, where in (("published", ""), ("embedded", "embed/")):
        page.goto(f"/results/{result.address}/{where}")
        expect(page.get_by_role("rowheader", name="birch").first).to_be_visible()
        axe_check(page)
        look(page, f"{name}-{viewport['width']}-{scheme}")
        # What is wide scrolls within its card.
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    first = PublishedResult.objects.get(version=1)
    result_retract(result=first, reason="A reference was wrong.")
    page.goto(f"/results/{first.address}/")
    axe_check(page)


@ON_A_DARK_PHONE
def test_axe_finds_nothing_in_the_room_where_it_is_made(
    new_page: NewPage,
    judged: TestSetWriter,
    result: PublishedResult,
    axe_check: Callable[[Page], None],
    viewport: dict[str, int],
    scheme: str,
) -> None:
    page = new_page(viewport=viewport, color_scheme=scheme)
    enter(page, judged.campaign)
    room = f"/campaigns/{judged.campaign.slug}/tasks/{judged.task.pk}/publish/"
    for name, where in (("publish", room), ("retract", f"{room}1/retract/")):
        page.goto(where)
        axe_check(page)
        look(page, f"{name}-{viewport['width']}-{scheme}")
    page.goto(room)
    page.get_by_role("button", name="Look at version 3 …").click()
    expect(page.get_by_role("heading", name="Publish version 3")).to_be_visible()
    axe_check(page)
    look(page, f"confirm-{viewport['width']}-{scheme}")
    page.get_by_role("button", name="Publish version 3").click()
    expect(page.get_by_text("Version 3 is published.")).to_be_visible()


def test_axe_finds_nothing_on_the_page_of_drafts_at_zenodo(
    new_page: NewPage,
    judged: TestSetWriter,
    result: PublishedResult,
    axe_check: Callable[[Page], None],
    settings: Settings,
) -> None:
    settings.ZENODO_UPLOADS = True
    result_bundle_make(bundle=result.bundle)
    page = new_page(viewport={"width": 390, "height": 844})
    enter(page, judged.campaign)
    room = f"/campaigns/{judged.campaign.slug}/tasks/{judged.task.pk}/publish/"
    page.goto(room)
    page.get_by_role("link", name="Draft at Zenodo").click()
    expect(page.get_by_text(f"quintet-{result.address}.zip")).to_be_visible()
    axe_check(page)
    look(page, "zenodo")
    page.get_by_label("Your token").fill("secret")
    page.get_by_role("button", name="Make the draft").click()
    expect(page.get_by_text("A worker is making the draft")).to_be_visible()
    axe_check(page)
    assert "secret" not in page.content()


def test_names_stay_in_view_while_the_matrix_scrolls(
    new_page: NewPage, result: PublishedResult
) -> None:
    page = new_page(viewport={"width": 390, "height": 844})
    page.goto(f"/results/{result.address}/")
    matrix = page.get_by_role("region", name="Pairs")
    matrix.evaluate("region => region.scrollLeft = 200")
    name = matrix.get_by_role("rowheader", name="fjord")
    left = name.evaluate("cell => cell.getBoundingClientRect().left")
    region = matrix.evaluate("region => region.getBoundingClientRect().left")
    assert abs(left - region) < 6


def test_paper_has_one_column_and_addresses_written_out(
    new_page: NewPage, result: PublishedResult
) -> None:
    page = new_page(viewport={"width": 760, "height": 1000})
    page.emulate_media(media="print")
    page.goto(f"/results/{result.address}/")
    look(page, "published-print")
    columns = page.locator(".published-columns")
    assert columns.evaluate("each => getComputedStyle(each).display") == "block"
    written = page.locator(".on-paper", has_text=f"/results/{result.address}/ranking.csv")
    expect(written).to_be_visible()


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
