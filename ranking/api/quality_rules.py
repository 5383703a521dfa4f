"""Quality rules of a campaign, for its organisers: preview, activate and undo."""

from typing import Any

from django.db.models import QuerySet
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.response import Response

from annotation.models import QualityActionKind, QualityRule, RuleDirection
from annotation.models.judge_measures import MAX_MINIMUM, SCALES, JudgeMeasure, Scale
from annotation.models.quality import ACTIONS
from annotation.services.quality import (
    RuleTerms,
    quality_rule_switch_off,
    quality_rule_undo,
    suggested_terms,
)
from campaign.api.operations import Address, operation, row_found
from campaign.api.plain_serializer import PlainSerializer
from campaign.api.requests import NumberField
from campaign.models import Task
from ranking.pages.judge_measures import rule_in_words
from ranking.pages.summary import effects_in_words
from ranking.selectors.quality_rules import (
    RuleEffects,
    quality_rules,
    rule_effects,
)
from ranking.services.quality_rules import (
    ConfirmationNeededError,
    RulesInForce,
    rule_release,
    rule_replace,
    rules_preview,
    rules_put_in_force,
)

_THRESHOLD = (
    "In the unit of the measure, as in `judges/`: shares and probabilities from 0 to 1, κ from −1 to "
    "1, times from 0 to 86,400 seconds."
)
_CONFIRM = (
    "The `confirm` code from a 409 answer, required if more than one in five judges are affected. 409 "
    "again if the effects have changed."
)


class _TaskField(serializers.PrimaryKeyRelatedField[Task]):
    def get_queryset(self) -> Any:
        return Task.objects.of(self.context["view"].campaign).all()


class _RuleField(serializers.PrimaryKeyRelatedField[QualityRule]):
    def get_queryset(self) -> Any:
        return self.context["view"].campaign.quality_rules.filter(switched_off_at__isnull=True)


class RuleTermsSerializer(serializers.Serializer[RuleTerms]):
    """Terms of a rule."""

    action = serializers.ChoiceField(choices=ACTIONS)
    measure = serializers.ChoiceField(choices=JudgeMeasure.choices)
    direction = serializers.ChoiceField(choices=RuleDirection.choices)
    threshold = NumberField(help_text=_THRESHOLD)
    minimum = serializers.IntegerField(
        min_value=1,
        max_value=MAX_MINIMUM,
        help_text="Minimum number of comparisons, blocks or segments.",
    )
    task = _TaskField(
        queryset=Task.objects.none(),
        allow_null=True,
        default=None,
        help_text="Null for all test sets of the campaign.",
    )


class ConfirmSerializer(PlainSerializer):
    confirm = serializers.CharField(default="", allow_blank=True, help_text=_CONFIRM)


class NewRuleSerializer(ConfirmSerializer, RuleTermsSerializer):
    """A rule to add or to replace another one."""

    replaces = _RuleField(
        queryset=QualityRule.objects.none(),
        allow_null=True,
        default=None,
        help_text="Rule in force to replace.",
    )
    undo = serializers.BooleanField(
        default=False, help_text="Undo the actions of the replaced rule."
    )


class UndoSerializer(PlainSerializer):
    undo = serializers.BooleanField(help_text="Whether to undo the actions of the rule.")


class EffectsSerializer(serializers.Serializer[RuleEffects]):
    """Current effects of rules on judges they have not acted on yet."""

    words = serializers.SerializerMethodField()
    measured = serializers.IntegerField(help_text="Judges measured.")
    warn = serializers.SerializerMethodField(help_text="Pseudonyms of judges.")
    pause = serializers.SerializerMethodField()
    exclude = serializers.SerializerMethodField()
    needs_confirmation = serializers.BooleanField(
        source="is_large", help_text="More than one in five judges are affected."
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


class ConfirmationNeededSerializer(PlainSerializer):
    """Conflict: confirmation needed. Nothing was changed."""

    detail = serializers.CharField()
    effects = EffectsSerializer()


class QualityRuleSerializer(serializers.ModelSerializer[QualityRule]):
    """A rule with its terms and the number of its actions."""

    words = serializers.SerializerMethodField()
    threshold = serializers.FloatField(help_text=_THRESHOLD)
    unit = serializers.SerializerMethodField(help_text="Unit of the threshold.")
    acted = serializers.IntegerField(help_text="Judges the rule acted on.")
    standing = serializers.IntegerField(help_text="Actions still in force.")
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


class RulesInForceSerializer(PlainSerializer):
    rules = QualityRuleSerializer(many=True)
    effects = EffectsSerializer()


_PUT_IN_FORCE = {201: RulesInForceSerializer, 409: ConfirmationNeededSerializer}


class _RuleAddress(Address):
    def rule(self, rule_id: int) -> QualityRule:
        return row_found(quality_rules(campaign=self.campaign), "Rule not found.", pk=rule_id)

    def handle_exception(self, exc: Exception) -> Response:
        """Respond to a missing confirmation with 409 and the effects to confirm."""
        if isinstance(exc, ConfirmationNeededError):
            effects = EffectsSerializer(exc.effects).data
            return Response({"detail": str(exc), "effects": effects}, status=409)
        return super().handle_exception(exc)


class _RulesAddress(_RuleAddress):
    """Base class of endpoints that activate rules."""

    def in_force(self, done: RulesInForce) -> dict[str, Any]:
        rules = quality_rules(campaign=self.campaign)
        pks = [rule.pk for rule in done.rules]
        return {"rules": rules.filter(pk__in=pks), "effects": done.effects}


class RulesView(_RulesAddress):
    @operation("campaigns_rules_list", QualityRuleSerializer(many=True))
    def get(self) -> QuerySet[QualityRule]:
        """List the rules of a campaign, including those switched off, newest first."""
        return quality_rules(campaign=self.campaign)

    @operation("rules_put_in_force", _PUT_IN_FORCE, takes=NewRuleSerializer)
    def post(self) -> dict[str, Any]:
        """Add a rule, which acts immediately. 409 with its effects if it affects more than one in five judges."""
        asked = dict(self.sent)
        replaces, undo, confirmed = asked.pop("replaces"), asked.pop("undo"), asked.pop("confirm")
        by: dict[str, Any] = {"user": self.user, "confirmed": confirmed}
        terms = RuleTerms(**asked)
        if replaces is None:
            done = rules_put_in_force(campaign=self.campaign, terms=[terms], **by)
        else:
            done = rule_replace(rule=replaces, terms=terms, undo=undo, **by)
        return self.in_force(done)


class RulesPreviewView(Address):
    @operation("rules_preview", EffectsSerializer, takes=RuleTermsSerializer)
    def post(self) -> RuleEffects:
        """Preview the effects of a rule. Nothing is stored."""
        return rules_preview(campaign=self.campaign, terms=[RuleTerms(**self.sent)])


class RulesSuggestedView(_RulesAddress):
    @operation("suggested_rules_preview", EffectsSerializer)
    def get(self) -> RuleEffects:
        """Preview the combined effects of suggested rules that are not in force."""
        terms = suggested_terms(campaign=self.campaign)
        return rules_preview(campaign=self.campaign, terms=terms)

    @operation("suggested_rules_put_in_force", _PUT_IN_FORCE, takes=ConfirmSerializer)
    def post(self) -> dict[str, Any]:
        """Add the suggested rules, which only warn. 409 as for a single rule."""
        done = rules_put_in_force(
            campaign=self.campaign,
            terms=suggested_terms(campaign=self.campaign),
            user=self.user,
            confirmed=self.sent["confirm"],
        )
        return self.in_force(done)


class RuleOffView(_RuleAddress):
    @operation("rule_switch_off", QualityRuleSerializer, takes=UndoSerializer)
    def post(self, rule_id: int) -> QualityRule:
        """Switch off a rule; `undo` also reverts its actions."""
        quality_rule_switch_off(rule=self.rule(rule_id), user=self.user, **self.sent)
        return self.rule(rule_id)


class RuleUndoView(_RuleAddress):
    @operation("rule_undo", QualityRuleSerializer)
    def post(self, rule_id: int) -> QualityRule:
        """Undo all actions of a rule. The rule stays in force."""
        quality_rule_undo(rule=self.rule(rule_id), user=self.user)
        return self.rule(rule_id)


class RuleActView(_RuleAddress):
    @operation("rule_waiting", EffectsSerializer)
    def get(self, rule_id: int) -> RuleEffects:
        """List judges for whom a rule waits for confirmation."""
        rule = self.rule(rule_id)
        return rule_effects([] if rule.switched_off_at else [rule], campaign=self.campaign)

    @operation(
        "rule_act",
        {200: EffectsSerializer, 409: ConfirmationNeededSerializer},
        takes=ConfirmSerializer,
    )
    def post(self, rule_id: int) -> RuleEffects:
        """Apply a waiting rule to the judges listed by `GET`. `confirm` is required."""
        confirmed = self.sent["confirm"]
        return rule_release(rule=self.rule(rule_id), user=self.user, confirmed=confirmed)
