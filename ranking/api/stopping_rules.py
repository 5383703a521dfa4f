"""Stopping rule of a task, its state and its history."""

from dataclasses import dataclass
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from campaign.api.base import TaskAPIView
from campaign.api.plain_serializer import PlainSerializer
from campaign.api.requests import NumberField
from campaign.models import Task
from ranking.core.rankings.records import RuleMet
from ranking.models import StoppingRule
from ranking.reports.wording.stopping_rules import RuleState, rule_with_progress
from ranking.selectors.runs import stopping_rule_history, stopping_rule_state
from ranking.services.ranking_settings import stopping_rule_set


class StoppingRuleSerializer(serializers.Serializer[StoppingRule]):
    """A stopping rule: it is met by the first criterion that is met. No criterion means no rule."""

    judgments = serializers.IntegerField(
        min_value=1,
        max_value=2**31 - 1,
        allow_null=True,
        default=None,
        help_text="Stop at this number of judgments.",
    )
    pairs_share = NumberField(
        allow_null=True,
        default=None,
        help_text="Stop at this share of pairs told apart, above 0 and up to 1.",
    )
    clusters = serializers.IntegerField(
        min_value=2,
        max_value=32_767,
        allow_null=True,
        default=None,
        help_text="Stop at this number of clusters.",
    )
    until = serializers.DateField(
        allow_null=True,
        default=None,
        help_text="Stop on this day.",
    )
    tests = serializers.ChoiceField(
        choices=StoppingRule.Tests.choices,
        required=False,
        help_text="Test for telling pairs apart. By default anytime ranges, valid at any look; Holm-corrected tests, "
        "valid for one look fixed in advance, if anytime ranges are not available.",
    )
    confidence = NumberField(default=0.95, help_text="Above 0 and up to 0.999.")
    reason = serializers.CharField(
        max_length=1000,
        allow_blank=True,
        default="",
        help_text="Reason, required once there are judgments. Published with results.",
    )
    after_judgments = serializers.IntegerField(read_only=True)
    set_at = serializers.DateTimeField(source="created_at", read_only=True)
    set_by = serializers.CharField(
        source="changed_by.name",
        read_only=True,
        default=None,
        allow_null=True,
    )

    def create(self, validated_data: dict[str, Any]) -> StoppingRule | None:  # type: ignore[override]  # None without criteria
        """Replace the stopping rule of the task; without criteria, remove it."""
        view = self.context["view"]
        return stopping_rule_set(task=view.task, changed_by=view.user, **validated_data)


class RuleMetSerializer(PlainSerializer):
    run = serializers.IntegerField(
        help_text="The first ranking that met the rule, saved permanently.",
    )
    judgments = serializers.IntegerField()
    at = serializers.DateTimeField()
    criteria = serializers.ListField(child=serializers.CharField())


@dataclass(frozen=True, slots=True)
class _Stopping:
    """The content of a `StoppingSerializer`."""

    history: list[StoppingRule]
    state: RuleState | None

    @property
    def rule(self) -> StoppingRule | None:
        if self.history and self.history[0].is_there:
            return self.history[0]
        return None

    @property
    def words(self) -> list[str]:
        if self.state is None:
            return []
        rule = rule_with_progress(self.state)
        return [rule.rule, rule.since, *rule.state, rule.caution]

    @property
    def is_met(self) -> bool:
        return self.state is not None and self.state.is_met

    @property
    def met(self) -> RuleMet | None:
        return None if self.state is None else self.state.met

    @property
    def judgments_since(self) -> int:
        return 0 if self.state is None else self.state.more


class StoppingSerializer(serializers.Serializer[_Stopping]):
    """Current rule, its state, and the history of rules."""

    rule = StoppingRuleSerializer(allow_null=True, help_text="Null without a rule.")
    words = serializers.ListField(
        child=serializers.CharField(),
        help_text="The rule in words, in the language of the request.",
    )
    is_met = serializers.BooleanField(help_text="A rule stays met once it was met.")
    met = RuleMetSerializer(
        allow_null=True,
        help_text="Null until a ranking meets the rule; a date is met without a ranking.",
    )
    judgments_since = serializers.IntegerField(
        help_text="Judgments since the rule was met.",
    )
    history = StoppingRuleSerializer(
        many=True,
        help_text="Newest first; an entry without criteria removed the previous rule.",
    )


class StoppingRuleView(TaskAPIView):
    @extend_schema("stopping_rule_read", responses=StoppingSerializer)
    def get(self, request: Request, task_id: int) -> Response:
        """Return the stopping rule and whether it is met."""
        return self.serialized(_stopping(self.task), StoppingSerializer)

    @extend_schema(
        "stopping_rule_set",
        request=StoppingRuleSerializer,
        responses=StoppingSerializer,
    )
    def put(self, request: Request, task_id: int) -> Response:
        """Replace the stopping rule; without criteria, remove it."""
        self.saved(StoppingRuleSerializer)
        return self.serialized(_stopping(self.task), StoppingSerializer)


def _stopping(task: Task) -> _Stopping:
    return _Stopping(
        history=stopping_rule_history(task_id=task.pk),
        state=stopping_rule_state(task_id=task.pk),
    )
