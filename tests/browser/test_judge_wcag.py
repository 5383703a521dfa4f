"""WCAG 2.2 AA on the pages around the sentences, and on the judging page what 2.2 has added to 2.1."""

from collections.abc import Iterator
from typing import Literal

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from campaign.models import Campaign, InvitationRole
from campaign.services.campaigns import campaign_change
from campaign.services.instructions import instructions_write
from campaign.services.invitations import (
    invitation_create,
    invitation_create_for_anybody,
)
from tests.browser.conftest import PHONE, NewPage, SignIn, axe_finds
from tests.browser.judging import all_sent, at_sentence, judge_block, type_ranks
from tests.browser.long_texts import lengthen
from tests.browser.test_judge_everyone import misfits
from tests.browser.test_judge_settings import space_out
from tests.factories import make_campaign, make_judge, make_task

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

SCHEMES: tuple[Literal["light"], Literal["dark"]] = ("light", "dark")
NARROW = (ViewportSize(width=320, height=568), ViewportSize(width=360, height=740))

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
    campaign = make_task(
        make_campaign(),
        documents=(6, 6),
        identical=(),
    ).test_set.campaign
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
    for address, title in (
        ("/i/mistyped/", "This link no longer works"),
        ("/nowhere/", "Page not found"),
    ):
        page.goto(address)
        expect(page.get_by_role("heading", level=1)).to_have_text(title)
        yield title
    page.goto(f"/i/{door}/")
    yield "welcome"
    page.goto("/sign-in/")
    page.get_by_label("Invitation link").fill("my link")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Paste the complete link")).to_be_visible()
    yield "sign-in, refused"
    judge = make_judge(campaign)
    assert judge.user is not None
    _, token = invitation_create(
        campaign=campaign,
        user=judge.user,
        role=InvitationRole.JUDGE,
    )
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
    page.get_by_label("E-mail address").fill("ada")
    page.get_by_role("button", name="Send link").click()
    expect(page.get_by_text("Enter a valid e-mail address.")).to_be_visible()
    yield "own link, refused"
    page.get_by_role("button", name="Create link").click()
    expect(page.get_by_role("img", name="QR code for your link")).to_be_visible()
    yield "own link, made"
    page.goto("/judge/museum/decline/")
    yield "declining"
    page.get_by_role("button", name="Decline").click()
    expect(page.get_by_role("heading", name="You declined")).to_be_visible()
    yield "declined"


@pytest.mark.thorough
def test_the_pages_around_pass_axe_and_nothing_is_cut_off_there(
    page: Page,
    campaign: Campaign,
    tolerate: list[str],
) -> None:
    """1.4.12 with letters, words and lines apart; 2.5.8: nothing to press is below 24 px; 3.2.6, 3.3.7 and 3.3.8."""
    tolerate.append("400|404")
    found: dict[str, object] = {}
    for number, name in enumerate(pages(page, campaign)):
        page.emulate_media(color_scheme=SCHEMES[number % 2])
        found[name] = axe_finds(page)
        for size in NARROW:
            page.set_viewport_size(size)
            found[f"{name} {size['width']}"] = misfits(page)
        space_out(page)
        for size in NARROW:
            page.set_viewport_size(size)
            found[f"{name} spaced {size['width']}"] = misfits(page)
        if name in {"welcome", "link", "instructions", "declining", "declined"}:
            assert page.evaluate(HELP_COMES_FIRST), name
        elif name == "sign-in, refused":
            # A link pasted, or what the browser keeps: no puzzle, and nothing is typed twice.
            expect(page.get_by_label("Invitation link")).to_have_value("my link")
            password = page.get_by_label("Password")
            expect(password).to_have_attribute("autocomplete", "current-password")
        elif name == "own link, refused":
            expect(page.get_by_label("E-mail address")).to_have_value("ada")
    assert {where: problems for where, problems in found.items() if problems} == {}
    assert len(found) == 11 * 5


@pytest.mark.thorough
def test_focused_element_is_never_covered(new_page: NewPage, sign_in: SignIn) -> None:
    """2.4.11, both ways through a page of paragraphs with every notice open."""
    judge = make_judge(
        make_task(make_campaign(), documents=(6, 6), identical=()).test_set.campaign,
    )
    page = new_page(viewport=PHONE)
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
        while visited < 40 and page.evaluate(
            "document.activeElement !== document.body",
        ):
            obscured.add(page.evaluate(OBSCURED))
            page.keyboard.press(key)
            visited += 1
        assert visited > 15
    assert obscured == {None}
