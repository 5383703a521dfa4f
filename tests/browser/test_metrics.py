"""Metrics in a real browser: scores from files on WMT12, and metrics of texts on the museum, both compared with people."""

import re
from pathlib import Path

import pytest
from django.core.management import call_command
from playwright.sync_api import FilePayload, Locator, Page, ViewportSize, expect

from annotation.services.planning.designs import design_ensure
from campaign.models import Task
from campaign.services.jobs import jobs_run_waiting
from ranking.tasks import rank_task
from tests.browser.conftest import axe_finds, too_wide
from tests.browser.organising import enter
from tests.factories import make_campaign, make_judge
from tests.integration.protocols.judging import Shown, labelled_all

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def payload(name: str, content: str) -> FilePayload:
    """Return a file to upload."""
    return {"name": name, "mimeType": "text/plain", "buffer": content.encode()}


def open_metrics(page: Page, task: Task) -> None:
    """Rank a task, and go to its metrics as an organiser."""
    rank_task(task.pk)
    enter(page, task.test_set.campaign)
    page.goto(f"/campaigns/{task.test_set.campaign.slug}/tasks/{task.pk}/")
    page.get_by_role("link", name="Metrics", exact=True).click()
    expect(page.get_by_text("No metrics yet.")).to_be_visible()


def computed(page: Page, shown: Locator) -> None:
    """Run the jobs that the page waits for until it shows something."""
    asking, idle = page.locator("[hx-trigger='load'], [hx-trigger='every 1s']"), 0
    # While the page reloads, it asks for nothing.
    while not shown.count() and idle < 100:
        idle = 0 if jobs_run_waiting() or asking.count() else idle + 1
        page.wait_for_timeout(50)
    expect(shown.first).to_be_attached()


def open_tables(page: Page) -> None:
    """Wait for both analyses, and unfold the tables of the ranking by each metric."""
    for name in ("metrics", "metric_orders"):
        computed(page, page.locator(f"#{name} .report-table"))
    page.locator("#metric_orders").get_by_text("more tables").click()


@pytest.mark.thorough
def test_metrics_from_files_are_compared_with_wmt12(
    page: Page,
    real_data: Path,
    tolerate: list[str],
) -> None:
    tolerate.append("400")
    campaign = make_campaign()
    folder = real_data / "wmt12-cs-en"
    given = {
        "campaign": campaign.slug,
        "test_set": "newstest2012",
        "create_test_set": True,
    }
    call_command("import_answers", str(folder / "judgments.csv"), verbosity=0, **given)
    open_metrics(page, Task.objects.get())
    files = page.get_by_label("Files", exact=True)
    button = page.get_by_role("button", name="Import")
    files.set_input_files(
        payload("bad.tsv", "system\tsegment\tscore\nonlineA\t9999\t1\n"),
    )
    button.click()
    expect(page.get_by_text("bad.tsv, line 2")).to_be_visible()
    assert axe_finds(page) == ""
    chrf = (folder / "chrF-refA.seg.score").read_text()
    rounded = re.sub(r"\..*", "", chrf)
    files.set_input_files(
        [
            payload("chrF-refA.seg.score", chrf),
            payload("Rounded-src.seg.score", rounded),
            payload("Reverse-src.seg.score", rounded.replace("\t", "\t-")),
        ],
    )
    button.click()
    expect(page.get_by_text("3 metrics imported.")).to_be_visible()
    # The test set has only the judged segments of WMT12.
    expect(page.get_by_text("Skipped, not in the test set:")).to_be_visible()
    open_tables(page)
    expect(
        page.get_by_role("heading", name="Reverse[noref] and people"),
    ).to_be_visible()
    expect(page.get_by_role("heading", name="Contradicted pairs")).to_be_visible()
    page.set_viewport_size(ViewportSize(width=360, height=740))
    assert not too_wide(page)
    page.locator("main a[href*='/segments/']").first.click()
    expect(page.get_by_role("heading", level=1)).to_be_visible()


def test_metrics_of_the_museum_are_computed_from_its_texts(page: Page) -> None:
    campaign = make_campaign()
    given = {"name": "Museum", "source_language": "en", "target_language": "de"}
    file = "demo/museum/en-de.tsv"
    call_command("import_test_set", file, campaign=campaign.slug, verbosity=0, **given)
    task = Task.objects.get()
    design_ensure(task=task, seed=7)
    systems = ("amber", "birch", "cobalt", "dune", "ember")
    labelled_all(
        task,
        [
            Shown(judge=judge, systems=systems, number=number, labels=[1, 2, 3, 4, 5])
            for judge in (make_judge(campaign, "ada"), make_judge(campaign, "ben"))
            for number in range(1, 49)
        ],
    )
    open_metrics(page, task)
    page.get_by_role("checkbox", name="TER", exact=True).uncheck()
    page.get_by_role("button", name="Compute").first.click()
    expect(page.locator("#metric-list").get_by_role("status")).to_be_visible()
    # The page follows the job by itself.
    computed(page, page.get_by_role("rowheader", name="chrF"))
    open_tables(page)
    expect(page.get_by_role("heading", name="WER and people")).to_be_visible()
    assert axe_finds(page) == ""
    page.set_viewport_size(ViewportSize(width=360, height=740))
    assert not too_wide(page)
    page.get_by_role("button", name="Delete “WER”").click()
    expect(page.get_by_text("“WER” deleted.")).to_be_visible()
    # Results of a deleted metric are not shown.
    open_tables(page)
    expect(page.get_by_role("heading", name="BLEU and people")).to_be_visible()
    expect(page.get_by_text("WER and people")).to_have_count(0)
