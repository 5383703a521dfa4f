"""Ratings as JSON Lines, one object per rating (`docs/formats-judgments.md`), as task files, and as
scores of outputs.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from annotation.answer_files import AnswerFiles, AnswerRefusedError, FileAnswer, Lose
from campaign.formats.cells import Refuse
from campaign.formats.errors import Loss, Losses
from campaign.models import Protocol
from protocols.frame.lines import (
    AnswerLines,
    CountedAnswers,
    MakeRow,
    wrote_the_same,
)
from protocols.frame.scale.statistics.ratings import POINTS, Items, Ratings
from protocols.models import CRITERIA, Criterion
from ranking.core.arrays import BoolArray
from ranking.core.beside import OutputScores
from ranking.files.labels import judge_named, text_of, whole, word_of
from ranking.files.vocabulary import systems_by_row

#: Segment, condition (empty if none is named), and the systems that wrote the text.
Item = tuple[int, str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Rating:
    """A rating from a file or a task, with condition and duration if known."""

    segment: int
    systems: tuple[str, ...]
    judge: str
    criterion: Criterion
    value: int
    condition: str | None = None
    duration_ms: int | None = None

    @property
    def item(self) -> Item:
        """The rated item: segment, condition and systems."""
        return self.segment, self.condition or "", self.systems


def _rating_maker() -> MakeRow[Rating]:
    texts: dict[tuple[int, str, str], tuple[str, ...]] = {}

    def make(values: dict[str, Any], refuse: Refuse) -> Rating:
        rating = Rating(**values)
        segment, condition, systems = rating.item
        for system in systems:
            known = texts.setdefault((segment, condition, system), systems)
            if known != systems:
                refuse(
                    "systems",
                    f"the text of {', '.join(systems)} for segment {segment} was attributed to {', '.join(known)} earlier",
                    "name the same systems for every rating of this text",
                )
        return rating

    return make


def ratings_arranged(rows: Sequence[Rating]) -> dict[Criterion, Ratings]:
    """Return ratings by criterion, in the order of the passes; all have the same items and judges.

    Criteria without ratings are omitted. A judge rates an item at most once per criterion.
    """
    judges = sorted({row.judge for row in rows})
    listed = sorted({row.item for row in rows})
    items = _items(listed)
    place_of_item = {item: place for place, item in enumerate(listed)}
    place_of_judge = {judge: place for place, judge in enumerate(judges)}
    found = {}
    for criterion in Criterion:
        own = sorted(
            (place_of_item[row.item], place_of_judge[row.judge], row.value)
            for row in rows
            if row.criterion is criterion
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
    """Return a mask of the items named by segment, or by segment and system, shape (I,)."""
    found = np.zeros(len(items), dtype=np.bool_)
    for segment, system in segments:
        named = items.segment == segment
        if system is not None:
            named &= items.wrote[:, [name == system for name in items.systems]].any(axis=1)
        found |= named
    return found


@dataclass(frozen=True, slots=True)
class Said:
    """Points by one criterion, with all criteria by which the judge rated the same text, and the
    same segment, in the file.
    """

    criterion: Criterion
    value: int
    of_text: frozenset[Criterion]
    of_segment: frozenset[Criterion]


def _losses(lines: Sequence[tuple[int, Rating]]) -> Sequence[Loss]:
    losses = Losses()
    for line, rating in lines:
        losses.add(
            "input conditions, which belong to systems",
            f"line {line}",
            rating.condition is not None,
        )
    return losses.found()


def _answers(lines: Sequence[tuple[int, Rating]]) -> Iterator[FileAnswer]:
    """Yield the ratings one criterion after the other, in the order in which judges are asked."""
    of_text: dict[tuple[Item, str], set[Criterion]] = defaultdict(set)
    of_segment: dict[tuple[int, str], set[Criterion]] = defaultdict(set)
    for _line, each in lines:
        of_text[each.item, each.judge].add(each.criterion)
        of_segment[each.segment, each.judge].add(each.criterion)
    order = list(Criterion)
    for line, rating in sorted(lines, key=lambda row: order.index(row[1].criterion)):
        yield FileAnswer(
            line=line,
            judge=rating.judge,
            segment=str(rating.segment),
            candidates=(rating.systems,),
            said=Said(
                rating.criterion,
                rating.value,
                of_text=frozenset(of_text[rating.item, rating.judge]),
                of_segment=frozenset(of_segment[rating.segment, rating.judge]),
            ),
            texts=(None,),
            duration_ms=rating.duration_ms,
        )


def _of_task(counted: CountedAnswers) -> Iterator[Rating]:
    """Yield the ratings, latest first, naming only participating systems."""
    found = list(
        counted.judgments.order_by("-pk").values_list(
            *("block_id", "block__segment__number", "judge__pseudonym", "duration_ms"),
            *("ratinganswer__criterion", "ratinganswer__value"),
        )
    )
    condition_of = dict(counted.task.test_set.systems.values_list("name", "condition"))
    wrote = counted.wrote({block for block, *_others in found})
    seen: set[tuple[Criterion, Item, str]] = set()
    # If a judge received a text twice because a HIT was returned, the latest rating counts.
    for block, segment, judge, duration_ms, criterion, value in found:
        [systems] = wrote[block]
        conditions = {condition_of[name] for name in systems}
        rating = Rating(
            segment=segment,
            systems=tuple(sorted(systems)),
            judge=judge,
            criterion=Criterion(criterion),
            value=value,
            condition=(conditions.pop() or None) if len(conditions) == 1 else None,
            duration_ms=duration_ms,
        )
        key = (rating.criterion, rating.item, judge)
        if systems and key not in seen:
            seen.add(key)
            yield rating


LINES: Final = AnswerLines(
    name="ratings-jsonl",
    keys={
        "segment": whole(1),
        "systems": wrote_the_same,
        "judge": judge_named,
        "criterion": lambda key, value, refuse: Criterion(word_of(key, value, Criterion, refuse)),
        "value": whole(1, POINTS),
        "condition": text_of,
        "segment_id": None,
        "duration_ms": whole(0),
    },
    optional=("condition", "segment_id", "duration_ms"),
    row_maker=_rating_maker,
    statements=lambda rating: {(rating.criterion, rating.item, rating.judge): rating.value},
    of_task=_of_task,
    answers=_answers,
    losses=_losses,
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
                f"it rates {said.criterion}, which this task does not ask for",
                f"provide ratings of {' or '.join(parts)}",
            )
        check(said, rules)
        return {"criterion": said.criterion.value, "value": said.value}

    return LINES.files(answer=answer, part=lambda answer: parts[Criterion(answer["criterion"])])


def scores_of(
    rated: Iterable[tuple[Item, str, float]],
) -> OutputScores | None:
    """Return judges' scores of items as scores of each system that wrote the text; None without
    any.
    """
    return OutputScores.of_rows(
        (segment, judge, system, score)
        for (segment, _condition, systems), judge, score in rated
        for system in systems
    )
