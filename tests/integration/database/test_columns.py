"""Querysets as columns: what was written comes back, and nothing of another width."""

from typing import Any

import pytest
from django.db import connection
from django.db.models import FloatField, Value
from django.db.models.functions import Cast

from annotation.models import HIT
from campaign.database.columns import columns_copied
from campaign.models import Judge, Segment
from tests.factories import make_campaign, make_long_task, make_task

pytestmark = pytest.mark.django_db


def make_segments(count: int) -> None:
    make_long_task(make_campaign(), segments=count, systems=2)


def test_numbers_come_back() -> None:
    make_segments(150)
    rows = Segment.objects.annotate(
        half=Cast("number", FloatField()) / 2,
        small=Value(True),
    ).order_by("number")
    found = columns_copied(
        rows,
        [("id", "i8"), ("number", "i4"), ("half", "f8"), ("small", "?")],
    )
    assert found["id"].tolist() == list(rows.values_list("id", flat=True))
    assert found["number"].tolist() == list(range(1, 151))
    assert found["half"].tolist() == [number / 2 for number in range(1, 151)]
    assert found["small"].all()
    assert [column.dtype for column in found.values()] == ["i8", "i4", "f8", "?"]


def test_arrays_of_one_length_come_back() -> None:
    task = make_task(make_campaign())
    hits = HIT.objects.filter(task=task).order_by("pk")
    for number, hit in enumerate(hits, start=1):
        HIT.objects.filter(pk=hit.pk).update(system_ids=[number, 1 << 40, -number])
    found = columns_copied(hits, [("system_ids", "i8", (3,)), ("number", "i4")])
    count = hits.count()
    assert found["system_ids"].tolist() == [
        [k, 1 << 40, -k] for k in range(1, count + 1)
    ]


@pytest.mark.parametrize(
    ("dtype", "problem"),
    [
        ([("number", "i8")], "number: 4 bytes instead of 8"),
        ([("id", "i8"), ("number", "i2")], "number: 4 bytes instead of 2"),
        ([("id", "i4")], "id: 8 bytes instead of 4"),
        ([("blocks_asked", "i4")], "blocks_asked: a value is NULL"),
    ],
)
def test_null_and_other_widths_are_refused(dtype: Any, problem: str) -> None:
    task = make_task(make_campaign())
    Judge.objects.create(
        campaign=task.test_set.campaign,
        pseudonym="j",
        origin="imported",
    )
    model: Any = Judge if dtype[0][0] == "blocks_asked" else Segment
    with pytest.raises(ValueError, match=problem):
        columns_copied(model.objects.all(), dtype)


@pytest.mark.parametrize("others", [[1, 2], [1, 2, 3, 4], [], [1, None, 3]])
def test_arrays_of_other_lengths_are_refused_and_the_connection_goes_on(
    others: list[int],
) -> None:
    task = make_task(make_campaign())
    hits = HIT.objects.filter(task=task).order_by("pk")
    hits.update(system_ids=[7, 8, 9])
    HIT.objects.filter(pk=hits[3].pk).update(system_ids=others)
    with pytest.raises(ValueError, match=r"system_ids|width"):
        columns_copied(hits, [("system_ids", "i8", (3,))])
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        assert cursor.fetchone() == (1,)
