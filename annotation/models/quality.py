"""Rules for judges' quality, and the actions taken on judges; both are kept as history."""

from typing import ClassVar

import pgtrigger
from django.db import models
from django.db.models.functions import Now
from django.utils.formats import localize
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from annotation.models.judge_measures import LIMITS, SCALES, JudgeMeasure
from campaign.database.personal import KEPT_DOWNLOADED, KEPT_WITHHELD, PersonalData
from campaign.database.recording import RecordedModel, RecordedQuerySet, Recording
from campaign.database.times import inserted_at
from campaign.database.triggers import is_one_of, trigger_from_file
from campaign.models.user import by_user
from campaign.texts.joining import labelled

#: Actions available to a rule.
ACTIONS = [("warn", _("Warn")), ("pause", _("Pause")), ("exclude", _("Exclude"))]


class QualityActionKind(models.TextChoices):
    """Action taken on a judge."""

    WARN = "warn", pgettext_lazy("action on judges", "Warned")
    PAUSE = "pause", pgettext_lazy("action on judges", "Paused")
    EXCLUDE = "exclude", pgettext_lazy("action on judges", "Excluded")
    AGAIN = "again", _("Asked to judge again")
    MESSAGE = "message", _("Messaged")
    RETRACT = "retract", _("Answer taken back")


#: Decisions about judges as a whole, rather than about one of their answers.
DECISIONS_ON_JUDGES = [
    choice
    for choice in QualityActionKind.choices
    if choice[0] != QualityActionKind.RETRACT
]
#: Actions that count against a judge while in force, and that reinstating reverts.
STANDING_ACTIONS = (
    QualityActionKind.WARN,
    QualityActionKind.PAUSE,
    QualityActionKind.EXCLUDE,
)


class RuleDirection(models.TextChoices):
    """Side of the threshold on which a measure triggers the action."""

    BELOW = "below", _("Below")
    ABOVE = "above", _("Above")


def _threshold_in_range() -> models.Q:
    """Return the constraint that a threshold is within its measure's range while the rule is in force."""
    condition = models.Q(switched_off_at__isnull=False)
    for scale, limits in LIMITS.items():
        measures = sorted(
            str(measure) for measure in JudgeMeasure if SCALES[measure] == scale
        )
        # Comparisons with NaN and the infinities are always true or always false.
        condition |= models.Q(
            measure__in=measures,
            threshold__gte=limits.least,
            threshold__lte=limits.most,
        )
    return condition


class QualityRule(RecordedModel):
    """Quality rule: an action to take when a judge's measure crosses a threshold, given enough evidence.

    Terms never change: a change is a new rule that `replaces` the old one,
    which is switched off. Actions keep the rule they came from.
    """

    campaign = models.ForeignKey(
        "campaign.Campaign",
        models.CASCADE,
        related_name="quality_rules",
    )
    task = models.ForeignKey(
        "campaign.Task",
        models.CASCADE,
        related_name="quality_rules",
        null=True,
        blank=True,
        help_text="Empty for all test sets of the campaign.",
        db_index=False,  # few rows
        verbose_name=_("Task"),
    )
    measure = models.CharField(_("Measure"), max_length=20, choices=JudgeMeasure)
    direction = models.CharField(_("Direction"), max_length=5, choices=RuleDirection)
    threshold = models.FloatField(_("Threshold"))
    minimum = models.PositiveIntegerField(
        _("Minimum evidence"),
        help_text="Comparisons or blocks that the measure is based on.",
    )
    action = models.CharField(_("Action"), max_length=7, choices=ACTIONS)
    replaces = models.OneToOneField(
        "self",
        models.PROTECT,
        related_name="replaced_by",
        null=True,
        blank=True,
    )
    created_by = by_user(on_delete=models.PROTECT)
    created_at = models.DateTimeField(db_default=Now())
    switched_off_by = by_user(on_delete=models.PROTECT)
    switched_off_at = models.DateTimeField(
        pgettext_lazy("quality rule", "Switched off"),
        null=True,
        blank=True,
    )

    recording: ClassVar = Recording(
        created=pgettext_lazy("activity", "Quality rule created"),
        changed=pgettext_lazy("activity", "Quality rule changed"),
        deleted=pgettext_lazy("activity", "Quality rule deleted"),
        fields=[
            "task_id",
            "measure",
            "direction",
            "threshold",
            "minimum",
            "action",
            "switched_off_at",
        ],
        test_set="task__test_set_id",
        replaces=lambda row: models.Q(pk=row.replaces_id),
    )

    class Meta:
        verbose_name = _("Quality rule")
        constraints = [
            is_one_of("measure", JudgeMeasure, name="quality_rule_measure_is_known"),
            is_one_of(
                "direction",
                RuleDirection,
                name="quality_rule_direction_is_known",
            ),
            is_one_of(
                "action",
                [action for action, _words in ACTIONS],
                name="quality_rule_action_is_known",
            ),
            models.CheckConstraint(
                condition=models.Q(minimum__gte=1),
                name="quality_rule_needs_evidence",
            ),
            # Rules that predate these bounds stay in the history, switched off.
            models.CheckConstraint(
                condition=_threshold_in_range(),
                name="quality_rule_threshold_in_range",
            ),
        ]
        triggers = [
            trigger_from_file(
                "annotation",
                "quality_rule_terms_immutable",
                operation=pgtrigger.Update,
                when=pgtrigger.Before,
            ),
        ]

    def __str__(self) -> str:
        if self.direction == RuleDirection.BELOW:
            sign = "<"
        else:
            sign = ">"
        condition = f"{self.get_measure_display()} {sign} {localize(self.threshold)}"
        return labelled(self.get_action_display(), condition)


class QualityActionQuerySet(RecordedQuerySet["QualityAction"]):
    def in_force(self) -> "QualityActionQuerySet":
        """Return the actions that were not reverted."""
        return self.filter(reverted_at=None)

    def standing(self) -> "QualityActionQuerySet":
        """Return the actions in force that count against a judge, which excludes requests and messages."""
        return self.in_force().filter(action__in=STANDING_ACTIONS)

    def taken_back(self, *, block: int) -> "QualityActionQuerySet":
        """Return the action in force that took the answers to a block back, if there is one."""
        return self.in_force().filter(
            action=QualityActionKind.RETRACT,
            evidence__block=block,
        )


class QualityAction(RecordedModel):
    """Action on a judge (warned, paused, excluded, asked or told something), its rule or author, and its evidence.

    Applies to the judge in the whole campaign; `task` is the source of the evidence. Never changed,
    except that it may be reverted once.
    """

    judge = models.ForeignKey(
        "campaign.Judge",
        models.PROTECT,
        related_name="quality_actions",
        verbose_name=_("Judge"),
    )
    task = models.ForeignKey(
        "campaign.Task",
        models.PROTECT,
        related_name="quality_actions",
    )
    rule = models.ForeignKey(
        QualityRule,
        models.PROTECT,
        related_name="actions",
        null=True,
        blank=True,
        db_index=False,
        verbose_name=_("Quality rule"),
    )
    action = models.CharField(_("Action"), max_length=7, choices=QualityActionKind)
    evidence = models.JSONField(default=dict)
    note = models.TextField(
        _("Note"),
        blank=True,
        help_text="Not shown to judges. For an exclusion, published results show it as the reason.",
    )
    text = models.TextField(
        _("Message"),
        blank=True,
        default="",
        db_default="",
        help_text="Message shown to the judge.",
    )
    batch = models.UUIDField(
        null=True,
        blank=True,
        help_text="Shared by decisions about several judges at once.",
    )
    created_by = by_user(on_delete=models.PROTECT)
    created_at = inserted_at()
    reverted_at = models.DateTimeField(
        pgettext_lazy("quality action", "Reverted"),
        null=True,
        blank=True,
    )
    reverted_by = by_user(on_delete=models.PROTECT)
    revert_note = models.TextField(_("Note on the reversal"), blank=True, default="")
    revert_batch = models.UUIDField(null=True, blank=True)

    personal: ClassVar = PersonalData(
        person="judge",
        fields={
            "task": KEPT_WITHHELD,
            "rule": KEPT_WITHHELD,
            "action": KEPT_WITHHELD,
            "evidence": KEPT_WITHHELD,
            "note": KEPT_WITHHELD,
            "text": KEPT_DOWNLOADED,
            "batch": KEPT_WITHHELD,
            "created_by": KEPT_WITHHELD,
            "created_at": KEPT_DOWNLOADED,
            "reverted_at": KEPT_WITHHELD,
            "reverted_by": KEPT_WITHHELD,
            "revert_note": KEPT_WITHHELD,
            "revert_batch": KEPT_WITHHELD,
        },
    )

    withheld: ClassVar = "DELETE"
    recording: ClassVar = Recording(
        created=pgettext_lazy("activity", "Quality action taken"),
        changed=pgettext_lazy("activity", "Quality action changed"),
        deleted=pgettext_lazy("activity", "Quality action deleted"),
        fields=[
            "judge_id",
            "rule_id",
            "action",
            "note",
            "text",
            "reverted_at",
            "revert_note",
        ],
        campaign="judge__campaign_id",
        test_set="task__test_set_id",
        called="judge__pseudonym",
    )
    objects: ClassVar[QualityActionQuerySet] = QualityActionQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        verbose_name = _("Quality action")
        constraints = [
            is_one_of("action", QualityActionKind, name="quality_action_is_known"),
            models.CheckConstraint(
                condition=models.Q(rule__isnull=False, created_by__isnull=True)
                | models.Q(rule__isnull=True, created_by__isnull=False),
                name="quality_action_by_rule_or_person",
            ),
            models.CheckConstraint(
                condition=models.Q(action="message") & ~models.Q(text="")
                | ~models.Q(action="message") & models.Q(text=""),
                name="quality_action_text_iff_message",
            ),
            # Applies to reverted actions too: the organiser's decision overrides the rule.
            models.UniqueConstraint(
                fields=["rule", "judge"],
                name="quality_action_once_per_rule_and_judge",
            ),
            models.CheckConstraint(
                condition=models.Q(reverted_at__isnull=False, reverted_by__isnull=False)
                | models.Q(
                    reverted_at__isnull=True,
                    reverted_by__isnull=True,
                    revert_note="",
                    revert_batch__isnull=True,
                ),
                name="quality_action_reverted_by_a_person",
            ),
        ]
        triggers = [
            pgtrigger.Protect(
                name="quality_action_immutable",
                operation=pgtrigger.UpdateOf(  # type: ignore[no-untyped-call]  # it has no types
                    "judge_id",
                    "task_id",
                    "rule_id",
                    "action",
                    "evidence",
                    "note",
                    "text",
                    "batch",
                    "created_by_id",
                    "created_at",
                ),
            ),
            pgtrigger.Protect(
                name="quality_action_reverted_once",
                operation=pgtrigger.UpdateOf(  # type: ignore[no-untyped-call]
                    "reverted_at",
                    "reverted_by_id",
                    "revert_note",
                    "revert_batch",
                ),
                condition=pgtrigger.Q(old__reverted_at__isnull=False),
            ),
        ]
