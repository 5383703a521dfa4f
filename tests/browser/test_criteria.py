"""An organiser sets criteria up in the browser, without scripts, and looks at the judge's page."""

import pytest
from playwright.sync_api import expect

from annotation.services.planning.designs import design_ensure
from campaign.models import Task
from tests.browser.conftest import NewPage
from tests.browser.organising import enter
from tests.factories import make_campaign, make_task

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def test_a_preset_is_edited_and_previewed(
    new_page: NewPage,
    tolerate: list[str],
) -> None:
    # The form is refused once.
    tolerate.append("400")
    ranking = make_task(make_campaign())
    campaign = ranking.test_set.campaign
    page = new_page(java_script_enabled=False)
    enter(page, campaign)
    page.goto(f"/campaigns/{campaign.slug}/add-task/")
    page.get_by_label("Summaries").check()
    page.get_by_role("button", name="Add").click()
    task = Task.objects.get(protocol="rating")
    page.goto(f"/campaigns/{campaign.slug}/tasks/{task.pk}/criteria/")
    names = page.locator(".criterion > summary")
    expect(names.first).to_have_text("Coherence")
    page.set_viewport_size({"width": 360, "height": 740})
    assert page.locator("body").evaluate("body => body.scrollWidth") <= 360
    # Relevance comes first, fluency goes, length is new.
    relevance = page.locator(".criterion").filter(has_text="Relevance")
    relevance.get_by_label("Position").fill("0")
    page.locator(".criterion").nth(2).get_by_label("Remove this criterion").check()
    new = page.locator(".criterion").nth(4)
    new.locator("summary").click()
    new.get_by_label("Name", exact=True).fill("Length")
    new.get_by_label("Question").fill("How long is it?")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_have_text(
        "Criterion 4: the label at 1 is missing.",
    )
    new.get_by_label("Texts of the points").fill("1: too short\n5: too long")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("status")).to_contain_text("Criteria saved.")
    expect(names).to_contain_text(["Relevance", "Coherence", "Consistency", "Length"])
    judge = new_page(storage_state=page.context.storage_state())
    design_ensure(task=Task.objects.get(pk=task.pk), seed=7)
    judge.goto(f"/campaigns/{campaign.slug}/tasks/{task.pk}/as-judge/sentences/")
    expect(judge.locator(".points legend b")).to_have_text(
        ["Relevance", "Coherence", "Consistency", "Length"],
    )
