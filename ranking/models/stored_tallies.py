from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _


class StoredTallies(models.Model):
    """The tallies of a test set at a watermark, from which its next ranking begins. Never history.

    Workers hold them in memory and store them now and then: see `ranking.services.live_tallies`.
    They follow from the judgments, so the row may be deleted at any time.
    """

    task = models.OneToOneField(
        "campaign.Task",
        on_delete=models.CASCADE,
        related_name="stored_tallies",
        primary_key=True,
    )
    build = models.UUIDField(
        _("build"),
        help_text=_("Changes with every recount, which makes copies in memory useless."),
    )
    watermark = models.PositiveIntegerField(
        _("watermark"), help_text=_("Number of the last judgment in it.")
    )
    definition = models.BinaryField(
        _("definition"), help_text=_("Digest of what they are of, and of the code that counts.")
    )
    names = models.JSONField(
        _("names"), help_text=_("Fingerprints of judges, segments and systems, by their keys.")
    )
    packed = models.BinaryField(_("tallies"), help_text=_("Compressed, with a checksum."))
    checked_watermark = models.PositiveIntegerField(
        _("checked"),
        default=0,
        db_default=0,
        help_text=_("The watermark at which they were last found to be right."),
    )
    stored_at = models.DateTimeField(_("stored"), db_default=Now(), editable=False)

    class Meta:
        verbose_name = _("stored tallies")
        verbose_name_plural = _("stored tallies")

    def __str__(self) -> str:
        return f"{self.task_id} at {self.watermark}"


class RankingUpkeep(models.Model):
    """What workers are at, or have done, beside the ranking of a test set; never history.

    When its judges were last measured (`JudgeMeasures`) and by which judgments: the evidence of what followed is kept
    with each `QualityAction`. And whether all its judgments are being counted in the background.
    """

    task = models.OneToOneField(
        "campaign.Task",
        on_delete=models.CASCADE,
        related_name="ranking_upkeep",
        primary_key=True,
    )
    measured_watermark = models.PositiveIntegerField(
        _("watermark"), null=True, blank=True, help_text=_("Number of the last judgment in it.")
    )
    measured_at = models.DateTimeField(_("computed"), null=True, blank=True)
    counting_at = models.DateTimeField(
        _("last heard of"),
        null=True,
        blank=True,
        help_text=_("Long ago: its worker or its message is gone."),
    )

    def __str__(self) -> str:
        return f"{self.task_id} measured at {self.measured_watermark}"


class JudgeMeasures(models.Model):
    """What was last measured of a judge in a test set; `RankingUpkeep` says by which judgments.

    Computed anew after each ranking, never history; only rows that change are written.
    """

    task = models.ForeignKey(
        "campaign.Task",
        on_delete=models.CASCADE,
        related_name="judge_measures",
        db_index=False,  # the constraint begins with it
    )
    judge = models.ForeignKey("campaign.Judge", on_delete=models.CASCADE, related_name="measures")
    measures = models.JSONField(_("measures by name"))

    class Meta:
        verbose_name = _("measures of a judge")
        verbose_name_plural = _("measures of judges")
        constraints = [
            models.UniqueConstraint(fields=["task", "judge"], name="judge_measures_once_in_a_task"),
        ]

    def __str__(self) -> str:
        return f"{self.judge_id} in {self.task_id}"


class ShardJob(models.Model):
    """Work that was cut into shards, for the workers of the queue "shards".

    It lives as long as its engine waits for it (`ranking.engines.by_celery`): the engine deletes it, and its
    results with it; jobs of an engine that was killed are deleted by a periodic task.
    """

    # As `ranking.core.sharding` writes them: names and data, never code.
    work = models.BinaryField(_("work and shards"))
    shards = models.PositiveIntegerField(_("number of shards"))
    code_version = models.CharField(_("code version"), max_length=60)
    watched_at = models.DateTimeField(_("last requested"), db_default=Now(), editable=False)

    class Meta:
        verbose_name = _("job of shards")
        verbose_name_plural = _("jobs of shards")

    def __str__(self) -> str:
        return str(self.pk)


class ShardResult(models.Model):
    """What a worker found for one shard of a job."""

    job = models.ForeignKey(
        ShardJob, on_delete=models.CASCADE, related_name="results", db_index=False
    )
    shard = models.PositiveIntegerField(_("shard"), help_text=_("Its place in the work."))
    result = models.BinaryField(_("result"), null=True)
    failure = models.TextField(_("why there is no result"), blank=True, default="")

    class Meta:
        verbose_name = _("result of a shard")
        verbose_name_plural = _("results of shards")
        constraints = [
            models.UniqueConstraint(fields=["job", "shard"], name="shard_result_once_in_a_job"),
            models.CheckConstraint(
                condition=models.Q(result__isnull=False, failure="")
                | (models.Q(result__isnull=True) & ~models.Q(failure="")),
                name="shard_result_or_failure",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.shard} of {self.job_id}"
