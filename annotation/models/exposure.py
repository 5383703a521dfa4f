from django.db import models
from django.utils.translation import gettext_lazy as _


class Exposure(models.Model):
    """A judge was sent a segment's texts, with a HIT or in the tour. Rows are never deleted.

    Makes "no judge sees a segment twice, except for intended repeats" a database constraint. A task whose judges may
    meet segments of other tasks again (`Task.segments_again`) is apart: of it a segment is met once, too.
    """

    judge = models.ForeignKey(
        "campaign.Judge",
        on_delete=models.PROTECT,
        related_name="exposures",
        db_index=False,  # `exposure_once_except_as_a_repeat` begins with it
    )
    segment = models.ForeignKey(
        "campaign.Segment",
        on_delete=models.PROTECT,
        related_name="exposures",
        # Asked for by judge alone, or by both.
        db_index=False,
    )
    assignment = models.ForeignKey(
        "annotation.Assignment",
        on_delete=models.PROTECT,
        related_name="exposures",
        # Asked for by nobody: an assignment is never deleted once it was lent.
        db_index=False,
        null=True,
        blank=True,
        help_text=_("Empty where it was a practice sentence of the tour."),
    )
    is_repeat = models.BooleanField(_("wanted repeat"), default=False)
    # Of a segment's test set a task is known by it, in a byte where it is empty; an id would be eight in each row.
    apart = models.CharField(
        _("apart"),
        max_length=20,
        default="",
        db_default="",
        blank=True,
        help_text=_(
            "The protocol of a task that shows judges segments again; empty of all others, which count together."
        ),
    )

    class Meta:
        verbose_name = _("exposure")
        verbose_name_plural = _("exposures")
        constraints = [
            # Each repeat differs from all others by its id. A condition would do the same, but not be the index
            # of whatever a judge has seen.
            models.UniqueConstraint(
                "judge",
                "segment",
                "apart",
                models.Case(models.When(is_repeat=True, then="id")),
                nulls_distinct=False,
                name="exposure_once_except_as_a_repeat",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.judge_id} ← {self.segment_id}"


class JudgeAccount(models.Model):
    """What a judge was lent of a test set so far, and whether they are waiting for more.

    Changed under the lock of the judge's row; the planner, under the lock of the test set's
    `HITSequence`, writes only its answer to a request: `requested_at` and `none_left_at`.
    """

    judge = models.ForeignKey(
        "campaign.Judge",
        on_delete=models.CASCADE,
        related_name="accounts",
        db_index=False,  # `account_once_per_judge_and_task` begins with it
    )
    task = models.ForeignKey("campaign.Task", on_delete=models.CASCADE, related_name="accounts")
    hits_lent = models.PositiveIntegerField(_("HITs lent"), default=0)
    intra_lent = models.PositiveIntegerField(_("of these, repeats of their own"), default=0)
    checks_lent = models.PositiveIntegerField(
        _("HITs with an attention check"),
        default=0,
        db_default=0,
        help_text=_("Repeats of their own are not among them."),
    )
    # What draws of the next check and repeat go by: `annotation.sampling.due`.
    hits_since_check = models.PositiveIntegerField(
        _("HITs since the last attention check"),
        default=0,
        db_default=0,
        help_text=_("Training and repeats of their own do not count."),
    )
    hits_since_repeat = models.PositiveIntegerField(
        _("HITs since the last repeat of their own"),
        default=0,
        db_default=0,
        help_text=_("Training does not count."),
    )
    blocks_closed = models.PositiveIntegerField(
        _("blocks of closed assignments"),
        default=0,
        db_default=0,
        help_text=_("Judged or skipped; those of assignments still open are not among them."),
    )
    last_lent_at = models.DateTimeField(_("last lent"), null=True, blank=True)
    requested_at = models.DateTimeField(
        _("requested work"),
        null=True,
        blank=True,
        help_text=_("No HIT was available, and the planner has not checked since."),
    )
    none_left_at = models.DateTimeField(
        _("no work left"),
        null=True,
        blank=True,
        help_text=_("When the planner last found no HIT to plan for this judge."),
    )

    class Meta:
        verbose_name = _("judge's account")
        verbose_name_plural = _("judges' accounts")
        constraints = [
            models.UniqueConstraint(
                fields=["judge", "task"], name="account_once_per_judge_and_task"
            ),
            models.CheckConstraint(
                condition=models.Q(intra_lent__lte=models.F("hits_lent")),
                name="account_repeats_are_among_the_hits",
            ),
        ]
        indexes = [
            # The judges the planner has to plan HITs for.
            models.Index(
                fields=["task", "requested_at"],
                condition=models.Q(requested_at__isnull=False),
                name="account_requested",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.judge_id}: {self.hits_lent}"
