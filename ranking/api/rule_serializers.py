"""Shapes of quality rules, and of what they would do."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from annotation.judge_measures import MAX_MINIMUM, SCALES, JudgeMeasure, Scale
from annotation.models import QualityActionKind, QualityRule, RuleDirection
from annotation.models.quality import ACTIONS
from annotation.services import RuleTerms
from campaign.api.requests import NumberField
from campaign.models import Campaign, Task
from ranking.pages.effects import effects_in_words
from ranking.pages.judge_measures import rule_in_words
from ranking.selectors.rule_effects import RuleEffects

_THRESHOLD = (
    "In the unit of the measure, as `judges/` gives its values: shares and probabilities from 0 to 1, "
    "κ from −1 to 1, times from 0 to 86,400 seconds. Anything else is refused with its range."
)
_CONFIRM = (
    "The `confirm` of the effects that were answered with 409. Needed where more than one in five "
    "judges are met; with another code than that of the present effects the answer is 409 again."
)


class RuleTermsSerializer(serializers.Serializer[RuleTerms]):
    """When a rule acts, and what it does."""

    action = serializers.ChoiceField(choices=ACTIONS)
    measure = serializers.ChoiceField(choices=JudgeMeasure.choices)
    direction = serializers.ChoiceField(choices=RuleDirection.choices)
    threshold = NumberField(help_text=_THRESHOLD)
    minimum = serializers.IntegerField(
        min_value=1,
        max_value=MAX_MINIMUM,
        help_text="Comparisons, blocks or segments the measure must rest on.",
    )
    task = serializers.PrimaryKeyRelatedField(
        queryset=Task.objects.none(),
        allow_null=True,
        default=None,
        help_text="Null: each test set of the campaign.",
    )

    def __init__(self, *args: Any, campaign: Campaign | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if campaign is not None:
            field: Any = self.fields["task"]
            field.queryset = Task.objects.of(campaign).all()

    @property
    def terms(self) -> RuleTerms:
        """Return the terms of valid data."""
        names = RuleTerms.__dataclass_fields__
        return RuleTerms(**{name: self.validated_data[name] for name in names})


class ConfirmSerializer(serializers.Serializer[Any]):
    confirm = serializers.CharField(default="", allow_blank=True, help_text=_CONFIRM)


class NewRuleSerializer(RuleTermsSerializer):
    """A rule to put in force, perhaps in the place of another."""

    confirm = serializers.CharField(default="", allow_blank=True, help_text=_CONFIRM)
    replaces = serializers.PrimaryKeyRelatedField(
        queryset=QualityRule.objects.none(),
        allow_null=True,
        default=None,
        help_text="A rule in force, which is switched off.",
    )
    undo = serializers.BooleanField(
        default=False, help_text="Revert what the rule that it replaces did."
    )

    def __init__(self, *args: Any, campaign: Campaign | None = None, **kwargs: Any) -> None:
        super().__init__(*args, campaign=campaign, **kwargs)
        if campaign is not None:
            field: Any = self.fields["replaces"]
            field.queryset = campaign.quality_rules.filter(switched_off_at__isnull=True)


class UndoSerializer(serializers.Serializer[Any]):
    undo = serializers.BooleanField(help_text="Whether to revert what the rule did.")


class EffectsSerializer(serializers.Serializer[RuleEffects]):
    """What rules would do now, each to judges it has not acted on."""

    words = serializers.SerializerMethodField()
    measured = serializers.IntegerField(help_text="Judges they look at.")
    warn = serializers.SerializerMethodField(help_text="Pseudonyms.")
    pause = serializers.SerializerMethodField()
    exclude = serializers.SerializerMethodField()
    needs_confirmation = serializers.BooleanField(
        source="is_large", help_text="More than one in five judges are met."
    )
    confirm = serializers.CharField(source="code")

    def get_words(self, effects: RuleEffects) -> list[str]:
        return effects_in_words(effects)

    def get_warn(self, effects: RuleEffects) -> list[str]:
        return effects.names(QualityActionKind.WARN)

    def get_pause(self, effects: RuleEffects) -> list[str]:
        return effects.names(QualityActionKind.PAUSE)

    def get_exclude(self, effects: RuleEffects) -> list[str]:
        return effects.names(QualityActionKind.EXCLUDE)


class ConfirmationNeededSerializer(serializers.Serializer[Any]):
    """Answered with 409: nothing was changed."""

    detail = serializers.CharField()
    effects = EffectsSerializer()


class QualityRuleSerializer(serializers.ModelSerializer[QualityRule]):
    """A rule with its terms, which never change, and how often it acted."""

    words = serializers.SerializerMethodField()
    threshold = serializers.FloatField(help_text=_THRESHOLD)
    unit = serializers.SerializerMethodField(help_text="What kind of number the threshold is.")
    acted = serializers.IntegerField(help_text="Judges it acted on.")
    standing = serializers.IntegerField(help_text="Of these actions, those that are in force.")
    created_by = serializers.CharField(source="created_by.name", default=None, allow_null=True)
    switched_off_by = serializers.CharField(
        source="switched_off_by.name", default=None, allow_null=True
    )

    class Meta:
        model = QualityRule
        fields = [
            "id",
            "words",
            "action",
            "measure",
            "direction",
            "threshold",
            "unit",
            "minimum",
            "task",
            "replaces",
            "acted",
            "standing",
            "created_at",
            "created_by",
            "switched_off_at",
            "switched_off_by",
        ]
        read_only_fields = fields

    def get_words(self, rule: QualityRule) -> str:
        return rule_in_words(rule)

    @extend_schema_field(serializers.ChoiceField(choices=[scale.value for scale in Scale]))
    def get_unit(self, rule: QualityRule) -> str:
        return SCALES[JudgeMeasure(rule.measure)].value
