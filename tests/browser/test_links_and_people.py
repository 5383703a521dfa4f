"""The button of a link, and the pages that list and end what lets people in."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from campaign.models import InvitationRole, Judge, Session
from campaign.services import invitation_create, judge_invite, member_link_create, token_create
from tests.browser.conftest import IN_VIEWS, ON_A_DARK_PHONE, PHONE, NewPage
from tests.browser.judging import at_sentence, open_link
from tests.factories import make_analyst, make_campaign, make_judge, make_organiser, make_task

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

AxeCheck = Callable[[Page], None]


def fits(page: Page, axe_check: AxeCheck) -> None:
    axe_check(page)
    wide = page.evaluate("document.documentElement.scrollWidth")
    assert wide <= (page.viewport_size or PHONE)["width"]


@pytest.fixture
def judge() -> Judge:
    return make_judge(make_task(make_campaign(), documents=(3,)).test_set.campaign)


@IN_VIEWS
def test_a_link_has_a_button_that_enter_presses_without_scripts(
    new_page: NewPage,
    axe_check: AxeCheck,
    judge: Judge,
    viewport: dict[str, int],
    scheme: str,
) -> None:
    _link, token = judge_invite(judge=judge)
    page = new_page(viewport=viewport, color_scheme=scheme)
    referers: list[str] = []
    page.on("request", lambda request: referers.append(request.headers.get("referer", "")))
    page.goto(f"/i/{token}/")
    expect(page.get_by_role("button", name="Begin judging as judge01")).to_be_focused()
    fits(page, axe_check)
    assert not Session.objects.exists()
    page.keyboard.press("Enter")
    at_sentence(page, 1)
    assert token not in page.url
    assert len(referers) > 3
    assert [each for each in referers if token in each] == []
    # Signed in here already.
    page.goto(f"/i/{token}/")
    at_sentence(page, 1)
    plain = new_page(java_script_enabled=False)
    plain.goto(f"/i/{token}/")
    expect(plain.get_by_role("button", name="Begin judging as judge01")).to_be_focused()
    plain.keyboard.press("Enter")
    plain.wait_for_url("**/judge/museum/")


@ON_A_DARK_PHONE
def test_an_organiser_sees_and_ends_what_lets_people_in(
    new_page: NewPage,
    axe_check: AxeCheck,
    judge: Judge,
    viewport: dict[str, int],
    scheme: str,
) -> None:
    judge_invite(judge=judge)
    organiser = make_organiser(judge.campaign)
    token_create(user=organiser)
    _link, token = invitation_create(
        campaign=judge.campaign, user=organiser, role=InvitationRole.ORGANISER
    )
    page = new_page(viewport=viewport, color_scheme=scheme)
    open_link(page, f"/i/{token}/")
    page.get_by_role("link", name="People").click()
    invite = page.get_by_role("region", name="Invite a member by e-mail")
    invite.get_by_label("E-mail address").fill("nina@example.org")
    invite.get_by_role("button", name="Send the invitation").click()
    expect(page.get_by_text("The invitation to nina@example.org is on its way.")).to_be_visible()
    fits(page, axe_check)
    page.get_by_role("button", name="Take the invitation back nina@example.org").click()
    expect(page.get_by_text("is taken back: its link no longer works.")).to_be_visible()
    add = page.get_by_role("region", name="Add a member")
    add.get_by_label("E-mail address").fill("otto@example.org")
    add.get_by_label("Name").fill("Otto")
    page.get_by_role("button", name="Add and make the link").click()
    expect(page.get_by_role("textbox", name="Link", exact=True)).to_be_focused()
    fits(page, axe_check)
    page.get_by_role("button", name="Remove … Otto").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Remove Otto")
    fits(page, axe_check)
    page.get_by_role("button", name="Remove from this campaign").click()
    expect(page.get_by_text("no longer takes part in running")).to_be_visible()
    with page.expect_navigation():
        page.get_by_role("link", name="Invitations").click()
    fits(page, axe_check)
    page.get_by_role("button", name="Withdraw … judge01").click()
    expect(page.get_by_text("ends at once: 1 link,")).to_be_visible()
    fits(page, axe_check)
    page.get_by_role("button", name="Withdraw the judge").click()
    page.get_by_role("button", name="Let in again judge01").click()
    expect(page.get_by_text("judge01 may come in again")).to_be_visible()
    page.get_by_role("link", name="Your sign-ins").click()
    make = page.get_by_role("region", name="Make a token")
    make.get_by_label("Name").fill("nightly figures")
    make.get_by_label("What it may do").select_option("read only")
    make.get_by_label("Campaign").select_option("Museum")
    make.get_by_label("How many days it is valid").fill("30")
    make.get_by_role("button", name="Make the token").click()
    expect(page.get_by_role("textbox", name="Token")).to_be_focused()
    fits(page, axe_check)
    page.get_by_role("button", name="Sign out", exact=False).last.scroll_into_view_if_needed()
    expect(page.get_by_role("button", name="Revoke the token")).to_have_count(2)


@ON_A_DARK_PHONE
def test_an_analyst_reads_and_an_owner_gives_them_another_role(
    new_page: NewPage,
    axe_check: AxeCheck,
    judge: Judge,
    viewport: dict[str, int],
    scheme: str,
) -> None:
    campaign = judge.campaign
    owner, analyst = make_organiser(campaign), make_analyst(campaign)
    membership = campaign.memberships.select_related("user", "campaign").get(user=analyst)
    _link, token = member_link_create(membership=membership, by=owner)
    page = new_page(viewport=viewport, color_scheme=scheme)
    page.goto(f"/i/{token}/")
    page.get_by_role("button", name="Sign in").click()
    for room in ("People", "Quality", "Settings"):
        page.get_by_role("link", name=room, exact=True).click()
        expect(page.get_by_text("You read this campaign as an analyst")).to_be_visible()
        changing = page.locator('main form[method=post]:not([action$="/people/leave/"])')
        expect(changing).to_have_count(0)
        fits(page, axe_check)
    _link, token = invitation_create(campaign=campaign, user=owner, role=InvitationRole.OWNER)
    page = new_page(viewport=viewport, color_scheme=scheme)
    open_link(page, f"/i/{token}/")
    page.get_by_role("link", name="People").click()
    page.get_by_label("Role Rita").select_option("organiser")
    fits(page, axe_check)
    page.get_by_role("button", name="Change the role … Rita").click()
    expect(page.get_by_role("heading", level=1)).to_have_text(
        "Change the role of Rita to organiser"
    )
    fits(page, axe_check)
    page.get_by_role("button", name="Change the role").click()
    expect(page.get_by_text("Rita is now: organiser.")).to_be_visible()
    expect(page.get_by_label("Role Rita")).to_have_value("organiser")
