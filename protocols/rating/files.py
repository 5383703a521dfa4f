"""Ratings as JSON Lines: an object a rating; `docs/formats.md` describes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from protocols.rating.statistics.ratings import POINTS, Criterion, Items, Ratings
from ranking.files import SelectionError
from ranking.files.json_objects import (
    candidate_of,
    count_of,
    integer_of,
    keys_check,
    read_objects,
    text_of,
    word_of,
)
from ranking.files.labels import Refuse, judge_of
from ranking.files.records import FileRead, refuse_unknown
from ranking.files.sources import ReadingProgress
from ranking.files.vocabulary import systems_by_row

BoolArray = npt.NDArray[np.bool_]

_REQUIRED = ("segment", "systems", "judge", "criterion", "value")
_OPTIONAL = ("condition", "segment_id", "duration_ms")

#: Segment, condition (empty where none is named) and the systems that wrote the text.
Item = tuple[int, str, tuple[str, ...]]


@dataclass(frozen=True, eq=False)
class RatingsRead:
    """The ratings of all files.

    Attributes
    ----------
    files : tuple of FileRead
    ratings : mapping of Criterion to Ratings
        Of the criteria with ratings, in the order of the passes; all of the same items and judges.
    excluded_judges : tuple of str
    """

    files: tuple[FileRead, ...]
    ratings: Mapping[Criterion, Ratings]
    excluded_judges: tuple[str, ...] = ()

    @property
    def items(self) -> Items:
        """What was rated."""
        return next(iter(self.ratings.values())).items


def read_ratings(
    names: Sequence[str],
    *,
    exclude_judges: Sequence[str] = (),
    condition: str | None = None,
    progress: ReadingProgress = lambda _read, _total: None,
) -> RatingsRead:
    """Read ratings; judges, systems and items of the same name are the same in all files.

    Parameters
    ----------
    names : sequence of str
        Files, plain or gzip; ``-`` is standard input.
    exclude_judges : sequence of str
        Judges whose ratings are left out.
    condition : str, optional
        Take the items of this kind of input only.
    progress : callable

    Returns
    -------
    RatingsRead

    Raises
    ------
    FormatError
        With line and key, if a file is not in order, if a judge rates an item twice by a criterion, or if
        a system has two texts for one segment.
    SelectionError
        If a judge to be left out, or the condition, is not there; or nothing is left.
    """
    reading = RatingsOfLines()
    files = read_objects(names, reading.take, progress)
    return reading.result(files, tuple(dict.fromkeys(exclude_judges)), condition)


@dataclass(frozen=True, slots=True)
class RatingLine:
    """What a line says: an item, who rated it by which criterion, and how long it took where that is known."""

    criterion: Criterion
    item: Item
    judge: str
    value: int
    duration_ms: int | None


@dataclass
class RatingsOfLines:
    """The ratings of lines read so far, each checked against those before it."""

    rated: dict[tuple[Criterion, Item, str], int] = field(default_factory=dict)
    texts: dict[tuple[int, str, str], tuple[str, ...]] = field(default_factory=dict)

    def take(self, values: dict[str, Any], refuse: Refuse) -> RatingLine:
        """Take a line, and return it. Raises FormatError."""
        keys_check(values, _REQUIRED, _OPTIONAL, refuse)
        segment = integer_of("segment", values["segment"], 1, refuse)
        duration_ms = count_of("duration_ms", values, refuse)
        condition = ""
        if values.get("condition") is not None:
            condition = text_of("condition", values["condition"], refuse)
        systems = tuple(sorted(candidate_of("systems", values["systems"], refuse)))
        for system in systems:
            known = self.texts.setdefault((segment, condition, system), systems)
            if known != systems:
                refuse(
                    "systems",
                    f"the text of {', '.join(systems)} for segment {segment} was before that of {', '.join(known)}",
                    "name the same systems wherever the text is rated",
                )
        judge = judge_of(text_of("judge", values["judge"], refuse), "judge", refuse)
        value = integer_of("value", values["value"], 1, refuse, POINTS)
        criterion = Criterion(word_of("criterion", values["criterion"], Criterion, refuse))
        item = (segment, condition, systems)
        key = criterion, item, judge
        if key in self.rated:
            refuse(
                "judge",
                f"{judge} rates this text a second time by {key[0]}",
                "keep the rating that counts",
            )
        self.rated[key] = value
        return RatingLine(criterion, item, judge, value, duration_ms)

    def result(
        self, files: tuple[FileRead, ...], exclude: tuple[str, ...], condition: str | None
    ) -> RatingsRead:
        judges = {judge for _criterion, _item, judge in self.rated}
        conditions = {item[1] for _criterion, item, _judge in self.rated}
        refuse_unknown("judge", exclude, judges)
        refuse_unknown("condition", [] if condition is None else [condition], conditions)
        rows = [
            (criterion, item, judge, value)
            for (criterion, item, judge), value in self.rated.items()
            if judge not in exclude and condition in (None, item[1])
        ]
        if not rows:
            raise SelectionError("no rating is left")
        return RatingsRead(files, ratings_arranged(rows), exclude)


def ratings_arranged(rows: Sequence[tuple[Criterion, Item, str, int]]) -> dict[Criterion, Ratings]:
    """Return ratings by criterion, of those that have any: all of the same items and judges.

    Parameters
    ----------
    rows : sequence of (Criterion, (segment, condition, systems), judge, value)
        A judge rates an item once by a criterion.
    """
    judges = sorted({judge for _criterion, _item, judge, _value in rows})
    listed = sorted({item for _criterion, item, _judge, _value in rows})
    items = _items(listed)
    place_of_item = {item: place for place, item in enumerate(listed)}
    place_of_judge = {judge: place for place, judge in enumerate(judges)}
    found = {}
    for criterion in Criterion:
        own = sorted(
            (place_of_item[item], place_of_judge[judge], value)
            for of, item, judge, value in rows
            if of is criterion
        )
        if own:
            item, judge, value = np.array(own, dtype=np.int64).T
            found[criterion] = Ratings(items, tuple(judges), item, judge, value)
    return found


def _items(listed: Sequence[Item]) -> Items:
    systems, wrote = systems_by_row([names for _segment, _condition, names in listed])
    conditions = sorted({condition for _segment, condition, _names in listed if condition})
    return Items(
        systems=systems,
        segment=np.array([segment for segment, _condition, _names in listed], dtype=np.int64),
        wrote=wrote,
        conditions=tuple(conditions),
        condition=np.array(
            [conditions.index(each) if each else -1 for _segment, each, _names in listed],
            dtype=np.int64,
        ),
    )


def easy_items(
    items: Items, segments: Sequence[tuple[int, str | None]], *, are_all: bool = True
) -> BoolArray:
    """Return which items are named by segment alone, or by segment and system, shape (I,).

    Parameters
    ----------
    items : Items
    segments : sequence of (int, str or None)
    are_all : bool
        Whether these are all items that were rated, so that each name must be of one of them.

    Raises
    ------
    SelectionError
        If a name must be of an item, and is of none.
    """
    found = np.zeros(len(items), dtype=np.bool_)
    for segment, system in segments:
        named = items.segment == segment
        if system is not None:
            named &= items.wrote[:, [name == system for name in items.systems]].any(axis=1)
        if are_all and not named.any():
            of = "" if system is None else f" of {system}"
            raise SelectionError(f"nothing{of} was rated of segment {segment}")
        found |= named
    return found
