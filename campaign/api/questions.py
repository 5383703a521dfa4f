"""Questions to judges, with their answers counted."""

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from campaign.api.base import CampaignAPIView
from campaign.api.plain_serializer import PlainSerializer
from campaign.selectors.questions import AnswersSummary, answers_summaries
from campaign.services.members import change_demand


class AnswerCountSerializer(PlainSerializer):
    answer = serializers.CharField()
    judges = serializers.IntegerField()
    share = serializers.FloatField(help_text="Share of the judges who answered.")


class QuestionSummarySerializer(serializers.Serializer[AnswersSummary]):
    """A question and its answers. Questions are changed with the settings of the campaign."""

    name = serializers.CharField(source="question.name")
    text = serializers.CharField(
        source="question.text",
        help_text="In the first language.",
    )
    kind = serializers.CharField(source="question.kind")
    answered = serializers.IntegerField(help_text="Judges who answered.")
    unanswered = serializers.IntegerField(
        help_text="Judges who were asked and left it empty, or deleted their answer.",
    )
    earlier = serializers.IntegerField(
        help_text="Answers to an earlier version of the question; they are counted, too.",
    )
    counts = AnswerCountSerializer(
        many=True,
        help_text="Choices in their order; of texts, the ten most frequent; numbers up to and above the median.",
    )
    median = serializers.FloatField(allow_null=True, help_text="Of numbers.")
    minimum = serializers.FloatField(
        source="lowest",
        allow_null=True,
        help_text="Of numbers.",
    )
    maximum = serializers.FloatField(
        source="highest",
        allow_null=True,
        help_text="Of numbers.",
    )


class QuestionSummariesSerializer(PlainSerializer):
    questions = QuestionSummarySerializer(many=True)


class QuestionsView(CampaignAPIView):
    @extend_schema("campaigns_questions", responses=QuestionSummariesSerializer)
    def get(self, request: Request, slug: str) -> Response:
        """Return the questions to judges and their answers: counts, and for numbers the median and the range.

        For organisers: single answers can identify a person. The answers of each judge are in the export `judge-answers`.
        """
        change_demand(self.get_role())
        return self.serialized(
            {"questions": answers_summaries(campaign=self.campaign)},
            QuestionSummariesSerializer,
        )
