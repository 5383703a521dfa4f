from collections.abc import Sequence
from typing import ClassVar, cast, get_args

import pgtrigger
from django.db import models
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from campaign.database.recording import RecordedModel, Recording
from campaign.database.times import inserted_at
from campaign.database.triggers import is_one_of, trigger_from_file
from campaign.models.user import by_user
from ranking.core.counting.resampling import Level
from ranking.core.ranges import Correction, Sides
from ranking.core.rankings.range_kinds import RangeKind, RangeOptions
from ranking.core.rankings.records import RecordedRule
from ranking.reports.wording.methods import LiveMethod
from ranking.reports.wording.ranges import RangesFrom
from ranking.reports.wording.stopping_rules import CRITERIA, RuleTests

_TERMS = (
    *(
        "method",
        "method_options",
        "resample",
        "ranges",
        "correction",
        "sides",
        "confidence",
    ),
    "judge_group_id",
    "reason",
)


def _recording(
    terms: Sequence[str],
    *,
    created: Promise | str,
    changed: Promise | str,
    deleted: Promise | str,
) -> Recording:
    return Recording(
        created=created,
        changed=changed,
        deleted=deleted,
        fields=terms,
        campaign="task__test_set__campaign_id",
        test_set="task__test_set_id",
        replaces=lambda row: models.Q(task=row.task_id),
    )


class _SettingOfTask(RecordedModel):
    """A choice for a task, with its reason; a change is a new row."""

    confidence = models.FloatField(_("Confidence"), default=0.95)
    reason = models.CharField(
        _("Reason"),
        help_text="Required once there are judgments. Published with results.",
        max_length=1000,
        blank=True,
        default="",
    )
    created_at = inserted_at()
    changed_by = by_user()

    class Meta:
        abstract = True
        get_latest_by = "id"


class RankingSettings(_SettingOfTask):
    """Ranking method and rank ranges of a task, valid from a given time.

    Each change is a new row, so the rows of a test set are its history of changes;
    the newest is in force. A test set without a row has the defaults of
    `ranking.core.rankings.range_kinds.RangeOptions`.
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
        NONE = "none", pgettext_lazy("correction", "none")
        HOLM = "holm", _("Holm")
        BENJAMINI_HOCHBERG = "benjamini_hochberg", _("Benjamini–Hochberg")

    task = models.ForeignKey(
        "campaign.Task",
        models.CASCADE,
        related_name="ranking_settings",
        db_index=False,
    )
    method = models.CharField(
        _("Method"),
        max_length=20,
        choices=LiveMethod,
        default=LiveMethod.BY_DESIGN,
    )
    # Those that differ from the defaults of the method.
    method_options = models.JSONField(
        _("Method options"),
        default=dict,
        db_default={},
        blank=True,
    )
    resample = models.CharField(
        _("Sources of variation"),
        max_length=8,
        choices=Resample,
        default=Resample.TWO_WAY,
    )
    ranges = models.CharField(
        _("Rank ranges"),
        max_length=14,
        choices=Ranges,
        default=Ranges.PERCENTILE,
    )
    correction = models.CharField(
        _("Correction"),
        max_length=18,
        choices=Correction,
        default=Correction.NONE,
    )
    sides = models.PositiveSmallIntegerField(_("Test sides"), default=2)
    judge_group = models.ForeignKey(
        "campaign.JudgeGroup",
        models.PROTECT,
        related_name="ranking_settings",
        null=True,
        blank=True,
        verbose_name=_("Judge group"),
        db_index=False,  # few rows
    )
    judgments = models.PositiveIntegerField(null=True, blank=True, editable=False)

    recording: ClassVar = _recording(
        _TERMS,
        created=pgettext_lazy("activity", "Ranking settings created"),
        changed=pgettext_lazy("activity", "Ranking settings changed"),
        deleted=pgettext_lazy("activity", "Ranking settings deleted"),
    )

    class Meta(_SettingOfTask.Meta):
        verbose_name = _("Ranking settings")
        indexes = [
            models.Index(fields=["task", "-id"], name="ranking_settings_in_force"),
        ]
        constraints = [
            is_one_of("method", LiveMethod, name="ranking_settings_method_is_known"),
            is_one_of(
                "resample",
                get_args(Level),
                name="ranking_settings_level_is_known",
            ),
            is_one_of(
                "ranges",
                get_args(RangeKind),
                name="ranking_settings_ranges_are_known",
            ),
            is_one_of(
                "correction",
                Correction,
                name="ranking_settings_correction_is_known",
            ),
            models.CheckConstraint(
                condition=models.Q(sides__in=[1, 2]),
                name="ranking_settings_sides_one_or_two",
            ),
            # A thousand resamples are too few for a higher level.
            models.CheckConstraint(
                condition=models.Q(confidence__gt=0, confidence__lte=0.999),
                name="ranking_settings_confidence_above_0_up_to_0_999",
            ),
            models.CheckConstraint(
                condition=~models.Q(ranges="sign_test") | models.Q(resample="pairs"),
                name="ranking_settings_sign_tests_resample_pairs",
            ),
            models.CheckConstraint(
                condition=~models.Q(ranges="confidence_set")
                | models.Q(sides=2, correction__in=["none", "holm"]),
                name="ranking_settings_confidence_set_correction",
            ),
            models.CheckConstraint(
                condition=~models.Q(ranges="anytime")
                | models.Q(resample="two_way", sides=2, correction="holm"),
                name="ranking_settings_anytime_ranges_corrected",
            ),
            models.CheckConstraint(
                condition=~models.Q(ranges="anytime")
                | models.Q(method__in=["by_design", "expected_wins"]),
                name="ranking_settings_anytime_ranges_method",
            ),
            models.CheckConstraint(
                condition=~models.Q(resample="pairs")
                | ~models.Q(method__in=["geq_all_in_block", "gt_all_in_block"]),
                name="ranking_settings_block_methods_resample_blocks",
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
                "ranking_settings_group_of_its_campaign",
                operation=pgtrigger.Insert,
                when=pgtrigger.Before,
            ),
        ]

    @property
    def choice(self) -> RangeOptions:
        """Rank ranges of these settings."""
        return RangeOptions(
            resample=cast("Level", self.resample),
            ranges=cast("RangeKind", self.ranges),
            correction=Correction(self.correction),
            sides=cast("Sides", self.sides),
            confidence=self.confidence,
        )


_RULE_TERMS = (
    "judgments",
    "pairs_share",
    "clusters",
    "until",
    "tests",
    "confidence",
    "reason",
)


class StoppingRule(_SettingOfTask):
    """Stopping rule of a task, valid from a given time: judging should end with the first criterion met.

    Each change is a new row, so the rows of a test set are its history; the newest is in force, and one without
    criteria removes the rule. A rule does not close the task: that is up to an organiser.
    """

    Tests = RuleTests

    task = models.ForeignKey(
        "campaign.Task",
        models.CASCADE,
        related_name="stopping_rules",
        db_index=False,
    )
    judgments = models.PositiveIntegerField(
        _("Judgments"),
        help_text="Stop at this number of judgments.",
        null=True,
        blank=True,
    )
    pairs_share = models.FloatField(
        _("Share of pairs told apart"),
        help_text="Stop at this share of pairs told apart, above 0 and up to 1.",
        null=True,
        blank=True,
    )
    clusters = models.PositiveSmallIntegerField(
        _("Clusters"),
        null=True,
        blank=True,
        help_text="Stop at this number of clusters, at least 2.",
    )
    until = models.DateField(
        _("Day"),
        null=True,
        blank=True,
        help_text="Stop on this day.",
    )
    tests = models.CharField(
        _("Pairs told apart by"),
        max_length=8,
        choices=RuleTests,
        default=RuleTests.ANYTIME,
    )
    after_judgments = models.PositiveIntegerField(editable=False)

    recording: ClassVar = _recording(
        _RULE_TERMS,
        created=pgettext_lazy("activity", "Stopping rule created"),
        changed=pgettext_lazy("activity", "Stopping rule changed"),
        deleted=pgettext_lazy("activity", "Stopping rule deleted"),
    )

    class Meta(_SettingOfTask.Meta):
        verbose_name = _("Stopping rule")
        indexes = [models.Index(fields=["task", "-id"], name="stopping_rule_in_force")]
        constraints = [
            is_one_of("tests", RuleTests, name="stopping_rule_tests_are_known"),
            models.CheckConstraint(
                condition=models.Q(judgments=None) | models.Q(judgments__gt=0),
                name="stopping_rule_judgments_above_0",
            ),
            models.CheckConstraint(
                condition=models.Q(pairs_share=None)
                | models.Q(pairs_share__gt=0, pairs_share__lte=1),
                name="stopping_rule_share_above_0_up_to_1",
            ),
            models.CheckConstraint(
                condition=models.Q(clusters=None) | models.Q(clusters__gte=2),
                name="stopping_rule_clusters_at_least_2",
            ),
            models.CheckConstraint(
                condition=models.Q(confidence__gt=0, confidence__lte=0.999),
                name="stopping_rule_confidence_above_0_up_to_0_999",
            ),
            models.CheckConstraint(
                condition=models.Q(after_judgments=0) | ~models.Q(reason=""),
                name="stopping_rule_set_later_has_a_reason",
            ),
        ]
        triggers = [
            # The account of its author may be deleted.
            pgtrigger.Protect(
                name="stopping_rule_immutable",
                operation=pgtrigger.UpdateOf(  # type: ignore[no-untyped-call]  # it has no types
                    "task_id",
                    *_RULE_TERMS,
                    "after_judgments",
                    "created_at",
                ),
            ),
        ]

    @property
    def is_there(self) -> bool:
        """True if the rule has a criterion."""
        return any(getattr(self, name) is not None for name in CRITERIA)

    @property
    def recorded(self) -> RecordedRule:
        """Plain values for the parameters of rankings; empty without a rule."""
        if not self.is_there:
            return {}
        return {
            "judgments": self.judgments,
            "pairs_share": self.pairs_share,
            "clusters": self.clusters,
            "until": None if self.until is None else self.until.isoformat(),
            "tests": str(self.tests),
            "confidence": self.confidence,
            "after_judgments": self.after_judgments,
        }
