"""Sentences that a design keeps for machine judges: people get no HITs with them."""

from decimal import Decimal

import pytest
from django.test import Client

from annotation.models import HIT, Design
from annotation.selectors.drawing import windows_of
from annotation.selectors.words_to_read import design_words
from annotation.services.planning.designs import DesignRefusedError, design_change
from annotation.services.planning.pool import hits_plan
from campaign.models import Segment, Task
from tests.factories import make_campaign, make_organiser, make_task

pytestmark = pytest.mark.django_db


@pytest.fixture
def task() -> Task:
    return make_task(make_campaign(), documents=(20, 20), planned=0)


def asked(task: Task) -> set[int]:
    """Return the numbers of the segments in planned HITs."""
    hits_plan(task_id=task.pk, count=60)
    ids = {id_ for hit in HIT.objects.all() for id_ in hit.segment_ids}
    return set(Segment.objects.filter(pk__in=ids).values_list("number", flat=True))


def test_people_get_no_hits_with_sentences_of_machine_judges(task: Task) -> None:
    design = design_change(task=task, machine_share=0.5, segments_per_hit=1, seed=3)
    alone = {number for number in range(1, 41) if design.is_for_machines_alone(number)}
    assert 10 <= len(alone) <= 30
    planned = asked(task)
    assert len(planned) > 10
    assert not planned & alone
    assert set(windows_of(task, design).segments) == set(range(1, 41)) - alone
    assert design_words(task=task, design=design).segments == 40 - len(alone)


def test_larger_share_keeps_the_sentences_of_a_smaller_one(task: Task) -> None:
    design = Design(task=task, seed=3, machine_share=0.2)
    small = {
        number for number in range(1, 1001) if design.is_for_machines_alone(number)
    }
    design.machine_share = 0.4
    large = {
        number for number in range(1, 1001) if design.is_for_machines_alone(number)
    }
    assert small < large
    assert 350 <= len(large) <= 450


def test_chosen_sentences_are_shared_too(task: Task) -> None:
    chosen = [1, 2, 3, 4, 5, 6, 7, 8]
    design = design_change(task=task, machine_share=0.5, segments=chosen, seed=3)
    left = windows_of(task, design).segments
    assert 0 < len(left) < len(chosen)
    assert set(left) <= set(chosen)


def test_share_is_limited(task: Task) -> None:
    with pytest.raises(DesignRefusedError, match="machine_share"):
        design_change(task=task, machine_share=0.95)


def test_page_and_rest_change_the_share(task: Task, client: Client) -> None:
    client.force_login(make_organiser(task.test_set.campaign))
    rest = f"/api/v1/tasks/{task.pk}/designs/"
    sent = {"machine_share": 0.25, "confirm": True}
    changed = client.post(rest, sent, content_type="application/json")
    assert (changed.status_code, changed.json()["machine_share"]) == (201, 0.25)
    page = client.get(f"/campaigns/museum/tasks/{task.pk}/design/")
    assert page.context["form"]["machine_share"].value() in ("25", Decimal(25))
