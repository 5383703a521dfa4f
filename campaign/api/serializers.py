"""Serializers of campaigns, test sets and systems."""

from typing import Any, ClassVar

from django.conf import settings
from rest_framework import serializers

from campaign.api.plain_serializer import PlainSerializer
from campaign.models import Campaign, MembershipRole, System, Task, TestSet
from campaign.models.questions import JudgeQuestionSerializer
from campaign.services.campaigns import MAX_LEASE_MINUTES, TERMS, Rules
from campaign.services.notification import Message


class TaskBriefSerializer(serializers.ModelSerializer[Task]):
    url = serializers.HyperlinkedIdentityField(
        view_name="api-task",
        lookup_url_kwarg="task_id",
    )

    class Meta:
        model = Task
        fields = ["id", "protocol", "url"]


class TestSetBriefSerializer(serializers.ModelSerializer[TestSet]):
    __test__ = False

    tasks = TaskBriefSerializer(many=True, read_only=True)

    class Meta:
        model = TestSet
        fields = ["id", "name", "source_language", "target_language", "tasks"]


class CampaignSerializer(serializers.ModelSerializer[Campaign]):
    role = serializers.ChoiceField(
        choices=MembershipRole.choices,
        read_only=True,
        help_text="Your role in this campaign.",
    )
    test_sets = TestSetBriefSerializer(many=True, read_only=True)
    questions = JudgeQuestionSerializer(many=True, read_only=True)
    rehearsal_of = serializers.SlugRelatedField[Campaign](
        slug_field="slug",
        read_only=True,
        allow_null=True,
        help_text="The campaign this one rehearses with simulated judges; null if it is not a rehearsal.",
    )

    class Meta:
        model = Campaign
        fields = [
            "slug",
            "name",
            "rehearsal_of",
            "role",
            "state",
            "closes_at",
            *Rules.__annotations__,
            "created_at",
            "test_sets",
        ]


class CampaignMakeSerializer(PlainSerializer):
    name = serializers.CharField(
        max_length=200,
        help_text="Shown to judges and organisers.",
    )
    slug = serializers.SlugField(
        max_length=60,
        required=False,
        help_text="Used in URLs and cannot be changed. Derived from the name by default.",
    )


class CampaignRulesSerializer(serializers.ModelSerializer[Campaign]):
    """Editable settings of a campaign; omitted fields stay unchanged."""

    rank_shown_reference = serializers.BooleanField(
        write_only=True,
        required=False,
        help_text="Show the reference even where judges rank it. Otherwise the response is 409 and lists the "
        "test sets concerned.",
    )

    questions = JudgeQuestionSerializer(many=True, required=False)

    class Meta:
        model = Campaign
        fields = [*Rules.__annotations__, "rank_shown_reference"]
        extra_kwargs = {
            "lease_minutes": {"min_value": 1, "max_value": MAX_LEASE_MINUTES},
            "blocks_per_judge": {"min_value": 1},
            # The service strips white space, after the length of the original text has been checked.
            **{term: {"trim_whitespace": False} for term in TERMS},
        }


class MessageSerializer(PlainSerializer):
    language = serializers.ChoiceField(
        choices=settings.LANGUAGES,
        default=settings.LANGUAGE_CODE,
        help_text="Language of the message.",
    )
    note = serializers.CharField(
        max_length=1000,
        default="",
        allow_blank=True,
        help_text="Personal note in the message.",
    )


def message_of(data: dict[str, Any], *, base_url: str) -> Message:
    """Take language and note out of the data of a `MessageSerializer`, and return the message."""
    return Message(
        base_url=base_url,
        language=data.pop("language"),
        note=data.pop("note"),
    )


class ReferenceRankedSerializer(PlainSerializer):
    """Response with status 409: nothing was changed."""

    detail = serializers.CharField(read_only=True)
    facts = serializers.ListField(
        child=serializers.CharField(),
        read_only=True,
        help_text="Test sets that rank the reference, and how to change that.",
    )


def _link(view_name: str) -> serializers.HyperlinkedIdentityField:
    return serializers.HyperlinkedIdentityField(
        view_name=view_name,
        lookup_url_kwarg="task_id",
    )


class TaskLinksSerializer(serializers.Serializer[Task]):
    segments = _link("api-segments")
    documents = _link("api-documents")
    outputs = _link("api-outputs")
    systems = _link("api-systems")
    judgments = _link("api-judgments")
    comparisons = _link("api-comparisons")
    skips = _link("api-skips")
    rankings = _link("api-rankings")
    latest_ranking = _link("api-ranking-latest")
    ranking_settings = _link("api-ranking-settings")
    stopping_rule = _link("api-stopping-rule")
    published_results = _link("api-published-results")
    judges = _link("api-judges")
    quality_actions = _link("api-quality-actions")
    designs = _link("api-designs")
    hits = _link("api-hits")


class SystemSerializer(serializers.ModelSerializer[System]):
    class Meta:
        model = System
        fields = [
            "id",
            "name",
            "kind",
            "constrained",
            "approach",
            "condition",
            "team",
            "contact",
            "withdrawn_at",
        ]
        read_only_fields = ["id", "kind", "withdrawn_at"]
        # The service checks the names.
        validators: ClassVar[list[Any]] = []
