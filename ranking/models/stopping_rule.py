from typing import Any, ClassVar

import pgtrigger
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy as _

from campaign.database.recording import RecordedModel, Recording
from campaign.database.triggers import is_one_of
from campaign.models.user import by_user
from ranking.wording.stopping_rules import CRITERIA, RuleTests

_TERMS = ("judgments", "pairs_share", "clusters", "until", "tests", "confidence", "reason")


class StoppingRule(RecordedModel):
    """Stopping rule of a task, valid from a given time: judging should end with the first criterion met.

    Each change is a new row, so the rows of a test set are its history; the newest is in force, and one without
    criteria removes the rule. A rule does not close the task: that is up to an organiser.
    """

    Tests = RuleTests

    task = models.ForeignKey(
        "campaign.Task", models.CASCADE, related_name="stopping_rules", db_index=False
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
    until = models.DateField(_("Day"), null=True, blank=True, help_text="Stop on this day.")
    tests = models.CharField(
        _("Pairs told apart by"), max_length=8, choices=RuleTests, default=RuleTests.HOLM
    )
    confidence = models.FloatField(_("Confidence"), default=0.95)
    reason = models.CharField(
        _("Reason"),
        help_text="Required once there are judgments. Published with results.",
        max_length=1000,
        blank=True,
        default="",
    )
    after_judgments = models.PositiveIntegerField(editable=False)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    changed_by = by_user()

    recording: ClassVar = Recording(
        fields=_TERMS,
        campaign="task__test_set__campaign_id",
        test_set="task__test_set_id",
        replaces=lambda row: models.Q(task=row.task_id),
    )

    class Meta:
        verbose_name = _("Stopping rule")
        get_latest_by = "id"
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
                    "task_id", *_TERMS, "after_judgments", "created_at"
                ),
            ),
        ]

    @property
    def is_there(self) -> bool:
        """True if the rule has a criterion."""
        return any(getattr(self, name) is not None for name in CRITERIA)

    @property
    def recorded(self) -> dict[str, Any]:
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
