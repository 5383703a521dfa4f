"""Actions on judges: warnings, pauses, exclusions, requests and messages."""

from typing import Any
from uuid import UUID

from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.models import JudgmentNumber, QualityAction, QualityActionKind
from annotation.selectors.taking_back import taking_back_in_words
from annotation.services.quality import (
    MESSAGE_LENGTH,
    NOTE_LENGTH,
    JudgeDecision,
    answer_take_back,
    judges_decision_undo,
    quality_action_revert,
)
from campaign.api.base import TaskAPIView, row_or_404
from campaign.api.plain_serializer import PlainSerializer
from campaign.models import Judge, Task
from campaign.texts.joining import comma_list
from ranking.models import Analysis
from ranking.pages.acting import deciding_in_words
from ranking.pages.judge_decisions import DECISIONS
from ranking.selectors.judges import judges_by_pseudonym, quality_actions
from ranking.services.quality import decision_take


class QualityActionSerializer(serializers.ModelSerializer[QualityAction]):
    """An action on a judge (warning, pause, exclusion, request or message) and its reversal."""

    judge = serializers.CharField(source="judge.pseudonym")
    task = serializers.CharField(source="task.test_set.name")
    by_rule = serializers.SerializerMethodField(
        help_text="Whether a rule took the action.",
    )
    created_by = serializers.CharField(
        source="created_by.name",
        default=None,
        allow_null=True,
    )
    reverted_by = serializers.CharField(
        source="reverted_by.name",
        default=None,
        allow_null=True,
    )

    class Meta:
        model = QualityAction
        fields = [
            "id",
            "judge",
            "task",
            "action",
            "by_rule",
            "evidence",
            "note",
            "text",
            "batch",
            "created_at",
            "created_by",
            "reverted_at",
            "reverted_by",
        ]
        read_only_fields = fields

    def get_by_rule(self, action: QualityAction) -> bool:
        return action.rule_id is not None


class JudgeDecisionSerializer(PlainSerializer):
    """A decision about judges."""

    judges = serializers.ListField(
        child=serializers.CharField(max_length=200),
        min_length=1,
        max_length=10_000,
        help_text="Pseudonyms of judges.",
    )
    action = serializers.ChoiceField(choices=DECISIONS)
    note = serializers.CharField(
        default="",
        allow_blank=True,
        max_length=NOTE_LENGTH,
        help_text="Reason, not visible to judges. Published as the reason of an exclusion.",
    )
    text = serializers.CharField(
        default="",
        allow_blank=True,
        max_length=MESSAGE_LENGTH,
        help_text="Text of a message.",
    )
    analysis = serializers.IntegerField(
        default=None,
        allow_null=True,
        help_text="ID of the analysis to record as evidence.",
    )
    dry_run = serializers.BooleanField(
        default=False,
        help_text="Return the effects without changing anything.",
    )

    batch = serializers.UUIDField(
        default=None,
        allow_null=True,
        help_text="UUID chosen by the client, so that a repeated request has no effect.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Require a text for a message, and drop it for other actions."""
        if attrs["action"] != QualityActionKind.MESSAGE:
            attrs["text"] = ""
        elif not attrs["text"]:
            raise serializers.ValidationError({"text": [_("Enter a message.")]})
        return attrs


class JudgesDecidedSerializer(PlainSerializer):
    """Effects of a decision."""

    batch = serializers.UUIDField(
        allow_null=True,
        help_text="ID for undoing the decision.",
    )
    judges = serializers.ListField(
        child=serializers.CharField(),
        help_text="Judges changed.",
    )
    unchanged = serializers.DictField(
        child=serializers.CharField(),
        help_text="Judges not changed, with reasons.",
    )
    effects = serializers.ListField(
        child=serializers.CharField(),
        help_text="Effects in words, for a dry run.",
    )


class QualityActionsView(TaskAPIView):
    @extend_schema(
        "tasks_quality_actions_list",
        responses=QualityActionSerializer(many=True),
    )
    def get(self, request: Request, task_id: int) -> Response:
        """List the actions on judges of the campaign, newest first."""
        return self.paginated(quality_actions(task=self.task), QualityActionSerializer)

    @extend_schema(
        "quality_actions_take",
        request=JudgeDecisionSerializer,
        responses={201: JudgesDecidedSerializer, 200: JudgesDecidedSerializer},
    )
    def post(self, request: Request, task_id: int) -> Response:
        """Act on judges; with `dry_run`, return a preview with 200."""
        task = self.task
        decision = self.validated(JudgeDecisionSerializer)
        judges = _judges_named(task, decision.pop("judges"))
        analysis_id = decision.pop("analysis")
        is_dry_run = decision.pop("dry_run")
        if is_dry_run:
            effects = deciding_in_words(
                judges=judges,
                task=task,
                action=decision["action"],
                text=decision["text"],
            )
            return Response(
                {"batch": None, "judges": [], "unchanged": {}, "effects": effects},
            )
        decided = decision_take(
            judges=judges,
            task=task,
            decision=JudgeDecision(user=self.user, **decision),
            analysis=_analysis_finished(task, analysis_id),
        )
        batch = None
        status = 200
        if decided.judges:
            batch = decided.batch
            status = 201
        outcome = {
            "batch": batch,
            "judges": [judge.pseudonym for judge in decided.judges],
            "unchanged": {judge.pseudonym: why for judge, why in decided.refused},
            "effects": [],
        }
        return self.serialized(outcome, JudgesDecidedSerializer, status=status)


def _judges_named(task: Task, names: list[str]) -> list[Judge]:
    judges, unknown = judges_by_pseudonym(task.test_set.campaign_id, names)
    if unknown:
        message = _("Judge not found: %(value)s.") % {"value": comma_list(unknown)}
        raise ValidationError({"judges": [message]})
    return judges


def _analysis_finished(task: Task, analysis_id: int | None) -> Analysis | None:
    if analysis_id is None:
        return None
    finished = Analysis.objects.of(task.pk).finished()
    analysis = finished.filter(pk=analysis_id).first()
    if analysis is None:
        raise ValidationError({"analysis": ["Analysis not found, or not finished."]})
    return analysis


class TakeBackSerializer(PlainSerializer):
    """Take an answer back, or preview it."""

    note = serializers.CharField(
        default="",
        allow_blank=True,
        max_length=NOTE_LENGTH,
        help_text="Reason, not visible to judges.",
    )
    dry_run = serializers.BooleanField(
        default=False,
        help_text="Return the effects without changing anything.",
    )


class TakenBackSerializer(PlainSerializer):
    """The action that took an answer back, and its effects in words."""

    action = QualityActionSerializer(allow_null=True, help_text="Null for a dry run.")
    effects = serializers.ListField(child=serializers.CharField())


class JudgmentTakeBackView(TaskAPIView):
    @extend_schema(
        "judgments_take_back",
        request=TakeBackSerializer,
        responses={201: TakenBackSerializer, 200: TakenBackSerializer},
    )
    def post(self, request: Request, task_id: int, number: int) -> Response:
        """Let one answer of a judge no longer count; another block is planned in its place.

        With `dry_run`, return a preview with 200. To undo it, revert the action.
        """
        sent = self.validated(TakeBackSerializer)
        numbers = JudgmentNumber.objects.select_related(
            "judgment__judge",
            "judgment__block__hit__design",
            "judgment__block__segment",
        )
        numbered = row_or_404(
            numbers.filter(task=self.task),
            "Judgment not found in this task.",
            number=min(number, 2**31 - 1),
        )
        judgment = numbered.judgment
        effects = taking_back_in_words(judgment=judgment, task=self.task)
        if sent["dry_run"]:
            return Response({"action": None, "effects": effects})
        action = answer_take_back(
            judgment=judgment,
            number=number,
            task=self.task,
            user=self.user,
            note=sent["note"],
        )
        return self.serialized(
            {"action": action, "effects": effects},
            TakenBackSerializer,
            status=201,
        )


class JudgesUndoneSerializer(PlainSerializer):
    judges = serializers.ListField(child=serializers.CharField())


class QualityActionsUndoView(TaskAPIView):
    @extend_schema(
        "quality_actions_undo",
        request=None,
        responses=JudgesUndoneSerializer,
    )
    def post(self, request: Request, task_id: int, batch: UUID) -> Response:
        """Undo a decision for all its judges."""
        campaign = self.task.test_set.campaign
        judges = judges_decision_undo(campaign=campaign, batch=batch, user=self.user)
        return self.serialized(
            {"judges": [judge.pseudonym for judge in judges]},
            JudgesUndoneSerializer,
        )


class QualityActionRevertView(TaskAPIView):
    @extend_schema(
        "quality_action_revert",
        request=None,
        responses=QualityActionSerializer,
    )
    def post(self, request: Request, task_id: int, action_id: int) -> Response:
        """Revert an action."""
        actions = quality_actions(task=self.task)
        quality_action_revert(
            action=get_object_or_404(actions, pk=action_id),
            user=self.user,
        )
        return self.serialized(actions.get(pk=action_id), QualityActionSerializer)
