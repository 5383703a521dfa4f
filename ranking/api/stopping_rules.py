"""Stopping rule of a test set."""

from typing import Any

from rest_framework import serializers

from campaign.api.operations import Address, operation
from campaign.api.requests import NumberField
from campaign.models import Task
from ranking.models import StoppingRule
from ranking.selectors.settings import stopping_rule_history, stopping_rule_state
from ranking.services.settings import stopping_rule_set
from ranking.wording.stopping_rules import shown_rule


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
    until = serializers.DateField(allow_null=True, default=None, help_text="Stop on this day.")
    tests = serializers.ChoiceField(
        choices=StoppingRule.Tests.choices,
        default=StoppingRule.Tests.HOLM,
        help_text="Test for telling pairs apart: Holm-corrected tests, valid for one look, or anytime ranges.",
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
        source="changed_by.name", read_only=True, default=None, allow_null=True
    )


class RuleMetSerializer(serializers.Serializer[Any]):
    run = serializers.IntegerField(
        help_text="The first ranking that met the rule, saved permanently."
    )
    judgments = serializers.IntegerField()
    at = serializers.DateTimeField()
    criteria = serializers.ListField(child=serializers.CharField())


class StoppingSerializer(serializers.Serializer[Task]):
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
    judgments_since = serializers.IntegerField(help_text="Judgments since the rule was met.")
    history = StoppingRuleSerializer(
        many=True, help_text="Newest first; an entry without criteria removed the previous rule."
    )


class StoppingRuleView(Address):
    @operation("stopping_rule_read", StoppingSerializer)
    def get(self) -> dict[str, Any]:
        """Return the stopping rule and whether it is met."""
        return _said(self.task)

    @operation("stopping_rule_set", StoppingSerializer, takes=StoppingRuleSerializer)
    def put(self) -> dict[str, Any]:
        """Replace the stopping rule; without criteria, remove it."""
        stopping_rule_set(task=self.task, changed_by=self.user, **self.sent)
        return _said(self.task)


def _said(task: Task) -> dict[str, Any]:
    history = stopping_rule_history(task_id=task.pk)
    state = stopping_rule_state(task_id=task.pk)
    shown = None if state is None else shown_rule(state)
    return {
        "rule": history[0] if history and history[0].is_there else None,
        "words": [] if shown is None else [shown.rule, shown.since, *shown.state, shown.caution],
        "is_met": state is not None and state.is_met,
        "met": None if state is None else state.met,
        "judgments_since": 0 if state is None else state.more,
        "history": history,
    }
