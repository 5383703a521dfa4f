"""A wrong output that is corrected while judges judge."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from annotation.models import HIT, Block, BlockControl, Judgment
from annotation.selectors.hits import plans_read
from annotation.services.planning.designs import design_change
from annotation.services.planning.pool import hits_plan
from annotation.services.systems import correction_decide, output_correct
from campaign.models import ActivityEvent, Output, OutputCorrection, Task
from ranking.services.reproduced_runs import ranking_run_reproduce
from ranking.services.runs import ranking_run_compute
from tests.at_work import judge_one_hit
from tests.counters import counters_by_row, counters_stored
from tests.factories import make_campaign, make_judge, make_organiser, make_task
from tests.redrawn_hits import hit_redraw

pytestmark = pytest.mark.django_db


@pytest.fixture
def task() -> Task:
    task = make_task(make_campaign(state="open"), documents=(30, 30))
    design_change(task=task, redundancy=2)
    hits_plan(task_id=task.pk, count=30)
    return task


def judged_output(task: Task) -> Output:
    """Have a judge do a HIT, and return an output of a system that its first block showed."""
    assignment = judge_one_hit(make_judge(task.test_set.campaign))
    assert assignment is not None
    block = assignment.hit.blocks.earliest("position")
    return Output.objects.filter(pk__in=block.outputs, system__kind="system").earliest(
        "pk",
    )


def counted(task: Task) -> int:
    return Judgment.objects.of(task.pk).counted().count()


def test_judged_blocks_keep_the_wrong_text_and_later_hits_show_the_right_one(
    task: Task,
) -> None:
    wrong = judged_output(task)
    before = counted(task)
    kept = ranking_run_compute(task_id=task.pk)
    assert kept is not None
    showing = Block.objects.filter(
        outputs__contains=[wrong.pk],
        judgments__isnull=False,
    )
    blocks = set(showing.values_list("pk", flat=True))
    correction = output_correct(
        output=wrong,
        text="Richtig.",
        leave_out=True,
        reason="cut off",
    )
    assert (
        set(
            Block.objects.filter(control=BlockControl.CORRECTED).values_list(
                "pk",
                flat=True,
            ),
        )
        == blocks
    )
    assert set(showing.values_list("pk", flat=True)) == blocks
    assert counted(task) == before - len(blocks)
    hits_plan(task_id=task.pk, count=60)
    open_hits = plans_read(list(HIT.objects.incomplete().values_list("pk", flat=True)))
    shown = {
        output
        for plan in open_hits.values()
        for block in plan.blocks
        for outputs in block.candidates
        for output in outputs
    }
    assert wrong.pk not in shown
    assert correction.after_id in shown
    plans = plans_read(list(HIT.objects.values_list("pk", flat=True)))
    for hit in HIT.objects.all():
        assert hit_redraw(hit) == plans[hit.pk]
    assert ActivityEvent.objects.filter(kind="campaign.outputcorrection").exists()

    left_out = ranking_run_compute(task_id=task.pk)
    assert left_out is not None
    assert left_out.result["input"]["blocks"] == before - len(blocks)
    assert ranking_run_reproduce(left_out) == left_out.result
    with pytest.raises(ValueError, match="corrected outputs"):
        ranking_run_reproduce(kept)
    correction_decide(correction=correction, leave_out=False)
    assert counted(task) == before
    assert counters_stored(task_id=task.pk) == counters_by_row(task_id=task.pk)
    again = ranking_run_compute(task_id=task.pk)
    assert again is not None
    assert again.result["systems"] == kept.result["systems"]


def test_the_page_and_rest_refuse_an_output_that_was_corrected_meanwhile(
    task: Task,
    client: Client,
) -> None:
    wrong = judged_output(task)
    organiser = make_organiser(task.test_set.campaign)
    client.force_login(organiser)
    page = reverse(
        "output-correct",
        args=[task.test_set.campaign.slug, task.pk, wrong.pk],
    )
    assert client.get(page).status_code == 200
    sent: Any = {"text": "Richtig.", "judged": "keep"}
    assert client.post(page, sent).status_code == 302
    assert client.post(page, sent).status_code == 400
    correction = OutputCorrection.objects.get()
    segment = client.get(
        reverse(
            "segment",
            args=[task.test_set.campaign.slug, task.pk, wrong.segment.number],
        ),
    )
    assert "Richtig." in segment.content.decode()
    decide = reverse(
        "correction-decide",
        args=[task.test_set.campaign.slug, task.pk, correction.pk],
    )
    assert client.post(decide, {"leave_out": "yes"}).status_code == 302
    correction.refresh_from_db()
    assert correction.leaves_out

    api = APIClient()
    api.force_login(organiser)
    address = f"/api/v1/tasks/{task.pk}/outputs/{{}}/correct/"
    body = {"text": "Noch richtiger.", "leave_out": False}
    assert api.post(address.format(wrong.pk), body, format="json").status_code == 400
    done = api.post(address.format(correction.after_id), body, format="json")
    assert (done.status_code, done.json()["text"]) == (200, "Noch richtiger.")
