from dataclasses import fields
from typing import ClassVar, Final

import pgtrigger
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from annotation.sampling.parameters import (
    DesignKind,
    DesignParameters,
    Normalisation,
    SegmentOrder,
)
from campaign.database.recording import RecordedModel, RecordedQuerySet, Recording
from campaign.database.seeds import SeedField
from campaign.database.times import inserted_at
from campaign.database.triggers import is_one_of, trigger_from_file
from campaign.models.user import by_user
from campaign.texts.hash_draw import HashDraw

# Fields of a design that an organiser chooses; the others record who changed it, when, and for
# which task.
PARAMETERS: Final = (
    "kind",
    "seed",
    "systems_per_block",
    "segments_per_hit",
    "segment_order",
    "documents",
    "segments",
    "machine_share",
    "systems",
    "reference_rate",
    "bad_reference_rate",
    "attention_every",
    "length_limits",
    "normalisation",
    "active_floor",
    "inter_share",
    "intra_share",
    "repeat_gap",
    "redundancy",
    "judge_group",
)


class DesignQuerySet(RecordedQuerySet["Design"]):
    def not_imported(self) -> "DesignQuerySet":
        """Return the designs from which HITs are drawn, without the one for imported blocks."""
        return self.exclude(kind=Design.Kind.IMPORTED)


class Design(RecordedModel):
    """Parameters by which a task's HITs are drawn, starting at a given HIT.

    HIT number k depends only on its design's row, k and the recorded state. A change of design adds
    a row, so a task's rows record who changed what, and when; HITs keep the design that drew them.
    The parameters are those of `annotation.sampling.parameters`.
    """

    class Kind(models.TextChoices):
        UNIFORM = "uniform", _("uniform")
        BALANCED = "balanced", _("balanced")
        ACTIVE = "active", _("active")
        BINARY = "binary", _("blocks of two")
        ALL = "all", _("all systems")
        SORTING = "sorting", _("sorting")
        # Blocks of imported judgments, which were drawn elsewhere.
        IMPORTED = "imported", pgettext_lazy("design", "imported")

    class Order(models.TextChoices):
        RANDOM = "random", _("random")
        SEQUENTIAL = "sequential", _("sequential")

    class Sameness(models.TextChoices):
        EXACT = "exact", _("exact")
        NFC_WHITESPACE = (
            "nfc_whitespace",
            _("after normalising Unicode (NFC) and white space"),
        )
        EYE = "eye", _("visually identical")

    task = models.ForeignKey("campaign.Task", models.CASCADE, related_name="designs")
    kind = models.CharField(
        _("Selection of systems"),
        max_length=8,
        choices=Kind,
        default=Kind.UNIFORM,
    )
    seed = SeedField(_("Seed"), default=0)
    systems_per_block = models.PositiveSmallIntegerField(
        _("Outputs per block"),
        default=5,
    )
    segments_per_hit = models.PositiveSmallIntegerField(
        _("Sentences per HIT"),
        default=3,
    )
    segment_order = models.CharField(
        _("Order of sentences"),
        max_length=10,
        choices=Order,
        default=Order.RANDOM,
    )
    documents = ArrayField(
        models.PositiveIntegerField(),
        verbose_name=_("Documents"),
        default=list,
        blank=True,
        help_text="Positions of the documents to judge; empty for all.",
    )
    segments = ArrayField(
        models.PositiveIntegerField(),
        verbose_name=_("Segments"),
        default=list,
        blank=True,
        help_text="Numbers of the segments to judge; empty for all.",
    )
    machine_share = models.FloatField(
        _("Sentences for machine judges alone"),
        default=0.0,
        db_default=0.0,
        help_text=_(
            "Share of the sentences that people are never asked about, drawn at random. Machine judges get them over REST, or their answers are imported from files.",
        ),
    )
    systems = ArrayField(
        models.CharField(max_length=200),
        verbose_name=_("Systems"),
        default=list,
        blank=True,
        help_text=_(
            "Leave empty for all systems. Include a reference that is drawn like a system.",
        ),
    )
    reference_rate = models.FloatField(
        _("Blocks with the reference"),
        null=True,
        blank=True,
        help_text="Share of blocks with the reference; empty to draw it like a system.",
    )
    bad_reference_rate = models.FloatField(
        _("Blocks with a damaged reference"),
        default=0.0,
    )
    attention_every = models.PositiveSmallIntegerField(
        _("HITs between attention checks"),
        default=0,
        help_text=_("Average per judge. 0 leaves it to chance."),
    )
    length_limits = models.JSONField(
        _("Fewer outputs for long sentences"),
        default=list,
        blank=True,
        help_text="Pairs of words and outputs: segments with at least that many words show at most that many outputs.",
    )
    normalisation = models.CharField(
        _("Identical outputs"),
        max_length=14,
        choices=Sameness,
        default=Sameness.EXACT,
    )
    active_floor = models.FloatField(
        _("Balanced share of an active design"),
        default=0.1,
    )
    inter_share = models.FloatField(_("HITs repeated by another judge"), default=0.0)
    intra_share = models.FloatField(_("HITs repeated by the same judge"), default=0.0)
    repeat_gap = models.PositiveSmallIntegerField(
        _("Minimum HITs before a repeat by the same judge"),
        default=10,
    )
    redundancy = models.PositiveSmallIntegerField(_("Judges per block"), default=1)
    judge_group = models.ForeignKey(
        "campaign.JudgeGroup",
        models.PROTECT,
        related_name="designs",
        null=True,
        blank=True,
        verbose_name=_("Judge group"),
        help_text=_(
            "Only judges in this group get HITs of the test set. Leave empty for all judges.",
        ),
        db_index=False,  # few rows
    )
    created_at = inserted_at()
    changed_by = by_user()

    recording: ClassVar = Recording(
        created=pgettext_lazy("activity", "Design created"),
        changed=pgettext_lazy("activity", "Design changed"),
        deleted=pgettext_lazy("activity", "Design deleted"),
        fields=[
            *(name for name in PARAMETERS if name not in {"seed", "judge_group"}),
            "judge_group_id",
        ],
        hidden=["seed"],
        campaign="task__test_set__campaign_id",
        test_set="task__test_set_id",
        replaces=lambda row: models.Q(task=row.task_id),
    )
    objects: ClassVar[DesignQuerySet] = DesignQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        verbose_name = _("Design")
        get_latest_by = "id"
        constraints = [
            models.CheckConstraint(
                condition=models.Q(systems_per_block__range=(1, 26)),
                name="design_candidates_between_1_and_26",
            ),
            models.CheckConstraint(
                condition=models.Q(segments_per_hit__range=(1, 50)),
                name="design_segments_between_1_and_50",
            ),
            models.CheckConstraint(
                condition=models.Q(seed__gte=0),
                name="design_seed_not_negative",
            ),
            is_one_of("kind", [*DesignKind, "imported"], name="design_kind_is_known"),
            # At least as many as a block shows.
            models.CheckConstraint(
                condition=models.Q(systems=[])
                | models.Q(systems__len__gte=models.F("systems_per_block"))
                | models.Q(kind__in=["binary", "all", "sorting"], systems__len__gte=2),
                name="design_systems_fill_a_block",
            ),
            is_one_of(
                "segment_order",
                SegmentOrder,
                name="design_segment_order_is_known",
            ),
            is_one_of(
                "normalisation",
                Normalisation,
                name="design_normalisation_is_known",
            ),
            models.CheckConstraint(
                condition=models.Q(reference_rate__isnull=True)
                | models.Q(reference_rate__range=(0, 1)),
                name="design_reference_rate_between_0_and_1",
            ),
            models.CheckConstraint(
                condition=models.Q(machine_share__range=(0, 0.9)),
                name="design_machine_share_at_most_nine_tenths",
            ),
            models.CheckConstraint(
                condition=models.Q(bad_reference_rate__range=(0, 1))
                & models.Q(active_floor__range=(0, 1)),
                name="design_rates_between_0_and_1",
            ),
            models.CheckConstraint(
                condition=models.Q(attention_every=0)
                | models.Q(bad_reference_rate__gt=0),
                name="design_attention_checks_need_damaged_references",
            ),
            # Not every HIT can be a repeat.
            models.CheckConstraint(
                condition=models.Q(inter_share__range=(0, 0.9))
                & models.Q(intra_share__range=(0, 0.9)),
                name="design_repeats_at_most_nine_tenths",
            ),
            models.CheckConstraint(
                condition=models.Q(redundancy__range=(1, 50)),
                name="design_redundancy_between_1_and_50",
            ),
        ]
        triggers = [
            trigger_from_file(
                "annotation",
                "design_group_of_its_campaign",
                operation=pgtrigger.Insert | pgtrigger.Update,
                when=pgtrigger.Before,
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} ({self.pk})"

    def is_for_machines_alone(self, segment: int) -> bool:
        """Return whether people are never asked about the segment with this number; the seed and the number decide."""
        if not self.machine_share:
            return False
        draw = HashDraw(seed=self.seed, number=segment, scheme="machines")
        return draw.integer() < self.machine_share * 2**64

    @property
    def parameters(self) -> DesignParameters:
        """Parameters with which HITs are drawn. Raises ValueError for imported blocks."""
        values = {
            field.name: getattr(self, field.name) for field in fields(DesignParameters)
        }
        return DesignParameters(
            **values
            | {
                "kind": DesignKind(self.kind),
                "segment_order": SegmentOrder(self.segment_order),
                "length_limits": tuple(
                    (length, size) for length, size in self.length_limits
                ),
                "normalisation": Normalisation(self.normalisation),
                "systems": tuple(self.systems),
            },
        )
