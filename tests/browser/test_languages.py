"""The judge's page in each of its languages."""

import pytest
from django.conf import settings
from django.utils.translation import get_language_info, gettext, override
from playwright.sync_api import Page, expect

from campaign.models import Output
from tests.browser.conftest import PHONE, NewPage, SignIn
from tests.browser.judging import type_ranks
from tests.factories import make_campaign, make_judge, make_task
from tests.read_pages import english_in, unlike

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

# What stands where on the page: words of the template and of the scripts.
SHOWN = {
    "#submit-word": "Submit",
    "#source-part .label": "Source",
    "#skip": "Skip",
}


def choose_language(page: Page, code: str) -> None:
    page.locator(".language-button").click()
    page.locator(f".language-menu [lang={code}]").click()
    expect(page.locator("html")).to_have_attribute("lang", code)


def words_of(code: str) -> dict[str, str]:
    """What the page should say in this language; nothing of it in English."""
    with override(code):
        words = {place: gettext(english) for place, english in SHOWN.items()}
        words["#sentence"] = gettext("Item {position} of {total}").format(
            position=1,
            total=3,
        )
    return words


@pytest.mark.thorough
def test_the_judges_page_speaks_each_language_on_a_phone(
    new_page: NewPage,
    sign_in: SignIn,
) -> None:
    task = make_task(
        make_campaign(blocks_per_judge=9),
        documents=(3,),
        blocks_wanted=30,
    )
    page = new_page(viewport=PHONE)
    sign_in(page, make_judge(task.test_set.campaign))
    english = words_of("en")
    for code, _name in settings.LANGUAGES:
        choose_language(page, code)
        direction = "rtl" if get_language_info(code)["bidi"] else "ltr"
        expect(page.locator("html")).to_have_attribute("dir", direction)
        # The texts keep to their own languages, whatever the page is in.
        expect(page.locator(".row-text").first).to_have_attribute("lang", "de")
        expect(page.locator(".row-text").first).to_have_css("direction", "ltr")
        for place, words in words_of(code).items():
            expect(page.locator(place)).to_have_text(words)
            assert code == "en" or words != english[place], (
                f"{code}: “{words}” is English"
            )
        type_ranks(page, "12")
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_page_of_a_narrow_window_is_in_its_language_with_its_tools_in_one_line(
    new_page: NewPage,
    sign_in: SignIn,
) -> None:
    task = make_task(
        make_campaign(blocks_per_judge=1200),
        documents=(3,),
        blocks_wanted=3000,
    )
    page = new_page(viewport={"width": 360, "height": 740})
    sign_in(page, make_judge(task.test_set.campaign))
    # Screen readers get outputs in elements of the page's language.
    read_aloud = {"Museum", *(output.text or "" for output in Output.objects.all())}
    english = ""
    for code, _name in settings.LANGUAGES:
        if code != "en":
            choose_language(page, code)
        expect(page.locator("#differences")).to_be_visible()
        type_ranks(page, "12")
        page.keyboard.press("h")
        expect(page.locator("#history-dialog")).to_be_visible()
        page.keyboard.press("Escape")
        content = page.content()
        english = english or content
        left = set() if code == "en" else english_in(content, english, code, read_aloud)
        assert left | unlike(content, code) == set(), code
        tops = page.locator(".tools > :visible").evaluate_all(
            "tools => tools.map((tool) => Math.round(tool.getBoundingClientRect().top))",
        )
        assert len(tops) > 2
        assert len(set(tops)) == 1, code
