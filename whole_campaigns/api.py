"""REST addresses to clone and rehearse campaigns, and for their tasks."""

from typing import Any

from django.db.models import OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.urls import reverse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import (
    OpenApiExample,
    OpenApiParameter,
    extend_schema,
    extend_schema_field,
)
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api.campaign_state import ClosingSerializer, closing_answer
from annotation.models import JudgmentSequence
from annotation.protocols.answer_kinds import Rules
from annotation.selectors.effects import task_at_work
from annotation.selectors.task_rules import task_rules
from annotation.services.tasks import task_of_study_create, task_settings_change
from campaign.api.base import CampaignAPIView, TaskAPIView
from campaign.api.plain_serializer import PlainSerializer
from campaign.api.requests import NumberField, boolean_parameter
from campaign.api.serializers import TaskLinksSerializer
from campaign.database.many_rows import count_of
from campaign.models import Campaign, Document, Protocol, Segment, Task
from campaign.selectors.rehearsals import rehearsal_state
from campaign.services.campaigns import (
    LEAST_SKILL,
    MAX_BLOCKS,
    MOST_BOTS,
    TaskRefusedError,
    rehearsal_begin,
    rehearsal_end_later,
    task_close,
    task_reopen,
)
from whole_campaigns.cloning import campaign_clone
from whole_campaigns.task_deletion import (
    task_delete,
    task_deletion_in_words,
    task_deletion_refusal,
)


class CloneRequestSerializer(PlainSerializer):
    slug = serializers.SlugField(max_length=60)
    name = serializers.CharField(max_length=200)
    texts = serializers.BooleanField(
        default=False,
        help_text="Copy test sets with systems, outputs, training and designs.",
    )
    people = serializers.BooleanField(
        default=False,
        help_text="Copy members, and judges without their work.",
    )


class JudgeLinkSerializer(PlainSerializer):
    judge = serializers.CharField(read_only=True)
    link = serializers.URLField(read_only=True)


class CloneSerializer(PlainSerializer):
    slug = serializers.SlugField(read_only=True)
    rows = serializers.DictField(child=serializers.IntegerField(), read_only=True)
    seconds = serializers.FloatField(read_only=True)
    links = JudgeLinkSerializer(many=True, read_only=True)


class CampaignCloneView(CampaignAPIView):
    leads_beyond_campaign = True

    @extend_schema(
        "campaign_clone",
        request=CloneRequestSerializer,
        responses={201: CloneSerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Create a draft like this campaign, owned by you. The links of its judges are returned only once."""
        data = self.validated(CloneRequestSerializer)
        clone = campaign_clone(source=self.campaign, by=self.user, **data)
        links = []
        for judge, token in clone.links:
            address = reverse("invitation", args=[token])
            link = request.build_absolute_uri(address)
            links.append({"judge": judge.pseudonym, "link": link})
        values = {
            "slug": clone.campaign.slug,
            "rows": clone.rows,
            "seconds": clone.seconds,
            "links": links,
        }
        return self.serialized(values, CloneSerializer, status=201)


class RehearsalRequestSerializer(PlainSerializer):
    bots = serializers.IntegerField(min_value=1, max_value=MOST_BOTS, default=10)
    skill = NumberField(
        min_value=LEAST_SKILL,
        max_value=1,
        default=0.8,
        help_text="Probability that a simulated judge prefers the better of two outputs.",
    )
    share = NumberField(
        min_value=0.001,
        max_value=1,
        default=1,
        help_text="Share of the target.",
    )
    seed = serializers.IntegerField(min_value=0, max_value=2**31 - 1, default=1)


class RehearsalSerializer(PlainSerializer):
    state = serializers.ChoiceField(
        source="stage",
        choices=["none", "under way", "there", "outdated"],
        help_text="“outdated” if texts, design or settings changed since it began.",
    )
    campaign = serializers.SlugField(
        source="campaign.slug",
        allow_null=True,
        help_text="Campaign the simulated judges worked in; null if none.",
    )
    bots = serializers.IntegerField(
        source="rehearsal.parameters.bots",
        allow_null=True,
    )
    skill = serializers.FloatField(
        source="rehearsal.parameters.skill",
        allow_null=True,
    )
    share = serializers.FloatField(
        source="rehearsal.parameters.share",
        allow_null=True,
    )
    seed = serializers.IntegerField(
        source="rehearsal.parameters.seed",
        allow_null=True,
    )
    begun_at = serializers.DateTimeField(source="rehearsal.started_at", allow_null=True)
    job = serializers.IntegerField(
        source="job.pk",
        allow_null=True,
        help_text="Latest job that started or ended a rehearsal.",
    )


class RehearsalView(CampaignAPIView):
    @extend_schema("rehearsal", responses=RehearsalSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """Return the rehearsal of a campaign."""
        return self._answer(status=200)

    @extend_schema(
        "rehearsal_begin",
        request=RehearsalRequestSerializer,
        responses={202: RehearsalSerializer},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Start a rehearsal of a draft in the background. It replaces an earlier one."""
        data = self.validated(RehearsalRequestSerializer)
        rehearsal_begin(campaign=self.campaign, by=self.user, **data)
        return self._answer(status=202)

    @extend_schema("rehearsal_end", request=None, responses={202: RehearsalSerializer})
    def delete(self, request: Request, slug: str) -> Response:
        """Permanently delete the rehearsal of a campaign in the background."""
        rehearsal_end_later(campaign=self.campaign, by=self.user)
        return self._answer(status=202)

    def _answer(self, *, status: int) -> Response:
        state = rehearsal_state(campaign=self.campaign)
        return self.serialized(state, RehearsalSerializer, status=status)


_AGAIN = (
    "Judges can see segments in this task that they also see in other tasks of the test set. Cannot be "
    "changed once judging has started. Never true for the ranking."
)
_RULES = (
    "Protocol options. They cannot be changed once judging has started. `criteria` of ratings are a list, or the "
    "name of a preset."
)


@extend_schema_field(OpenApiTypes.OBJECT)
class RulesOfTaskField(serializers.Field[Task, Any, Rules, Task]):
    """All rules of a task, including defaults."""

    def __init__(self) -> None:
        super().__init__(source="*", read_only=True, help_text=_RULES)

    def to_representation(self, value: Task) -> Rules:
        return task_rules(value)


class TaskListedSerializer(serializers.ModelSerializer[Task]):
    """A task: one protocol on one test set."""

    url = serializers.HyperlinkedIdentityField(
        view_name="api-task",
        lookup_url_kwarg="task_id",
    )
    name = serializers.CharField(
        source="test_set.name",
        read_only=True,
        help_text="Name of the test set.",
    )
    source_language = serializers.CharField(
        source="test_set.source_language",
        read_only=True,
    )
    target_language = serializers.CharField(
        source="test_set.target_language",
        read_only=True,
    )
    study = serializers.CharField(
        source="get_protocol_display",
        read_only=True,
        help_text="What protocol and rules make of the task, such as “MQM”; the name on every page.",
    )
    rules = RulesOfTaskField()
    judged = serializers.IntegerField(read_only=True, help_text="Blocks.")

    class Meta:
        model = Task
        fields = [
            "id",
            "url",
            "test_set",
            "name",
            "protocol",
            "study",
            "rules",
            "source_language",
            "target_language",
            "segments_again",
            "blocks_wanted",
            "blocks_per_segment",
            "judged",
            "created_at",
            "closed_at",
        ]


class TaskSerializer(TaskListedSerializer):
    """A task with links to its texts, systems, judgments, rankings and judges."""

    campaign = serializers.SlugRelatedField[Campaign](
        source="test_set.campaign",
        slug_field="slug",
        read_only=True,
    )
    expertise = serializers.ListField(
        source="test_set.expertise",
        child=serializers.CharField(),
        read_only=True,
    )
    documents = serializers.IntegerField(read_only=True, source="document_count")
    segments = serializers.IntegerField(read_only=True, source="segment_count")
    links = TaskLinksSerializer(source="*", read_only=True)

    class Meta:
        model = Task
        fields = [
            "id",
            "test_set",
            "protocol",
            "study",
            "name",
            "campaign",
            "source_language",
            "target_language",
            "segments_again",
            "blocks_wanted",
            "blocks_per_segment",
            "expertise",
            "created_at",
            "closed_at",
            "documents",
            "segments",
            "links",
            "rules",
        ]


class NewTaskSerializer(PlainSerializer):
    """A new task: its protocol and its test set."""

    test_set = serializers.IntegerField(help_text="ID of the test set.")
    protocol = serializers.ChoiceField(
        choices=Protocol.choices,
        required=False,
        help_text="Required without `preset`.",
    )
    preset = serializers.CharField(
        required=False,
        max_length=40,
        help_text="Study that the task becomes, such as `mqm-core`, `mos` or `best-worst`: sets protocol, rules and design. `rules` in the request replace its own.",
    )
    blocks_wanted = serializers.IntegerField(
        required=False,
        allow_null=True,
        min_value=1,
        max_value=MAX_BLOCKS,
    )
    blocks_per_segment = serializers.IntegerField(
        required=False,
        allow_null=True,
        min_value=1,
        max_value=MAX_BLOCKS,
    )
    rules = serializers.DictField(required=False, help_text=_RULES)
    segments_again = serializers.BooleanField(required=False, help_text=_AGAIN)


class TaskChangesAndClosingSerializer(serializers.ModelSerializer[Task]):
    """Editable settings of a task and its test set, and whether it is closed; omitted fields stay unchanged."""

    name = serializers.CharField(
        max_length=200,
        help_text="Name of the test set, until judges have received work.",
    )
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
            "name",
            "source_language",
            "target_language",
            "blocks_wanted",
            "blocks_per_segment",
            "expertise",
            "rules",
            "segments_again",
            "closed",
            "confirm",
        ]

    def validate_expertise(self, tags: list[str]) -> list[str]:
        """Return distinct tags in lower case, as those of judges."""
        return sorted({tag.lower() for tag in tags})


class TaskDeletionSerializer(PlainSerializer):
    """Response with status 409: nothing was deleted."""

    detail = serializers.CharField(
        read_only=True,
        help_text="Why the task cannot be deleted; empty if only the confirmation is missing.",
    )
    words = serializers.ListField(
        child=serializers.CharField(),
        read_only=True,
        help_text="Effects of the deletion.",
    )


class TasksView(CampaignAPIView):
    ordering = "id"

    @extend_schema("campaigns_tasks_list", responses=TaskListedSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """List the tasks of a campaign, each with its number of judged blocks."""
        return self.paginated(self.tasks(), TaskListedSerializer)

    def tasks(self) -> QuerySet[Task]:
        judged = JudgmentSequence.objects.filter(task=OuterRef("pk")).values("judged")
        rows = Task.objects.of(self.campaign).select_related("test_set")
        return rows.annotate(judged=Coalesce(Subquery(judged), 0))

    @extend_schema(
        "tasks_create",
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
            ),
        ],
    )
    def post(self, request: Request, slug: str) -> Response:
        """Add a task to a test set. Judges receive it once HITs are planned. For organisers only.

        400 if the test set already has a task of this protocol or has no texts, or if the protocol has no such rules.
        """
        data = self.validated(NewTaskSerializer)
        options = {"rules": {}, **data}
        test_set = self.campaign.test_sets.filter(pk=options.pop("test_set")).first()
        if test_set is None:
            raise ValidationError(
                {"test_set": ["Test set not found in this campaign."]},
            )
        task = task_of_study_create(test_set=test_set, by=self.user, **options)
        return self.serialized(
            self.tasks().get(pk=task.pk),
            TaskListedSerializer,
            status=201,
        )


class TaskView(TaskAPIView):
    @extend_schema("tasks_retrieve", responses=TaskSerializer)
    def get(self, request: Request, task_id: int) -> Response:
        """Return a task with links to its texts, systems, judgments, rankings and judges."""
        return self.serialized(self.counted(), TaskSerializer)

    def counted(self) -> Task:
        here = OuterRef("test_set")
        tasks = Task.objects.select_related("test_set__campaign").annotate(
            document_count=count_of(Document.objects.filter(test_set=here), "test_set"),
            segment_count=count_of(Segment.objects.filter(test_set=here), "test_set"),
        )
        return tasks.get(pk=self.task.pk)

    @extend_schema(
        "tasks_change",
        request=TaskChangesAndClosingSerializer,
        responses={200: TaskSerializer, 409: ClosingSerializer},
        examples=[
            OpenApiExample(
                "Close the task",
                value={"closed": True, "confirm": True},
                request_only=True,
            ),
            OpenApiExample(
                "Raise the target",
                value={"blocks_wanted": 1200},
                request_only=True,
            ),
        ],
    )
    def patch(self, request: Request, task_id: int) -> Response:
        """Change the quotas and expertise of a task, or close or reopen it.

        Rules and the name of the test set can be changed until judges have received work, languages until the first judgment. For organisers only. 400 for rules that the protocol does not have, or that can no longer be changed. 409 without `confirm` if the task is to be closed while judges are working on it.
        """
        data = self.validated(TaskChangesAndClosingSerializer)
        task = self.task
        changes = dict(data)
        closed = changes.pop("closed", None)
        confirm = changes.pop("confirm", False)
        if (
            closed
            and not confirm
            and task.closed_at is None
            and task_at_work(task=task).judges
        ):
            return self.serialized(closing_answer(task), ClosingSerializer, status=409)
        task_settings_change(task=task, **changes)
        if closed:
            task_close(task=task)
        elif closed is not None:
            task_reopen(task=task)
        return self.serialized(self.counted(), TaskSerializer)

    @extend_schema(
        "tasks_delete",
        parameters=[
            OpenApiParameter(
                "confirm",
                OpenApiTypes.BOOL,
                description="Required. Without it, the response is 409 and lists the effects.",
            ),
        ],
        request=None,
        responses={204: None, 409: TaskDeletionSerializer},
        examples=[
            OpenApiExample(
                "Without confirm",
                value={
                    "detail": "",
                    "words": [
                        "No judgments are lost: no judge has received work from this task.",
                    ],
                },
                response_only=True,
                status_codes=["409"],
            ),
        ],
    )
    def delete(self, request: Request, task_id: int) -> Response:
        """Delete a task from which no judge has received work; the last task of a test set goes with the test set.

        The ranking of a test set is deleted last.
        """
        task = self.task
        confirmed = boolean_parameter(request, "confirm")
        refused = task_deletion_refusal(task=task)
        if not refused and confirmed:
            try:
                task_delete(task=task, by=self.user)
            except TaskRefusedError as error:
                refused = str(error)
            else:
                return Response(status=204)
        if refused:
            effects = []
        else:
            effects = task_deletion_in_words(task=task)
        return self.serialized(
            {"detail": refused, "words": effects},
            TaskDeletionSerializer,
            status=409,
        )
