"""A bundle is made by a worker, and fetched from the page, over REST and by a command."""

import json
from datetime import timedelta
from hashlib import sha256
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone

from annotation.models import Block
from annotation.selectors.judging import assigned_blocks
from annotation.services.planning.designs import design_change
from annotation.services.planning.pool import hits_plan
from annotation.services.submission import SentJudgment, judgment_submit
from campaign.models import Campaign, FilePart, Protocol, Segment, Task
from campaign.services.campaigns import task_close, task_reopen
from campaign.services.jobs import job_cancel, jobs_run_waiting
from ranking.models import PublishedResult
from ranking.pages.result_bundles import result_bundle_make
from ranking.services.published_results.bundles import (
    bundles_due_queue,
    result_bundle_ask,
)
from ranking.services.published_results.naming import PublishingRefusedError
from ranking.services.published_results.publish import (
    ResultChoices,
    result_publish,
    result_retract,
    result_reviewer_link_make,
)
from ranking.services.runs import ranking_run_compute
from tests.at_work import expire, judge_one_hit, lend
from tests.factories import make_judge, make_task
from tests.integration.publishing.bundled import bundled, files_of, zip_of
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db


def test_texts_that_are_no_longer_wanted_are_not_stored(judged: TestSetWriter) -> None:
    Segment.objects.update(source_text="Tajná věta.")
    task_close(task=judged.task)
    result = result_publish(
        task=judged.task,
        by=None,
        choices=ResultChoices(with_texts=True),
    )
    as_asked = PublishedResult.objects.get()
    job = as_asked.bundle_job
    assert job is not None
    job_cancel(job=job)
    # A worker has read it, and is at it.
    result_bundle_ask(
        result=PublishedResult.objects.get(pk=result.pk),
        with_texts=False,
    )

    with pytest.raises(PublishingRefusedError, match="a new one was requested"):
        result_bundle_make(result=as_asked)

    assert not FilePart.objects.exists()
    made = result_bundle_make(result=PublishedResult.objects.get())
    assert "texts.jsonl" not in files_of(zip_of(made))


@pytest.mark.parametrize("anonymous", [[], ["amber", "birch", "cobalt"]])
def test_bundle_waits_for_the_end_of_judging_and_has_judged_blocks_only(
    campaign: Campaign,
    anonymous: list[str],
) -> None:
    task = make_task(campaign, systems=("amber", "birch", "cobalt"))
    assignment = lend(make_judge(campaign))
    first, *rest = assigned_blocks(assignment)
    assert rest
    judgment_submit(
        assigned=first,
        client_id=uuid4(),
        sent=SentJudgment(labels=[1] * len(first.candidates)),
    )
    ranking_run_compute(task_id=task.pk)
    result = result_publish(
        task=task,
        by=None,
        choices=ResultChoices(anonymous=anonymous, with_texts=True),
    )
    assert (bundles_due_queue(), jobs_run_waiting()) == (0, 0)
    task_close(task=task)
    # The judge may finish the HIT.
    assert bundles_due_queue() == 0
    expire(assignment)
    assert (bundles_due_queue(), bundles_due_queue(), jobs_run_waiting()) == (1, 0, 1)
    made = files_of(zip_of(PublishedResult.objects.get(pk=result.pk)))
    [hit] = [json.loads(line) for line in made["draws.jsonl"].splitlines()]
    [block] = hit["blocks"]
    assert block["segment"] == Block.objects.get(pk=first.block_id).segment.number


def test_bundle_waits_for_another_task_with_the_same_outputs(
    campaign: Campaign,
) -> None:
    task = make_task(campaign, systems=("amber", "birch", "cobalt"))
    judge_one_hit(make_judge(campaign))
    ranking_run_compute(task_id=task.pk)
    other = Task.objects.create(test_set=task.test_set, protocol=Protocol.TOP)
    design_change(task=other)
    hits_plan(task_id=other.pk, count=1)
    task_close(task=task)
    result_publish(task=task, by=None)
    assert bundles_due_queue() == 0
    task_close(task=other)
    assert bundles_due_queue() == 1


def test_bundle_is_not_made_after_judging_was_reopened(campaign: Campaign) -> None:
    task = make_task(campaign, systems=("amber", "birch", "cobalt"))
    judge_one_hit(make_judge(campaign))
    ranking_run_compute(task_id=task.pk)
    task_close(task=task)
    result = result_publish(task=task, by=None)
    task_reopen(task=task)
    jobs_run_waiting()
    result.refresh_from_db()
    assert result.bundle is None


@pytest.mark.thorough
def test_a_worker_makes_it_and_the_page_offers_it(
    judged: TestSetWriter,
    client: Client,
) -> None:
    task_close(task=judged.task)
    result = result_publish(task=judged.task, by=None)
    page = f"/results/{result.address}/"
    assert "bundle.zip" not in client.get(page).content.decode()
    assert client.get(f"{page}bundle.zip").status_code == 404

    assert jobs_run_waiting() == 1

    result.refresh_from_db()
    bundle, job = result.bundle, result.bundle_job
    assert bundle is not None
    assert job is not None
    assert (job.state, job.name) == ("done", "news, version 1")
    shown = client.get(page).content.decode()
    assert bundle.digest in shown
    for each in result.bundle_files:
        assert f'href="{page}{each["name"]}"' in shown
    answer = client.get(f"{page}bundle.zip")
    assert sha256(b"".join(answer)).hexdigest() == bundle.digest
    assert answer["Content-Length"] == str(bundle.size)
    assert answer["Cache-Control"] == "public, max-age=300"
    judgments = b"".join(client.get(f"{page}judgments.csv"))
    known = result.bundled("judgments.csv")
    assert known is not None
    assert sha256(judgments).hexdigest() == known["sha256"]
    # As any other file of the result, whether or not it is retracted.
    result_retract(result=result, reason="Wrong.")
    assert client.get(f"{page}bundle.zip").status_code == 200


def test_an_embargo_holds_for_its_bundle(judged: TestSetWriter, client: Client) -> None:
    until = timezone.now() + timedelta(days=1)
    result, _zipped = bundled(judged.task, embargo_until=until)
    token = result_reviewer_link_make(result=result)
    for name in ("bundle.zip", "judgments.csv"):
        assert client.get(f"/results/{result.address}/{name}").status_code == 404
        answer = client.get(f"/results/{result.address}/review/{token}/{name}")
        assert answer.status_code == 200
        assert "no-store" in answer["Cache-Control"]
        wrong = f"/results/{result.address}/review/{token}x/{name}"
        assert client.get(wrong).status_code == 404
