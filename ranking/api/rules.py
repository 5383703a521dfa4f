"""Quality rules of a campaign, for its organisers: preview of effects, activation, undoing."""

from collections.abc import Callable
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema, extend_schema_field, inline_serializer
from rest_framework import generics, serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.judge_measures import MAX_MINIMUM, SCALES, JudgeMeasure, Scale
from annotation.models import QualityActionKind, QualityRule, RuleDirection
from annotation.models.quality import ACTIONS
from annotation.services.quality import (
    RuleTerms,
    quality_rule_switch_off,
    quality_rule_undo,
    suggested_terms,
)
from campaign.api.access import organised_campaign, reader
from campaign.api.pages import CursorPages
from campaign.api.requests import NumberField
from campaign.models import Campaign, Task
from ranking.pages.judge_measures import rule_in_words
from ranking.pages.summary import effects_in_words
from ranking.selectors.quality import quality_rules
from ranking.selectors.rule_effects import RuleEffects, rule_effects
from ranking.services.rules import (
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
    task = serializers.PrimaryKeyRelatedField(
        queryset=Task.objects.none(),
        allow_null=True,
        default=None,
        help_text="Null for all test sets of the campaign.",
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
    """A rule to add or to replace another one."""

    confirm = serializers.CharField(default="", allow_blank=True, help_text=_CONFIRM)
    replaces = serializers.PrimaryKeyRelatedField(
        queryset=QualityRule.objects.none(),
        allow_null=True,
        default=None,
        help_text="Rule in force to replace.",
    )
    undo = serializers.BooleanField(
        default=False, help_text="Undo the actions of the replaced rule."
    )

    def __init__(self, *args: Any, campaign: Campaign | None = None, **kwargs: Any) -> None:
        super().__init__(*args, campaign=campaign, **kwargs)
        if campaign is not None:
            field: Any = self.fields["replaces"]
            field.queryset = campaign.quality_rules.filter(switched_off_at__isnull=True)


class UndoSerializer(serializers.Serializer[Any]):
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


class ConfirmationNeededSerializer(serializers.Serializer[Any]):
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


_DONE = inline_serializer(
    "RulesInForce", {"rules": QualityRuleSerializer(many=True), "effects": EffectsSerializer()}
)
_PUT_IN_FORCE = {201: _DONE, 409: ConfirmationNeededSerializer}


class RulesView(generics.ListAPIView[QualityRule]):
    """The rules of a campaign, including those switched off, newest first."""

    serializer_class = QualityRuleSerializer
    pagination_class = CursorPages
    ordering = "-id"

    def get_queryset(self) -> QuerySet[QualityRule]:
        return quality_rules(campaign=organised_campaign(self.request, self.kwargs["slug"]))

    @extend_schema(
        operation_id="rules_put_in_force", request=NewRuleSerializer, responses=_PUT_IN_FORCE
    )
    def post(self, request: Request, slug: str) -> Response:
        """Add a rule, which acts immediately. 409 with its effects if it affects more than one in five judges."""
        campaign = organised_campaign(request, slug)
        sent = NewRuleSerializer(data=request.data, campaign=campaign)
        sent.is_valid(raise_exception=True)
        confirmed, replaces = sent.validated_data["confirm"], sent.validated_data["replaces"]

        def put() -> RulesInForce:
            if replaces is None:
                return rules_put_in_force(
                    campaign=campaign, terms=[sent.terms], user=reader(request), confirmed=confirmed
                )
            return rule_replace(
                rule=replaces,
                terms=sent.terms,
                user=reader(request),
                undo=sent.validated_data["undo"],
                confirmed=confirmed,
            )

        return _put_in_force(campaign, put)


class RulePreviewView(APIView):
    @extend_schema(
        operation_id="rules_preview", request=RuleTermsSerializer, responses=EffectsSerializer
    )
    def post(self, request: Request, slug: str) -> Response:
        """Preview the effects of a rule. Nothing is stored."""
        campaign = organised_campaign(request, slug)
        sent = RuleTermsSerializer(data=request.data, campaign=campaign)
        sent.is_valid(raise_exception=True)
        effects = rules_preview(campaign=campaign, terms=[sent.terms])
        return Response(EffectsSerializer(effects).data)


class SuggestedRulesView(APIView):
    @extend_schema(operation_id="suggested_rules_preview", responses=EffectsSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """Preview the combined effects of suggested rules that are not in force."""
        campaign = organised_campaign(request, slug)
        terms = suggested_terms(campaign=campaign)
        return Response(EffectsSerializer(rules_preview(campaign=campaign, terms=terms)).data)

    @extend_schema(
        operation_id="suggested_rules_put_in_force",
        request=ConfirmSerializer,
        responses=_PUT_IN_FORCE,
    )
    def post(self, request: Request, slug: str) -> Response:
        """Add the suggested rules, which only warn. 409 as for a single rule."""
        campaign = organised_campaign(request, slug)
        confirmed = _confirm(request)

        def put() -> RulesInForce:
            return rules_put_in_force(
                campaign=campaign,
                terms=suggested_terms(campaign=campaign),
                user=reader(request),
                confirmed=confirmed,
            )

        return _put_in_force(campaign, put)


class RuleOffView(APIView):
    @extend_schema(
        operation_id="rule_switch_off", request=UndoSerializer, responses=QualityRuleSerializer
    )
    def post(self, request: Request, slug: str, rule_id: int) -> Response:
        """Switch off a rule; `undo` also reverts its actions."""
        campaign = organised_campaign(request, slug)
        rule = _rule(campaign, rule_id)
        sent = UndoSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        quality_rule_switch_off(rule=rule, user=reader(request), undo=sent.validated_data["undo"])
        return Response(QualityRuleSerializer(_rule(campaign, rule_id)).data)


class RuleUndoView(APIView):
    @extend_schema(operation_id="rule_undo", request=None, responses=QualityRuleSerializer)
    def post(self, request: Request, slug: str, rule_id: int) -> Response:
        """Undo all actions of a rule. The rule stays in force."""
        campaign = organised_campaign(request, slug)
        quality_rule_undo(rule=_rule(campaign, rule_id), user=reader(request))
        return Response(QualityRuleSerializer(_rule(campaign, rule_id)).data)


class RuleActView(APIView):
    @extend_schema(operation_id="rule_waiting", responses=EffectsSerializer)
    def get(self, request: Request, slug: str, rule_id: int) -> Response:
        """List judges for whom a rule waits for confirmation."""
        campaign = organised_campaign(request, slug)
        rule = _rule(campaign, rule_id)
        rules = [] if rule.switched_off_at else [rule]
        return Response(EffectsSerializer(rule_effects(rules, campaign=campaign)).data)

    @extend_schema(
        operation_id="rule_act",
        request=ConfirmSerializer,
        responses={200: EffectsSerializer, 409: ConfirmationNeededSerializer},
    )
    def post(self, request: Request, slug: str, rule_id: int) -> Response:
        """Apply a waiting rule to the judges listed by `GET`. `confirm` is required."""
        campaign = organised_campaign(request, slug)
        rule = _rule(campaign, rule_id)
        confirmed = _confirm(request)
        try:
            effects = rule_release(rule=rule, user=reader(request), confirmed=confirmed)
        except ConfirmationNeededError as error:
            return _needs_confirmation(error)
        return Response(EffectsSerializer(effects).data)


def _put_in_force(campaign: Campaign, put: Callable[[], RulesInForce]) -> Response:
    try:
        done = put()
    except ConfirmationNeededError as error:
        return _needs_confirmation(error)
    rules = quality_rules(campaign=campaign).filter(pk__in=[rule.pk for rule in done.rules])
    answer = {
        "rules": QualityRuleSerializer(rules, many=True).data,
        "effects": EffectsSerializer(done.effects).data,
    }
    return Response(answer, status=201)


def _needs_confirmation(error: ConfirmationNeededError) -> Response:
    effects = EffectsSerializer(error.effects).data
    return Response({"detail": str(error), "effects": effects}, status=409)


def _confirm(request: Request) -> str:
    sent = ConfirmSerializer(data=request.data)
    sent.is_valid(raise_exception=True)
    confirmed: str = sent.validated_data["confirm"]
    return confirmed


def _rule(campaign: Campaign, rule_id: int) -> QualityRule:
    rule = quality_rules(campaign=campaign).filter(pk=rule_id).first()
    if rule is None:
        raise NotFound(_("Rule not found."))
    return rule
