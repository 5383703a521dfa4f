"""WCAG 2.2 AA on the pages around the sentences, and on the judging page what 2.2 has added to 2.1."""

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from campaign.models import Campaign, InvitationRole
from campaign.services import (
    campaign_change,
    instructions_write,
    invitation_create,
    invitation_create_for_anybody,
)
from tests.browser.conftest import DESKTOP, PHONE, NewPage, SignIn
from tests.browser.judging import all_sent, at_sentence, judge_block, type_ranks
from tests.browser.long_texts import lengthen
from tests.browser.test_judge_everyone import misfits
from tests.browser.test_judge_settings import space_out
from tests.factories import make_campaign, make_judge, make_task

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

NARROW = (ViewportSize(width=320, height=568), ViewportSize(width=360, height=740))
SCHEMES = ("light", "dark")

# What has the focus while nothing of it is to be seen: 2.4.11. Nine points of it are looked at.
OBSCURED = """() => {
    const each = document.activeElement;
    const { left, top, width, height } = each.getBoundingClientRect();
    const places = [0.1, 0.5, 0.9];
    const seen = places.some((x) => places.some((y) => {
        const at = document.elementFromPoint(left + x * width, top + y * height);
        return at && (each.contains(at) || each.labels?.[0]?.contains(at));
    }));
    return seen ? null : each.id || each.outerHTML.slice(0, 120);
}"""

# Help before what is sent, 3.2.6: where a page says whom to ask, it does so before its last button.
HELP_COMES_FIRST = """() => {
    const terms = document.querySelector(".terms"), button = [...document.querySelectorAll("main .button")].at(-1);
    return Boolean(terms.compareDocumentPosition(button) & Node.DOCUMENT_POSITION_FOLLOWING);
}"""


@pytest.fixture
def campaign() -> Campaign:
    campaign = make_task(make_campaign(), documents=(6, 6), identical=()).test_set.campaign
    instructions_write(
        campaign=campaign,
        language="en",
        text="## Be fair\n\n- Read all.\n- Take your time.",
        demands_acceptance=True,
    )
    return campaign_change(
        campaign=campaign,
        pay="€15 an hour of active time",
        duration="about 40 minutes",
        contact="ada@example.org",
    )


def pages(page: Page, campaign: Campaign) -> Iterator[str]:
    """Lead through what a judge meets besides sentences, stopping at each page."""
    _, door = invitation_create_for_anybody(campaign=campaign, cap=5)
    page.goto(f"/i/{door}/")
    yield "welcome"
    page.goto("/sign-in/")
    page.get_by_label("The link of your invitation").fill("my link")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Please paste the whole link")).to_be_visible()
    yield "sign-in, refused"
    judge = make_judge(campaign)
    assert judge.user is not None
    _, token = invitation_create(campaign=campaign, user=judge.user, role=InvitationRole.JUDGE)
    page.goto(f"/i/{token}/")
    yield "link"
    page.get_by_role("button", name="Begin judging").click()
    expect(page.get_by_role("heading", name="Be fair")).to_be_visible()
    yield "instructions"
    page.get_by_role("button", name="I have read this and agree").click()
    at_sentence(page, 1)
    judge_block(page)
    all_sent(page)
    page.goto("/judge/museum/time/")
    yield "work time"
    page.goto("/judge/museum/link/")
    page.get_by_label("Or get one by e-mail").fill("ada")
    page.get_by_role("button", name="Send me a link").click()
    expect(page.get_by_text("Please enter a complete e-mail address.")).to_be_visible()
    yield "own link, refused"
    page.get_by_role("button", name="Make the link").click()
    expect(page.get_by_role("img", name="QR code of your link")).to_be_visible()
    yield "own link, made"
    page.goto("/judge/museum/decline/")
    yield "declining"
    page.get_by_role("button", name="I decline").click()
    expect(page.get_by_role("heading", name="You declined")).to_be_visible()
    yield "declined"


@pytest.mark.parametrize("scheme", SCHEMES)
def test_axe_finds_nothing_on_the_pages_around(
    new_page: NewPage,
    campaign: Campaign,
    axe_check: Callable[[Page], None],
    tolerate: list[str],
    scheme: str,
) -> None:
    tolerate.append("400")
    page = new_page(viewport=PHONE, color_scheme=scheme)
    seen = []
    for name in pages(page, campaign):
        axe_check(page)
        seen.append(name)
    assert len(seen) == 9


def test_with_letters_words_and_lines_apart_nothing_is_cut_off_there(
    new_page: NewPage, campaign: Campaign, tolerate: list[str]
) -> None:
    """1.4.12, and 2.5.8: nothing to press is below 24 px."""
    tolerate.append("400")
    page = new_page(viewport=PHONE)
    found: dict[str, list[object]] = {}
    for name in pages(page, campaign):
        for size in NARROW:
            page.set_viewport_size(size)
            found[f"{name} {size['width']}"] = misfits(page)
        space_out(page)
        for size in NARROW:
            page.set_viewport_size(size)
            found[f"{name} spaced {size['width']}"] = misfits(page)
    assert {where: problems for where, problems in found.items() if problems} == {}
    assert len(found) == 36


def test_help_is_in_one_place_and_nothing_has_to_be_remembered_or_typed_twice(
    page: Page, campaign: Campaign, tolerate: list[str]
) -> None:
    """3.2.6, 3.3.7 and 3.3.8."""
    tolerate.append("400")
    for name in pages(page, campaign):
        if name in {"welcome", "link", "instructions", "declining", "declined"}:
            assert page.evaluate(HELP_COMES_FIRST), name
        elif name == "sign-in, refused":
            # A link pasted, or what the browser keeps: no puzzle, and pasting is not prevented.
            expect(page.get_by_label("The link of your invitation")).to_have_value("my link")
            password = page.get_by_label("Password")
            expect(password).to_have_attribute("autocomplete", "current-password")
            assert password.evaluate(
                "(each) => each.dispatchEvent(new ClipboardEvent('paste', { bubbles: true, cancelable: true }))"
            )
        elif name == "own link, refused":
            expect(page.get_by_label("Or get one by e-mail")).to_have_value("ada")


@pytest.mark.parametrize("scheme", SCHEMES)
def test_axe_finds_nothing_in_what_is_new_while_judging(
    new_page: NewPage,
    sign_in: SignIn,
    axe_check: Callable[[Page], None],
    scheme: str,
) -> None:
    judge = make_judge(make_task(make_campaign(), documents=(6, 6), identical=()).test_set.campaign)
    page = new_page(viewport=DESKTOP, color_scheme=scheme)
    lengthen(page, 90)
    sign_in(page, judge)
    at_sentence(page, 1)
    page.keyboard.press("v")
    expect(page.locator("#rows.aligned")).to_be_visible()
    page.keyboard.press("c")
    axe_check(page)
    for key in ("v", "s", "3", "Enter"):
        page.keyboard.press(key)
    at_sentence(page, 2)
    all_sent(page)
    page.keyboard.press("h")
    expect(page.get_by_role("dialog").get_by_text("Skipped: I cannot judge this")).to_be_visible()
    axe_check(page)
    page.keyboard.press("Escape")
    page.locator("#show-settings").click()
    axe_check(page)
    page.keyboard.press("Escape")
    for notice in ("break", "own-link-offer"):
        page.locator(f"#{notice}").evaluate("(each) => { each.hidden = false; }")
    axe_check(page)
    page.evaluate("document.getElementById('sign-in-dialog').showModal()")
    axe_check(page)


@pytest.mark.parametrize(
    "size", [DESKTOP, PHONE, {"width": 640, "height": 384}], ids=["desktop", "phone", "200 %"]
)
def test_what_has_the_focus_is_never_hidden_behind_the_rest(
    new_page: NewPage, sign_in: SignIn, size: dict[str, int]
) -> None:
    """2.4.11, both ways through a page of paragraphs with every notice open."""
    judge = make_judge(make_task(make_campaign(), documents=(6, 6), identical=()).test_set.campaign)
    page = new_page(viewport=size)
    lengthen(page, 90)
    sign_in(page, judge)
    at_sentence(page, 1)
    type_ranks(page, "12")
    for notice in ("break", "own-link-offer", "comment-part"):
        page.locator(f"#{notice}").evaluate("(each) => { each.hidden = false; }")
    obscured = set()
    for key in ("Tab", "Shift+Tab"):
        page.locator("#submit" if key == "Shift+Tab" else ".skip-link").focus()
        visited = 0
        while visited < 40 and page.evaluate("document.activeElement !== document.body"):
            obscured.add(page.evaluate(OBSCURED))
            page.keyboard.press(key)
            visited += 1
        assert visited > 15
    assert obscured == {None}
