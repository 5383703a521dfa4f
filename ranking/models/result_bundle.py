from typing import Any, Final

import pgtrigger
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from campaign.models import Job
from ranking.models.published_result import PublishedResult

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
