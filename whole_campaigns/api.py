"""Whole campaigns over REST: clone one, rehearse one, its tasks."""

from typing import Any

from django.core import exceptions
from django.db import transaction
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.urls import reverse
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
from rest_framework.views import APIView

from annotation.api.campaign_state import ClosingSerializer, closing_answer
from annotation.models import JudgmentSequence
from annotation.selectors.effects import task_at_work
from annotation.selectors.task_rules import task_rules
from annotation.services.tasks import (
    task_rules_change,
    task_segments_again_change,
    task_with_rules_create,
)
from campaign.api.access import joined_campaign, organised_campaign, organised_task, reader
from campaign.api.pages import CursorPages
from campaign.api.requests import NumberField, truth_asked
from campaign.api.serializers import TaskSerializer
from campaign.models import Campaign, Document, Protocol, Segment, Task
from campaign.selectors.rehearsals import rehearsal_state
from campaign.services.rehearsals import (
    LEAST_SKILL,
    MOST_BOTS,
    rehearsal_begin,
    rehearsal_end_later,
)
from campaign.services.rules import (
    MAX_BLOCKS,
    task_change,
    task_close,
    task_reopen,
)
from campaign.services.tasks import TaskRefusedError
from campaign.texts.language_tags import LanguageTagError
from whole_campaigns.cloning import campaign_clone
from whole_campaigns.task_deletion import task_delete, task_deletion_in_words, task_deletion_refusal


class CloneRequestSerializer(serializers.Serializer[Any]):
    slug = serializers.SlugField(max_length=60)
    name = serializers.CharField(max_length=200)
    texts = serializers.BooleanField(
        default=False, help_text="Copy test sets with systems, outputs, training and designs."
    )
    people = serializers.BooleanField(
        default=False, help_text="Copy members, and judges without their work."
    )


class JudgeLinkSerializer(serializers.Serializer[Any]):
    judge = serializers.CharField(read_only=True)
    link = serializers.URLField(read_only=True)


class CloneSerializer(serializers.Serializer[Any]):
    slug = serializers.SlugField(read_only=True)
    rows = serializers.DictField(child=serializers.IntegerField(), read_only=True)
    seconds = serializers.FloatField(read_only=True)
    links = JudgeLinkSerializer(many=True, read_only=True)


class CampaignCloneView(APIView):
    leads_beyond_campaign = True

    @extend_schema(
        operation_id="campaign_clone",
        request=CloneRequestSerializer,
        responses={201: CloneSerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Create a draft like this campaign, which you organise; its judges' links are returned only once."""
        campaign = organised_campaign(request, slug)
        sent = CloneRequestSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        clone = campaign_clone(source=campaign, by=reader(request), **sent.validated_data)
        links = [
            {
                "judge": judge,
                "link": request.build_absolute_uri(reverse("invitation", args=[token])),
            }
            for judge, token in clone.links
        ]
        shown = {
            "slug": clone.campaign.slug,
            "rows": clone.rows,
            "seconds": clone.seconds,
            "links": links,
        }
        return Response(CloneSerializer(shown).data, status=201)


class RehearsalRequestSerializer(serializers.Serializer[Any]):
    bots = serializers.IntegerField(min_value=1, max_value=MOST_BOTS, default=10)
    skill = NumberField(
        min_value=LEAST_SKILL,
        max_value=1,
        default=0.8,
        help_text="Probability that a simulated judge prefers the better of two outputs.",
    )
    share = NumberField(min_value=0.001, max_value=1, default=1, help_text="Share of the target.")
    seed = serializers.IntegerField(min_value=0, max_value=2**31 - 1, default=1)


class RehearsalSerializer(serializers.Serializer[Any]):
    state = serializers.ChoiceField(
        choices=["none", "under way", "there", "outdated"],
        help_text="“outdated” if texts, design or settings changed since it began.",
    )
    campaign = serializers.SlugField(
        allow_null=True, help_text="Campaign the simulated judges worked in; null if none."
    )
    bots = serializers.IntegerField(allow_null=True)
    skill = serializers.FloatField(allow_null=True)
    share = serializers.FloatField(allow_null=True)
    seed = serializers.IntegerField(allow_null=True)
    begun_at = serializers.DateTimeField(allow_null=True)
    job = serializers.IntegerField(
        allow_null=True, help_text="Latest job that started or ended a rehearsal."
    )


class RehearsalRefusedSerializer(serializers.Serializer[Any]):
    detail = serializers.CharField(read_only=True)


class RehearsalView(APIView):
    @extend_schema(operation_id="rehearsal", responses=RehearsalSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """Return the rehearsal of a campaign."""
        return _state(organised_campaign(request, slug))

    @extend_schema(
        operation_id="rehearsal_begin",
        request=RehearsalRequestSerializer,
        responses={202: RehearsalSerializer, 409: RehearsalRefusedSerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Begin a rehearsal of a draft, in place of the one it has; a worker writes it."""
        campaign = organised_campaign(request, slug)
        sent = RehearsalRequestSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        rehearsal_begin(campaign=campaign, by=reader(request), **sent.validated_data)
        return _state(campaign, status=202)

    @extend_schema(operation_id="rehearsal_end", request=None, responses={202: RehearsalSerializer})
    def delete(self, request: Request, slug: str) -> Response:
        """Delete the rehearsal of a campaign for good; a worker does it."""
        campaign = organised_campaign(request, slug)
        rehearsal_end_later(campaign=campaign, by=reader(request))
        return _state(campaign, status=202)


def _state(campaign: Campaign, status: int = 200) -> Response:
    found = rehearsal_state(campaign=campaign)
    row = found.rehearsal
    if found.is_under_way:
        state = "under way"
    elif row is None:
        state = "none"
    else:
        state = "outdated" if found.is_outdated else "there"
    shown = {
        "state": state,
        "campaign": found.campaign and found.campaign.slug,
        **dict.fromkeys(("bots", "skill", "share", "seed")),
        **(row.parameters if row else {}),
        "begun_at": row and row.started_at,
        "job": found.job and found.job.pk,
    }
    return Response(RehearsalSerializer(shown).data, status=status)


_AGAIN = (
    "Judges can see segments in this task that they also see in other tasks of the test set. Cannot be "
    "changed once judging has started. Never true for the ranking."
)
_RULES = "Protocol options. They cannot be changed once judging has started."


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
        source="test_set.name", read_only=True, help_text="ID of the test set."
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
    """A new task: its protocol and its test set."""

    test_set = serializers.IntegerField(help_text="ID of the test set.")
    protocol = serializers.ChoiceField(choices=Protocol.choices)
    blocks_wanted = serializers.IntegerField(
        required=False, allow_null=True, min_value=1, max_value=MAX_BLOCKS
    )
    blocks_per_segment = serializers.IntegerField(
        required=False, allow_null=True, min_value=1, max_value=MAX_BLOCKS
    )
    rules = serializers.DictField(required=False, help_text=_RULES)
    segments_again = serializers.BooleanField(required=False, help_text=_AGAIN)


class TaskChangesAndClosingSerializer(serializers.ModelSerializer[Task]):
    """Editable settings of a task and its test set, and whether it is closed; omitted fields stay unchanged."""

    source_language = serializers.CharField(max_length=35)
    target_language = serializers.CharField(max_length=35)
    expertise = serializers.ListField(child=serializers.CharField(max_length=60))
    rules = serializers.DictField(write_only=True, required=False, help_text=_RULES)
    segments_again = serializers.BooleanField(required=False, help_text=_AGAIN)
    closed = serializers.BooleanField(
        write_only=True,
        required=False,
        help_text="True if judges receive no new work from this task.",
    )
    confirm = serializers.BooleanField(
        write_only=True,
        required=False,
        help_text="Required to close a task while judges are working on it.",
    )

    class Meta:
        model = Task
        fields = [
            *("source_language", "target_language", "blocks_wanted", "blocks_per_segment"),
            *("expertise", "rules", "segments_again", "closed", "confirm"),
        ]


class TaskDeletionSerializer(serializers.Serializer[Any]):
    """Answered with 409: nothing was deleted."""

    detail = serializers.CharField(
        read_only=True,
        help_text="Why the task cannot be deleted; empty if only the confirmation is missing.",
    )
    words = serializers.ListField(
        child=serializers.CharField(), read_only=True, help_text="Effects of the deletion."
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
                "Add a task that compares two outputs",
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
            raise ValidationError({"test_set": [_("Test set not found in this campaign.")]})
        rules = asked.pop("rules", {})
        try:
            task = task_with_rules_create(
                test_set=test_set, by=reader(request), rules=rules, **asked
            )
        except exceptions.ValidationError as error:
            raise _rules_refused(error) from error
        made = self.get_queryset().get(pk=task.pk)
        return Response(self.get_serializer(made).data, status=201)


class TaskAndMoreView(generics.RetrieveAPIView[Task]):
    """A task, and where its texts, systems, judgments, rankings and judges are."""

    serializer_class = TaskAndRulesSerializer
    lookup_url_kwarg = "task_id"

    def get_queryset(self) -> QuerySet[Task]:
        return (
            Task.objects.open_to(reader(self.request))
            .select_related("test_set__campaign")
            .annotate(
                document_count=_count(Document.objects.all()),
                segment_count=_count(Segment.objects.all()),
            )
        )

    @extend_schema(
        operation_id="tasks_change",
        request=TaskChangesAndClosingSerializer,
        responses={200: TaskAndRulesSerializer, 409: ClosingSerializer},
        examples=[
            OpenApiExample(
                "Close the task", value={"closed": True, "confirm": True}, request_only=True
            ),
            OpenApiExample("Raise the target", value={"blocks_wanted": 1200}, request_only=True),
        ],
    )
    def patch(self, request: Request, task_id: int) -> Response:
        """Change quotas, expertise, until it is lent rules, until the first judgment languages; close it, or open it again.

        For its organisers only. 400 for rules that its protocol does not have, or once it is lent. 409 where it is to be closed while judges are at work, without `confirm`.
        """
        task = organised_task(request, task_id)
        sent = TaskChangesAndClosingSerializer(task, data=request.data, partial=True)
        sent.is_valid(raise_exception=True)
        changes = dict(sent.validated_data)
        closed, confirm = changes.pop("closed", None), changes.pop("confirm", False)
        if closed and not confirm and task.closed_at is None and task_at_work(task=task).judges:
            return Response(ClosingSerializer(closing_answer(task)).data, status=409)
        with transaction.atomic():
            _change(task, **changes)
        if closed is not None:
            (task_close if closed else task_reopen)(task=task)
        return Response(self.get_serializer(self.get_object()).data)

    @extend_schema(
        operation_id="tasks_delete",
        parameters=[
            OpenApiParameter(
                "confirm",
                OpenApiTypes.BOOL,
                description="Required. Without it, the response is 409 and lists the effects.",
            )
        ],
        responses={204: None, 409: TaskDeletionSerializer},
        examples=[
            OpenApiExample(
                "Without confirm",
                value={
                    "detail": "",
                    "words": ["No judgments are lost: no judge has received work from this task."],
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


def _change(
    task: Task,
    *,
    rules: dict[str, Any] | None = None,
    segments_again: bool | None = None,
    **changes: Any,
) -> None:
    """Change the given fields of a task and its test set, or raise ValidationError at the refused field."""
    try:
        task_rules_change(task=task, rules=rules or {})
    except exceptions.ValidationError as error:
        raise _rules_refused(error) from error
    try:
        if segments_again is not None:
            task_segments_again_change(task=task, segments_again=segments_again)
    except exceptions.ValidationError as error:
        raise _rules_refused(error, "segments_again") from error
    try:
        task_change(task=task, **changes)
    except LanguageTagError as error:
        raise ValidationError({"target_language": [str(error)]}) from error


def _count(rows: QuerySet[Document] | QuerySet[Segment]) -> Coalesce:
    of_the_task = rows.filter(test_set=OuterRef("test_set")).order_by().values("test_set")
    return Coalesce(Subquery(of_the_task.annotate(count=Count("pk")).values("count")), 0)


def _rules_refused(error: exceptions.ValidationError, field: str = "rules") -> ValidationError:
    return ValidationError({field: error.messages})
