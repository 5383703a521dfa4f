"""Quintet below a path of somebody else's host: nothing that a page, a script or an answer names leaves the path."""

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Request, expect

from campaign.models import Campaign, InvitationRole, Judge, User
from campaign.services import invitation_create, organiser_add
from tests.browser.conftest import new_context
from tests.browser.judging import open_link
from tests.factories import make_campaign, make_judge, make_task
from tests.gunicorn import web_server

pytestmark = [pytest.mark.browser, pytest.mark.thorough, pytest.mark.django_db(transaction=True)]

PREFIX = "/somewhere/quintet"
# Of pages: what a browser, or a script, may ask for.
REFERENCES = re.compile(
    r"""(?:href|src|action|formaction|data-[\w-]*(?:url|address|href)|content)=["'](/[^"'#]*)"""
)
# What is downloaded, or ends the session.
NOT_FOLLOWED = re.compile(
    r"sign-out|download|export|\.csv|\.zip|\.png|\.svg|\.pdf|/api/v1/.*/export|plot|bundle"
)
MOST_PAGES = 60


@pytest.fixture
def campaign() -> Campaign:
    return make_task(make_campaign(), documents=(6, 6), identical=()).test_set.campaign


@pytest.fixture
def judge(campaign: Campaign) -> Judge:
    return make_judge(campaign)


@pytest.fixture
def organiser(campaign: Campaign) -> User:
    user = User.objects.create_user(name="Olga", email="olga@example.org")
    organiser_add(campaign=campaign, user=user)
    return user


@pytest.fixture
def served(static_files: Path, tmp_path: Path) -> Iterator[str]:
    """A server that is asked with the path in place, as many a proxy leaves it; where it is reached."""
    with web_server(
        tmp_path, STATIC_ROOT=str(static_files), STATIC_HASHED="1", URL_PREFIX=PREFIX
    ) as address:
        yield address


@pytest.fixture
def strayed() -> list[str]:
    """What was asked for beside the path."""
    return []


@pytest.fixture
def tab(browser: Browser, strayed: list[str]) -> Iterator[Page]:
    context = new_context(browser)

    def watch(request: Request) -> None:
        address = urlsplit(request.url)
        if address.scheme.startswith("http") and not address.path.startswith(f"{PREFIX}/"):
            strayed.append(request.url)

    context.on("request", watch)
    yield context.new_page()
    context.close()


def link_of(campaign: Campaign, user: User, role: InvitationRole) -> str:
    _, token = invitation_create(campaign=campaign, user=user, role=role)
    return f"{PREFIX}/i/{token}/"


def cookies_are_for_the_path(context: BrowserContext) -> bool:
    cookies = context.cookies()
    return bool(cookies) and all(each["path"].startswith(f"{PREFIX}/") for each in cookies)


def test_an_organiser_reaches_every_page_and_none_leads_elsewhere(
    tab: Page, campaign: Campaign, organiser: User, judge: Judge, served: str, strayed: list[str]
) -> None:
    open_link(tab, served + link_of(campaign, organiser, InvitationRole.ORGANISER))
    tab.wait_for_url(f"{served}{PREFIX}/**")
    expect(tab.get_by_role("heading", level=1)).to_be_visible()
    # A form, and where it leads: the settings of the campaign.
    tab.goto(f"{served}{PREFIX}/campaigns/{campaign.slug}/settings/")
    tab.locator("[name=blocks_per_judge]").fill("37")
    with tab.expect_navigation():
        tab.locator("form:has([name=blocks_per_judge]) button[type=submit]").first.click()
    campaign.refresh_from_db()
    assert campaign.blocks_per_judge == 37
    leading_elsewhere, broken, asked = crawled(tab, served, f"{PREFIX}/campaigns/{campaign.slug}/")
    assert leading_elsewhere == []
    assert broken == []
    assert len(asked) > 25
    assert strayed == []
    assert cookies_are_for_the_path(tab.context)


def crawled(tab: Page, served: str, first: str) -> tuple[list[str], list[str], set[str]]:
    """Follow the links of pages; return what names an address beside the path, what is not there, and all that was asked."""
    elsewhere: list[str] = []
    broken: list[str] = []
    asked: set[str] = set()
    waiting = [first, f"{PREFIX}/account/", f"{PREFIX}/api/schema/"]
    while waiting and len(asked) < MOST_PAGES:
        path = waiting.pop(0)
        if path in asked:
            continue
        asked.add(path)
        answer = tab.context.request.get(served + path, max_redirects=0)
        # What only forms are sent to is there as well.
        if answer.status >= 400 and answer.status != 405:
            broken.append(f"{answer.status} {path}")
        location = answer.headers.get("location")
        named = [location] if location else []
        if "html" in answer.headers.get("content-type", ""):
            named += REFERENCES.findall(answer.text())
        for each in named:
            address = urlsplit(urljoin(served + path, each.replace("&amp;", "&")))
            if address.netloc != urlsplit(served).netloc or not address.path.startswith(
                f"{PREFIX}/"
            ):
                elsewhere.append(f"{path}: {each}")
            elif not NOT_FOLLOWED.search(address.path) and f"{PREFIX}/static/" not in address.path:
                waiting.append(address.path)
    return elsewhere, broken, asked
