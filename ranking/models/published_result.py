from typing import Any, ClassVar, Final

import pgtrigger
from django.db import models
from django.db.models import Q
from django.db.models.functions import Left
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from campaign.database.recording import RecordedModel, Recording
from campaign.database.sealing import SealedField
from campaign.database.triggers import trigger_from_file
from campaign.models import Job, KeptFile
from campaign.models.user import by_user
from ranking.models.ranking_run import RankingRun

#: Characters of the digest in the address.
ADDRESS_LENGTH: Final = 16


class PublishedResult(RecordedModel):
    """A published version of a test set's result: an immutable document with an address.

    `content` has all data of its page and files, and `digest` is the SHA-256 of its canonical JSON
    (`campaign.texts.canonical_json`), whose beginning is the address. Only its visibility and
    retraction may change.

    Its bundle is a zip from which one command recomputes it: requested with or without texts, and
    immutable once a worker has created it.
    """

    task = models.ForeignKey(
        "campaign.Task",
        models.PROTECT,
        related_name="published_results",
        db_index=False,
    )
    version = models.PositiveIntegerField(_("Version"))
    content = models.JSONField()
    digest = models.CharField(_("SHA-256"), max_length=64)
    #: Published name of each system, by id.
    labels = models.JSONField()
    wordings = models.JSONField(
        _("Reworded reasons"),
        default=dict,
        db_default={},
        blank=True,
    )
    run = models.ForeignKey(
        RankingRun,
        models.PROTECT,
        related_name="published_results",
        db_index=False,  # versions are few
    )
    published_at = models.DateTimeField()
    published_by = by_user()
    embargo_until = models.DateTimeField(
        _("Embargo until"),
        null=True,
        blank=True,
    )
    reviewer_token = SealedField(  # NULL: there is no link
        _("Reviewer link"),
        max_length=64,
        null=True,
        blank=True,
    )
    retracted_at = models.DateTimeField(_("Retracted"), null=True, blank=True)
    retraction_reason = models.TextField(_("Retraction reason"), blank=True, default="")
    bundle = models.OneToOneField(
        KeptFile,
        models.PROTECT,
        related_name="bundle_of",
        null=True,
        blank=True,
    )
    #: Null if no bundle was requested.
    bundle_has_texts = models.BooleanField(null=True, blank=True)
    #: Only if all systems are named and judging has ended; the design then gets a new seed.
    bundle_has_seeds = models.BooleanField(default=False)
    bundle_job = models.ForeignKey(
        Job,
        models.SET_NULL,
        related_name="+",
        null=True,
        blank=True,
        db_index=False,
    )
    bundle_files = models.JSONField(default=list, blank=True)

    withheld: ClassVar = "DELETE"
    recording: ClassVar = Recording(
        created=pgettext_lazy("activity", "Results published, version"),
        changed=pgettext_lazy("activity", "Published results changed, version"),
        deleted=pgettext_lazy("activity", "Published results deleted, version"),
        fields=[
            "version",
            "digest",
            "wordings",
            "embargo_until",
            "retracted_at",
            "retraction_reason",
        ],
        hidden=["reviewer_token"],
        campaign="task__test_set__campaign_id",
        test_set="task__test_set_id",
        called="version",
    )

    class Meta:
        verbose_name = _("Published result")
        get_latest_by = "version"
        constraints = [
            models.UniqueConstraint(
                fields=["task", "version"],
                name="published_result_version_unique_in_task",
            ),
            models.UniqueConstraint(
                Left("digest", ADDRESS_LENGTH),
                name="published_result_address_unique",
            ),
            models.CheckConstraint(
                condition=Q(version__gte=1),
                name="published_result_version_from_1",
            ),
            models.CheckConstraint(
                condition=Q(digest__regex=r"^[0-9a-f]{64}$"),
                name="published_result_digest_is_a_sha_256",
            ),
            models.CheckConstraint(
                condition=Q(retracted_at__isnull=True, retraction_reason="")
                | Q(Q(retracted_at__isnull=False), ~Q(retraction_reason="")),
                name="published_result_reason_iff_retracted",
            ),
            models.CheckConstraint(
                condition=Q(reviewer_token__isnull=True) | ~Q(reviewer_token=""),
                name="published_result_reviewer_token_not_empty",
            ),
        ]
        triggers = [
            # The account of its publisher may be deleted.
            pgtrigger.Protect(
                name="published_result_frozen",
                operation=pgtrigger.UpdateOf(  # type: ignore[no-untyped-call]  # it has no types
                    *("task_id", "version", "content", "digest", "labels", "wordings"),
                    *("run_id", "published_at"),
                ),
            ),
            # The job that created the bundle may be deleted.
            pgtrigger.Protect(
                name="published_result_bundle_frozen_once_made",
                operation=pgtrigger.UpdateOf(  # type: ignore[no-untyped-call]
                    "bundle_id",
                    "bundle_has_texts",
                    "bundle_has_seeds",
                    "bundle_files",
                ),
                condition=pgtrigger.Q(old__bundle__isnull=False),
            ),
            trigger_from_file(
                "ranking",
                "published_result_ranking_of_its_task",
                operation=pgtrigger.Insert,
                when=pgtrigger.Before,
            ),
            trigger_from_file(
                "ranking",
                "published_result_embargo_final_once_open",
                operation=pgtrigger.UpdateOf("embargo_until"),  # type: ignore[no-untyped-call]
                when=pgtrigger.Before,
                condition=pgtrigger.Condition(
                    "OLD.embargo_until IS DISTINCT FROM NEW.embargo_until",
                ),
            ),
        ]

    @property
    def address(self) -> str:
        """The unique part of the address of its page."""
        return self.digest[:ADDRESS_LENGTH]

    def bundled(self, name: str) -> dict[str, Any] | None:
        """Return name, bytes and SHA-256 of a file in the bundle; None if there is no such file."""
        return next(
            (
                bundle_file
                for bundle_file in self.bundle_files
                if bundle_file["name"] == name
            ),
            None,
        )
