"""Nothing a judge did is lost or doubled, and nothing tells who wrote an output."""

import json
import re
from collections.abc import Callable

import pytest
from django.utils import timezone
from playwright.sync_api import BrowserContext, Page, Route, expect

from annotation.models import Assignment, Judgment
from annotation.services.lending.work_requests import work_request
from annotation.services.planning.pool import pool_fill
from campaign.models import Judge, Task
from tests.at_work import expire, lend
from tests.browser.conftest import NewPage, SignIn
from tests.browser.judging import (
    all_sent,
    at_sentence,
    judge_block,
    rank_of,
    send_now,
    type_ranks,
)
from tests.factories import make_campaign, make_judge, make_task

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

SYSTEMS = ("qx-amber", "qx-birch", "qx-cobalt", "qx-dune", "qx-ember")
JUDGMENTS = re.compile(r"/judging/judgments/")
ASSIGNMENTS = re.compile(r"/judging/assignments/")
NETWORK_ERROR = "net::ERR_"
HITS_KEPT = """(count) => Object.keys(localStorage).some((key) =>
    key.startsWith("quintet/hits/") && JSON.parse(localStorage[key]).hits.length === count)"""


@pytest.fixture
def task() -> Task:
    return make_task(
        make_campaign(blocks_per_judge=60),
        documents=(6, 6),
        systems=SYSTEMS,
        identical=(),
    )


@pytest.fixture
def judging_with_clock(new_page: NewPage, judge: Judge, sign_in: SignIn) -> Page:
    page = new_page()
    page.clock.install()
    sign_in(page, judge)
    at_sentence(page, 1)
    return page


def test_a_reload_keeps_the_draft(judging: Page) -> None:
    type_ranks(judging, "31")
    judging.keyboard.press("m")
    judging.keyboard.type("so far")
    expect(judging.locator("#status")).to_have_text("Saved on this device")
    judging.reload()
    expect(judging.locator("#order")).to_have_text("B > A")
    expect(judging.locator("#comment")).to_have_value("so far")
    expect(rank_of(judging, "C", 1)).to_be_focused()


def test_without_network_eighteen_sentences_are_judged_and_sent_once(
    page: Page,
    sign_in: SignIn,
    tolerate: list[str],
) -> None:
    """Six HITs are in hand, which is as many as have twenty blocks."""
    tolerate.append(NETWORK_ERROR)
    task = make_task(make_campaign(), documents=(60,), identical=(), planned=20)
    judge = make_judge(task.test_set.campaign)
    sign_in(page, judge)
    at_sentence(page, 1)
    type_ranks(page, "1")
    page.wait_for_function(HITS_KEPT, arg=6)
    page.context.set_offline(True)
    type_ranks(page, "2345")
    page.keyboard.press("Enter")
    for place in range(1, 18):
        at_sentence(page, place % 3 + 1)
        judge_block(page, "54321")
    expect(page.locator("#status")).to_have_text(
        "Offline: 18 judgments are kept on this device",
    )
    expect(page.locator("#rest")).to_be_visible()
    page.context.set_offline(False)
    at_sentence(page, 1)
    all_sent(page)
    stored = Judgment.objects.filter(judge=judge)
    assert len(set(stored.values_list("block", flat=True))) == stored.count() == 18
    assert stored.earliest("pk").labels == [1, 2, 3, 4, 5]


@pytest.mark.thorough
def test_pending_judgments_survive_a_reload(
    judging: Page,
    judge: Judge,
    tolerate: list[str],
) -> None:
    tolerate.append(NETWORK_ERROR)
    judging.route(JUDGMENTS, lambda route: route.abort())
    judge_block(judging, "12345")
    at_sentence(judging, 2)
    address = judging.url
    judging.goto(
        "about:blank",
    )  # where nothing is sent again before the page is loaded anew
    judging.unroute(JUDGMENTS)
    judging.goto(address)
    # Taken for done although the server did not know of it when it lent the HIT again.
    at_sentence(judging, 2)
    all_sent(judging)
    assert Judgment.objects.get(judge=judge).labels == [1, 2, 3, 4, 5]


def held_in(routes: list[Route]) -> Callable[[Route], None]:
    """Make a handler that answers no request, and keeps it."""

    def hold(route: Route) -> None:
        routes.append(route)

    return hold


def test_a_hit_lent_before_and_answered_after_what_waited_was_stored(
    judging: Page,
    judge: Judge,
    tolerate: list[str],
) -> None:
    """The answer that comes last knows least: what was confirmed meanwhile stays done."""
    tolerate.append(NETWORK_ERROR)
    judging.route(JUDGMENTS, lambda route: route.abort())
    judging.evaluate(
        "() => { window.setTimeout = () => 0; }",
    )  # Nothing is sent a second time.
    judge_block(judging, "12345")
    expect(judging.locator("#status")).to_have_class(re.compile("stuck"))
    judging.unroute(JUDGMENTS)
    asked: list[Route] = []
    sending: list[Route] = []
    judging.route(ASSIGNMENTS, held_in(asked))
    judging.route(JUDGMENTS, held_in(sending))
    judging.reload()
    judging.wait_for_function("() => document.getElementById('status').textContent")
    lent = asked[0].fetch()
    sending[0].continue_()
    all_sent(judging)
    assert Judgment.objects.get(judge=judge).labels == [1, 2, 3, 4, 5]
    asked[0].fulfill(response=lent)
    at_sentence(judging, 2)


def test_pending_judgments_survive_the_browser(
    restartable: Callable[[], BrowserContext],
    judge: Judge,
    sign_in: SignIn,
) -> None:
    """Another process, of which only the profile on the disk is the same."""
    before = restartable()
    page = before.new_page()
    sign_in(page, judge)
    at_sentence(page, 1)
    page.route(JUDGMENTS, lambda route: route.abort())
    judge_block(page, "12345")
    at_sentence(page, 2)
    type_ranks(page, "31")
    address = page.url
    before.close()

    page = restartable().new_page()
    page.goto(address)
    at_sentence(page, 2)
    expect(page.locator("#order")).to_have_text("B > A")
    all_sent(page)
    assert Judgment.objects.get(judge=judge).labels == [1, 2, 3, 4, 5]


def test_an_answer_that_got_lost_makes_no_second_row(
    judging: Page,
    judge: Judge,
    tolerate: list[str],
) -> None:
    tolerate.append(NETWORK_ERROR)
    lost: list[str] = []

    def store_but_lose_the_answer(route: Route) -> None:
        if lost:
            route.continue_()
            return
        lost.append(route.request.url)
        route.fetch()
        route.abort()

    judging.route(JUDGMENTS, store_but_lose_the_answer)
    judge_block(judging)
    at_sentence(judging, 2)
    all_sent(judging)
    assert len(lost) == 1
    assert Judgment.objects.filter(judge=judge).count() == 1


@pytest.mark.thorough
def test_signing_in_again_in_another_tab_sends_what_waited(
    judging: Page,
    judge: Judge,
    sign_in: SignIn,
    tolerate: list[str],
) -> None:
    tolerate.append("401|403")
    judging.context.clear_cookies()
    judge_block(judging)
    at_sentence(judging, 2)
    notice = judging.get_by_role("status").filter(has_text="You are signed out")
    expect(notice).to_contain_text("1 judgment is kept on this device until then.")
    expect(notice.get_by_role("link", name="Sign in in a new tab")).to_have_attribute(
        "href",
        "/sign-in/?next=%2Fjudge%2Fmuseum%2F",
    )
    other = judging.context.new_page()
    sign_in(other, judge)
    at_sentence(other, 2)
    other.close()
    send_now(judging)
    all_sent(judging)
    expect(judging.locator("#notice")).to_be_hidden()
    assert Judgment.objects.filter(judge=judge).count() == 1


def test_answers_are_not_sent_for_another_judge(
    judging: Page,
    judge: Judge,
    sign_in: SignIn,
) -> None:
    """Two judges share a browser, and the second opens their link while the first's tab is open."""
    second = judging.context.new_page()
    sign_in(second, make_judge(judge.campaign, "judge02"))
    at_sentence(second, 1)
    judge_block(judging)
    at_sentence(judging, 2)
    notice = judging.get_by_role("status").filter(has_text="You are signed out")
    expect(notice).to_contain_text("1 judgment is kept on this device until then.")
    assert not Judgment.objects.exists()
    sign_in(second, judge)
    send_now(judging)
    all_sent(judging)
    assert Judgment.objects.get().judge == judge


def test_refused_judgment_is_returned_to_the_judge(
    judging: Page,
    judge: Judge,
    tolerate: list[str],
) -> None:
    tolerate.append("400")
    missing: list[str] = []

    def refuse(route: Route) -> None:
        body = {"detail": "Some outputs are still to be ranked.", "missing": missing}
        route.fulfill(
            status=400,
            content_type="application/json",
            body=json.dumps(body),
        )

    judging.route(JUDGMENTS, refuse)
    judge_block(judging, "12345")
    expect(judging.locator("#notice")).to_contain_text(
        "Some outputs are still to be ranked.",
    )
    at_sentence(judging, 1)
    expect(judging.locator("#order")).to_have_text("A > B > C > D > E")
    judging.unroute(JUDGMENTS)
    # Enter led to it, and would count only after a while.
    judging.locator("#submit").click()
    at_sentence(judging, 2)
    all_sent(judging)
    expect(judging.locator("#notice")).to_be_hidden()
    assert Judgment.objects.get(judge=judge).labels == [1, 2, 3, 4, 5]


def test_two_tabs_of_one_judge_do_not_fight(judging: Page, judge: Judge) -> None:
    other = judging.context.new_page()
    other.goto(judging.url)
    at_sentence(other, 1)
    judge_block(judging)
    at_sentence(judging, 2)
    at_sentence(other, 2)
    all_sent(judging)
    assert Judgment.objects.filter(judge=judge).count() == 1


@pytest.mark.thorough
def test_device_without_storage_asks_to_keep_the_page_open(
    new_page: NewPage,
    judge: Judge,
    sign_in: SignIn,
) -> None:
    page = new_page()
    page.add_init_script(
        "Storage.prototype.setItem = () => { throw new DOMException('full'); }",
    )
    sign_in(page, judge)
    at_sentence(page, 1)
    type_ranks(page, "1")
    expect(page.locator("#status")).to_contain_text(
        "Keep this page open until everything is sent",
    )
    judge_block(page, "2345")
    at_sentence(page, 2)
    all_sent(page)
    assert Judgment.objects.get(judge=judge).labels == [1, 2, 3, 4, 5]


def let_the_lease_run_out(page: Page) -> None:
    """As if the laptop had slept: its time has moved on, and somebody comes back to it."""
    Assignment.objects.update(released_at=timezone.now())
    page.clock.fast_forward(61 * 60_000)
    page.evaluate("dispatchEvent(new Event('focus'))")
    page.get_by_role("button", name="Continue").click()


@pytest.mark.thorough
def test_after_the_lease_untouched_sentences_are_new_ones(
    judging_with_clock: Page,
) -> None:
    page = judging_with_clock
    before = page.locator("#source .source").inner_text()
    let_the_lease_run_out(page)
    expect(page.locator("#missing")).to_have_text(
        "The previous items expired. These are new ones.",
    )
    at_sentence(page, 1)
    expect(page.locator("#source .source")).not_to_have_text(before)


def test_after_the_lease_a_ranking_begun_is_finished_and_kept(
    judging_with_clock: Page,
    judge: Judge,
) -> None:
    page = judging_with_clock
    type_ranks(page, "12")
    with page.expect_response(re.compile("/assignments/")):
        let_the_lease_run_out(page)
    expect(page.locator("#order")).to_have_text("A > B")
    judge_block(page, "345")
    at_sentence(page, 1)
    all_sent(page)
    late = Judgment.objects.get(judge=judge)
    assert late.labels == [1, 2, 3, 4, 5]
    assert late.assignment is not None
    assert late.assignment.released_at is not None


@pytest.mark.thorough
def test_page_without_work_shows_a_message_and_asks_again(
    page: Page,
    sign_in: SignIn,
) -> None:
    task = make_task(make_campaign(), documents=(3, 3), blocks_wanted=3, identical=())
    judge = make_judge(task.test_set.campaign)
    sign_in(page, judge)
    for position in (1, 2, 3):
        at_sentence(page, position)
        judge_block(page)
    # Nobody has looked yet whether there is more: the page asks again by itself.
    expect(page.get_by_text("Your next items are being prepared")).to_be_visible()
    pool_fill(task_id=task.pk)
    expect(page.get_by_role("heading", name="No more items for now")).to_be_focused()
    expect(page.get_by_text("Today: 3 items, less than a minute.")).to_be_visible()
    # Also on a page that was loaded after the last item.
    page.reload()
    page.get_by_role("button", name="Previous item").click()
    expect(page.locator("#sentence")).to_have_text("Back at item 3 of 3")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="No more items for now")).to_be_visible()
    Task.objects.update(blocks_wanted=6)
    pool_fill(task_id=task.pk)
    page.get_by_role("button", name="Check for more items").click()
    at_sentence(page, 1)


@pytest.mark.thorough
def test_judge_waits_for_hits_of_others(page: Page, sign_in: SignIn) -> None:
    task = make_task(make_campaign(), documents=(3,), blocks_wanted=3, identical=())
    judge = make_judge(task.test_set.campaign)
    held = lend(make_judge(task.test_set.campaign, "other"))
    work_request(judge=judge)
    pool_fill(task_id=task.pk)
    sign_in(page, judge)
    expect(page.locator("#rest-text")).to_contain_text(
        "the rest are assigned to other judges",
    )
    expire(held)
    page.evaluate("dispatchEvent(new Event('focus'))")
    at_sentence(page, 1)
