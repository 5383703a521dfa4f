"""The ratings of a task: as arrays for the report, and as JSON Lines, which `rate_judgments` reads."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from annotation.answer_files import FileWritten
from annotation.export.losses import comments_lost
from annotation.export.shown import systems_shown
from annotation.models import Judgment
from annotation.selectors import excluded_judges
from annotation.services import judgments_number
from campaign.models import Task
from campaign.texts.json_lines import json_line
from protocols.rating.files import Item, RatingsRead, ratings_arranged
from protocols.rating.statistics.ratings import Criterion
from ranking.analyses.judgments import ChosenJudgments


@dataclass(frozen=True, slots=True)
class StoredRating:
    """A rating that counts."""

    criterion: Criterion
    item: Item
    judge: str
    value: int
    duration_ms: int | None


def ratings_chosen(*, task: Task, watermark: int, judgments: ChosenJudgments) -> RatingsRead:
    """Read the ratings 1…`watermark` of a task of adequacy and fluency that were chosen.

    A text is of those systems that take part. As many queries, whatever the number of ratings.
    """
    found = ratings_counted(task=task, watermark=watermark, judgments=judgments)
    rows = [(each.criterion, each.item, each.judge, each.value) for each in found]
    return RatingsRead((), ratings_arranged(rows), judgments.without)


def ratings_counted(
    *, task: Task, watermark: int, judgments: ChosenJudgments
) -> Iterator[StoredRating]:
    """Yield them one by one."""
    reference = [judgments.reference] if judgments.with_reference and judgments.reference else []
    return _ratings(
        task,
        watermark,
        without=judgments.without,
        documents=judgments.documents,
        systems={*judgments.systems, *reference},
    )


def rating_lines(*, task: Task, watermark: int | None = None) -> FileWritten:
    """Return the current ratings of a task as JSON Lines: `docs/formats.md`.

    Judges who are excluded now are left out, as of rankings. Judgments without a number get one first, unless a
    watermark is given.
    """
    until = judgments_number(task_id=task.pk) if watermark is None else watermark
    excluded = excluded_judges(campaign_id=task.test_set.campaign_id)
    return FileWritten(
        lines=[_line(each) for each in _ratings(task, until, without=excluded)],
        losses=comments_lost(task=task, watermark=until),
        watermark=until,
    )


def _line(rating: StoredRating) -> str:
    segment, condition, systems = rating.item
    line = {
        "segment": segment,
        "systems": list(systems),
        "judge": rating.judge,
        "criterion": rating.criterion.value,
        "value": rating.value,
    }
    if condition:
        line["condition"] = condition
    if rating.duration_ms is not None:
        line["duration_ms"] = rating.duration_ms
    return json_line(line)


def _ratings(
    task: Task,
    until: int,
    *,
    without: Collection[str],
    documents: Collection[str] | None = None,
    systems: Collection[str] | None = None,
) -> Iterator[StoredRating]:
    """Yield the ratings that count, by these judges not, and of these documents and systems; None for all."""
    judgments = Judgment.objects.of(task.pk).counted().current(watermark=until)
    judgments = judgments.exclude(judge__pseudonym__in=without)
    if documents is not None:
        judgments = judgments.filter(block__segment__document__name__in=documents)
    found = list(
        judgments.order_by("pk").values_list(
            *("block_id", "block__segment__number", "judge__pseudonym", "duration_ms"),
            *("rating_answer__criterion", "rating_answer__value"),
        )
    )
    named = {
        pk: (name, condition)
        for pk, name, condition in task.test_set.systems.values_list("id", "name", "condition")
        if systems is None or name in systems
    }
    shown = systems_shown({block for block, *_others in found})
    seen: set[tuple[Criterion, Item, str]] = set()
    # Who was lent a text twice, in HITs that others gave back, counts with what they said last.
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
            yield StoredRating(key[0], item, judge, value, duration_ms)
