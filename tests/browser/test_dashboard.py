"""The organiser's pages in a real browser: live without a reload, calm, and open to everybody."""

from datetime import timedelta

import pytest
from playwright.sync_api import Page, Request, expect

from ranking.tasks import rank_task
from tests.browser.organising import enter_ranking
from tests.clocks import stop_process_clock
from tests.factories import make_campaign
from tests.integration.ranking.writing import TestSetWriter

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def writer() -> TestSetWriter:
    """Eight blocks by two judges who agree: A before B before C."""
    campaign = make_campaign()
    writer = TestSetWriter(campaign, "museum en-de", ["A", "B", "C"])
    writer.task.blocks_wanted = 40
    writer.task.save()
    for segment in range(1, 5):
        block = writer.block(segment, ["A", "B", "C"])
        writer.judgment("ada", block, [1, 2, 3], active_ms=31_000)
        writer.judgment("ben", block, [1, 2, 3], active_ms=45_000)
    rank_task(writer.task.pk)
    return writer


def judge_more(writer: TestSetWriter, labels: list[int], *, blocks: int = 1) -> None:
    """Let another judge rank further blocks, and the worker hear of it."""
    last = writer.task.test_set.segments.count()
    for segment in range(last + 1, last + 1 + blocks):
        writer.judgment("chiara", writer.block(segment, ["A", "B", "C"]), labels)
    rank_task(writer.task.pk)


def test_only_a_new_headline_is_announced(page: Page, writer: TestSetWriter) -> None:
    enter_ranking(page, writer.campaign)
    announced = page.locator("#live-announcement")
    expect(page.get_by_role("heading", level=1)).to_have_text(
        "A leads: 3 clusters among 3 systems",
    )

    judge_more(writer, [1, 2, 3])
    expect(page.get_by_text("from 9 blocks")).to_be_visible()
    assert announced.text_content() == ""

    judge_more(writer, [3, 2, 1], blocks=9)
    expect(page.get_by_text("from 18 blocks")).to_be_visible()
    expect(announced).to_have_text(page.get_by_role("heading", level=1).inner_text())
    expect(announced).not_to_be_empty()


def test_progress_and_data_renew_themselves(page: Page, writer: TestSetWriter) -> None:
    enter_ranking(page, writer.campaign)
    page.clock.install()
    for name in ("progress", "data"):
        page.goto(f"{page.url.split('/tasks/')[0]}/tasks/{writer.task.pk}/{name}/")
        judged = page.locator("#answer a[href*='/judgments/']").first
        before = int(judged.inner_text())
        judge_more(writer, [1, 2, 3])
        judged.focus()
        with page.expect_response(f"**/{name}/"):
            page.clock.run_for(21_000)
        expect(judged).to_be_focused()
        judged.blur()
        page.clock.run_for(21_000)
        expect(judged).to_have_text(str(before + 1))


def polls(page: Page, address: str = "/live/") -> list[Request]:
    """Requests for news, as they go out from now on."""
    seen: list[Request] = []
    page.on(
        "request",
        lambda request: seen.append(request) if address in request.url else None,
    )
    return seen


@pytest.mark.thorough
def test_a_hidden_tab_asks_for_nothing(
    page: Page,
    writer: TestSetWriter,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # The page says how long ago things were, so it is another one with each minute of the server.
    stop_process_clock(monkeypatch, ahead_by=timedelta())
    page.clock.install()
    enter_ranking(page, writer.campaign)
    page.evaluate(
        "Object.defineProperty(document, 'hidden', {value: true, configurable: true})",
    )
    # Until now its clock ran, too, and a question may have gone out.
    asked = polls(page)
    page.clock.run_for(10_000)
    assert asked == []

    page.evaluate(
        "Object.defineProperty(document, 'hidden', {value: false, configurable: true})",
    )
    with page.expect_response("**/live/**") as answer:
        page.clock.run_for(1_500)
    assert answer.value.status == 304

    stop_process_clock(monkeypatch, ahead_by=timedelta(minutes=1))
    with page.expect_response(
        lambda answer: "/live/" in answer.url and answer.status != 304,
    ):
        page.clock.run_for(1_500)


@pytest.mark.thorough
def test_without_a_connection_the_page_says_so_and_asks_less_often(
    page: Page,
    writer: TestSetWriter,
    tolerate: list[str],
) -> None:
    tolerate.append("ERR_INTERNET_DISCONNECTED")
    tolerate.append("htmx:")
    page.clock.install()
    enter_ranking(page, writer.campaign)
    expect(page.locator("#live-state")).not_to_be_empty()  # the script is there
    page.context.set_offline(True)
    with page.expect_event("requestfailed"):
        page.clock.run_for(1_500)
    expect(page.locator("#live-state")).to_have_text("no connection · trying again")
    # Waits 1, 3, 7, 15 and 30 seconds between the next ones.
    asked = polls(page)
    page.clock.run_for(20_000)
    assert 1 <= len(asked) <= 5

    page.context.set_offline(False)
    with page.expect_response("**/live/**"):
        page.clock.run_for(31_000)
    expect(page.locator("#live-state")).to_contain_text("live · updated")


@pytest.mark.thorough
@pytest.mark.parametrize("part", ["", "progress/"])
def test_a_session_that_ended_stops_the_questions(
    page: Page,
    writer: TestSetWriter,
    tolerate: list[str],
    part: str,
) -> None:
    tolerate.append("401")
    page.clock.install()
    enter_ranking(page, writer.campaign)
    page.goto(page.url + part)
    headline = page.get_by_role("heading", level=1).inner_text()
    with page.expect_response(lambda answer: answer.status == 401):
        page.context.clear_cookies()
        page.clock.run_for(21_000)
    notice = page.get_by_role("alert")
    expect(notice).to_have_text("You are signed out. Sign in")
    expect(page.locator("#live-state:visible")).to_have_count(0)
    expect(page.get_by_role("heading", level=1)).to_have_text(headline)

    asked = polls(page, "/")
    page.clock.run_for(21_000)
    assert asked == []


#: The number of lines of the text that matches a name.
LINES = """(node, name) => {
    const texts = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
    while (texts.nextNode().data.trim() !== name);
    const range = document.createRange();
    range.selectNodeContents(texts.currentNode);
    return new Set([...range.getClientRects()].map(rect => rect.top)).size;
}"""


def test_names_stay_whole_while_chart_has_room(page: Page) -> None:
    names = ["UniversityOfEdinburgh", "GoogleTranslateNeural", "gamma"]
    writer = TestSetWriter(make_campaign(), "museum en-de", names)
    for judge in ("ada", "ben"):
        writer.judgment(judge, writer.block(1, names), [1, 2, 3])
    rank_task(writer.task.pk)
    enter_ranking(page, writer.campaign)
    for address in (page.url, f"{page.url}publish/"):
        page.goto(address)
        for width in (1366, 800):
            page.set_viewport_size({"width": width, "height": 768})
            for name in names:
                cell = page.locator(".ranking th.system", has_text=name)
                assert cell.evaluate(LINES, name) == 1, (address, width, name)
