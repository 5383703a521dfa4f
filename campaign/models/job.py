from typing import ClassVar

from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from campaign.database.times import inserted_at
from campaign.database.triggers import is_one_of
from campaign.models.user import by_user


class JobKind(models.TextChoices):
    """Kind of background job; each has a handler (`campaign.services.jobs`)."""

    TEXTS_CHECK = "texts_check", _("Text check")
    TEXTS_IMPORT = "texts_import", _("Test set import")
    REHEARSAL = "rehearsal", _("Rehearsal")
    REHEARSAL_END = "rehearsal_end", _("Rehearsal cleanup")
    ANALYSIS = "analysis", _("Analysis")
    SLOW_ANALYSIS = "slow_analysis", _("Analysis")
    BUNDLE = "bundle", _("Bundle of a published result")
    EXPORT = "export", _("Export")
    METRICS = "metrics", _("Metrics")


class JobState(models.TextChoices):
    """State of a job."""

    QUEUED = "queued", pgettext_lazy("job", "waiting")
    RUNNING = "running", pgettext_lazy("job", "running")
    DONE = "done", pgettext_lazy("job", "done")
    FAILED = "failed", pgettext_lazy("job", "failed")
    CANCELLED = "cancelled", pgettext_lazy("job", "cancelled")


#: Final states.
ENDED = (JobState.DONE, JobState.FAILED, JobState.CANCELLED)


#: Kinds whose `done` and `total` are bytes; for the others they are numbers of objects.
IN_BYTES = (JobKind.TEXTS_CHECK, JobKind.TEXTS_IMPORT)


class JobQuerySet(models.QuerySet["Job"]):
    def waiting(self) -> "JobQuerySet":
        """Select jobs that a worker should do."""
        return self.filter(state__in=[JobState.QUEUED, JobState.RUNNING])


class Job(models.Model):
    """Long-running work of a campaign: a worker does it, and an organiser watches it.

    Its changes are committed together with its end: a job that did not end has changed nothing.
    `done` of `total` are in the unit of its kind, and are written while it runs.
    """

    campaign = models.ForeignKey(
        "campaign.Campaign",
        on_delete=models.CASCADE,
        related_name="jobs",
    )
    kind = models.CharField(max_length=20, choices=JobKind)
    name = models.CharField(
        max_length=200,
        help_text="Name of the object that the job works on.",
    )
    parameters = models.JSONField(default=dict, encoder=DjangoJSONEncoder)
    state = models.CharField(max_length=9, choices=JobState, default=JobState.QUEUED)
    done = models.PositiveBigIntegerField(default=0)
    total = models.PositiveBigIntegerField(default=0, help_text="0: not known.")
    error = models.TextField(blank=True, default="")
    result = models.JSONField(default=dict, encoder=DjangoJSONEncoder)
    language = models.CharField(max_length=35, default="en")
    attempts = models.PositiveIntegerField(default=0)
    asked_by = by_user()
    created_at = inserted_at()
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    cancel_asked_at = models.DateTimeField(null=True, blank=True)

    objects: ClassVar[JobQuerySet] = JobQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        constraints = [
            is_one_of("kind", JobKind, name="job_kind_is_known"),
            is_one_of("state", JobState, name="job_state_is_known"),
            models.CheckConstraint(
                condition=models.Q(state__in=ENDED, finished_at__isnull=False)
                | (~models.Q(state__in=ENDED) & models.Q(finished_at__isnull=True)),
                name="job_ended_at_iff_ended",
            ),
            models.CheckConstraint(
                condition=models.Q(state="failed") ^ models.Q(error=""),
                name="job_error_iff_failed",
            ),
        ]
        indexes = [
            models.Index(
                fields=["id"],
                condition=models.Q(state__in=["queued", "running"]),
                name="job_to_be_done",
            ),
            # For the metrics, which are read every few seconds; jobs are never deleted.
            models.Index(
                fields=["finished_at"],
                condition=models.Q(state="failed"),
                name="job_failed",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind}: {self.name}"

    @property
    def has_ended(self) -> bool:
        """True if the job has ended."""
        return self.state in ENDED

    @property
    def is_in_bytes(self) -> bool:
        """True if `done` and `total` are bytes."""
        return self.kind in IN_BYTES

    @property
    def share(self) -> float | None:
        """Share that is done, at most 1; None if the total is unknown."""
        if self.total:
            return min(1.0, self.done / self.total)
        return None
