"""Ratings as JSON Lines, one object per rating (`docs/formats-judgments.md`), and as scores of outputs."""

import re
import sys
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from annotation.protocols.answer_files import FileAnswer
from campaign.formats.cells import Refuse
from campaign.formats.errors import Loss, Losses
from campaign.formats.tables import csv_row, neutral
from campaign.models import Task
from protocols.frame.lines import (
    AnswerLines,
    CountedAnswers,
    LineValues,
    WrittenValues,
    wrote_the_same,
)
from protocols.frame.scale.criteria import Criterion, is_key
from protocols.frame.scale.presets import criteria_of
from protocols.frame.scale.rating_records import JSON_LINES, rating_objects
from protocols.frame.scale.statistics.ratings import (
    HUNDRED,
    MAX_POINTS,
    PAPER_SCALE,
    Items,
    Ratings,
    Scale,
)
from ranking.core.arrays import BoolArray
from ranking.files.labels import (
    boolean_of,
    judge_named,
    segment_number,
    text_of,
    whole,
)
from ranking.files.vocabulary import systems_by_row

#: Segment, condition (empty if none is named), and the systems that wrote the text.
Item = tuple[int, str, tuple[str, ...]]


#: Of ratings in logs, which do not tell it.
UNKNOWN_SCALE: Final = Scale(0, 0)


@dataclass(frozen=True, slots=True)
class Rating:
    """A rating from a file or a task, with condition and duration if known.

    Ratings with the same number of a screen, by one judge of one segment, were given together.
    """

    segment: int
    systems: tuple[str, ...]
    judge: str
    criterion: str
    value: int
    scale: Scale = PAPER_SCALE
    condition: str | None = None
    duration_ms: int | None = None
    screen: int | None = None

    @property
    def item(self) -> Item:
        """The rated item: segment, condition and systems."""
        return self.segment, self.condition or "", self.systems


#: Scales as files spell them, such as 1-5.
_SCALE: Final = re.compile(r"([01])-(\d{1,3})")


def _scale_in(key: str, value: object, refuse: Refuse) -> Scale:
    text = text_of(key, value, refuse)
    match = _SCALE.fullmatch(text)
    scale = None
    if match:
        scale = Scale(int(match[1]), int(match[2]))
    if scale is None or not scale.is_known:
        refuse(
            key,
            f"{text!r} is no scale",
            f"write one of 2 to {MAX_POINTS} points from 0 or 1, such as 1-5, or 0-100",
        )
    return scale


def _criterion_in(key: str, value: object, refuse: Refuse) -> str:
    name = text_of(key, value, refuse)
    if not is_key(name):
        refuse(
            key,
            f"{name!r} is no name of a criterion",
            "write small letters, digits, hyphens and underscores, such as fluency",
        )
    return sys.intern(name)


class _RatingMaker:
    """Makes the ratings of files, and refuses those that contradict earlier ones."""

    def __init__(self) -> None:
        self._texts: dict[tuple[int, str, str], tuple[str, ...]] = {}
        self._scales: dict[str, Scale] = {}

    def __call__(self, values: LineValues, refuse: Refuse) -> Rating:
        scale = values.pop("scale", PAPER_SCALE)
        if values.pop("lower_is_better", False):
            scale = replace(scale, lower_is_better=True)
        rating = Rating(**values, scale=scale)
        self._check_scale(rating, refuse)
        self._check_systems(rating, refuse)
        return rating

    def _check_scale(self, rating: Rating, refuse: Refuse) -> None:
        scale = rating.scale
        if rating.value not in scale:
            refuse(
                "value",
                f"{rating.value} is out of range",
                f"write a whole number from {scale.lowest} to {scale.highest}",
            )
        earlier_scale = self._scales.setdefault(rating.criterion, scale)
        if earlier_scale != scale:
            refuse(
                "scale",
                f"the scale of {rating.criterion} was before {earlier_scale}",
                "write the same scale and direction for every rating by this criterion",
            )

    def _check_systems(self, rating: Rating, refuse: Refuse) -> None:
        segment, condition, systems = rating.item
        for system in systems:
            earlier_systems = self._texts.setdefault(
                (segment, condition, system),
                systems,
            )
            if earlier_systems != systems:
                refuse(
                    "systems",
                    f"the text of {', '.join(systems)} for segment {segment} was attributed to {', '.join(earlier_systems)} earlier",
                    "name the same systems for every rating of this text",
                )


def ratings_arranged(
    rows: Sequence[Rating],
    criteria: Sequence[Criterion] = (),
) -> dict[str, Ratings]:
    """Return ratings by criterion, in the order of the passes; all have the same items and judges.

    Criteria without ratings are omitted. A judge rates an item at most once per criterion.
    """
    judges = sorted({row.judge for row in rows})
    listed = sorted({row.item for row in rows})
    items = _items(listed)
    place_of_item = {item: index for index, item in enumerate(listed)}
    place_of_judge = {judge: index for index, judge in enumerate(judges)}
    scales = {row.criterion: row.scale for row in rows}
    rated_criteria = []
    for criterion_known in criteria or criteria_of({}):
        if criterion_known.key in scales:
            rated_criteria.append(criterion_known.key)
    ratings_by_criterion = {}
    # Others follow as they come.
    for criterion in dict.fromkeys([*rated_criteria, *scales]):
        cells = []
        for row in rows:
            if row.criterion == criterion:
                cells.append(
                    (place_of_item[row.item], place_of_judge[row.judge], row.value),
                )
        own = sorted(cells)
        item, judge, value = np.array(own, dtype=np.int64).T
        ratings_by_criterion[criterion] = Ratings(
            items,
            tuple(judges),
            item,
            judge,
            value,
            scale=scales[criterion],
        )
    return ratings_by_criterion


def _items(listed: Sequence[Item]) -> Items:
    systems, wrote = systems_by_row([names for _segment, _condition, names in listed])
    named_conditions = set()
    for _segment, condition, _names in listed:
        if condition:
            named_conditions.add(condition)
    conditions = sorted(named_conditions)
    condition_numbers = []
    for _segment, condition, _names in listed:
        if condition:
            condition_numbers.append(conditions.index(condition))
        else:
            condition_numbers.append(-1)
    return Items(
        systems=systems,
        segment=np.array(
            [segment for segment, _condition, _names in listed],
            dtype=np.int64,
        ),
        wrote=wrote,
        conditions=tuple(conditions),
        condition=np.array(condition_numbers, dtype=np.int64),
    )


def easy_items(items: Items, segments: Sequence[tuple[int, str | None]]) -> BoolArray:
    """Return a mask of the items named by segment, or by segment and system, shape (I,)."""
    is_easy = np.zeros(len(items), dtype=np.bool_)
    for segment, system in segments:
        named = items.segment == segment
        if system is not None:
            columns = [name == system for name in items.systems]
            named &= items.wrote[:, columns].any(axis=1)
        is_easy |= named
    return is_easy


def _losses(lines: Sequence[tuple[int, Rating]]) -> Sequence[Loss]:
    losses = Losses()
    for line, rating in lines:
        losses.add(
            "input conditions, which belong to systems",
            f"line {line}",
            rating.condition is not None,
        )
    return losses.counted()


def _answers(lines: Sequence[tuple[int, Rating]]) -> Iterator[FileAnswer]:
    """Yield each rating as an answer of its own; the task combines those given on one screen."""
    for line, rating in lines:
        yield FileAnswer(
            line=line,
            judge=rating.judge,
            segment=str(rating.segment),
            candidates=(rating.systems,),
            content=(rating,),
            texts=(None,),
            duration_ms=rating.duration_ms,
        )


def _ratings_of_task(counted: CountedAnswers) -> list[Rating]:
    """Return the ratings by number, in passes those by the first criterion first, naming only participating systems."""
    conditions = dict(counted.task.test_set.systems.values_list("name", "condition"))
    criteria = {
        criterion.key: criterion for criterion in criteria_of(counted.task.rules)
    }
    rows = counted.judgments.values_list(
        "pk",
        "block_id",
        "block__segment__number",
        "judge__pseudonym",
        "duration_ms",
        "ratinganswer__criteria",
        "ratinganswer__points",
        named=True,
    )
    wrote = counted.wrote({row.block_id for row in rows})
    ratings_of_judgments: dict[int, list[Rating]] = {}
    for row in rows:
        values = iter(row.ratinganswer__points)
        ratings_of_judgments[row.pk] = []
        for systems in wrote[row.block_id]:
            for criterion in row.ratinganswer__criteria:
                rating = Rating(
                    segment=row.block__segment__number,
                    systems=tuple(sorted(systems)),
                    judge=row.judge__pseudonym,
                    criterion=criterion,
                    value=next(values),
                    scale=criteria[criterion].scale,
                    condition=_common_condition(systems, conditions),
                    duration_ms=row.duration_ms,
                )
                if systems:
                    ratings_of_judgments[row.pk].append(rating)
    ratings = _with_screens(_latest_ratings(ratings_of_judgments).values())
    if not counted.task.rules.get("all_at_once"):
        # Files are read in this order, too.
        passes = list(criteria)
        ratings.sort(key=lambda rating: passes.index(rating.criterion))
    return ratings


def _latest_ratings(
    ratings_of_judgments: Mapping[int, Sequence[Rating]],
) -> dict[int, list[Rating]]:
    """Return the ratings that count: the latest, if a judge received a text twice because a HIT was returned."""
    latest: dict[tuple[str, Item, str], int] = {}
    for judgment, ratings in ratings_of_judgments.items():
        for rating in ratings:
            key = (rating.criterion, rating.item, rating.judge)
            latest[key] = max(judgment, latest.get(key, judgment))
    counted = {}
    for judgment, ratings in ratings_of_judgments.items():
        counted[judgment] = [
            rating
            for rating in ratings
            if latest[rating.criterion, rating.item, rating.judge] == judgment
        ]
    return counted


def _with_screens(screens: Iterable[Sequence[Rating]]) -> list[Rating]:
    """Return the ratings of all screens; those of several texts with the number of their screen."""
    numbers: Counter[tuple[str, int]] = Counter()
    numbered = []
    for ratings in screens:
        number = None
        if len({rating.item for rating in ratings}) > 1:
            first = ratings[0]
            numbers[first.judge, first.segment] += 1
            number = numbers[first.judge, first.segment]
        for rating in ratings:
            numbered.append(replace(rating, screen=number))
    return numbered


def without_earlier_pass(
    ratings: Iterable[Rating],
    keys: Sequence[str],
) -> Iterator[tuple[int, str]]:
    """Yield the places of ratings of texts that their judges did not rate in the pass before, with its criterion.

    The ratings are in the order of the passes, whose criteria are `keys`.
    """
    rated: set[tuple[str, Item, str]] = set()
    for place, rating in enumerate(ratings):
        rated.add((rating.judge, rating.item, rating.criterion))
        index = keys.index(rating.criterion)
        if index and (rating.judge, rating.item, keys[index - 1]) not in rated:
            yield place, keys[index - 1]


def _export_losses(task: Task, ratings: Sequence[Rating]) -> list[Loss]:
    """Count ratings that cannot be imported, because those of an earlier pass do not count any more."""
    if any(
        task.rules.get(name)
        for name in ("all_at_once", "order_free", "adequacy_by_others")
    ):
        return []
    keys = [criterion.key for criterion in criteria_of(task.rules)]
    count = len(list(without_earlier_pass(ratings, keys)))
    if not count:
        return []
    what = "ratings without those of the pass before, which only tasks with order_free import"
    return [Loss(what, count, "a later pass")]


def _common_condition(
    systems: Iterable[str],
    conditions: Mapping[str, str],
) -> str | None:
    """Return the condition of systems that share one; None otherwise."""
    common = set()
    for name in systems:
        common.add(conditions[name])
    if len(common) == 1:
        return common.pop() or None
    return None


def _written_values(rating: Rating) -> WrittenValues:
    """Return the scale of a rating; the one of Hamon et al. (2007) goes without saying."""
    scale = rating.scale
    return {
        "scale": None if scale.has_five_points else str(scale),
        "lower_is_better": scale.lower_is_better or None,
    }


def csv_lines(rows: Sequence[WrittenValues]) -> list[str]:
    """Return the lines of a CSV file with these rows; columns without values are left out."""
    columns = []
    for key in LINES.keys:
        if any(key in row for row in rows):
            columns.append(key)
    lines = [csv_row(columns)]
    for row in rows:
        lines.append(csv_row([neutral(_cell(row.get(key))) for key in columns]))
    return lines


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple | list):
        return ",".join(value)
    if value is None:
        return ""
    return str(value)


def _statements(rating: Rating) -> Mapping[Hashable, Hashable]:
    return {(rating.criterion, rating.item, rating.judge): rating.value}


LINES: Final = AnswerLines(
    name=JSON_LINES,
    keys={
        "segment": segment_number,
        "systems": wrote_the_same,
        "judge": judge_named,
        "criterion": _criterion_in,
        "value": whole(0, HUNDRED),
        "scale": _scale_in,
        "lower_is_better": boolean_of,
        "condition": text_of,
        "segment_id": None,
        "duration_ms": whole(0),
        "screen": whole(1),
    },
    optional=(
        "scale",
        "lower_is_better",
        "condition",
        "segment_id",
        "duration_ms",
        "screen",
    ),
    row_maker=_RatingMaker,
    statements=_statements,
    of_task=_ratings_of_task,
    answers=_answers,
    losses=_losses,
    written=_written_values,
    objects=rating_objects,
    lost=_export_losses,
)
