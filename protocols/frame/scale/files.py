"""Ratings as JSON Lines, an object a rating (`docs/formats-judgments.md`), as files of a task, and as scores of outputs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from annotation.answer_files import (
    AnswerFiles,
    AnswerRefusedError,
    FileAnswer,
    FileContent,
    Lose,
)
from annotation.export.five_way import systems_shown
from campaign.formats import InputFile
from campaign.formats.errors import Losses
from campaign.models import Protocol, Task
from protocols.frame.scale.statistics.ratings import POINTS, Items, Ratings
from protocols.frame.stored import answers_written, counted_of, judgments_counted
from protocols.models import CRITERIA, Criterion
from ranking.analyses.kind import ChosenJudgments
from ranking.core.beside import OutputScores
from ranking.files.labels import (
    Refuse,
    candidate_of,
    count_of,
    integer_of,
    json_lines,
    judge_of,
    keys_check,
    read_objects,
    text_of,
    word_of,
)
from ranking.files.records import FileRead, SelectionError, refuse_unknown
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
        """The rated items."""
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
class Rating:
    """A rating of a file or of a task: an item, who rated it by which criterion, and how long it took where that is known."""

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

    def take(self, values: dict[str, Any], refuse: Refuse) -> Rating:
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
                    "name the same systems for every rating of this text",
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
        return Rating(criterion, item, judge, value, duration_ms)

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
            raise SelectionError("no ratings are left")
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


def easy_items(items: Items, segments: Sequence[tuple[int, str | None]]) -> BoolArray:
    """Return which items are named by segment alone, or by segment and system, shape (I,)."""
    found = np.zeros(len(items), dtype=np.bool_)
    for segment, system in segments:
        named = items.segment == segment
        if system is not None:
            named &= items.wrote[:, [name == system for name in items.systems]].any(axis=1)
        found |= named
    return found


JSONL: Final = "ratings-jsonl"


@dataclass(frozen=True, slots=True)
class Said:
    """Points by a criterion, and by which criteria the same judge rates the same text, and the segment, in the same file."""

    criterion: Criterion
    value: int
    of_text: frozenset[Criterion]
    of_segment: frozenset[Criterion]


def _read(file: InputFile, _format: str | None) -> FileContent:
    reading, losses = RatingsOfLines(), Losses()
    found = list(json_lines(file, reading.take))
    for line, rating in found:
        losses.add(
            "input conditions, which belong to systems", f"line {line}", bool(rating.item[1])
        )
    return FileContent(file_format=JSONL, answers=list(_answers(found)), losses=losses.found())


def _answers(found: Sequence[tuple[int, Rating]]) -> Iterator[FileAnswer]:
    """Yield the ratings by one criterion after the other, as judges are asked."""
    of_text: dict[tuple[Item, str], set[Criterion]] = defaultdict(set)
    of_segment: dict[tuple[int, str], set[Criterion]] = defaultdict(set)
    for _line, each in found:
        of_text[each.item, each.judge].add(each.criterion)
        of_segment[each.item[0], each.judge].add(each.criterion)
    order = list(Criterion)
    for line, rating in sorted(found, key=lambda row: order.index(row[1].criterion)):
        segment, _condition, systems = rating.item
        yield FileAnswer(
            line=line,
            judge=rating.judge,
            segment=str(segment),
            candidates=(systems,),
            said=Said(
                rating.criterion,
                rating.value,
                of_text=frozenset(of_text[rating.item, rating.judge]),
                of_segment=frozenset(of_segment[segment, rating.judge]),
            ),
            texts=(None,),
            duration_ms=rating.duration_ms,
        )


def scale_files(
    protocol: Protocol, *, check: Callable[[Said, Mapping[str, Any]], None] = lambda *_said: None
) -> AnswerFiles:
    """Return the files of a protocol; `check` raises AnswerRefusedError for answers that break the task's rules."""
    parts = {criterion: part for part, criterion in CRITERIA[protocol].items()}

    def answer(
        said: Said, _texts: Sequence[str | None], rules: Mapping[str, Any], _lose: Lose
    ) -> dict[str, Any]:
        if said.criterion not in parts:
            raise AnswerRefusedError(
                f"it rates {said.criterion}, which judges of this task are not asked about",
                f"give ratings of {' or '.join(parts)}",
            )
        check(said, rules)
        return {"criterion": said.criterion.value, "value": said.value}

    return AnswerFiles(
        formats=(JSONL,),
        read=_read,
        answer=answer,
        part=lambda answer: parts[Criterion(answer["criterion"])],
        written=[JSONL],
        write=lambda task, _format: rating_lines(task=task),
    )


def ratings_chosen(*, task: Task, watermark: int, judgments: ChosenJudgments) -> RatingsRead:
    """Read the ratings 1…`watermark` of a task of adequacy and fluency that were chosen.

    A text is of those systems that take part. As many queries, whatever the number of ratings.
    """
    found = ratings_stored(task=task, watermark=watermark, **counted_of(judgments))
    rows = [(each.criterion, each.item, each.judge, each.value) for each in found]
    return RatingsRead((), ratings_arranged(rows), judgments.without)


def _line(rating: Rating) -> dict[str, Any]:
    segment, condition, systems = rating.item
    return {
        "segment": segment,
        "systems": list(systems),
        "judge": rating.judge,
        "criterion": rating.criterion.value,
        "value": rating.value,
        **({"condition": condition} if condition else {}),
        **({} if rating.duration_ms is None else {"duration_ms": rating.duration_ms}),
    }


def ratings_stored(
    *,
    task: Task,
    watermark: int,
    without: Collection[str],
    documents: Collection[str] | None = None,
    systems: Collection[str] | None = None,
) -> Iterator[Rating]:
    """Yield the ratings that count, by these judges not, and of these documents and systems; None for all."""
    judgments = judgments_counted(
        task=task, watermark=watermark, without=without, documents=documents
    )
    found = list(
        judgments.order_by("pk").values_list(
            *("block_id", "block__segment__number", "judge__pseudonym", "duration_ms"),
            *("ratinganswer__criterion", "ratinganswer__value"),
        )
    )
    named = {
        pk: (name, condition)
        for pk, name, condition in task.test_set.systems.values_list("id", "name", "condition")
        if systems is None or name in systems
    }
    shown = systems_shown({block for block, *_others in found})
    seen: set[tuple[Criterion, Item, str]] = set()
    # Judges who received a text twice, in returned HITs, count with their latest rating.
    for block, segment, judge, duration_ms, criterion, value in reversed(found):
        [wrote] = shown[block]
        of = sorted(named[pk] for pk in wrote if pk in named)
        if not of:
            continue
        names, conditions = zip(*of, strict=True)
        condition = conditions[0] if len(set(conditions)) == 1 else ""
        item = (segment, condition, names)
        key = (Criterion(criterion), item, judge)
        if key not in seen:
            seen.add(key)
            yield Rating(key[0], item, judge, value, duration_ms)


#: Returns the current ratings of a task as JSON Lines, as `answers_written` does.
rating_lines = partial(answers_written, read=ratings_stored, line=_line)


def scores_of(
    rated: Iterable[tuple[Item, str, float]],
) -> OutputScores | None:
    """Return scores of items by judges as scores of each system that wrote the text; None where there is none."""
    return OutputScores.of_rows(
        (segment, judge, system, score)
        for (segment, _condition, systems), judge, score in rated
        for system in systems
    )
