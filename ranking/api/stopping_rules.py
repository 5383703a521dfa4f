"""By which rule judging of a test set is to end, over REST."""

from typing import Any

from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from campaign.api.access import organised_task, reader
from campaign.api.requests import NumberField
from campaign.models import Task
from ranking.models import StoppingRule
from ranking.selectors.settings import stopping_rule_history, stopping_rule_state
from ranking.services.settings import stopping_rule_set
from ranking.wording.stopping_rules import shown_rule


class StoppingRuleSerializer(serializers.ModelSerializer[StoppingRule]):
    """When judging is to end: by whichever criterion is met first. Without one there is no rule."""

    judgments = serializers.IntegerField(
        min_value=1,
        max_value=2**31 - 1,
        allow_null=True,
        default=None,
        help_text="Stop at so many judgments that count.",
    )
    pairs_share = NumberField(
        allow_null=True,
        default=None,
        help_text="Stop at this share of the pairs told apart, above 0 up to 1.",
    )
    clusters = serializers.IntegerField(
        min_value=2,
        max_value=32_767,
        allow_null=True,
        default=None,
        help_text="Stop at so many clusters.",
    )
    until = serializers.DateField(allow_null=True, default=None, help_text="Stop on this day.")
    tests = serializers.ChoiceField(
        choices=StoppingRule.Tests.choices,
        default=StoppingRule.Tests.HOLM,
        help_text="What tells pairs apart: tests corrected by Holm, right at one look, or ranges that hold "
        "at any time.",
    )
    confidence = NumberField(default=0.95, help_text="Above 0, up to 0.999.")
    reason = serializers.CharField(
        max_length=1000,
        allow_blank=True,
        default="",
        help_text="Why; needed from the first judgment on, and published with results.",
    )
    set_at = serializers.DateTimeField(source="created_at", read_only=True)
    set_by = serializers.CharField(
        source="changed_by.name", read_only=True, default=None, allow_null=True
    )

    class Meta:
        model = StoppingRule
        fields = [
            "judgments",
            "pairs_share",
            "clusters",
            "until",
            "tests",
            "confidence",
            "reason",
            "after_judgments",
            "set_at",
            "set_by",
        ]
        read_only_fields = ("after_judgments",)


class RuleMetSerializer(serializers.Serializer[Any]):
    run = serializers.IntegerField(help_text="The first ranking that met it, kept for good.")
    judgments = serializers.IntegerField()
    at = serializers.DateTimeField()
    criteria = serializers.ListField(child=serializers.CharField())


class StoppingSerializer(serializers.Serializer[Task]):
    """The rule in force, whether it is met, and all rules there were."""

    rule = serializers.SerializerMethodField(help_text="Null without one.")
    words = serializers.ListField(
        child=serializers.CharField(), help_text="The same for people, in their language."
    )
    is_met = serializers.BooleanField(help_text="A rule that was met once stays met.")
    met = RuleMetSerializer(
        allow_null=True,
        help_text="Null while no ranking has met it; a day that has come needs none.",
    )
    judgments_since = serializers.IntegerField(help_text="Judgments after it was met.")
    history = StoppingRuleSerializer(
        many=True, help_text="The newest first; one without a criterion took the one before back."
    )

    @extend_schema_field(StoppingRuleSerializer(allow_null=True))
    def get_rule(self, said: Any) -> Any:
        rule = said["rule"]
        return None if rule is None else StoppingRuleSerializer(rule).data


class StoppingRuleView(APIView):
    @extend_schema(operation_id="stopping_rule_read", responses=StoppingSerializer)
    def get(self, request: Request, task_id: int) -> Response:
        """By which rule judging is to end, and whether it is met."""
        return Response(_said(organised_task(request, task_id)))

    @extend_schema(
        operation_id="stopping_rule_set",
        request=StoppingRuleSerializer,
        responses=StoppingSerializer,
    )
    def put(self, request: Request, task_id: int) -> Response:
        """Put a rule in the place of the one before; without a criterion there is none any more."""
        task = organised_task(request, task_id)
        sent = StoppingRuleSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        stopping_rule_set(task=task, changed_by=reader(request), **sent.validated_data)
        return Response(_said(task))


def _said(task: Task) -> dict[str, Any]:
    history = stopping_rule_history(task_id=task.pk)
    state = stopping_rule_state(task_id=task.pk)
    shown = None if state is None else shown_rule(state)
    said: Any = {
        "rule": history[0] if history and history[0].is_there else None,
        "words": [] if shown is None else [shown.rule, shown.since, *shown.state, shown.caution],
        "is_met": state is not None and state.is_met,
        "met": None if state is None else state.met,
        "judgments_since": 0 if state is None else state.more,
        "history": history,
    }
    return dict(StoppingSerializer(said).data)
