"""What judgments 1 to the last number and counted skips come to, in rows that pages read.

`JUDGMENTS_NUMBER` keeps them, and `pages_changed` keeps `PageChanges`.
"""

from django.db import models
from django.utils.translation import gettext_lazy as _


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


class JudgedQuarterHour(models.Model):
    """How many blocks people judged in a quarter of an hour, first judgments without controls.

    In every time zone days and hours begin with a quarter of an hour, so their sums are exact.
    """

    task = models.ForeignKey(
        "campaign.Task",
        on_delete=models.CASCADE,
        related_name="judged_quarter_hours",
        db_index=False,  # `judged_quarter_hour_once` begins with it
    )
    start = models.DateTimeField(_("start"))
    judged = models.PositiveIntegerField(_("blocks judged"))

    class Meta:
        verbose_name = _("judged quarter of an hour")
        verbose_name_plural = _("judged quarters of an hour")
        constraints = [
            models.UniqueConstraint(fields=["task", "start"], name="judged_quarter_hour_once"),
        ]

    def __str__(self) -> str:
        return f"{self.task_id}, {self.start:%Y-%m-%d %H:%M}: {self.judged}"


class WorkedQuarterHour(models.Model):
    """What a judge did in a quarter of an hour in a test set; controls and repeats count alike.

    A sentence counts once, where it was first judged or skipped, time where it was sent.
    """

    task = models.ForeignKey(
        "campaign.Task", on_delete=models.CASCADE, related_name="worked_quarter_hours"
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

    class Meta:
        verbose_name = _("worked quarter of an hour")
        verbose_name_plural = _("worked quarters of an hour")
        constraints = [
            models.UniqueConstraint(
                fields=["judge", "task", "start"], name="worked_quarter_hour_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.judge_id}, {self.start:%Y-%m-%d %H:%M}: {self.sentences}"


class PageChanges(models.Model):
    """How often what pages show of a test set has changed otherwise than by judgments and skips.

    Services of problem reports and replies, quality rules, quality actions and their reversals keep it. It is no
    part of `JudgmentSequence`, whose lock an import holds for as long as it takes.
    """

    task = models.OneToOneField(
        "campaign.Task", on_delete=models.CASCADE, related_name="page_changes", primary_key=True
    )
    changes = models.PositiveBigIntegerField(_("changes"), default=0, db_default=0)
    problem_reports = models.PositiveIntegerField(_("problem reports"), default=0, db_default=0)
    problems_closed = models.PositiveIntegerField(
        _("problem reports that are closed"), default=0, db_default=0
    )

    class Meta:
        verbose_name = _("changes of pages")
        verbose_name_plural = _("changes of pages")

    def __str__(self) -> str:
        return f"{self.task_id}: {self.changes}"
