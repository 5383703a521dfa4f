"""When things break in the middle: said in words, true in status, and nothing lost."""

from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from playwright.sync_api import Browser, Page, Route, expect

from annotation.models import Judgment
from campaign.models import InvitationRole, Judge, Session, Task
from campaign.services.invitations import invitation_create
from launcher.services import Services
from tests.browser.conftest import new_context
from tests.browser.judging import (
    all_sent,
    at_sentence,
    judge_block,
    open_link,
    send_now,
)
from tests.factories import make_campaign, make_judge, make_task
from tests.gunicorn import free_port, stopped, web_server

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def task() -> Task:
    return make_task(make_campaign(), documents=(6, 6), identical=())


def link_of(judge: Judge) -> str:
    assert judge.user is not None
    _, token = invitation_create(
        campaign=judge.campaign,
        user=judge.user,
        role=InvitationRole.JUDGE,
    )
    return f"/i/{token}/"


@pytest.mark.thorough
def test_a_judge_whose_session_ended_signs_in_again_in_place(
    judging: Page,
    judge: Judge,
    tolerate: list[str],
) -> None:
    tolerate.append("401|403|404")
    Session.objects.all().delete()
    judge_block(judging, "12345")
    at_sentence(judging, 2)
    judging.keyboard.press("3")
    judging.get_by_role("button", name="Sign in here").click()
    dialog = judging.get_by_role("dialog", name="Sign in again")
    field = dialog.get_by_label("Invitation link")
    for text, problem in (
        ("my link", "Paste the complete link"),
        ("/i/mistyped/", "This link no longer works"),
    ):
        field.fill(text)
        judging.keyboard.press("Enter")
        expect(dialog.get_by_role("status")).to_contain_text(problem)
    field.fill(f"https://quintet.example.org{link_of(judge)}")
    judging.keyboard.press("Enter")
    expect(dialog).to_be_hidden()
    all_sent(judging)
    expect(judging.locator("#notice")).to_be_hidden()
    at_sentence(judging, 2)
    expect(judging.locator("#order")).to_have_text("A")
    assert Judgment.objects.get(judge=judge).labels == [1, 2, 3, 4, 5]


def test_page_of_an_earlier_version_asks_for_a_reload(
    judging: Page,
    tolerate: list[str],
) -> None:
    """vitejs/vite 11804, balancer/frontend-v2 2778: its modules are gone, and it said that the judge was offline."""
    tolerate.append("404|DISCONNECTED")
    judging.route("**/later/*.js", lambda route: route.fulfill(status=404))
    judging.keyboard.press("h")
    expect(judging.locator("#missing")).to_contain_text("Reload the page")
    judging.unroute("**/later/*.js")
    judging.context.set_offline(True)
    judging.keyboard.press("h")
    expect(judging.locator("#missing")).to_contain_text("You are offline")


@pytest.mark.thorough
def test_link_of_another_judge_sends_no_answers(
    judging: Page,
    judge: Judge,
    tolerate: list[str],
) -> None:
    tolerate.append("401|403")
    Session.objects.all().delete()
    judge_block(judging, "12345")
    judging.get_by_role("button", name="Sign in here").click()
    dialog = judging.get_by_role("dialog", name="Sign in again")
    field = dialog.get_by_label("Invitation link")
    field.fill(link_of(make_judge(judge.campaign, "judge02")))
    judging.keyboard.press("Enter")
    expect(dialog.get_by_role("status")).to_contain_text(
        "link belongs to another judge",
    )
    field.fill(link_of(judge))
    judging.keyboard.press("Enter")
    expect(dialog).to_be_hidden()
    all_sent(judging)
    assert Judgment.objects.get().judge == judge


@pytest.mark.thorough
def test_opening_another_judges_link_sends_nothing(
    judging: Page,
    judge: Judge,
    tolerate: list[str],
) -> None:
    tolerate.append("401|403")
    Session.objects.all().delete()
    judge_block(judging, "12345")
    judging.get_by_role("button", name="Sign in here").click()
    dialog = judging.get_by_role("dialog", name="Sign in again")
    link = link_of(make_judge(judge.campaign, "judge02"))
    opening: list[Route] = []

    def hold(route: Route) -> None:
        if (
            route.request.method == "POST"
        ):  # the button; opening the page changes nothing
            opening.append(route)
        else:
            route.continue_()

    sent: list[str] = []
    judging.route(link, hold)
    judging.on("request", lambda request: sent.append(request.method))
    with judging.expect_request(
        lambda request: request.method == "POST" and link in request.url,
    ):
        dialog.get_by_label("Invitation link").fill(link)
        judging.keyboard.press("Enter")
    sent.clear()
    judging.wait_for_function("() => true")  # The request is held by now.
    answer = opening[
        0
    ].fetch()  # From here on the browser has the session of the other judge.
    judging.evaluate("() => dispatchEvent(new Event('focus'))")
    opening[0].fulfill(response=answer)
    expect(dialog.get_by_role("status")).to_contain_text(
        "link belongs to another judge",
    )
    assert "PUT" not in sent
    assert not Judgment.objects.exists()


def servers_kill() -> None:
    """Kill what serves, in the middle of whatever it does."""
    for process in psutil.Process().children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            if "config.gunicorn" in " ".join(process.cmdline()):
                process.kill()


@pytest.mark.thorough
def test_a_server_killed_in_the_middle_loses_nothing(
    browser: Browser,
    judge: Judge,
    tmp_path: Path,
) -> None:
    port = free_port()
    options = {"STATIC_HASHED": "0", "DEBUG": "1"}
    with web_server(tmp_path, port=port, **options) as address:
        context = new_context(browser, base_url=address)
        page = context.new_page()
        open_link(page, link_of(judge))
        at_sentence(page, 1)
        servers_kill()
        judge_block(page, "12345")
        at_sentence(page, 2)
        expect(page.locator("#status")).to_have_text(
            "Offline: 1 judgment is kept on this device",
        )
        judge_block(page, "54321")
        at_sentence(page, 3)
    with web_server(tmp_path, port=port, **options):
        send_now(page)
        all_sent(page)
        at_sentence(page, 3)
    context.close()
    labels = Judgment.objects.filter(judge=judge).order_by("pk")
    assert [judgment.labels for judgment in labels] == [
        [1, 2, 3, 4, 5],
        [5, 4, 3, 2, 1],
    ]


@pytest.mark.thorough
def test_judging_goes_on_while_the_database_is_stopped(
    browser: Browser,
    services: Services,
    judge: Judge,
    tmp_path: Path,
) -> None:
    if services.postgres is None:
        pytest.skip("DATABASE_URL names a PostgreSQL that is not ours to stop")
    with web_server(tmp_path, STATIC_HASHED="0", DEBUG="1") as address:
        context = new_context(browser, base_url=address)
        page = context.new_page()
        open_link(page, link_of(judge))
        at_sentence(page, 1)
        with stopped(services.postgres):
            judge_block(page, "12345")
            at_sentence(page, 2)
            judge_block(page, "54321")
            at_sentence(page, 3)
        send_now(page)
        all_sent(page)
        context.close()
    stored = Judgment.objects.filter(judge=judge).order_by("pk")
    assert [each.labels for each in stored] == [[1, 2, 3, 4, 5], [5, 4, 3, 2, 1]]
