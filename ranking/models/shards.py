from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _


class ShardJob(models.Model):
    """Work that was cut into shards, for the workers of the queue "shards".

    It lives as long as its engine waits for it (`ranking.engines.by_celery`): the engine deletes it, and its
    results with it; jobs of an engine that was killed are deleted by a periodic task.
    """

    # As `ranking.core.sharding.encoding` writes them: names and data, never code.
    work = models.BinaryField(_("work and shards"))
    shards = models.PositiveIntegerField(_("number of shards"))
    code_version = models.CharField(_("code version"), max_length=60)
    watched_at = models.DateTimeField(_("last asked for"), db_default=Now(), editable=False)

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
