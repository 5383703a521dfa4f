"""Querysets as columns: what was written comes back, and nothing of another width."""

from typing import Any

import pytest
from django.contrib.postgres.fields import ArrayField
from django.db import connection
from django.db.models import F, FloatField, IntegerField, TextField, Value
from django.db.models.functions import Cast

from annotation.models import HIT
from annotation.models.hit import IsAnyOf
from campaign.database.columns import ColumnsQuery, columns_copied
from campaign.models import Judge, Segment
from tests.factories import make_campaign, make_long_task, make_task

pytestmark = pytest.mark.django_db


def make_segments(count: int) -> None:
    make_long_task(make_campaign(), segments=count, systems=2)


def test_numbers_come_back() -> None:
    make_segments(150)
    rows = Segment.objects.annotate(
        half=Cast("number", FloatField()) / 2, small=Value(True)
    ).order_by("number")
    found = columns_copied(rows, [("id", "i8"), ("number", "i4"), ("half", "f8"), ("small", "?")])
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
    assert found["system_ids"].tolist() == [[k, 1 << 40, -k] for k in range(1, count + 1)]


def test_a_query_compiled_once_is_read_with_other_values() -> None:
    make_segments(20)
    compiled = []

    def segments(numbers: Any, text: Any) -> Any:
        compiled.append(numbers)
        rows = Segment.objects.filter(IsAnyOf(F("number"), numbers)).exclude(source_text=text)
        return rows.order_by("-number")

    fields: dict[str, Any] = {"numbers": ArrayField(IntegerField()), "text": TextField()}
    query = ColumnsQuery(segments, fields, [("number", "i4")])
    first = Segment.objects.get(number=3)
    for numbers, text, expected in [
        ([3, 7, 99], "", [7, 3]),
        ([3, 7, 11], first.source_text, [11, 7]),
        ([3], "100 % 'of' %s $1 \\", [3]),
        ([], "", []),
    ]:
        assert query.read(numbers=numbers, text=text, other=1)["number"].tolist() == expected
    assert len(compiled) == 1
    with pytest.raises(KeyError, match="text"):
        query.read(numbers=[1])


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
    Judge.objects.create(campaign=task.test_set.campaign, pseudonym="j", origin="imported")
    model: Any = Judge if dtype[0][0] == "blocks_asked" else Segment
    with pytest.raises(ValueError, match=problem):
        columns_copied(model.objects.all(), dtype)


@pytest.mark.parametrize("others", [[1, 2], [1, 2, 3, 4], [], [1, None, 3]])
def test_arrays_of_other_lengths_are_refused_and_the_connection_goes_on(others: list[int]) -> None:
    task = make_task(make_campaign())
    hits = HIT.objects.filter(task=task).order_by("pk")
    hits.update(system_ids=[7, 8, 9])
    HIT.objects.filter(pk=hits[3].pk).update(system_ids=others)
    with pytest.raises(ValueError, match=r"system_ids|width"):
        columns_copied(hits, [("system_ids", "i8", (3,))])
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        assert cursor.fetchone() == (1,)
