from typing import Any, ClassVar, Final

import pgtrigger
from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Left, Now
from django.utils.translation import gettext_lazy as _

from campaign.database.recording import RecordedModel, RecordedQuerySet, Recording
from campaign.database.triggers import trigger_from_file
from campaign.models import Job
from ranking.models.ranking_run import RankingRun

#: Characters of a digest that its address has.
ADDRESS_LENGTH: Final = 16


class PublishedResultQuerySet(RecordedQuerySet["PublishedResult"]):
    def of(self, task_id: int) -> "PublishedResultQuerySet":
        return self.filter(task_id=task_id)

    def with_state(self) -> models.QuerySet["PublishedResult", Any]:
        """Return them with `is_embargoed`, by the database's clock."""
        over = Q(embargo_until=None) | Q(embargo_until__lte=Now())
        found: models.QuerySet[PublishedResult, Any] = self.annotate(
            is_embargoed=models.ExpressionWrapper(~over, output_field=models.BooleanField())
        )
        return found

    def open(self) -> "PublishedResultQuerySet":
        """Leave out what is under an embargo."""
        return self.filter(Q(embargo_until=None) | Q(embargo_until__lte=Now()))


class PublishedResult(RecordedModel):
    """A version of a test set's result, frozen: a document with an address.

    `content` is all that its page and files show, and `digest` the SHA-256 of its one text
    (`campaign.texts.canonical_json`), whose beginning is the address. Who may see it, and whether it is
    retracted, may change; nothing else does.
    """

    task = models.ForeignKey(
        "campaign.Task", on_delete=models.PROTECT, related_name="published_results", db_index=False
    )
    version = models.PositiveIntegerField(_("version"), help_text=_("From 1 in the test set."))
    content = models.JSONField(_("content"))
    digest = models.CharField(_("SHA-256"), max_length=64)
    labels = models.JSONField(
        _("names"),
        help_text=_("What each system is called in it, by id. For members only."),
    )
    wordings = models.JSONField(
        _("reworded reasons"),
        default=dict,
        db_default={},
        blank=True,
        help_text=_("What stands in it for which reason that was given. For members only."),
    )
    run = models.ForeignKey(
        RankingRun,
        on_delete=models.PROTECT,
        related_name="published_results",
        db_index=False,  # versions are few, like bundles and drafts
    )
    published_at = models.DateTimeField(_("published"))
    published_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        related_name="+",
        null=True,
        blank=True,
        verbose_name=_("published by"),
        db_index=False,
    )
    embargo_until = models.DateTimeField(
        _("embargo until"),
        null=True,
        blank=True,
        help_text=_("Until then, members and reviewers with a link see it, and nobody else."),
    )
    reviewer_token = models.CharField(  # noqa: DJ001  NULL: there is no link
        _("link for reviewers"), max_length=64, null=True, blank=True
    )
    retracted_at = models.DateTimeField(_("retracted"), null=True, blank=True)
    retraction_reason = models.TextField(_("reason of the retraction"), blank=True, default="")

    withheld: ClassVar = "DELETE"
    recording: ClassVar = Recording(
        fields=[
            *("version", "digest", "wordings"),
            *("embargo_until", "retracted_at", "retraction_reason"),
        ],
        hidden=["reviewer_token"],
        campaign="task__test_set__campaign_id",
        test_set="task__test_set_id",
        called="version",
    )
    objects: ClassVar[PublishedResultQuerySet] = PublishedResultQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        verbose_name = _("published result")
        verbose_name_plural = _("published results")
        get_latest_by = "version"
        constraints = [
            models.UniqueConstraint(
                fields=["task", "version"], name="published_result_version_unique_in_task"
            ),
            models.UniqueConstraint(
                Left("digest", ADDRESS_LENGTH), name="published_result_address_unique"
            ),
            models.CheckConstraint(
                condition=Q(version__gte=1), name="published_result_version_from_1"
            ),
            models.CheckConstraint(
                condition=Q(digest__regex=r"^[0-9a-f]{64}$"),
                name="published_result_digest_is_a_sha_256",
            ),
            models.CheckConstraint(
                condition=Q(retracted_at__isnull=True, retraction_reason="")
                | Q(Q(retracted_at__isnull=False), ~Q(retraction_reason="")),
                name="published_result_retracted_exactly_with_a_reason",
            ),
            models.CheckConstraint(
                condition=Q(reviewer_token__isnull=True) | ~Q(reviewer_token=""),
                name="published_result_reviewer_token_not_empty",
            ),
        ]
        triggers = [
            # Who published it may still be forgotten with their account.
            pgtrigger.Protect(
                name="published_result_frozen",
                operation=pgtrigger.UpdateOf(  # type: ignore[no-untyped-call]  # it has no types
                    *("task_id", "version", "content", "digest", "labels", "wordings"),
                    *("run_id", "published_at"),
                ),
            ),
            trigger_from_file(
                "ranking",
                "published_result_of_a_ranking_of_its_task",
                operation=pgtrigger.Insert,
                when=pgtrigger.Before,
            ),
            trigger_from_file(
                "ranking",
                "published_result_once_open_stays_open",
                operation=pgtrigger.UpdateOf("embargo_until"),  # type: ignore[no-untyped-call]
                when=pgtrigger.Before,
                condition=pgtrigger.Condition(
                    "OLD.embargo_until IS DISTINCT FROM NEW.embargo_until"
                ),
            ),
        ]

    def __str__(self) -> str:
        return f"{self.version} of {self.task_id}"

    @property
    def address(self) -> str:
        """The part of its address that is its own."""
        return self.digest[:ADDRESS_LENGTH]


#: Bytes of each part of a bundle but the last.
PART_BYTES: Final = 1 << 20


class ResultBundle(models.Model):
    """The zip from which one command computes a published result again.

    It follows from the frozen result, from its judgments and from `has_texts` and `has_seeds`. It is empty until a worker
    has made it; from then on it never changes.
    """

    result = models.OneToOneField(
        PublishedResult, on_delete=models.CASCADE, related_name="bundle", primary_key=True
    )
    has_texts = models.BooleanField(
        _("with texts"), default=False, help_text=_("Sources, references and outputs.")
    )
    has_seeds = models.BooleanField(
        _("with the seeds of designs"),
        default=False,
        help_text=_(
            "Only where all systems are named and nothing is left to be judged; the design gets a new seed."
        ),
    )
    job = models.ForeignKey(
        Job,
        on_delete=models.SET_NULL,
        related_name="+",
        null=True,
        blank=True,
        db_index=False,
        help_text=_("Which makes it."),
    )
    files = models.JSONField(
        _("files in it"),
        default=list,
        blank=True,
        help_text=_("Name, bytes and SHA-256 of each."),
    )
    size = models.PositiveBigIntegerField(_("bytes"), default=0)
    digest = models.CharField(_("SHA-256"), max_length=64, blank=True, default="")
    made_at = models.DateTimeField(_("made"), null=True, blank=True)

    class Meta:
        verbose_name = _("bundle of a published result")
        verbose_name_plural = _("bundles of published results")
        constraints = [
            models.CheckConstraint(
                condition=Q(digest="", made_at__isnull=True, size=0)
                | Q(digest__regex=r"^[0-9a-f]{64}$", made_at__isnull=False, size__gte=1),
                name="result_bundle_has_a_digest_exactly_if_made",
            ),
        ]
        triggers = [
            # The job that made it may still be forgotten.
            pgtrigger.Protect(
                name="result_bundle_frozen_once_made",
                operation=pgtrigger.UpdateOf(  # type: ignore[no-untyped-call]  # it has no types
                    *("result_id", "has_texts", "has_seeds", "files", "size", "digest", "made_at")
                ),
                condition=pgtrigger.Q(old__digest__gt=""),
            ),
        ]

    def __str__(self) -> str:
        return self.digest or f"of {self.pk}"

    @property
    def is_made(self) -> bool:
        """Whether it can be read."""
        return bool(self.digest)

    def file(self, name: str) -> dict[str, Any] | None:
        """Return name, bytes and SHA-256 of a file in it; None if it has no such file."""
        return next((each for each in self.files if each["name"] == name), None)


class BundlePart(models.Model):
    """Consecutive bytes of a bundle: `PART_BYTES` of them, the last one fewer."""

    bundle = models.ForeignKey(
        ResultBundle, on_delete=models.CASCADE, related_name="parts", db_index=False
    )
    number = models.PositiveIntegerField(_("number"), help_text=_("From 0."))
    content = models.BinaryField(_("content"))

    class Meta:
        verbose_name = _("part of a bundle")
        verbose_name_plural = _("parts of bundles")
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(
                fields=["bundle", "number"], name="bundle_part_number_unique_in_bundle"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.number} of {self.bundle_id}"
