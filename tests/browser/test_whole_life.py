"""A campaign from an empty database to the bin: by its pages alone, with the worker that a house has."""

import csv
import io
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from annotation.models import Judgment
from campaign.models import Campaign, Task
from campaign.services.own_account import first_organiser_link_create
from launcher.data_directory import wait_until
from tests.browser.conftest import NewPage
from tests.browser.judging import all_sent, at_sentence, judge_block

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

StartWorker = Callable[..., object]


@pytest.fixture
def organiser(new_page: NewPage) -> Page:
    """Return the browser of the first organiser of a house where nothing is yet."""
    page = new_page()
    page.goto(f"/i/{first_organiser_link_create()}/account/")
    page.get_by_label("Name").fill("Rosa")
    page.get_by_label("E-mail address").fill("rosa@example.org")
    page.get_by_label("Password").fill("a long way home")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Welcome, Rosa")
    return page


def make_campaign_of(page: Page, folder: Path) -> None:
    page.goto("/campaigns/")
    page.get_by_role("link", name="New campaign").first.click()
    page.get_by_label("Name", exact=True).fill("WMT 2012")
    page.get_by_role("button", name="Create campaign").click()
    page.get_by_role("button", name="Add texts").click()
    page.locator("#folder").set_input_files(folder)
    expect(page.get_by_label("Test set name")).to_have_value("wmt12-cs-en")
    page.get_by_label("Test set name").fill("newstest2012")
    expect(page.get_by_label("Source language")).to_have_value("cs")
    expect(page.get_by_label("Target language")).to_have_value("en")
    page.get_by_role("button", name="Create test set").click()
    expect(page.get_by_text("newstest2012 added.")).to_be_visible()


def counted(page: Page, words: str) -> None:
    """Look at the overview until the worker has counted what was judged."""
    row = page.get_by_role("row").filter(has_text="newstest2012")

    def is_counted() -> bool:
        page.reload()
        return words in " ".join(row.inner_text().split())

    assert wait_until(is_counted, seconds=180)


def rehearse(page: Page) -> None:
    """Let simulated judges do a twentieth of the work, and look at their ranking."""
    page.get_by_role("link", name="Overview").click()
    page.get_by_role("link", name="Rehearse").click()
    page.get_by_label("Share of the target (%)").fill("5")
    page.get_by_role("button", name="Rehearse").click()
    page.get_by_role("link", name="Open rehearsal").click()
    expect(
        page.get_by_text("Rehearsal of WMT 2012 with simulated judges"),
    ).to_be_visible()
    # HITs are of three sentences.
    counted(page, "153 blocks judged")
    page.get_by_role("link", name="Back to WMT 2012").click()


def link_for_judges(page: Page) -> str:
    page.get_by_role("link", name="Overview").click()
    page.get_by_role("link", name="Invite judges").click()
    page.get_by_role("button", name="Create link").click()
    return page.locator("main input[value*='/i/']").first.input_value()


def change_state(page: Page, words: str) -> None:
    page.get_by_role("link", name="Settings", exact=True).click()
    page.get_by_role("link", name="State", exact=True).click()
    page.get_by_role("link", name=words).click()
    expect(page.get_by_role("heading", level=1)).to_have_text(words)


def judge_hit(page: Page, link: str) -> int:
    """Come by the link as a new judge, judge one HIT by keyboard, and return its number of blocks.

    The last HIT of a document has fewer than three.
    """
    page.goto(link)
    page.get_by_role("button", name="Begin", exact=True).click()
    sentence = page.locator("#sentence")
    expect(sentence).to_have_text(re.compile("Item 1 of [123]"))
    total = int(sentence.inner_text().split()[-1])
    for position in range(1, total + 1):
        at_sentence(page, position, total)
        judge_block(page)
    all_sent(page)
    return total


def time_sheet(page: Page) -> list[dict[str, str]]:
    page.get_by_role("link", name="People", exact=True).click()
    page.get_by_role("link", name="Time", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download (CSV)").click()
    return list(
        csv.DictReader(io.StringIO(download.value.path().read_text("utf-8-sig"))),
    )


def test_a_campaign_is_made_judged_paid_closed_cloned_and_deleted(
    organiser: Page,
    new_page: NewPage,
    start_worker: StartWorker,
    wmt12_with_texts: Path,
) -> None:
    start_worker()
    make_campaign_of(organiser, wmt12_with_texts)
    rehearse(organiser)
    link = link_for_judges(organiser)
    organiser.get_by_role("link", name="Overview").click()
    organiser.get_by_role("link", name="Open campaign").click()
    organiser.get_by_role("button", name="Open campaign").click()
    judged = [judge_hit(new_page(), link) for _ in range(2)]
    organiser.get_by_role("link", name="Overview").click()
    counted(organiser, f"{sum(judged)} blocks judged")
    worked = [int(day["sentences"]) for day in time_sheet(organiser)]
    assert sorted(worked) == sorted(judged)

    change_state(organiser, "Close campaign")
    organiser.get_by_role("button", name="Close campaign").click()
    expect(organiser.get_by_text("This campaign has been closed")).to_be_visible()
    organiser.get_by_role("link", name="Clone campaign").click()
    organiser.get_by_role("button", name="Create clone").click()
    expect(organiser.get_by_text("Draft cloned from “WMT 2012”")).to_be_visible()
    first, second = Campaign.objects.order_by("pk")  # and no rehearsal
    systems = [
        list(
            Task.objects.of(each)
            .get()
            .test_set.systems.order_by("name")
            .values_list("name", "kind"),
        )
        for each in (first, second)
    ]
    assert systems[0] == systems[1]
    assert Judgment.objects.filter(judge__campaign=second).count() == 0

    organiser.goto(f"/campaigns/{first.slug}/")
    change_state(organiser, "Delete campaign")
    expect(
        organiser.get_by_text(f"{sum(judged)} judged items move to the bin with it."),
    ).to_be_visible()
    organiser.get_by_label("Campaign name").fill("WMT 2012")
    organiser.get_by_role("button", name="Delete campaign").click()
    expect(organiser.get_by_role("heading", level=1)).to_have_text("Bin")
    expect(organiser.get_by_role("button", name="Restore WMT 2012")).to_be_visible()
    assert Judgment.objects.count() == sum(judged)
