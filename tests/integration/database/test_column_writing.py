"""Columns of numbers as rows: what is written is what the table then holds."""

from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest
from django.db import transaction
from psycopg2 import DataError, IntegrityError

from annotation.models import HIT, Block
from campaign.database.column_writing import Arrays, columns_write, timestamp
from tests.integration.constraints.worlds import make_shown

pytestmark = pytest.mark.django_db

WHEN = datetime(2026, 3, 10, 12, 0, 1, 234567, tzinfo=UTC)


def hits(count: int, **columns: Any) -> dict[str, Any]:
    """Return the columns of HITs with numbers from 100."""
    hit = make_shown().hit
    return {
        "task_id": np.int64(hit.task_id),
        "design_id": np.int64(hit.design_id),
        "number": np.arange(100, 100 + count, dtype=np.int32),
        "why": b'\x01{"a": "\xc3\xa9"}',
        **columns,
    }


def test_numbers_times_texts_and_json_are_stored() -> None:
    columns = hits(3, completed_at=timestamp(WHEN), purpose=b"first", holds_check=np.bool_(True))
    columns_write(HIT, 3, columns)
    stored = HIT.objects.filter(number__gte=100).order_by("number")
    assert [hit.number for hit in stored] == [100, 101, 102]
    for hit in stored:
        assert (hit.why, hit.completed_at, hit.purpose) == ({"a": "é"}, WHEN, "first")
        assert hit.holds_check


def test_arrays_may_differ_in_length_and_hold_nulls() -> None:
    block = make_shown().block
    values = np.array([[1, 2, 3], [4, 5, 6], [7, 8, 9], [1, 1, 1]])
    is_there = np.array([[1, 1, 1], [0, 1, 0], [1, 0, 1], [0, 0, 0]], dtype=np.bool_)
    is_null = np.array([[0, 1, 0], [1, 0, 0], [1, 1, 1], [1, 1, 1]], dtype=np.bool_)
    outputs = np.tile(block.outputs[:3], (4, 1))
    columns_write(
        Block,
        4,
        {
            "hit_id": np.int64(block.hit_id),
            "segment_id": np.int64(block.segment_id),
            "position": np.arange(2, 6, dtype=np.int16),
            "control": b"attention",
            "outputs": Arrays(outputs, is_there=np.ones((4, 3), dtype=np.bool_)),
            "stands_for": Arrays(
                np.ones((4, 3), dtype=np.int16),
                is_there=np.ones((4, 3), dtype=np.bool_),
                is_row_null=np.array([True, False, True, False]),
            ),
            "expected": Arrays(values.astype(np.int16), is_there=is_there, is_null=is_null),
        },
    )
    stored = Block.objects.filter(position__gt=1).order_by("position")
    assert [each.expected for each in stored] == [[1, None, 3], [5], [None, None], []]
    assert [each.stands_for for each in stored] == [None, [1, 1, 1], None, [1, 1, 1]]
    assert [each.outputs for each in stored] == [block.outputs[:3]] * 4


def test_many_rows_without_gaps_are_stored_alike() -> None:
    columns = hits(
        3_000, segment_ids=Arrays(np.arange(6_000).reshape(-1, 2), np.ones((3_000, 2), "?"))
    )
    columns_write(HIT, 3_000, columns)
    stored = (
        HIT.objects.filter(number__gte=100).order_by("number").values_list("segment_ids", flat=True)
    )
    assert list(stored) == [[2 * row, 2 * row + 1] for row in range(3_000)]


def test_another_width_and_a_broken_constraint_are_refused() -> None:
    columns = hits(2)
    with pytest.raises(DataError, match="incorrect binary data format"), transaction.atomic():
        columns_write(HIT, 2, columns | {"number": np.arange(2)})
    with pytest.raises(IntegrityError, match="hit_number_unique"), transaction.atomic():
        columns_write(HIT, 2, columns | {"number": np.int32(7)})
    assert not HIT.objects.filter(number__gte=7).exists()
