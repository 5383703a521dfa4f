"""The tour: who is sent there, what it is given on, what remains of it."""

import json
import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotation.models import HIT, Design, Exposure
from annotation.practice import practice_story
from annotation.services.judges import tour_begin, tour_leave
from annotation.services.planning.pool import pool_fill
from campaign.models import Campaign, Judge, Output, Reference, Segment, Task
from campaign.texts.normalisation import normalise_text
from tests.at_work import judge_one_hit
from tests.factories import make_campaign, make_judge, make_long_task, make_task
from tests.roles import owner_cursor

pytestmark = pytest.mark.django_db
TOUR, WORK = "/judge/museum/tour/", "/judge/museum/"


@pytest.fixture
def campaign() -> Campaign:
    return make_campaign(tour=True)


@pytest.fixture
def judge(campaign: Campaign) -> Judge:
    make_task(campaign)
    return make_judge(campaign)


def signed_in(judge: Judge) -> Client:
    assert judge.user is not None
    client = Client()
    client.force_login(judge.user)
    return client


def given(client: Client) -> Any:
    page = client.get(TOUR).content.decode()
    found = re.search(r'<script id="given" type="application/json">(.*?)</script>', page)
    assert found is not None
    return json.loads(found[1])


def test_a_new_judge_is_sent_there_until_they_left_it(judge: Judge) -> None:
    client = signed_in(judge)
    assert client.get(WORK).headers["Location"] == TOUR
    assert client.post(TOUR, {"how": "somehow"}).status_code == 400
    assert client.get(WORK).status_code == 302
    assert client.post(TOUR, {"how": "skipped"}).headers["Location"] == WORK
    judge.refresh_from_db()
    skipped_at = judge.tour_left_at
    assert (judge.tour, skipped_at is None) == ("skipped", False)
    # On another device too; with no query more than before there was a tour.
    other_device = signed_in(judge)
    with CaptureQueriesContext(connection) as queries:
        assert other_device.get(WORK).status_code == 200
    assert len(queries) == 3
    assert client.get(TOUR).status_code == 200


def test_how_a_tour_was_left_is_recorded_once(judge: Judge) -> None:
    tour_leave(judge=judge, how=Judge.Tour.SKIPPED)
    tour_leave(judge=judge, how=Judge.Tour.DONE)
    judge.refresh_from_db()
    done_at = judge.tour_left_at
    assert judge.tour == "done"
    for how in Judge.Tour:
        tour_leave(judge=judge, how=how)
    judge.refresh_from_db()
    assert (judge.tour, judge.tour_left_at) == ("done", done_at)


def test_nothing_is_learnt_of_any_system(judge: Judge) -> None:
    client = signed_in(judge)
    handed_in = set(Output.objects.values_list("text", flat=True))
    data = given(client)
    for block, known in zip(data["hit"]["blocks"], data["known"], strict=True):
        texts = {each["id"]: each["text"] for each in block["candidates"]}
        assert len({normalise_text(text) for text in texts.values()}) == len(texts) == 5
        assert not handed_in & set(texts.values())
        assert texts[known["best"]] == block["references"][0]["text"]
        others = set(practice_story("de") or ()) - {texts[known["best"]]}
        assert texts[known["worst"]] in others


def next_judge_id(number: int) -> None:
    """Have the next judge made here get this id."""
    with owner_cursor() as cursor:
        cursor.execute(
            "SELECT setval(pg_get_serial_sequence('campaign_judge', 'id'), %s, false)", [number]
        )


class TestLargeTask:
    """One that can spare three sentences for each judge."""

    @pytest.fixture
    def task(self, campaign: Campaign) -> Task:
        task = make_long_task(campaign, segments=240, systems=3)
        Reference.objects.bulk_create(
            Reference(segment=segment, number=1, text=f"Satz {segment.number} der Geschichte.")
            for segment in task.test_set.segments.all()
        )
        return task

    def practised(self, judge: Judge) -> list[int]:
        return sorted(
            Exposure.objects.filter(judge=judge, assignment=None).values_list("segment", flat=True)
        )

    def test_its_own_sentences_are_shown_under_new_ids_each_time(self, task: Task) -> None:
        judge = make_judge(task.test_set.campaign)
        client = signed_in(judge)
        first = given(client)
        own = self.practised(judge)
        segments = Segment.objects.in_bulk(own)
        assert [segments[pk].source_text for pk in own] == [
            block["source"]["text"] for block in first["hit"]["blocks"]
        ]
        assert len({segment.document_id for segment in segments.values()}) == 1
        # The same ones when it is repeated, under other ids.
        again = given(client)
        assert self.practised(judge) == own
        assert again["known"] != first["known"]

    # Which sentences they are depends on the judge's id.
    @pytest.mark.thorough
    @pytest.mark.parametrize("judge_id", range(1, 11))
    def test_its_own_sentences_are_never_lent_to_that_judge(
        self, task: Task, judge_id: int
    ) -> None:
        # Tile by tile, so that the pool shows every sentence.
        Design.objects.update(segment_order=Design.Order.SEQUENTIAL)
        pool_fill(task_id=task.pk, size=96)
        everything = set(task.test_set.segments.values_list("id", flat=True))
        assert {pk for hit in HIT.objects.incomplete() for pk in hit.segment_ids} == everything
        next_judge_id(judge_id)
        judge = make_judge(task.test_set.campaign)
        tour_begin(judge=judge)
        own = set(self.practised(judge))
        assert len(own) == 3
        showing = HIT.objects.filter(segment_ids__overlap=list(own))
        # Until nothing is left to lend: everything but what would show one of them.
        lent: set[int] = set()
        while (assignment := judge_one_hit(judge)) is not None:
            lent.update(assignment.hit.segment_ids)
        assert lent == everything - {pk for hit in showing for pk in hit.segment_ids}
        assert set(HIT.objects.incomplete()) == set(showing)

    def test_judges_do_not_practise_on_the_same_sentences(self, task: Task) -> None:
        judges = [make_judge(task.test_set.campaign, f"judge-{number}") for number in range(4)]
        for judge in judges:
            tour_begin(judge=judge)
        assert len({tuple(self.practised(judge)) for judge in judges}) > 1

    def test_what_the_campaign_hides_is_not_in_it(self, task: Task) -> None:
        Campaign.objects.update(show_source=False)
        client = signed_in(make_judge(task.test_set.campaign))
        for block in given(client)["hit"]["blocks"]:
            assert block["source"] is None
            assert block["references"]
            assert all(each["source"] is None for each in block["context"]["before"])
        Campaign.objects.update(show_source=True, show_reference=False)
        for block in given(client)["hit"]["blocks"]:
            assert block["source"]["text"]
            assert block["references"] == []
