"""The page's modules by themselves, run in the browser they are written for."""

from typing import Any

import pytest
from playwright.sync_api import Page

from campaign.models import Judge
from tests.browser.conftest import SignIn
from tests.browser.judging import at_sentence
from tests.factories import make_campaign, make_judge, make_task

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def judge() -> Judge:
    return make_judge(make_task(make_campaign()).test_set.campaign)


@pytest.fixture
def judging(page: Page, judge: Judge, sign_in: SignIn) -> Page:
    sign_in(page, judge)
    at_sentence(page, 1)
    return page


@pytest.fixture
def modules(page: Page) -> Page:
    """Scripts of this origin may import the modules that need nothing of the judging page."""
    blank = "<!doctype html><html lang=en><title>Modules</title><link rel=icon href=data:,>"
    page.route("**/modules/", lambda route: route.fulfill(content_type="text/html", body=blank))
    page.goto("/modules/")
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


def test_differences_of_two_are_what_each_has_alone(modules: Page) -> None:
    first = "The lift stopped between the second and third floor."
    second = "The lift halted between the second and the third floor."
    assert marked(modules, "en", first, second) == [["stopped"], ["halted", "the"]]


def test_a_word_most_others_share_is_not_marked(modules: Page) -> None:
    texts = ("a red door", "a red door", "a red gate", "a blue gate", "one red door")
    assert marked(modules, "en", *texts) == [[], [], ["gate"], ["blue gate"], ["one"]]


def test_chinese_is_compared_by_word_though_it_has_no_spaces(modules: Page) -> None:
    first, second = marked(modules, "zh", "博物馆十点开门。", "博物馆九点开门。")
    assert "".join(first) == "十"
    assert "".join(second) == "九"


def test_two_spellings_of_one_character_do_not_differ(modules: Page) -> None:
    """é as one code point and as two, and a mark of direction: a reader sees no difference."""
    first, second = "Le café est fermé.", "Le cafe\u0301 est\u200f ouvert."
    assert marked(modules, "fr", first, second) == [["fermé"], ["ouvert"]]


@pytest.mark.parametrize(
    ("lang", "first", "second", "differs"),
    [
        ("ja", "美術館は十時に開きます。", "美術館は九時に開きます。", ("十時", "九時")),
        ("th", "พิพิธภัณฑ์เปิดวันนี้", "พิพิธภัณฑ์ปิดวันนี้", ("เปิด", "ปิด")),
        ("ar", "يفتح المتحف اليوم", "يغلق المتحف اليوم", ("يفتح", "يغلق")),
        ("de", "Die Tür ist offen!", "Die Tür ist zu!", ("offen", "zu")),
    ],
)
def test_words_are_those_of_the_language(
    modules: Page, lang: str, first: str, second: str, differs: tuple[str, str]
) -> None:
    assert marked(modules, lang, first, second) == [[differs[0]], [differs[1]]]


def test_a_browser_without_word_boundaries_compares_by_character_where_there_are_no_spaces(
    modules: Page,
) -> None:
    modules.evaluate("Intl.Segmenter = undefined")
    assert marked(modules, "zh", "博物馆十点开门。", "博物馆九点开门。") == [["十"], ["九"]]
    assert marked(modules, "en", "a red door", "a blue door") == [["red"], ["blue"]]


@pytest.mark.parametrize(
    ("first", "second", "shared"),
    [
        ("abcxdef", "abcydef", [0, 1, 2, 4, 5, 6]),
        ("aab", "ab", [0, 2]),
        ("ab", "ba", 1),
        ("", "abc", []),
        ("aaaa", "aa", 2),
    ],
)
def test_what_is_common_is_the_longest_common_subsequence(
    modules: Page, first: str, second: str, shared: list[int] | int
) -> None:
    found = modules.evaluate(
        """async ([a, b]) => (await import('/static/judge/differences.js')).common([...a], [...b])
            .map(([place]) => place)""",
        [first, second],
    )
    assert (found if isinstance(shared, list) else len(found)) == shared


def test_identical_texts_do_not_differ(modules: Page) -> None:
    assert marked(modules, "de", "Es regnet.", "Es regnet.") == [[], []]


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
    modules: Page, key: str, code: str, letter: str | None
) -> None:
    assert call(modules, "keys", "letterOfKey", {"key": key, "code": code}) == letter


def test_a_submission_that_comes_as_a_round_ends_is_sent(modules: Page) -> None:
    """Between its last look for something to send and its end, nothing is left behind."""
    sent = modules.evaluate(
        """async () => {
          const { Outbox } = await import("/static/judge/outbox.js");
          const sent = [];
          const api = { submit: async (kind, id, body) => (sent.push(body.block), { status: 200 }) };
          const outbox = new Outbox(api, "somebody-else");
          let late = false;
          outbox.addEventListener("change", () => {
            if (outbox.state !== "idle" || sent.length !== 1 || late) return;
            late = true;
            outbox.add("judgments", "second", {});
          });
          outbox.add("judgments", "first", {});
          await outbox.emptied();
          return sent;
        }"""
    )
    assert sent == ["first", "second"]


def test_what_another_tab_sent_is_unknown_to_an_answer_asked_for_before(modules: Page) -> None:
    known = modules.evaluate(
        """async () => {
          const { Outbox } = await import("/static/judge/outbox.js");
          const outbox = new Outbox({}, "somebody-else");
          const item = { id: "i", kind: "judgments", body: { block: "b" }, at: 0 };
          const [key, oldValue] = ["quintet/outbox/somebody-else/i", JSON.stringify(item)];
          const before = performance.now();
          dispatchEvent(new StorageEvent("storage", { key, oldValue, newValue: null }));
          const after = performance.now() + 1;
          return [before, after].map((asked) => outbox.unknownOf("b", asked)?.id ?? null);
        }"""
    )
    assert known == ["i", None]
