"""Metrics of a test set in a real browser: scores from files, metrics of texts, and both beside people."""

import json

import pytest
from django.db import transaction
from playwright.sync_api import Page, ViewportSize, expect

from campaign.models import Task
from campaign.services.jobs import jobs_run_waiting
from ranking.tasks import rank_task
from tests.browser.conftest import axe_finds, too_wide
from tests.browser.organising import enter
from tests.factories import make_campaign
from tests.integration.ranking.two_tasks import SEGMENTS, SYSTEMS, two_tasks

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def scores(metric: str, better: tuple[str, ...]) -> bytes:
    """Return the scores of a metric that likes systems in this order."""
    rows = (
        {"system": system, "segment": number, "metric": metric, "score": -place + number % 3 / 4}
        for place, system in enumerate(better)
        for number in range(1, SEGMENTS + 1)
    )
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


@pytest.fixture
def task() -> Task:
    """Amber before birch before cobalt before dune."""
    with transaction.atomic():
        ranking = two_tasks(make_campaign())
    rank_task(ranking.pk)
    return ranking


def test_three_metrics_and_those_of_texts_stand_beside_people(
    page: Page, task: Task, tolerate: list[str]
) -> None:
    tolerate.append("400")
    enter(page, task.test_set.campaign)
    page.goto(f"/campaigns/{task.test_set.campaign.slug}/tasks/{task.pk}/")
    page.get_by_role("link", name="Metrics", exact=True).click()
    expect(page.get_by_text("No metrics yet.")).to_be_visible()
    # A bad file changes nothing, and its line is named.
    files = page.get_by_label("Files", exact=True)
    bad = b'{"system": "amber", "segment": 1, "metric": "M", "score": "high"}\n'
    files.set_input_files([{"name": "bad.jsonl", "mimeType": "text/plain", "buffer": bad}])
    page.get_by_role("button", name="Import").click()
    expect(page.get_by_text("bad.jsonl, line 1")).to_be_visible()
    assert axe_finds(page) == ""
    orders = {"LIKE": SYSTEMS, "ODD": SYSTEMS[::-1], "HALF": ("birch", "amber", "cobalt", "dune")}
    files.set_input_files(
        [
            {"name": f"{name}.jsonl", "mimeType": "text/plain", "buffer": scores(name, order)}
            for name, order in orders.items()
        ]
    )
    page.get_by_role("button", name="Import").click()
    expect(page.get_by_text("3 metrics imported.")).to_be_visible()
    for name in ("chrF", "TER", "PER"):
        page.get_by_role("checkbox", name=name, exact=True).uncheck()
    page.get_by_role("button", name="Compute").click()
    expect(page.get_by_text("Being computed")).to_be_visible()
    jobs_run_waiting()
    # The page follows by itself.
    expect(page.get_by_role("rowheader", name="WER")).to_be_visible()
    expect(page.get_by_role("rowheader", name="BLEU")).to_be_visible()
    assert axe_finds(page) == ""
    page.set_viewport_size(ViewportSize(width=360, height=740))
    assert not too_wide(page)
    # What they are beside people is computed by itself.
    expect(page.get_by_text("Computing. You can leave this page.").first).to_be_visible()
    jobs_run_waiting()
    expect(page.get_by_text("Pairs ordered alike").first).to_be_visible()
    page.locator("#metric_orders").get_by_text("more tables").click()
    expect(page.get_by_role("heading", name="ODD beside people")).to_be_visible()
    assert not too_wide(page)
    contradicted = page.get_by_role("heading", name="Pairs that people separate and a metric")
    expect(contradicted).to_be_visible()
    page.locator("main a[href*='/segments/']").first.click()
    expect(page.get_by_text("Source sentence").first).to_be_visible()
