"""Quality rules of a campaign, for its organisers: preview, activate and undo."""

from typing import Any

from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
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
from campaign.api.base import CampaignAPIView, row_or_404
from campaign.api.plain_serializer import PlainSerializer
from campaign.api.requests import NumberField
from campaign.models import Task
from ranking.pages.judge_measures import rule_in_words
from ranking.pages.summary import effects_in_words
from ranking.selectors.quality_rules import RuleEffects, quality_rules, rule_effects
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
        return self.context["view"].campaign.quality_rules.filter(
            switched_off_at__isnull=True,
        )


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
        default=False,
        help_text="Undo the actions of the replaced rule.",
    )


class UndoSerializer(PlainSerializer):
    undo = serializers.BooleanField(
        help_text="Whether to undo the actions of the rule.",
    )


class EffectsSerializer(serializers.Serializer[RuleEffects]):
    """Current effects of rules on judges they have not acted on yet."""

    words = serializers.SerializerMethodField()
    measured = serializers.IntegerField(help_text="Judges measured.")
    warn = serializers.SerializerMethodField(help_text="Pseudonyms of judges.")
    pause = serializers.SerializerMethodField()
    exclude = serializers.SerializerMethodField()
    needs_confirmation = serializers.BooleanField(
        source="is_large",
        help_text="More than one in five judges are affected.",
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
    created_by = serializers.CharField(
        source="created_by.name",
        default=None,
        allow_null=True,
    )
    switched_off_by = serializers.CharField(
        source="switched_off_by.name",
        default=None,
        allow_null=True,
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

    @extend_schema_field(
        serializers.ChoiceField(choices=[scale.value for scale in Scale]),
    )
    def get_unit(self, rule: QualityRule) -> str:
        return SCALES[JudgeMeasure(rule.measure)].value


class RulesInForceSerializer(PlainSerializer):
    rules = QualityRuleSerializer(many=True)
    effects = EffectsSerializer()


_PUT_IN_FORCE = {201: RulesInForceSerializer, 409: ConfirmationNeededSerializer}


class _RuleAPIView(CampaignAPIView):
    def rule(self, rule_id: int) -> QualityRule:
        return row_or_404(
            quality_rules(campaign=self.campaign),
            "Rule not found.",
            pk=rule_id,
        )

    def handle_exception(self, exc: Exception) -> Response:
        """Respond to a missing confirmation with 409 and the effects to confirm."""
        if isinstance(exc, ConfirmationNeededError):
            effects = EffectsSerializer(exc.effects).data
            return Response({"detail": str(exc), "effects": effects}, status=409)
        return super().handle_exception(exc)


class _RulesAPIView(_RuleAPIView):
    """Base class of endpoints that activate rules."""

    def in_force(self, outcome: RulesInForce) -> dict[str, Any]:
        rules = quality_rules(campaign=self.campaign)
        pks = [rule.pk for rule in outcome.rules]
        return {"rules": rules.filter(pk__in=pks), "effects": outcome.effects}


class RulesView(_RulesAPIView):
    @extend_schema("campaigns_rules_list", responses=QualityRuleSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """List the rules of a campaign, including those switched off, newest first."""
        return self.paginated(
            quality_rules(campaign=self.campaign),
            QualityRuleSerializer,
        )

    @extend_schema(
        "rules_put_in_force",
        request=NewRuleSerializer,
        responses=_PUT_IN_FORCE,
    )
    def post(self, request: Request, slug: str) -> Response:
        """Add a rule, which acts immediately. 409 with its effects if it affects more than one in five judges."""
        data = self.validated(NewRuleSerializer)
        replaces = data.pop("replaces")
        undo = data.pop("undo")
        confirmed = data.pop("confirm")
        terms = RuleTerms(**data)
        if replaces is None:
            outcome = rules_put_in_force(
                campaign=self.campaign,
                terms=[terms],
                user=self.user,
                confirmed=confirmed,
            )
        else:
            outcome = rule_replace(
                rule=replaces,
                terms=terms,
                user=self.user,
                undo=undo,
                confirmed=confirmed,
            )
        return self.serialized(
            self.in_force(outcome),
            RulesInForceSerializer,
            status=201,
        )


class RulesPreviewView(CampaignAPIView):
    @extend_schema(
        "rules_preview",
        request=RuleTermsSerializer,
        responses=EffectsSerializer,
    )
    def post(self, request: Request, slug: str) -> Response:
        """Preview the effects of a rule. Nothing is stored."""
        data = self.validated(RuleTermsSerializer)
        return self.serialized(
            rules_preview(campaign=self.campaign, terms=[RuleTerms(**data)]),
            EffectsSerializer,
        )


class RulesSuggestedView(_RulesAPIView):
    @extend_schema("suggested_rules_preview", responses=EffectsSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """Preview the combined effects of suggested rules that are not in force."""
        terms = suggested_terms(campaign=self.campaign)
        return self.serialized(
            rules_preview(campaign=self.campaign, terms=terms),
            EffectsSerializer,
        )

    @extend_schema(
        "suggested_rules_put_in_force",
        request=ConfirmSerializer,
        responses=_PUT_IN_FORCE,
    )
    def post(self, request: Request, slug: str) -> Response:
        """Add the suggested rules, which only warn. 409 as for a single rule."""
        data = self.validated(ConfirmSerializer)
        outcome = rules_put_in_force(
            campaign=self.campaign,
            terms=suggested_terms(campaign=self.campaign),
            user=self.user,
            confirmed=data["confirm"],
        )
        return self.serialized(
            self.in_force(outcome),
            RulesInForceSerializer,
            status=201,
        )


class RuleOffView(_RuleAPIView):
    @extend_schema(
        "rule_switch_off",
        request=UndoSerializer,
        responses=QualityRuleSerializer,
    )
    def post(self, request: Request, slug: str, rule_id: int) -> Response:
        """Switch off a rule; `undo` also reverts its actions."""
        data = self.validated(UndoSerializer)
        quality_rule_switch_off(rule=self.rule(rule_id), user=self.user, **data)
        return self.serialized(self.rule(rule_id), QualityRuleSerializer)


class RuleUndoView(_RuleAPIView):
    @extend_schema("rule_undo", request=None, responses=QualityRuleSerializer)
    def post(self, request: Request, slug: str, rule_id: int) -> Response:
        """Undo all actions of a rule. The rule stays in force."""
        quality_rule_undo(rule=self.rule(rule_id), user=self.user)
        return self.serialized(self.rule(rule_id), QualityRuleSerializer)


class RuleActView(_RuleAPIView):
    @extend_schema("rule_waiting", responses=EffectsSerializer)
    def get(self, request: Request, slug: str, rule_id: int) -> Response:
        """List judges for whom a rule waits for confirmation."""
        rule = self.rule(rule_id)
        return self.serialized(
            rule_effects(
                [] if rule.switched_off_at else [rule],
                campaign=self.campaign,
            ),
            EffectsSerializer,
        )

    @extend_schema(
        "rule_act",
        request=ConfirmSerializer,
        responses={200: EffectsSerializer, 409: ConfirmationNeededSerializer},
    )
    def post(self, request: Request, slug: str, rule_id: int) -> Response:
        """Apply a waiting rule to the judges listed by `GET`. `confirm` is required."""
        data = self.validated(ConfirmSerializer)
        confirmed = data["confirm"]
        return self.serialized(
            rule_release(rule=self.rule(rule_id), user=self.user, confirmed=confirmed),
            EffectsSerializer,
        )
