"""A HIT is of a design of its own test set: a foreign key of two columns, which Django does not know."""

from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction

from annotation.models import HIT, Design
from campaign.models import Task
from tests.factories import make_campaign, make_task

pytestmark = pytest.mark.django_db


@pytest.fixture
def tasks() -> list[Task]:
    campaign = make_campaign()
    return [make_task(campaign, name=name, planned=1) for name in ("one", "other")]


def change(hit: HIT, **fields: Any) -> None:
    """Change a HIT as if the transaction ended with it: the foreign key is checked then."""
    with transaction.atomic():
        HIT.objects.filter(pk=hit.pk).update(**fields)
        connection.check_constraints()


def test_the_design_of_another_task_is_refused(tasks: list[Task]) -> None:
    hit, other = (HIT.objects.filter(task=task)[0] for task in tasks)
    for fields in (
        {"design": other.design, "family": 99},
        {"task": other.task, "number": 99},
        {"design_id": 10**12},
    ):
        with pytest.raises(IntegrityError, match="hit_design_of_its_task"):
            change(hit, **fields)
    change(hit, design=other.design, family=99, task=other.task, number=99)


def delete(design: Design) -> None:
    """Delete a design past the ORM, which would refuse it by itself."""
    with transaction.atomic():
        rows = Design.objects.filter(pk=design.pk)
        rows._raw_delete(rows.db)
        connection.check_constraints()


def test_a_design_is_not_deleted_before_its_hits(tasks: list[Task]) -> None:
    design = Design.objects.create(
        task=tasks[0],
        kind=Design.Kind.IMPORTED,
        segments_per_hit=1,
    )
    hit = HIT.objects.create(task=tasks[0], design=design, number=99)
    with pytest.raises(IntegrityError, match="hit_design_of_its_task"):
        delete(design)
    hit.delete()
    delete(design)
