"""Where judgments do not compare outputs, dashboards show an up-to-date analysis of the systems."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from annotation.services.planning.designs import design_ensure
from annotation.services.quality import JudgeDecision, quality_action_take
from campaign.models import Campaign, Judge, Protocol, Task
from campaign.services.campaigns import task_create
from protocols.models import SpansAnswer
from ranking.models import Analysis
from ranking.selectors.analyses import answer_for_people
from ranking.services.analyses import GROWTH
from ranking.tasks import rank_task
from tests.factories import make_campaign, make_judge, make_organiser, make_task
from tests.integration.protocols.judging import (
    edited_task,
    labelled,
    quizzed_task,
    rated,
    rated_task,
)
from tests.page_tables import page_tables

pytestmark = [pytest.mark.django_db, pytest.mark.thorough]

SYSTEMS = ("cobalt", "dune", "ember")


def one_at_a_time(campaign: Campaign, *, alike: str = "") -> Task:
    """Error spans and scores of one output at a time; `alike` is a judge who gives all outputs the same score."""
    ranking = make_task(campaign, documents=(6, 6))
    task = task_create(test_set=ranking.test_set, protocol=Protocol.SPANS, by=None)
    design_ensure(task=task, seed=7)
    for place, name in enumerate(("ada", "ben", "cleo")):
        judge = make_judge(campaign, name)
        for number in range(1, 13):
            at = (number + place) % 3
            score = 90 - 20 * at + (7 * number + place) % 9
            if name == alike:
                score = 50
            judgment = labelled(task, judge, SYSTEMS[at], number=number, labels=[1])
            SpansAnswer.objects.create(
                judgment=judgment,
                scores=[score],
                span_candidates=[1],
                span_starts=[0],
                span_ends=[4],
                span_severities=[1],
            )
    return task


WORLDS: dict[str, Callable[[Campaign], Task]] = {
    "editing": edited_task,
    "quiz": quizzed_task,
    "rating": rated_task,
    "spans": one_at_a_time,
}


def dashboard(task: Task, client: Client) -> str:
    address = reverse("test-set-dashboard", args=[task.test_set.campaign.slug, task.pk])
    return client.get(address).content.decode()


@pytest.mark.parametrize("kind", ["rating", "spans"])
def test_the_first_table_stands_where_a_ranking_would(
    kind: str,
    client: Client,
) -> None:
    task = WORLDS[kind](make_campaign())
    client.force_login(make_organiser(task.test_set.campaign))
    before = dashboard(task, client)
    rank_task(task.pk)
    answer = Analysis.objects.get()
    assert (answer.kind, answer.task) == (kind, task)
    first = answer_for_people(answer).tables[0]
    page = dashboard(task, client)
    # Pages leave out columns without a value.
    filled = [
        any(cell not in (None, "") for cell in cells)
        for cells in zip(*first.rows, strict=True)
    ]
    headings = [
        column.heading
        for column, is_shown in zip(first.columns, filled, strict=True)
        if is_shown
    ]
    assert headings not in [each.headings for each in page_tables(before)]
    # Of several scales each has one, the first on top.
    table = next(each for each in page_tables(page) if each.headings == headings)
    assert [row[0] for row in table.rows] == [str(row[0]) for row in first.rows]
    assert "not compared yet" not in page
    # Nothing but the title and the links to sections is above it.
    before_table = page.partition('class="dashboard-ranking">')[2].partition("<table")[
        0
    ]
    assert 'class="card"' not in before_table
    assert page.index(f'id="{kind}"') < page.index('id="progress"')


def test_analysis_is_recomputed_after_ten_percent_more_judgments(
    client: Client,
) -> None:
    task = rated_task(make_campaign())
    client.force_login(make_organiser(task.test_set.campaign))
    rank_task(task.pk)
    first = Analysis.objects.get()
    judge = Judge.objects.get(pseudonym="ada")
    due = first.watermark + int(GROWTH * first.watermark) + 1
    for number in range(first.watermark + 1, due + 1):
        rated(task, judge, "ember", number=1 + number % 12, fluency=2)
        rank_task(task.pk)
        assert Analysis.objects.count() == (1 if number < due else 2)
        said = f"{number - first.watermark} newer judgment"
        assert (said in dashboard(task, client)) is (number < due)
    assert Analysis.objects.latest().watermark == due


def test_analysis_is_recomputed_when_counted_judges_change(client: Client) -> None:
    task = rated_task(make_campaign())
    organiser = make_organiser(task.test_set.campaign)
    client.force_login(organiser)
    rank_task(task.pk)
    quality_action_take(
        task=task,
        judge=Judge.objects.get(pseudonym="dora"),
        decision=JudgeDecision(action="exclude", user=organiser),
    )
    rank_task(task.pk)
    assert [each.judgments["without"] for each in Analysis.objects.order_by("pk")] == [
        [],
        ["dora"],
    ]
