"""A page loaded anew without network or server: there, with the sentence in hand, and in nobody's way."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Response, expect

from annotation.models import Judgment
from campaign.models import InvitationRole, Judge
from campaign.services.invitations import invitation_create
from tests.browser.conftest import Connections, NewPage, SignIn, new_context
from tests.browser.judging import (
    all_sent,
    at_sentence,
    is_true,
    judge_block,
    open_link,
    page_kept,
    send_now,
    type_ranks,
)
from tests.factories import make_campaign, make_judge, make_task
from tests.gunicorn import free_port, web_server

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

KEPT_ADDRESSES = """async () => {
    const requests = [];
    for (const name of await caches.keys()) requests.push(...(await (await caches.open(name)).keys()));
    return requests.map(({ url }) => new URL(url).pathname);
}"""
KEPT_HITS = "() => Object.keys(localStorage).filter((key) => key.startsWith('quintet/hits/')).length"


@pytest.fixture
def judge() -> Judge:
    return make_judge(
        make_task(make_campaign(), documents=(6, 6), identical=()).test_set.campaign,
    )


@pytest.fixture
def tab(browser: Browser) -> Iterator[Page]:
    context = new_context(browser)
    yield context.new_page()
    context.close()


def link_of(judge: Judge) -> str:
    assert judge.user is not None
    _, token = invitation_create(
        campaign=judge.campaign,
        user=judge.user,
        role=InvitationRole.JUDGE,
    )
    return f"/i/{token}/"


def load_anew(page: Page) -> Response:
    response = page.reload()
    assert response is not None
    return response


@pytest.mark.thorough
@pytest.mark.parametrize(
    "prefix",
    [pytest.param("", marks=pytest.mark.thorough), "/quintet"],
)
def test_with_the_server_stopped_the_sentence_in_hand_is_there_and_sent_once(
    tab: Page,
    judge: Judge,
    static_files: Path,
    tmp_path: Path,
    prefix: str,
) -> None:
    port = free_port()
    options = {"STATIC_ROOT": str(static_files), "STATIC_HASHED": "1"}
    options |= {"URL_PREFIX": prefix, "SCRIPT_NAME": prefix} if prefix else {}
    with web_server(tmp_path, port=port, **options) as address:
        open_link(tab, f"{address}{prefix}{link_of(judge)}")
        at_sentence(tab, 1)
        judge_block(tab, "12345")
        at_sentence(tab, 2)
        all_sent(tab)
        page_kept(tab)
        sentence = tab.locator("#source .source").inner_text()
        type_ranks(tab, "31")
    assert load_anew(tab).from_service_worker
    at_sentence(tab, 2)
    expect(tab.locator("#source .source")).to_have_text(sentence)
    expect(tab.locator("#order")).to_have_text("B > A")
    type_ranks(tab, "245")
    tab.keyboard.press("Enter")
    at_sentence(tab, 3)
    expect(tab.locator("#status")).to_contain_text("1 judgment is kept on this device")
    load_anew(tab)
    at_sentence(tab, 3)
    with web_server(tmp_path, port=port, **options):
        send_now(tab)
        all_sent(tab)
        judge_block(tab, "11111")
        at_sentence(tab, 1)
        all_sent(tab)
        load_anew(tab)
        at_sentence(tab, 1)
    stored = Judgment.objects.filter(judge=judge).order_by("pk")
    assert [each.labels for each in stored] == [
        [1, 2, 3, 4, 5],
        [3, 1, 2, 4, 5],
        [1, 1, 1, 1, 1],
    ]


def test_without_network_a_page_loaded_anew_goes_on(
    new_page: NewPage,
    judge: Judge,
    sign_in: SignIn,
    tolerate: list[str],
    connections: Connections,
) -> None:
    tolerate.append("net::ERR_")
    page = new_page()
    sign_in(page, judge)
    at_sentence(page, 1)
    type_ranks(page, "1")
    page_kept(page)
    with connections.cut(page.context):
        assert load_anew(page).from_service_worker
        at_sentence(page, 1)
        expect(page.locator("#order")).to_have_text("A")
        judge_block(page, "2345")
        at_sentence(page, 2)
        expect(page.locator("#status")).to_contain_text(
            "1 judgment is kept on this device",
        )
    all_sent(page)
    assert Judgment.objects.get(judge=judge).labels == [1, 2, 3, 4, 5]


def newer(static_files: Path, folder: Path) -> Path:
    """Copy the files, with another main module under another name: what an upgrade does."""
    shutil.copytree(static_files, folder)
    manifest = folder / "staticfiles.json"
    names = json.loads(manifest.read_text())
    old = folder / names["paths"]["judge/main.js"]
    names["paths"]["judge/main.js"] = "judge/main.000000000002.js"
    manifest.write_text(json.dumps(names))
    text = old.read_text() + 'document.documentElement.dataset.version = "2";\n'
    for each in folder.glob(f"judge/{old.name}*"):
        each.unlink()
    (folder / "judge" / "main.000000000002.js").write_text(text)
    return folder


@pytest.mark.thorough
def test_a_new_version_takes_the_place_of_the_old_one(
    tab: Page,
    judge: Judge,
    static_files: Path,
    tmp_path: Path,
) -> None:
    port = free_port()
    options = {"STATIC_HASHED": "1"}
    with web_server(
        tmp_path,
        port=port,
        STATIC_ROOT=str(static_files),
        **options,
    ) as address:
        open_link(tab, f"{address}{link_of(judge)}")
        at_sentence(tab, 1)
        type_ranks(tab, "1")
        page_kept(tab)
    before = [each for each in tab.evaluate(KEPT_ADDRESSES) if "/main." in each]
    files = newer(static_files, tmp_path / "newer")
    with web_server(tmp_path, port=port, STATIC_ROOT=str(files), **options):
        load_anew(tab)
        expect(tab.locator("html")).to_have_attribute("data-version", "2")
        at_sentence(tab, 1)
        page_kept(tab)
    assert load_anew(tab).from_service_worker
    expect(tab.locator("html")).to_have_attribute("data-version", "2")
    at_sentence(tab, 1)
    kept = [each for each in tab.evaluate(KEPT_ADDRESSES) if "/main." in each]
    assert len(before) == 1
    assert kept == ["/static/judge/main.000000000002.js"]


@pytest.mark.thorough
def test_only_the_page_its_files_and_the_hits_in_hand_are_kept(
    page: Page,
    judge: Judge,
    sign_in: SignIn,
) -> None:
    sign_in(page, judge)
    for position in (1, 2, 3):
        at_sentence(page, position)
        judge_block(page)
    at_sentence(page, 1)
    all_sent(page)
    page_kept(page)
    addresses = page.evaluate(KEPT_ADDRESSES)
    assert [each for each in addresses if not each.startswith("/static/")] == [
        "/judge/museum/",
    ]
    source = page.locator("#source .source").inner_text()
    is_true(page, f"() => ({KEPT_HITS})() >= 1")
    (hits,) = page.evaluate(
        "() => Object.entries(localStorage).filter(([key]) => key.startsWith('quintet/hits/'))"
        ".map(([, value]) => JSON.parse(value).hits)",
    )
    assert hits[0]["data"]["blocks"][0]["source"]["text"] == source


@pytest.mark.thorough
def test_signing_out_forgets_the_sentences_and_the_page(
    page: Page,
    judge: Judge,
    sign_in: SignIn,
) -> None:
    sign_in(page, judge)
    at_sentence(page, 1)
    type_ranks(page, "1")
    page_kept(page)
    assert page.evaluate(KEPT_HITS) == 1
    page.get_by_role("button", name="settings").click()
    page.get_by_role("dialog", name="Settings").get_by_role(
        "button",
        name="Sign out",
    ).click()
    expect(page.get_by_role("heading", name="Sign in", exact=True)).to_be_visible()
    is_true(page, "async () => (await caches.keys()).length === 0")
    assert page.evaluate(KEPT_HITS) == 0


def test_another_judge_in_the_same_browser_finds_nothing_of_the_first(
    page: Page,
    judge: Judge,
    sign_in: SignIn,
) -> None:
    sign_in(page, judge)
    at_sentence(page, 1)
    # The first key fetches further HITs. Answered after the other judge has signed in, that request
    # would end the new session: Django deletes the cookie of a browser that sends an ended one.
    with page.expect_response("**/judging/assignments/"):
        type_ranks(page, "1")
    page_kept(page)
    before = page.evaluate(
        "() => Object.keys(localStorage).find((key) => key.startsWith('quintet/hits/'))",
    )
    other = make_judge(
        make_task(make_campaign("elsewhere")).test_set.campaign,
        "judge02",
    )
    sign_in(page, other)
    at_sentence(page, 1)
    page_kept(page)
    addresses = page.evaluate(KEPT_ADDRESSES)
    assert [each for each in addresses if not each.startswith("/static/")] == [
        "/judge/elsewhere/",
    ]
    assert page.evaluate("(key) => localStorage.getItem(key)", before) is None


@pytest.mark.thorough
def test_a_page_whose_judge_may_not_come_in_is_no_longer_kept(
    page: Page,
    judge: Judge,
    sign_in: SignIn,
) -> None:
    sign_in(page, judge)
    at_sentence(page, 1)
    type_ranks(page, "1")
    page_kept(page)
    page.context.clear_cookies()
    page.reload()
    expect(page.get_by_role("heading", name="Sign in", exact=True)).to_be_visible()
    is_true(page, "async () => (await caches.keys()).length === 0")
