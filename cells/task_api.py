"""The tasks of a campaign over REST: what judges are asked about its test sets."""

from typing import Any

from django.core import exceptions
from django.db import transaction
from django.db.models import OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import (
    OpenApiExample,
    OpenApiParameter,
    extend_schema,
    extend_schema_field,
    extend_schema_serializer,
)
from rest_framework import generics, serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.closing import ClosingSerializer, closing_answer
from annotation.models import JudgmentSequence
from annotation.selectors.at_work import task_at_work
from annotation.selectors.task_rules import task_rules
from annotation.services import (
    task_rules_change,
    task_segments_again_change,
    task_with_rules_create,
)
from campaign.api.access import joined_campaign, organised_campaign, organised_task, reader
from campaign.api.pages import CursorPages
from campaign.api.requests import truth_asked
from campaign.api.serializers import TaskChangesSerializer, TaskSerializer
from campaign.api.views import TaskView
from campaign.models import Protocol, Task
from campaign.services import TaskRefusedError, task_close, task_reopen
from campaign.services.rules import MAX_BLOCKS
from cells.task_deletion import task_delete, task_deletion_in_words, task_deletion_refusal

_AGAIN = (
    "Whether judges meet segments in it that other tasks of the test set showed them, and the other way round; it stays "
    "as it is once a HIT is lent. Never of the ranking."
)
_RULES = "What its protocol leaves to choose; they stay as they are once a HIT is lent."


@extend_schema_field(OpenApiTypes.OBJECT)
class RulesOfTaskField(serializers.Field[Task, Any, dict[str, Any], Task]):
    """All rules of a task, with the default of each that was not set."""

    def __init__(self) -> None:
        super().__init__(source="*", read_only=True, help_text=_RULES)

    def to_representation(self, value: Task) -> dict[str, Any]:
        return task_rules(value)


@extend_schema_serializer(component_name="Task")
class TaskAndRulesSerializer(TaskSerializer):
    """A task, and where its texts, systems, judgments, rankings and judges are."""

    rules = RulesOfTaskField()

    class Meta(TaskSerializer.Meta):
        fields = [*TaskSerializer.Meta.fields, "rules"]


class TaskListedSerializer(serializers.ModelSerializer[Task]):
    """A task: one protocol on one test set."""

    url = serializers.HyperlinkedIdentityField(view_name="api-task", lookup_url_kwarg="task_id")
    name = serializers.CharField(
        source="test_set.name", read_only=True, help_text="Of the test set."
    )
    source_language = serializers.CharField(source="test_set.source_language", read_only=True)
    target_language = serializers.CharField(source="test_set.target_language", read_only=True)
    rules = RulesOfTaskField()
    judged = serializers.IntegerField(read_only=True, help_text="Blocks.")

    class Meta:
        model = Task
        fields = [
            *("id", "url", "test_set", "name", "protocol", "rules"),
            *("source_language", "target_language"),
            *("segments_again", "blocks_wanted", "blocks_per_segment"),
            *("judged", "created_at", "closed_at"),
        ]


class NewTaskSerializer(serializers.Serializer[Any]):
    """What a new task asks of judges, and about which test set."""

    test_set = serializers.IntegerField(help_text="Its id, as the campaign lists it.")
    protocol = serializers.ChoiceField(choices=Protocol.choices)
    blocks_wanted = serializers.IntegerField(
        required=False, allow_null=True, min_value=1, max_value=MAX_BLOCKS
    )
    blocks_per_segment = serializers.IntegerField(
        required=False, allow_null=True, min_value=1, max_value=MAX_BLOCKS
    )
    rules = serializers.DictField(required=False, help_text=_RULES)
    segments_again = serializers.BooleanField(required=False, help_text=_AGAIN)


class TaskChangesAndClosingSerializer(TaskChangesSerializer):
    """What may be changed of a task and its test set, and whether it is closed; what is not named stays."""

    rules = serializers.DictField(write_only=True, required=False, help_text=_RULES)
    segments_again = serializers.BooleanField(required=False, help_text=_AGAIN)
    closed = serializers.BooleanField(
        write_only=True, required=False, help_text="Whether judges are lent nothing more of it."
    )
    confirm = serializers.BooleanField(
        write_only=True,
        required=False,
        help_text="Needed to close it while judges are at work.",
    )

    class Meta(TaskChangesSerializer.Meta):
        fields = [
            *TaskChangesSerializer.Meta.fields,
            *("rules", "segments_again", "closed", "confirm"),
        ]


class TaskDeletionSerializer(serializers.Serializer[Any]):
    """Answered with 409: nothing was deleted."""

    detail = serializers.CharField(
        read_only=True, help_text="Why it cannot be deleted; empty if it only was not confirmed."
    )
    words = serializers.ListField(
        child=serializers.CharField(), read_only=True, help_text="What deleting it would do now."
    )


class CampaignTasksView(generics.ListAPIView[Task]):
    """The tasks of a campaign, each with the blocks judged in it."""

    serializer_class = TaskListedSerializer
    pagination_class = CursorPages
    ordering = "id"

    def get_queryset(self) -> QuerySet[Task]:
        campaign = joined_campaign(self.request, self.kwargs["slug"])
        judged = JudgmentSequence.objects.filter(task=OuterRef("pk")).values("judged")
        rows = Task.objects.of(campaign).select_related("test_set")
        return rows.annotate(judged=Coalesce(Subquery(judged), 0))

    @extend_schema(
        operation_id="tasks_create",
        request=NewTaskSerializer,
        responses={201: TaskListedSerializer},
        examples=[
            OpenApiExample(
                "Ask judges to compare two outputs",
                value={
                    "test_set": 1,
                    "protocol": "two_outputs",
                    "blocks_wanted": 600,
                    "rules": {"four_answers": True},
                },
                request_only=True,
            )
        ],
    )
    def post(self, request: Request, slug: str) -> Response:
        """Add a task to a test set: judges get it once HITs are planned. For its organisers only.

        400 if the test set has a task of this protocol already, no texts, or if the protocol does not have such rules.
        """
        campaign = organised_campaign(request, slug)
        sent = NewTaskSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        asked = dict(sent.validated_data)
        test_set = campaign.test_sets.filter(pk=asked.pop("test_set")).first()
        if test_set is None:
            raise ValidationError({"test_set": [_("There is no such test set in this campaign.")]})
        rules = asked.pop("rules", {})
        try:
            task = task_with_rules_create(
                test_set=test_set, by=reader(request), rules=rules, **asked
            )
        except exceptions.ValidationError as error:
            raise _refused(error) from error
        except TaskRefusedError as error:
            raise ValidationError({error.field or "detail": [str(error)]}) from error
        made = self.get_queryset().get(pk=task.pk)
        return Response(self.get_serializer(made).data, status=201)


class TaskAndMoreView(TaskView):
    """A task, and where its texts, systems, judgments, rankings and judges are."""

    serializer_class = TaskAndRulesSerializer

    @extend_schema(
        operation_id="tasks_change",
        request=TaskChangesAndClosingSerializer,
        responses={200: TaskAndRulesSerializer, 409: ClosingSerializer},
        examples=[
            OpenApiExample("Close it", value={"closed": True, "confirm": True}, request_only=True),
            OpenApiExample("Ask for more", value={"blocks_wanted": 1200}, request_only=True),
        ],
    )
    def patch(self, request: Request, task_id: int) -> Response:
        """Change quotas, expertise, until it is lent rules, until the first judgment languages; close it, or open it again.

        For its organisers only. 400 for rules that its protocol does not have, or once it is lent. 409 where it is to be closed while judges are at work, without `confirm`.
        """
        task = organised_task(request, task_id)
        sent = TaskChangesAndClosingSerializer(task, data=request.data, partial=True)
        sent.is_valid(raise_exception=True)
        closed, confirm = (sent.validated_data.get(name) for name in ("closed", "confirm"))
        if closed and not confirm and task.closed_at is None and task_at_work(task=task).judges:
            return closing_answer(task, status=409)
        with transaction.atomic():
            try:
                task_rules_change(task=task, rules=sent.validated_data.get("rules", {}))
            except exceptions.ValidationError as error:
                raise _refused(error) from error
            if "segments_again" in sent.validated_data:
                again = sent.validated_data["segments_again"]
                try:
                    task_segments_again_change(task=task, segments_again=again)
                except exceptions.ValidationError as error:
                    raise _refused(error, "segments_again") from error
            answer = super().patch(request, task_id)
        if closed is None:
            return answer
        if closed:
            task_close(task=task)
        else:
            task_reopen(task=task)
        return Response(self.get_serializer(self.get_object()).data)

    @extend_schema(
        operation_id="tasks_delete",
        parameters=[
            OpenApiParameter(
                "confirm",
                OpenApiTypes.BOOL,
                description="Needed; without it the answer is 409 and says what it would do.",
            )
        ],
        responses={204: None, 409: TaskDeletionSerializer},
        examples=[
            OpenApiExample(
                "Without confirm",
                value={
                    "detail": "",
                    "words": ["Nobody was lent anything of it, so no judgment is lost."],
                },
                response_only=True,
                status_codes=["409"],
            )
        ],
    )
    def delete(self, request: Request, task_id: int) -> Response:
        """Delete a task of which no judge was lent a HIT, unless it is the ranking of its test set."""
        task = organised_task(request, task_id)
        confirmed = truth_asked(request, "confirm")
        refused = task_deletion_refusal(task=task)
        if not refused and confirmed:
            try:
                task_delete(task=task, by=reader(request))
            except TaskRefusedError as error:
                refused = str(error)
            else:
                return Response(status=204)
        words = [] if refused else task_deletion_in_words(task=task)
        shown = TaskDeletionSerializer({"detail": refused, "words": words})
        return Response(shown.data, status=409)


def _refused(error: exceptions.ValidationError, field: str = "rules") -> ValidationError:
    return ValidationError({field: error.messages})
