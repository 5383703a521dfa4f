"""One long output whose errors are marked: sentence by sentence beside its source, which says where a judge is."""

import pytest
from playwright.sync_api import Locator, Page, expect

from annotation.services import design_change, hits_plan
from campaign.models import Judge, Task
from campaign.services import task_close
from tests.browser.conftest import NewPage, OpenLong, SignIn
from tests.browser.judging import at_sentence
from tests.browser.long_texts import LANGUAGES, lengthen, output_of, source_of
from tests.factories import make_campaign, make_judge, make_task

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

LONG = 250
SENTENCES = source_of(LONG).count(".")
NARROW = {"width": 360, "height": 740}


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
    return page.get_by_role("group", name="Source", exact=True).and_(page.locator(".compared"))


def sentences(page: Page) -> Locator:
    return page.locator(".marking-text > [data-line]")


def marked(page: Page, part: str) -> Locator:
    return page.locator(f"{part} [data-line].at-line")


def tops(cells: Locator) -> list[int]:
    found: list[int] = cells.evaluate_all(
        "(all) => all.map((each) => Math.round(each.getBoundingClientRect().top))"
    )
    return found


@pytest.mark.thorough
@pytest.mark.parametrize(
    "language",
    [
        each if each == "th" else pytest.param(each, marks=pytest.mark.thorough)
        for each in LANGUAGES
    ],
)
def test_each_sentence_stands_beside_that_of_the_source(open_long: OpenLong, language: str) -> None:
    page = open_long("laptop", language=language)
    expect(source_beside(page)).to_be_visible()
    # The text is there once, and whole.
    expect(page.locator("#source .source")).to_be_hidden()
    assert source_beside(page).locator(".compared-text").inner_text().split() == (
        source_of(LONG).split()
    )
    assert page.locator(".marking-text").evaluate("each => each.textContent") == (
        output_of(LONG, 0, language)
    )
    of_source, of_output = tops(source_beside(page).locator("[data-line]")), tops(sentences(page))
    assert of_source == of_output == sorted(set(of_output))
    assert len(of_output) == SENTENCES


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
        expect(heard).to_have_text([source[line], sentences(page).nth(line).inner_text()])
        assert heard.evaluate_all("all => all.map((each) => each.lang)") == ["en", "de"]
    page.keyboard.press("k")
    expect(marked(page, ".compared-text")).to_have_attribute("data-line", "1")
    for _ in range(SENTENCES + 2):
        page.keyboard.press("j")
    expect(marked(page, ".compared-text")).to_have_attribute("data-line", str(SENTENCES - 1))


@pytest.mark.thorough
@pytest.mark.parametrize(
    "language",
    [
        "ar",
        pytest.param("de", marks=pytest.mark.thorough),
        pytest.param("zh", marks=pytest.mark.thorough),
    ],
)
def test_on_a_narrow_phone_the_source_above_follows_the_sentence(
    new_page: NewPage, judge: Judge, sign_in: SignIn, language: str
) -> None:
    page = new_page(viewport=NARROW, has_touch=True, is_mobile=True)
    lengthen(page, LONG, language=language)
    sign_in(page, judge)
    at_sentence(page, 1)
    expect(page.locator(".marking-text [data-line]").first).to_be_visible()
    expect(source_beside(page)).to_be_hidden()
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
    last = sentences(page).last
    last.scroll_into_view_if_needed()
    last.tap()
    count = sentences(page).count()
    expect(marked(page, "#source")).to_have_attribute("data-line", str(count - 1))
    expect(marked(page, "#source")).to_be_in_viewport()
    # And from there to the output.
    page.locator("#source-part").evaluate("part => part.scrollTo(0, 0)")
    page.locator("#source [data-line='0']").tap(position={"x": 30, "y": 8})
    expect(marked(page, ".marking-text")).to_have_attribute("data-line", "0")
    expect(marked(page, ".marking-text")).to_be_in_viewport()
