"""The numbers of judgments, given after their commit, and what is counted with them in rows that pages read.

`JUDGMENTS_NUMBER` keeps them, and `pages_changed` keeps `PageChanges`.
"""

import pgtrigger
from django.db import models
from django.utils.translation import gettext_lazy as _

from campaign.database.triggers import trigger_from_file


class JudgmentNumber(models.Model):
    """The number of a judgment in its test set. Append-only; written by `JUDGMENTS_NUMBER` alone.

    Numbers count the judgments of a test set without a gap, in the order in which they were committed. A
    reader who sees number w therefore sees exactly the judgments 1…w, so that w serves as a ranking run's
    watermark.
    """

    judgment = models.OneToOneField(
        "annotation.Judgment",
        on_delete=models.PROTECT,
        related_name="numbered",
        primary_key=True,
        # `number_of_a_judgment` looks up all that are numbered together; judgments are never deleted.
        db_constraint=False,
    )
    task = models.ForeignKey(
        "campaign.Task",
        on_delete=models.PROTECT,
        related_name="judgment_numbers",
        db_index=False,  # `judgment_number_unique_in_task` begins with it
        db_constraint=False,  # the judgment's: `number_of_a_judgment`
    )
    number = models.PositiveIntegerField(_("number"), help_text=_("From 1 in the test set."))

    class Meta:
        verbose_name = _("number of a judgment")
        verbose_name_plural = _("numbers of judgments")
        constraints = [
            models.UniqueConstraint(
                fields=["task", "number"], name="judgment_number_unique_in_task"
            ),
        ]
        triggers = [
            pgtrigger.Protect(
                name="judgment_number_append_only", operation=pgtrigger.Update | pgtrigger.Delete
            ),
            trigger_from_file(
                "annotation",
                "number_of_a_judgment",
                level=pgtrigger.Statement,
                operation=pgtrigger.Insert,
                when=pgtrigger.After,
                referencing=pgtrigger.Referencing(new="new_rows"),  # type: ignore[no-untyped-call]
                declare=[("wrong", "BIGINT")],
            ),
        ]

    def __str__(self) -> str:
        return f"{self.task_id}/{self.number}"


class UncountedAnswer(models.Model):
    """A judgment that has no number yet, or a skip that is in no counter. Triggers insert it with each of them."""

    task = models.ForeignKey(
        "campaign.Task",
        on_delete=models.CASCADE,
        related_name="+",
        db_index=False,
        db_constraint=False,  # the judgment's or the skip's
    )
    is_skip = models.BooleanField(_("is a skip"))
    answer = models.BigIntegerField(_("id of the judgment or skip"))

    class Meta:
        verbose_name = _("answer that is not counted")
        verbose_name_plural = _("answers that are not counted")
        constraints = [
            # Read in this order. Rows of other test sets may be many, while an import goes on.
            models.UniqueConstraint(
                fields=["task", "is_skip", "answer"], name="uncounted_answer_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.task_id}: {'skip' if self.is_skip else 'judgment'} {self.answer}"


def waits(*, is_skip: bool) -> models.Exists:
    """Return the condition that a judgment, or skip, is not counted yet."""
    return models.Exists(
        UncountedAnswer.objects.filter(
            task=models.OuterRef("task"), is_skip=is_skip, answer=models.OuterRef("pk")
        )
    )


class JudgmentSequence(models.Model):
    """The last judgment number given out in a test set, and what judgments 1 to this one come to.

    Its row lock orders those who give numbers. Nobody who submits a judgment takes it.
    """

    task = models.OneToOneField(
        "campaign.Task",
        on_delete=models.CASCADE,
        related_name="judgment_sequence",
        primary_key=True,
    )
    last_number = models.PositiveIntegerField(_("last number"), default=0, db_default=0)
    judged = models.PositiveIntegerField(
        _("blocks judged"),
        default=0,
        db_default=0,
        help_text=_("First judgments of blocks, controls not among them."),
    )
    judges = models.PositiveIntegerField(
        _("judges"), default=0, db_default=0, help_text=_("With one of these judgments.")
    )
    skipped = models.PositiveIntegerField(
        _("blocks skipped"),
        default=0,
        db_default=0,
        help_text=_("Skips that stand, controls not among them."),
    )
    most_candidates = models.PositiveSmallIntegerField(
        _("most outputs in a block"),
        default=0,
        db_default=0,
        help_text=_("Among judged blocks."),
    )
    changes = models.PositiveBigIntegerField(
        _("changes"),
        default=0,
        db_default=0,
        help_text=_("Rises whenever judgments or skips are counted."),
    )

    class Meta:
        verbose_name = _("judgment sequence")
        verbose_name_plural = _("judgment sequences")

    def __str__(self) -> str:
        return f"{self.task_id}: {self.last_number}"


class JudgeTally(models.Model):
    """The judgments of a judge in a test set that have a number, and the skips that are counted.

    First judgments are each judge's first of each block, controls not among them. The skips that stand
    are `skipped` less `taken_back`, controls not among them.
    """

    task = models.ForeignKey(
        "campaign.Task",
        on_delete=models.CASCADE,
        related_name="judge_tallies",
        db_index=False,  # `judge_tally_once_per_task_and_judge` begins with it
    )
    judge = models.ForeignKey(
        "campaign.Judge", on_delete=models.CASCADE, related_name="judge_tallies"
    )
    judged = models.PositiveIntegerField(_("first judgments"))
    first_number = models.PositiveIntegerField(
        _("number of the earliest first judgment"), null=True, blank=True
    )
    first_at = models.DateTimeField(_("earliest first judgment"), null=True, blank=True)
    skipped = models.PositiveIntegerField(_("blocks skipped"), default=0, db_default=0)
    taken_back = models.PositiveIntegerField(_("of these, ranked later"), default=0, db_default=0)
    last_at = models.DateTimeField(
        _("latest judgment or skip"), help_text=_("Revisions and controls are among them.")
    )

    class Meta:
        verbose_name = _("tally of a judge")
        verbose_name_plural = _("tallies of judges")
        constraints = [
            models.UniqueConstraint(
                fields=["task", "judge"], name="judge_tally_once_per_task_and_judge"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.task_id}, {self.judge_id}: {self.judged}"


class WorkedQuarterHour(models.Model):
    """What a judge did in a quarter of an hour in a test set; controls and repeats count alike.

    A sentence counts once, where it was first judged or skipped, time where it was sent. Work is of what was lent,
    not imported; `judged` are first judgments without controls, imported ones too. In every time zone days and hours
    begin with a quarter of an hour, so sums are exact.
    """

    task = models.ForeignKey(
        "campaign.Task",
        on_delete=models.CASCADE,
        related_name="worked_quarter_hours",
        db_index=False,  # `worked_quarter_hour_of_a_task` begins with it
    )
    judge = models.ForeignKey(
        "campaign.Judge",
        on_delete=models.CASCADE,
        related_name="worked_quarter_hours",
        db_index=False,  # `worked_quarter_hour_once` begins with it
    )
    start = models.DateTimeField(_("start"))
    sentences = models.PositiveIntegerField(_("sentences judged or skipped"))
    active_ms = models.PositiveBigIntegerField(_("active time, ms"))
    untimed = models.PositiveIntegerField(_("submissions without a time"))
    judged = models.PositiveIntegerField(_("blocks judged"), default=0)

    class Meta:
        verbose_name = _("worked quarter of an hour")
        verbose_name_plural = _("worked quarters of an hour")
        constraints = [
            models.UniqueConstraint(
                fields=["judge", "task", "start"], name="worked_quarter_hour_once"
            ),
        ]
        indexes = [models.Index(fields=["task", "start"], name="worked_quarter_hour_of_a_task")]

    def __str__(self) -> str:
        return f"{self.judge_id}, {self.start:%Y-%m-%d %H:%M}: {self.sentences}"


class PageChanges(models.Model):
    """How often what pages show of a test set has changed otherwise than by judgments and skips, and when a ranking was requested.

    Services of problem reports and replies, quality rules and quality actions count. The first of many judgments
    requests a ranking; the others see that it is requested. It is no part of `JudgmentSequence`,
    whose lock an import holds for as long as it takes.
    """

    task = models.OneToOneField(
        "campaign.Task", on_delete=models.CASCADE, related_name="page_changes", primary_key=True
    )
    changes = models.PositiveBigIntegerField(_("changes"), default=0, db_default=0)
    problem_reports = models.PositiveIntegerField(_("problem reports"), default=0, db_default=0)
    problems_closed = models.PositiveIntegerField(
        _("problem reports that are closed"), default=0, db_default=0
    )
    ranking_requested_at = models.DateTimeField(
        _("ranking requested"),
        null=True,
        blank=True,
        help_text=_("When a ranking of new judgments was requested; empty once it has begun."),
    )

    class Meta:
        verbose_name = _("changes of pages")
        verbose_name_plural = _("changes of pages")

    def __str__(self) -> str:
        return f"{self.task_id}: {self.changes}"
