from django.db import models
from django.utils.translation import gettext_lazy as _


class Design(models.Model):
    """How the HITs of a test set are drawn, from a certain HIT on.

    HIT number k is a function of its design's row and k alone. A change of
    design is a new row; HITs keep the design that drew them.
    """

    class Kind(models.TextChoices):
        UNIFORM = "uniform", _("uniform")
        # Blocks that came with imported judgments: drawn by somebody else.
        IMPORTED = "imported", _("imported")

    test_set = models.ForeignKey(
        "campaign.TestSet", on_delete=models.CASCADE, related_name="designs"
    )
    kind = models.CharField(_("kind"), max_length=8, choices=Kind, default=Kind.UNIFORM)
    systems_per_block = models.PositiveSmallIntegerField(_("candidates in a block"), default=5)
    segments_per_hit = models.PositiveSmallIntegerField(_("segments in a HIT"), default=3)
    include_reference = models.BooleanField(_("rank the reference too"), default=True)
    seed = models.BigIntegerField(_("seed"), default=0)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)

    class Meta:
        verbose_name = _("design")
        verbose_name_plural = _("designs")
        get_latest_by = "id"
        constraints = [
            models.CheckConstraint(
                condition=models.Q(systems_per_block__range=(2, 26)),
                name="design_candidates_between_2_and_26",
            ),
            models.CheckConstraint(
                condition=models.Q(segments_per_hit__range=(1, 50)),
                name="design_segments_between_1_and_50",
            ),
            models.CheckConstraint(
                condition=models.Q(seed__gte=0), name="design_seed_not_negative"
            ),
            models.CheckConstraint(
                condition=models.Q(kind__in=["uniform", "imported"]), name="design_kind_is_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} ({self.pk})"
