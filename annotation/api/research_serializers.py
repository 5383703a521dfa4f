"""Serializers of judgments for members of their campaign."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from annotation.api.serializers import AnswerField
from annotation.models import Judgment
from annotation.protocols import Answer


class JudgmentRecordSerializer(serializers.ModelSerializer[Judgment]):
    """A judgment with everything a ranking needs."""

    id = serializers.UUIDField(source="client_id")
    number = serializers.IntegerField(help_text="From 1 in the test set, without gaps.")
    judge = serializers.CharField(source="judge.pseudonym")
    segment = serializers.IntegerField(
        source="block.segment.number", help_text="From 1 through the test set."
    )
    document = serializers.CharField(source="block.segment.document.name")
    candidates = serializers.SerializerMethodField(
        help_text="In shown order; each with the systems that produced this very text."
    )
    labels = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=5, allow_null=True),
        help_text="Aligned with the candidates: 1 best … 5 worst, null where left blank.",
    )
    answer = serializers.SerializerMethodField(
        help_text="What the judge said, in other protocols than the ranking: the labels follow from it. Null for "
        "a ranking."
    )
    supersedes = serializers.UUIDField(
        source="supersedes.client_id",
        allow_null=True,
        default=None,
        help_text="The judgment of this judge and block that this one corrects.",
    )
    current = serializers.BooleanField(
        help_text="No later judgment (up to `until`, if given) supersedes it."
    )
    control = serializers.CharField(
        source="block.control",
        help_text="“attention”, “training”, or empty: judgments of controls count in nothing.",
    )
    rehearsal_of = serializers.CharField(
        allow_null=True,
        help_text="The campaign that a simulated judge rehearsed with it; null outside rehearsals.",
    )

    class Meta:
        model = Judgment
        fields = [
            "id",
            "number",
            "judge",
            "segment",
            "document",
            "candidates",
            "labels",
            "answer",
            "duration_ms",
            "active_ms",
            "comment",
            "submitted_at",
            "supersedes",
            "current",
            "control",
            "rehearsal_of",
        ]
        read_only_fields = fields

    @extend_schema_field(AnswerField(allow_null=True))
    def get_answer(self, judgment: Judgment) -> Answer | None:
        answers: dict[int, Answer] = self.context["answers"]
        return answers.get(judgment.pk)

    def get_candidates(self, judgment: Judgment) -> list[list[str]]:
        names: dict[int, str] = self.context["names"]
        shown: dict[int, list[list[int]]] = self.context["shown"]
        return [[names[system] for system in systems] for systems in shown[judgment.block_id]]


class UntilSerializer(serializers.Serializer[Any]):
    until = serializers.IntegerField(
        required=False,
        min_value=0,
        help_text="Judgments with a number up to this one, such as a ranking's watermark.",
    )
