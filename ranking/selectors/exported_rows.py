"""Judgments of consecutive numbers with their blocks, as columns: three tables, each read by its key.

A part of a large table is joined faster here than by PostgreSQL, which looks up each row by itself, or reads whole tables
for every part.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from django.contrib.postgres.fields import ArrayField
from django.db import transaction
from django.db.models import (
    BigIntegerField,
    Case,
    F,
    Field,
    Func,
    IntegerField,
    QuerySet,
    SmallIntegerField,
    Value,
    When,
)
from django.db.models.functions import Coalesce

from annotation.models import Block, BlockControl, Judgment, JudgmentNumber
from annotation.models.pool import IsAnyOf
from campaign.database.columns import Columns, ColumnsQuery
from campaign.database.transactions import table_scans_off

Ids = npt.NDArray[np.int64]
#: Rows are read from the first id to the last where there are at most so many times as many ids between them: it is
#: several times as fast as to look each of them up.
_MOST_BETWEEN: Final = 4


class JudgedRowsReader:
    """Reads judgments with their blocks; arrays are filled with zeros to the widest that was met."""

    def __init__(self, *, task_id: int, places: int) -> None:
        self._task_id = task_id
        self._outputs = self._labels = places

    def read(self, start: int, stop: int) -> Columns:
        """Return the judgments with the numbers `start` + 1 … `stop`, N rows in their order.

        Returns
        -------
        dict
            int64, shape (N,): `id`, `number`, `judge_id`, `segment_id`, and `milliseconds`, -1 where unknown;
            int32, shape (N,): `checks`, the place of the block's control in `BlockControl`, 0 where it is none;
            shape (N, places): `shown`, ids of outputs, `sizes` of the candidates they stand for, all zero where each
            is one output, and `filled`, the labels, 0 where blank.
        """
        # By indexes: planned for a whole table, each part would read all of it.
        with transaction.atomic(), table_scans_off():
            ids, number = self.numbers(start, stop)
            judgments = self._judgments(ids)
            blocks = self.blocks(judgments.pop("block_id"))
        return {"number": number, **judgments, **blocks}

    def numbers(self, start: int, stop: int) -> tuple[Ids, Ids]:
        """Return the ids of these judgments, and their numbers."""
        found = _numbers().read(task_id=self._task_id, start=start, stop=stop)
        return found["judgment_id"], found["number"].astype(np.int64)

    def _judgments(self, ids: Ids) -> Columns:
        found = _by_ids(lambda is_range: _judgments(self._labels, is_range=is_range), ids)
        widest = int(found.pop("length").max(initial=1))
        if widest > self._labels:
            self._labels = widest
            return self._judgments(ids)
        return found

    def blocks(self, ids: Ids) -> Columns:
        """Return of blocks with these ids, in their order, what `read` does."""
        found = _by_ids(lambda is_range: _blocks(self._outputs, is_range=is_range), ids)
        widest = int(found.pop("length").max(initial=1))
        del found["id"]
        if widest > self._outputs:
            self._outputs = widest
            return self.blocks(ids)
        return found


def _by_ids(query: Callable[[bool], ColumnsQuery], ids: Ids) -> Columns:
    """Return the rows with these ids, in their order; an id may be there several times."""
    asked = ids_asked(ids)
    found = query("ids" not in asked).read(**asked)
    place = places_of(ids, found["id"])
    return {name: column[place] for name, column in found.items()}


def ids_asked(ids: Ids) -> dict[str, Any]:
    """Return how rows with these ids are read: from the `first` to the `last`, or by the list of `ids`."""
    first, last = (int(ids.min()), int(ids.max())) if len(ids) else (0, -1)
    if last - first < _MOST_BETWEEN * len(ids):
        return {"first": first, "last": last}
    return {"ids": np.unique(ids).tolist()}


def places_of(ids: Ids, found: Ids) -> Ids:
    """Return for each id its place among those that were found."""
    if not len(ids):
        return np.zeros(0, dtype=np.int64)
    order = np.argsort(found)
    places: Ids = order[Numbered(found[order]).of(ids)]
    return places


class Numbered:
    """Values that stand for ids, which are in order: their places unless others are given.

    Where ids are close together, as those of rows that were written at a time, a table has them: to search takes several
    times as long.
    """

    def __init__(self, ids: Ids, values: npt.NDArray[Any] | None = None) -> None:
        self._ids = ids
        self._values = np.arange(len(ids)) if values is None else values
        self._table: npt.NDArray[Any] | None = None
        if len(ids) and ids[-1] - ids[0] < _MOST_BETWEEN * len(ids):
            self._table = np.zeros(ids[-1] - ids[0] + 1, dtype=self._values.dtype)
            self._table[ids - ids[0]] = self._values

    def of(self, ids: Ids) -> npt.NDArray[Any]:
        """Return the values of ids that are there; of others any."""
        values, place = (
            (self._values, np.searchsorted(self._ids, ids))
            if self._table is None
            else (self._table, ids - self._ids[0])
        )
        found: npt.NDArray[Any] = values.take(place, mode="clip")
        return found


@cache
def _numbers() -> ColumnsQuery:
    def numbers(task_id: Any, start: Any, stop: Any) -> "QuerySet[JudgmentNumber]":
        return JudgmentNumber.objects.filter(
            task=task_id, number__gt=start, number__lte=stop
        ).order_by("number")

    fields = {"task_id": BigIntegerField(), "start": IntegerField(), "stop": IntegerField()}
    return ColumnsQuery(numbers, fields, [("judgment_id", "i8"), ("number", "i4")])


@cache
def _judgments(labels: int, *, is_range: bool) -> ColumnsQuery:
    return _of_ids(
        Judgment.objects.annotate(
            milliseconds=Coalesce("duration_ms", -1),
            length=_Length("labels"),
            filled=_array("labels", "smallint", labels),
        ),
        [
            *(("id", "i8"), ("judge_id", "i8"), ("block_id", "i8"), ("milliseconds", "i4")),
            *(("length", "i4"), ("filled", "i2", (labels,))),
        ],
        is_range=is_range,
    )


@cache
def _blocks(places: int, *, is_range: bool) -> ColumnsQuery:
    checks = [When(control=name, then=Value(place)) for place, name in enumerate(BlockControl)]
    return _of_ids(
        Block.objects.annotate(
            checks=Case(*checks, output_field=IntegerField()),
            length=_Length("outputs"),
            shown=_array("outputs", "bigint", places),
            sizes=_array("stands_for", "smallint", places),
        ),
        [
            *(("id", "i8"), ("segment_id", "i8"), ("checks", "i4"), ("length", "i4")),
            *(("shown", "i8", (places,)), ("sizes", "i2", (places,))),
        ],
        is_range=is_range,
    )


def _of_ids(rows: QuerySet[Any, Any], columns: Any, *, is_range: bool) -> ColumnsQuery:
    """Return the query of the rows whose ids are `first` … `last`, or one of `ids`."""
    number = BigIntegerField()
    fields: dict[str, Field[Any, Any]]
    if is_range:
        fields = {"first": number, "last": number}
        return ColumnsQuery(
            lambda first, last: rows.filter(pk__gte=first, pk__lte=last).order_by(),
            fields,
            columns,
        )
    fields = {"ids": ArrayField(number)}
    return ColumnsQuery(lambda ids: rows.filter(IsAnyOf(F("pk"), ids)).order_by(), fields, columns)


class _Filled(Func):
    """An array without NULL, for which zeros stand, with zeros at its end, cut to so many elements.

    Most arrays are as they should be, or NULL, and then nothing is computed of them.
    """

    template = (
        "CASE WHEN %(expressions)s IS NULL THEN '%(none)s'::%(element)s[]"
        " WHEN cardinality(%(expressions)s) = %(width)s AND array_position(%(expressions)s, NULL) IS NULL"
        " THEN %(expressions)s ELSE (array_replace(%(expressions)s, NULL, 0::%(element)s)"
        " || '%(none)s'::%(element)s[])[1:%(width)s] END"
    )


def _array(expression: str, element: str, width: int) -> Func:
    of: Any = BigIntegerField() if element == "bigint" else SmallIntegerField()
    none = "{" + ",".join("0" * width) + "}"
    return _Filled(expression, element=element, width=width, none=none, output_field=ArrayField(of))


class _Length(Func):
    """The number of elements of an array, 0 of none."""

    template = "coalesce(cardinality(%(expressions)s), 0)"
    output_field = IntegerField()
