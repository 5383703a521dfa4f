"""The log of what was drawn is in a bundle; seeds only once they draw nothing more."""

import csv
import io
import json
import re
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.export.five_way import systems_shown
from annotation.models import HIT, Block, Design
from annotation.models.design import PARAMETERS
from annotation.selectors.judging import assigned_blocks
from annotation.services.planning.designs import design_use_again
from annotation.services.planning.pool import hits_plan
from annotation.services.submission import SentJudgment, judgment_submit
from campaign.models import Campaign, Task, User
from campaign.services.campaigns import task_close, task_reopen
from ranking.models import PublishedResult
from ranking.pages.result_bundles import result_bundle_make
from ranking.services.published_results.publish import result_publish
from ranking.services.runs import ranking_run_compute
from tests.at_work import assignment_lend
from tests.factories import make_judge, make_task
from tests.integration.publishing.bundled import bundled, files_of, packed, said, zip_of

pytestmark = pytest.mark.django_db


def drawn_and_judged(campaign: Campaign, *, planned: int = 1) -> Task:
    """Return a test set of a, b, c and d with some HITs, one of which was judged; ranked."""
    task = make_task(campaign, name="drawn", systems=tuple("abcd"), planned=planned)
    assignment = assignment_lend(judge=make_judge(campaign, "linnet"))
    assert assignment is not None
    for assigned in assigned_blocks(assignment):
        labels = list(range(1, len(assigned.candidates) + 1))
        judgment_submit(
            assigned=assigned,
            client_id=uuid4(),
            sent=SentJudgment(labels=labels),
        )
    ranking_run_compute(task_id=task.pk)
    return task


def seeds_in(zipped: bytes) -> list[str | None]:
    said = json.loads(files_of(zipped)["design.json"])
    assert (said["seeds"] == "given") is all(each["seed"] for each in said["designs"])
    return [each["seed"] for each in said["designs"]]


@pytest.mark.thorough
def test_the_log_says_what_was_drawn_and_the_seed_only_when_all_is_over(
    campaign: Campaign,
) -> None:
    task = drawn_and_judged(campaign, planned=2)

    result, zipped = bundled(task)

    files = files_of(zipped)
    (line,) = map(json.loads, files["draws.jsonl"].decode().splitlines())
    assert (line["design"], line["purpose"], line["judges"]) == (1, "first", ["linnet"])
    blocks = Block.objects.filter(hit__number=line["hit"]).order_by("position")
    assert [each["segment"] for each in line["blocks"]] == [
        block.segment.number for block in blocks
    ]
    names = dict(task.test_set.systems.values_list("pk", "name"))
    shown = systems_shown(block.pk for block in blocks)
    assert [each["candidates"] for each in line["blocks"]] == [
        [sorted(names[pk] for pk in candidate) for candidate in shown[block.pk]]
        for block in blocks
    ]
    designs = json.loads(files["design.json"])
    told = {"design", "seed", "is_for_a_group", "since"}
    assert set(designs["designs"][0]) - told == set(PARAMETERS) - {
        "seed",
        "judge_group",
    }
    assert result.content["method"]["watermark"] == len(blocks)
    # Judging goes on; then it does not, but what was drawn could still be lent.
    assert seeds_in(zipped) == [None]
    task_close(task=task)
    assert seeds_in(bundled(task)[1]) == [None]
    HIT.objects.filter(task=task).update(completed_at=timezone.now())
    seed = Design.objects.get(task=task).seed
    assert seeds_in(bundled(task)[1]) == [str(seed)]


def test_a_seed_by_which_another_task_is_drawn_is_withheld(campaign: Campaign) -> None:
    task = drawn_and_judged(campaign)
    task_close(task=task)
    make_task(campaign, name="other", planned=0, seed=Design.objects.get().seed)
    assert seeds_in(bundled(task)[1]) == [None]
    # Nothing was given away, so nothing changes.
    assert Design.objects.filter(task=task).count() == 1


@pytest.mark.thorough
def test_a_seed_that_was_given_away_draws_nothing_more(
    campaign: Campaign,
    organiser: User,
) -> None:
    task = drawn_and_judged(campaign)
    before = Design.objects.get()
    task_close(task=task)

    result_publish(task=task, by=organiser)

    zipped = zip_of(result_bundle_make(result=PublishedResult.objects.get()))
    assert seeds_in(zipped) == [str(before.seed)]
    task_reopen(task=task)
    hits_plan(task_id=task.pk, count=1)
    after = HIT.objects.latest("number").design
    assert after.seed != before.seed
    assert after.parameters == replace(before.parameters, seed=after.seed)
    assert after.changed_by == organiser
    assert design_use_again(design=before).seed == after.seed


@pytest.mark.thorough
def test_new_seed_is_committed_to_before_it_is_revealed(
    campaign: Campaign,
    organiser: User,
    client: Client,
) -> None:
    task = drawn_and_judged(campaign)
    client.force_login(organiser)
    address = reverse("publish-confirm", args=[campaign.slug, task.pk])
    told = "the design gets a new seed"
    assert told not in client.post(address, {}).content.decode()
    task_close(task=task)
    assert told not in client.post(address, {"anonymous": ["a"]}).content.decode()
    assert told in client.post(address, {}).content.decode()
    assert Design.objects.filter(task=task).count() == 1
    result_publish(task=task, by=organiser)
    assert Design.objects.filter(task=task).count() == 2
    # Nothing was drawn with the new one.
    assert told not in client.post(address, {}).content.decode()


@pytest.mark.thorough
def test_published_draws_do_not_confirm_names(
    campaign: Campaign,
    tmp_path: Path,
) -> None:
    task = drawn_and_judged(campaign)
    task_close(task=task)
    seed = str(Design.objects.get().seed)

    _result, zipped = bundled(task, anonymous=["a"])

    files = files_of(zipped)
    assert seeds_in(zipped) == [None]
    assert seed not in re.findall("[0-9]+", files["design.json"].decode())
    (line,) = map(json.loads, files["draws.jsonl"].decode().splitlines())
    listed = [each["candidates"] for each in line["blocks"]]
    assert listed == [sorted(each) for each in listed]
    rows = list(csv.DictReader(io.StringIO(files["judgments.csv"].decode())))
    ids = [[row[f"system{slot}Id"] for slot in range(1, 6)] for row in rows]
    ids = [[name for name in row if name] for row in ids]
    assert ids == [sorted(row) for row in ids]
    assert "sorted by name" in files["README.md"].decode()
    # As they were shown, they were not in this order; and the ranking is of these rows.
    _named, zipped_named = bundled(task)
    (line,) = map(
        json.loads,
        files_of(zipped_named)["draws.jsonl"].decode().splitlines(),
    )
    shown = [each["candidates"] for each in line["blocks"]]
    assert shown != [sorted(each) for each in shown]
    status, again = said(packed(tmp_path / "bundle.zip", files))
    assert (status, again["differences"]) == (0, [])
