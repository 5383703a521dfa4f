from typing import ClassVar, cast, get_args

import pgtrigger
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from campaign.database.recording import RecordedModel, Recording
from campaign.database.triggers import is_one_of, trigger_from_file
from campaign.models.user import by_user
from ranking.core.counting.resampling import Level
from ranking.core.ranges import Correction, Sides
from ranking.core.rankings.range_kinds import RangeKind
from ranking.range_choices import RangeChoice
from ranking.wording.methods import LiveMethod
from ranking.wording.ranges import RangesFrom

_TERMS = (
    *("method", "resample", "ranges", "correction", "sides", "confidence"),
    *("judge_group_id", "reason"),
)


class RankingSettings(RecordedModel):
    """Ranking method and rank ranges of a task, valid from a given time.

    Each change is a new row, so the rows of a test set are its history of changes;
    the newest is in force. A test set without a row has the defaults of
    `ranking.range_choices.RangeChoice`.
    """

    Method = LiveMethod

    Ranges = RangesFrom

    class Resample(models.TextChoices):
        TWO_WAY = "two_way", _("Segments and judges")
        SEGMENTS = "segments", _("Segments")
        JUDGES = "judges", _("Judges")
        BLOCKS = "blocks", _("Blocks")
        PAIRS = "pairs", _("Comparisons")

    class Correction(models.TextChoices):
        NONE = "none", _("none")
        HOLM = "holm", _("Holm")
        BENJAMINI_HOCHBERG = "benjamini_hochberg", _("Benjamini–Hochberg")

    task = models.ForeignKey(
        "campaign.Task", models.CASCADE, related_name="ranking_settings", db_index=False
    )
    method = models.CharField(
        _("Method"), max_length=20, choices=LiveMethod, default=LiveMethod.BY_DESIGN
    )
    resample = models.CharField(
        _("Sources of variation"), max_length=8, choices=Resample, default=Resample.TWO_WAY
    )
    ranges = models.CharField(
        _("Rank ranges"), max_length=14, choices=Ranges, default=Ranges.PERCENTILE
    )
    correction = models.CharField(
        _("Correction"), max_length=18, choices=Correction, default=Correction.NONE
    )
    sides = models.PositiveSmallIntegerField(_("Test sides"), default=2)
    confidence = models.FloatField(_("Confidence"), default=0.95)
    judge_group = models.ForeignKey(
        "campaign.JudgeGroup",
        models.PROTECT,
        related_name="ranking_settings",
        null=True,
        blank=True,
        verbose_name=_("Judge group"),
        db_index=False,  # few rows
    )
    reason = models.CharField(
        _("Reason"),
        help_text="Required once there are judgments. Published with results.",
        max_length=1000,
        blank=True,
        default="",
    )
    judgments = models.PositiveIntegerField(null=True, blank=True, editable=False)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    changed_by = by_user()

    recording: ClassVar = Recording(
        fields=_TERMS,
        campaign="task__test_set__campaign_id",
        test_set="task__test_set_id",
        replaces=lambda row: models.Q(task=row.task_id),
    )

    class Meta:
        verbose_name = _("Ranking settings")
        get_latest_by = "id"
        indexes = [models.Index(fields=["task", "-id"], name="ranking_settings_in_force")]
        constraints = [
            is_one_of("method", LiveMethod, name="ranking_settings_method_is_known"),
            is_one_of("resample", get_args(Level), name="ranking_settings_level_is_known"),
            is_one_of("ranges", get_args(RangeKind), name="ranking_settings_ranges_are_known"),
            is_one_of("correction", Correction, name="ranking_settings_correction_is_known"),
            models.CheckConstraint(
                condition=models.Q(sides__in=[1, 2]), name="ranking_settings_sides_one_or_two"
            ),
            # A thousand resamples are too few for a higher level.
            models.CheckConstraint(
                condition=models.Q(confidence__gt=0, confidence__lte=0.999),
                name="ranking_settings_confidence_above_0_up_to_0_999",
            ),
            models.CheckConstraint(
                condition=~models.Q(ranges="sign_test") | models.Q(resample="pairs"),
                name="ranking_settings_sign_tests_are_of_pairs",
            ),
            models.CheckConstraint(
                condition=~models.Q(ranges="confidence_set")
                | models.Q(sides=2, correction__in=["none", "holm"]),
                name="ranking_settings_confidence_sets_hold_each_or_all",
            ),
            models.CheckConstraint(
                condition=~models.Q(ranges="anytime")
                | models.Q(resample="two_way", sides=2, correction="holm"),
                name="ranking_settings_anytime_ranges_hold_for_all_pairs",
            ),
            models.CheckConstraint(
                condition=~models.Q(ranges="anytime")
                | models.Q(method__in=["by_design", "expected_wins"]),
                name="ranking_settings_anytime_ranges_of_expected_wins",
            ),
            models.CheckConstraint(
                condition=~models.Q(resample="pairs")
                | ~models.Q(method__in=["geq_all_in_block", "gt_all_in_block"]),
                name="ranking_settings_methods_of_blocks_need_blocks",
            ),
        ]
        triggers = [
            # The account of its author may be deleted.
            pgtrigger.Protect(
                name="ranking_settings_immutable",
                operation=pgtrigger.UpdateOf("task_id", *_TERMS, "judgments"),  # type: ignore[no-untyped-call]
            ),
            trigger_from_file(
                "ranking",
                "ranking_is_of_a_group_of_its_campaign",
                operation=pgtrigger.Insert,
                when=pgtrigger.Before,
            ),
        ]

    @property
    def choice(self) -> RangeChoice:
        """Rank ranges of these settings."""
        return RangeChoice(
            resample=cast("Level", self.resample),
            ranges=cast("RangeKind", self.ranges),
            correction=Correction(self.correction),
            sides=cast("Sides", self.sides),
            confidence=self.confidence,
        )
