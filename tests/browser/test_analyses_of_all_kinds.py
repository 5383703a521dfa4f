"""The pages of results with every kind of analysis: wide and narrow, light and dark, without scripts, on paper."""

from typing import Literal

import numpy as np
import pytest
from playwright.sync_api import Page, ViewportSize, expect

from ranking.selectors.analyses import analyses_of
from ranking.services.analyses import analysis_ask, analysis_choice, analysis_compute
from ranking.services.metrics import metric_store
from tests.browser.conftest import NewPage, axe_finds
from tests.browser.organising import enter
from tests.browser.test_analyses import address, judged  # noqa: F401  a fixture
from tests.integration.machines.answering import machine_judges
from tests.integration.ranking.writing import TestSetWriter

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.thorough,
]

WIDE = ViewportSize(width=1366, height=768)
NARROW = ViewportSize(width=390, height=844)
#: A laptop of 1280 × 768 at 200%.
ZOOMED = ViewportSize(width=640, height=384)
#: Width of A4 less margins of 1 cm, in CSS pixels.
PAPER = 718
#: What is wider than the page at its right edge, and no scrolling box holds.
TOO_WIDE = """() => {
  const held = (element) => element.closest(".table-scroll, .visually-hidden, svg");
  return [...document.querySelectorAll("main *")]
    .filter((element) => !held(element) && element.getBoundingClientRect().right > innerWidth + 1)
    .map((element) => element.outerHTML.slice(0, 80));
}"""
#: Figures that paper would cut.
CUT = f"""() => [...document.querySelectorAll(".figure")]
  .map((figure) => figure.getBoundingClientRect().width).filter((width) => width > {PAPER})"""


#: Figures that are drawn wider than their card, but for squares of more systems than fit.
SCROLLED = """() => [...document.querySelectorAll(".report-table .figure")]
  .filter((figure) => figure.getBoundingClientRect().width > figure.parentElement.clientWidth)
  .map((figure) => figure.getAttribute("aria-labelledby"))"""

#: Words of heads, and figures, that are in two lines.
PARTED = """() => [...document.querySelectorAll('.report-table thead th, .report-table .number')].flatMap(cell => {
  const parted = [];
  const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    for (const word of texts.currentNode.data.matchAll(/[^\\s\\-–—]+/g)) {
      const range = document.createRange();
      range.setStart(texts.currentNode, word.index);
      range.setEnd(texts.currentNode, word.index + word[0].length);
      if (new Set([...range.getClientRects()].map(each => Math.round(each.top))).size > 1) parted.push(word[0]);
    }
  }
  return parted;
})"""


@pytest.fixture
def answered(judged: TestSetWriter) -> TestSetWriter:  # noqa: F811
    """Each kind, asked as usual and answered."""
    values = np.random.default_rng(1).normal([1, 2, 0], 1, (12, 3))
    metric_store(
        test_set=judged.task.test_set,
        name="COMET",
        file_name="scores.tsv",
        systems=["A", "B", "C"],
        values=values,
    )
    machine_judges(judged.campaign, judged.task)
    for kind in analyses_of(task=judged.task):
        answer(judged, kind)
    return judged


def answer(writer: TestSetWriter, kind: str) -> None:
    asked = analysis_ask(
        task=writer.task,
        choice=analysis_choice(kind, {}),
        is_queued=False,
    )
    analysis_compute(analysis=asked)


PAGES = ("", "progress/", "agreement/", "judges/", "data/")


def shown(page: Page, answered: TestSetWriter, name: str) -> None:
    page.goto(address(answered.task, name.rstrip("/")).replace("//", "/"))
    expect(page.get_by_text("Judgments 1 to 72").first).to_be_visible()
    # What is folded must fit, too.
    page.evaluate(
        "document.querySelectorAll('details').forEach((each) => { each.open = true; })",
    )


VIEWS: tuple[tuple[ViewportSize, Literal["light", "dark"]], ...] = (
    (WIDE, "light"),
    (NARROW, "dark"),
)


# Every other page wide and light, the others narrow and dark, and all on paper.
def test_pages_fit_screens_and_paper_and_pass_axe(
    page: Page,
    new_page: NewPage,
    answered: TestSetWriter,
) -> None:
    on_paper = new_page(viewport={"width": PAPER, "height": 1000}, color_scheme="dark")
    for each in (page, on_paper):
        enter(each, answered.campaign)
    on_paper.emulate_media(media="print", color_scheme="dark")
    for number, name in enumerate(PAGES):
        viewport, scheme = VIEWS[number % 2]
        page.set_viewport_size(viewport)
        page.emulate_media(color_scheme=scheme)
        shown(page, answered, name)
        assert axe_finds(page) == "", name
        check_fits(page, name, viewport["width"])
        page.set_viewport_size(ZOOMED)
        check_fits(page, name, ZOOMED["width"])
        if name in ("agreement/", "data/"):
            shown(on_paper, answered, name)
            check_paper(on_paper, name)


def check_fits(page: Page, kind: str, width: int) -> None:
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= width, (kind, page.evaluate(TOO_WIDE))
    assert page.evaluate(TOO_WIDE) == [], kind
    assert page.evaluate(SCROLLED) == [], kind


def check_paper(page: Page, kind: str) -> None:
    expect(page.locator(".options").first).to_be_hidden()
    expect(page.locator(".plot-files").first).to_be_hidden()
    expect(page.locator(".result tbody tr").first).to_be_visible()
    assert page.evaluate(CUT) == [], kind
    assert page.evaluate(PARTED) == [], kind
    assert page.evaluate("document.documentElement.scrollWidth") <= PAPER, kind
    # Ink on paper, whatever the screen is.
    ink = page.locator(".result h2").first.evaluate("e => getComputedStyle(e).color")
    assert sum(map(int, ink.removeprefix("rgb(").removesuffix(")").split(","))) < 300, (
        kind,
        ink,
    )
    assert page.pdf(format="A4").startswith(b"%PDF")


def test_without_scripts_judges_are_acted_on(
    new_page: NewPage,
    judged: TestSetWriter,  # noqa: F811
) -> None:
    answer(judged, "judges")
    page = new_page(viewport=WIDE, java_script_enabled=False)
    enter(page, judged.campaign)
    page.goto(address(judged.task, "judges"))
    outliers = page.locator("#judges")
    outliers.get_by_text("Take action").click()
    outliers.get_by_role("checkbox").first.check()
    outliers.get_by_label("Pause").check()
    outliers.get_by_role("button", name="Preview").click()
    expect(page.get_by_text("no more work in this campaign")).to_be_visible()
    page.get_by_role("button", name="Pause judge").click()
    expect(page.get_by_role("heading", name="Decisions")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("Undone for")).to_be_visible()
