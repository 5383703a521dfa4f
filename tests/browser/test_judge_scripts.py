"""The page's modules by themselves, run in the browser they are written for."""

from typing import Any

import pytest
from playwright.sync_api import Page

from campaign.models import Judge
from tests.browser.conftest import SignIn
from tests.browser.judging import at_sentence
from tests.factories import make_campaign, make_judge, make_test_set

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def judge() -> Judge:
    return make_judge(make_test_set(make_campaign()).campaign)


@pytest.fixture
def judging(page: Page, judge: Judge, sign_in: SignIn) -> Page:
    sign_in(page, judge)
    at_sentence(page, 1)
    return page


def call(page: Page, module: str, name: str, *arguments: Any) -> Any:
    return page.evaluate(
        "async ([module, name, args]) => (await import(`/static/judge/${module}.js`))[name](...args)",
        [module, name, list(arguments)],
    )


def marked(page: Page, lang: str, *texts: str) -> list[list[str]]:
    candidates = [{"text": text, "lang": lang} for text in texts]
    runs = call(page, "differences", "differences", candidates)
    assert ["".join(run["text"] for run in each) for each in runs] == list(texts)
    return [[run["text"] for run in each if run["differs"]] for each in runs]


def test_differences_of_two_are_what_each_has_alone(judging: Page) -> None:
    first = "The lift stopped between the second and third floor."
    second = "The lift halted between the second and the third floor."
    assert marked(judging, "en", first, second) == [["stopped"], ["halted", "the"]]


def test_a_word_most_others_share_is_not_marked(judging: Page) -> None:
    texts = ("a red door", "a red door", "a red gate", "a blue gate", "one red door")
    assert marked(judging, "en", *texts) == [[], [], ["gate"], ["blue gate"], ["one"]]


def test_chinese_is_compared_by_word_though_it_has_no_spaces(judging: Page) -> None:
    first, second = marked(judging, "zh", "博物馆十点开门。", "博物馆九点开门。")
    assert "".join(first) == "十"
    assert "".join(second) == "九"


def test_identical_texts_do_not_differ(judging: Page) -> None:
    assert marked(judging, "de", "Es regnet.", "Es regnet.") == [[], []]


@pytest.mark.parametrize(
    ("n", "words"),
    [(1, "1 sentence judged"), (2, "2 sentences judged"), (21, "21 sentences judged")],
)
def test_numbers_agree_with_their_nouns(judging: Page, n: int, words: str) -> None:
    assert call(judging, "words", "say", "done", {"n": n}) == words


@pytest.mark.parametrize(
    ("key", "code", "letter"),
    [
        ("d", "KeyH", "d"),
        ("ي", "KeyD", "d"),
        ("?", "Minus", "?"),
        ("ß", "Minus", None),
        ("Dead", "KeyD", None),
    ],
    ids=["Dvorak", "Arabic", "German ?", "German ß", "dead key"],
)
def test_letters_are_told_by_what_they_type(
    judging: Page, key: str, code: str, letter: str | None
) -> None:
    assert call(judging, "keys", "letterOfKey", {"key": key, "code": code}) == letter
