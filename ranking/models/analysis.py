from typing import ClassVar

from django.db import models

from campaign.database.times import inserted_at
from campaign.models.user import by_user


class AnalysisQuerySet(models.QuerySet["Analysis"]):
    def of(self, task_id: int) -> "AnalysisQuerySet":
        return self.filter(task_id=task_id)

    def of_campaign(self, campaign_id: int) -> "AnalysisQuerySet":
        """Return the tables over the test sets of a campaign."""
        return self.filter(campaign_id=campaign_id, task=None)

    def finished(self) -> "AnalysisQuerySet":
        """Return the analyses with a result."""
        return self.filter(finished_at__isnull=False)


class Analysis(models.Model):
    """A requested analysis of a task, or a table over all tasks of a campaign, with its answer if any.

    It does not change the live ranking. The answer follows from the judgments
    1…`watermark` and the other fields alone: `ranking.services.analyses.analysis_reproduce`
    recomputes it bit for bit. Repeated requests are not recomputed.

    `choice` has all options. `judgments` selects those that count, by name; without a `task`,
    it is a list with name, systems, watermark and judgments of each task of the campaign,
    and `watermark` is the sum of theirs. `reports` is the answer for people, in
    each language, and `data` the machine-readable answer.
    """

    campaign = models.ForeignKey(
        "campaign.Campaign",
        models.CASCADE,
        related_name="analyses",
        db_index=False,
    )
    task = models.ForeignKey(
        "campaign.Task",
        models.CASCADE,
        related_name="analyses",
        null=True,
        blank=True,
        db_index=False,
    )
    kind = models.CharField(max_length=40)
    choice = models.JSONField()
    choice_digest = models.CharField(max_length=32)
    judgments = models.JSONField()
    watermark = models.PositiveIntegerField(
        help_text="Number of the last judgment in it.",
    )
    code_version = models.CharField(max_length=60)
    content_key_version = models.PositiveSmallIntegerField()
    digest = models.CharField(max_length=32)
    job = models.ForeignKey(
        "campaign.Job",
        models.SET_NULL,
        related_name="+",
        null=True,
        blank=True,
        db_index=False,  # jobs are kept
    )
    asked_by = by_user()
    asked_at = inserted_at()
    finished_at = models.DateTimeField(null=True, blank=True)
    data = models.JSONField(null=True, blank=True)
    reports = models.JSONField(null=True, blank=True)

    objects: ClassVar[AnalysisQuerySet] = AnalysisQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        get_latest_by = "id"
        indexes = [
            models.Index(
                fields=["task", "choice_digest", "-id"],
                name="analysis_of_choice",
            ),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["campaign", "task", "digest"],
                nulls_distinct=False,
                name="analysis_once_for_each_answer",
            ),
            models.CheckConstraint(
                condition=models.Q(
                    finished_at__isnull=False,
                    data__isnull=False,
                    reports__isnull=False,
                )
                | models.Q(
                    finished_at__isnull=True,
                    data__isnull=True,
                    reports__isnull=True,
                ),
                name="analysis_answer_iff_finished",
            ),
        ]
