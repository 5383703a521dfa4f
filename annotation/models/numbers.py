"""Numbers of judgments, assigned after their commit, and stored counters that pages read.

`judgments_number` keeps them, and `pages_changed` keeps `PageChanges`.
"""

from typing import ClassVar

import pgtrigger
from django.db import models

from campaign.database.personal import KEPT_DOWNLOADED, KEPT_WITHHELD, PersonalData
from campaign.database.triggers import trigger_after_insert


class JudgmentNumber(models.Model):
    """The number of a judgment in its task. Append-only; written by `judgments_number` alone.

    Numbers count the judgments of a task without a gap, in the order in which they were committed. A
    reader who sees number w therefore sees exactly the judgments 1…w, so that w serves as a ranking run's
    watermark.
    """

    judgment = models.OneToOneField(
        "annotation.Judgment",
        models.PROTECT,
        related_name="numbered",
        primary_key=True,
        # `judgment_number_of_its_task` checks all judgments that are numbered together; judgments are
        # never deleted.
        db_constraint=False,
    )
    task = models.ForeignKey(
        "campaign.Task",
        models.PROTECT,
        related_name="judgment_numbers",
        db_index=False,  # `judgment_number_unique_in_task` begins with it
        db_constraint=False,  # same as the judgment's: `judgment_number_of_its_task`
    )
    #: From 1 in the task.
    number = models.PositiveIntegerField()

    personal: ClassVar = PersonalData(
        person="judgment__judge",
        fields={
            "task": KEPT_WITHHELD,
            "number": KEPT_WITHHELD,
        },
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["task", "number"],
                name="judgment_number_unique_in_task",
            ),
        ]
        triggers = [
            pgtrigger.Protect(
                name="judgment_number_append_only",
                operation=pgtrigger.Update | pgtrigger.Delete,
            ),
            trigger_after_insert(
                "annotation",
                "judgment_number_of_its_task",
                declare=[("wrong", "BIGINT")],
            ),
        ]


class UncountedAnswer(models.Model):
    """A judgment without a number yet, or a skip not counted yet. Triggers insert one for each of them."""

    task = models.ForeignKey(
        "campaign.Task",
        models.CASCADE,
        related_name="+",
        db_index=False,
        db_constraint=False,  # same as the judgment's or the skip's
    )
    is_skip = models.BooleanField()
    answer = models.BigIntegerField()

    class Meta:
        constraints = [
            # Read in this order. Other tasks may have many rows during an import.
            models.UniqueConstraint(
                fields=["task", "is_skip", "answer"],
                name="uncounted_answer_once",
            ),
        ]


def waits(*, is_skip: bool) -> models.Exists:
    """Return the condition that a judgment or skip is not counted yet."""
    return models.Exists(
        UncountedAnswer.objects.filter(
            task=models.OuterRef("task"),
            is_skip=is_skip,
            answer=models.OuterRef("pk"),
        ),
    )


class JudgmentSequence(models.Model):
    """Last judgment number assigned in a task, with counters over judgments 1 to that number.

    Its row lock serializes numbering. Submitting a judgment does not take it.
    """

    task = models.OneToOneField(
        "campaign.Task",
        models.CASCADE,
        related_name="judgment_sequence",
        primary_key=True,
    )
    last_number = models.PositiveIntegerField(default=0, db_default=0)
    #: First judgments of blocks, excluding controls.
    judged = models.PositiveIntegerField(default=0, db_default=0)
    #: Judges with one of these judgments.
    judges = models.PositiveIntegerField(default=0, db_default=0)
    #: Skips that stand, excluding controls.
    skipped = models.PositiveIntegerField(default=0, db_default=0)
    #: Largest number of candidates in a judged block.
    most_candidates = models.PositiveSmallIntegerField(default=0, db_default=0)
    #: Rises whenever judgments or skips are counted.
    changes = models.PositiveBigIntegerField(default=0, db_default=0)


class JudgeTally(models.Model):
    """The judgments of a judge in a test set that have a number, and the skips that are counted.

    First judgments are each judge's first of each block; skips are those that stand. Controls are excluded from
    both.
    """

    task = models.ForeignKey(
        "campaign.Task",
        models.CASCADE,
        related_name="judge_tallies",
        db_index=False,  # `judge_tally_once_per_task_and_judge` begins with it
    )
    judge = models.ForeignKey(
        "campaign.Judge",
        models.CASCADE,
        related_name="judge_tallies",
    )
    judged = models.PositiveIntegerField()
    first_number = models.PositiveIntegerField(null=True, blank=True)
    first_at = models.DateTimeField(null=True, blank=True)
    skipped = models.PositiveIntegerField(default=0, db_default=0)
    #: Includes revisions and controls.
    last_at = models.DateTimeField()

    personal: ClassVar = PersonalData(
        person="judge",
        fields={
            "task": KEPT_WITHHELD,
            "judged": KEPT_WITHHELD,
            "first_number": KEPT_WITHHELD,
            "first_at": KEPT_WITHHELD,
            "skipped": KEPT_WITHHELD,
            "last_at": KEPT_WITHHELD,
        },
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["task", "judge"],
                name="judge_tally_once_per_task_and_judge",
            ),
        ]


class WorkedQuarterHour(models.Model):
    """Work of a judge in a task during a quarter of an hour; controls and repeats are included.

    A sentence counts once, when it was first judged or skipped; time counts when it was sent. Imported judgments
    are not work; `judged` counts first judgments without controls, imported ones included. In every time zone, days
    and hours begin with a quarter of an hour, so sums are exact.
    """

    task = models.ForeignKey(
        "campaign.Task",
        models.CASCADE,
        related_name="worked_quarter_hours",
        db_index=False,  # `worked_quarter_hour_of_a_task` begins with it
    )
    judge = models.ForeignKey(
        "campaign.Judge",
        models.CASCADE,
        related_name="worked_quarter_hours",
        db_index=False,  # `worked_quarter_hour_once` begins with it
    )
    start = models.DateTimeField()
    sentences = models.PositiveIntegerField()
    active_ms = models.PositiveBigIntegerField()
    untimed = models.PositiveIntegerField()
    judged = models.PositiveIntegerField(default=0)

    personal: ClassVar = PersonalData(
        person="judge",
        fields={
            "task": KEPT_WITHHELD,
            "start": KEPT_DOWNLOADED,
            "sentences": KEPT_DOWNLOADED,
            "active_ms": KEPT_DOWNLOADED,
            "untimed": KEPT_WITHHELD,
            "judged": KEPT_WITHHELD,
        },
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["judge", "task", "start"],
                name="worked_quarter_hour_once",
            ),
        ]
        indexes = [
            models.Index(
                fields=["task", "start"],
                name="worked_quarter_hour_of_a_task",
            ),
        ]


class PageChanges(models.Model):
    """Counter of changes to a task's pages other than by judgments and skips, and the time of a
    pending ranking request.

    The services of problem reports, replies, quality rules and quality actions increase the counter. The first of
    many judgments requests a ranking; the others see that it is requested. The row is separate from
    `JudgmentSequence`, whose lock an import holds until it is done.
    """

    task = models.OneToOneField(
        "campaign.Task",
        models.CASCADE,
        related_name="page_changes",
        primary_key=True,
    )
    changes = models.PositiveBigIntegerField(default=0, db_default=0)
    problem_reports = models.PositiveIntegerField(default=0, db_default=0)
    problems_closed = models.PositiveIntegerField(default=0, db_default=0)
    #: When a ranking of new judgments was requested; empty once it has begun.
    ranking_requested_at = models.DateTimeField(null=True, blank=True)
