"""Words of the judging page's tests: what a judge does and sees."""

import re

from playwright.sync_api import Locator, Page, expect

from launcher.data_directory import wait_until

# Resolves once the page at this address and each of its files is kept.
KEPT = """async () => {
    if (!(await caches.match(location.href, { ignoreVary: true }))) return false;
    const files = [...document.querySelectorAll("link[href], script[src]")].map((each) => each.href || each.src);
    return (await Promise.all(files.map((file) => caches.match(file)))).every(Boolean);
}"""


def open_link(page: Page, address: str) -> None:
    """Open a link and press its button; whoever is signed in as its person is led on without one."""
    page.goto(address)
    button = page.locator("#open-link button")
    if button.count():
        button.click()


def sign_in_by_link(page: Page, address: str) -> None:
    """Sign the browser in as a link and its button do, and open what they lead to.

    The link's own page is asked for, but not shown: that takes as long as the rest.
    """
    languages = ",".join(page.evaluate("navigator.languages"))
    link = page.request.get(address, headers={"Accept-Language": languages})
    forms = re.findall(
        r'<form id="open-link".*?name="csrfmiddlewaretoken" value="(\w+)"',
        link.text(),
        re.DOTALL,
    )
    if not forms:
        page.goto(link.url)
        return
    signed_in = page.request.post(
        address,
        form={"csrfmiddlewaretoken": forms[0]},
        headers={"Accept-Language": languages},
        max_redirects=0,
    )
    page.goto(signed_in.headers["location"])


def rows(page: Page) -> Locator:
    return page.get_by_role("radiogroup")


def row(page: Page, letter: str) -> Locator:
    return page.get_by_role("radiogroup", name=re.compile(rf"\bOutput {letter} "))


def rank_of(page: Page, letter: str, rank: int) -> Locator:
    return row(page, letter).get_by_role("radio", name=re.compile(rf"^{rank}"))


def at_sentence(page: Page, position: int, total: int = 3) -> None:
    expect(page.locator("#sentence")).to_have_text(f"Item {position} of {total}")


def type_ranks(page: Page, digits: str) -> None:
    for digit in digits:
        page.keyboard.press(digit)


def judge_block(page: Page, digits: str = "21345") -> None:
    type_ranks(page, digits)
    page.keyboard.press("Enter")


def all_sent(page: Page) -> None:
    expect(page.locator("#status")).to_have_text("Sent")


def send_now(page: Page) -> None:
    """Come back to the page, which then sends what waits without the pause after a failure."""
    page.evaluate("dispatchEvent(new Event('focus'))")


def is_true(page: Page, asynchronous: str) -> None:
    """Wait for it; `wait_for_function` takes the promise itself for an answer."""
    assert wait_until(lambda: page.evaluate(asynchronous), seconds=60)


def page_kept(page: Page) -> None:
    """Wait for the page and its files to be kept: until then its service worker is only starting."""
    is_true(page, KEPT)


def painted_for_a_while(page: Page) -> None:
    """Let the sentence be painted, and stand there until it is taken for read."""
    page.evaluate(
        "new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)))",
    )
    page.clock.fast_forward(1_000)


def press(page: Page, key: str) -> None:
    """Press a key some time after the sentence before: at once, it is taken for its second press."""
    painted_for_a_while(page)
    page.keyboard.press(key)
