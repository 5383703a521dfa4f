"""The snippets of a quiz over REST."""

from typing import Any

from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from campaign.api.access import organised_task, readable_task
from campaign.models import Protocol, Task
from protocols.quiz.snippets import (
    MOST_SEGMENTS,
    MOST_SNIPPETS,
    MOST_STATEMENTS,
    GivenSnippet,
    snippet_json,
    snippets_of,
    snippets_replace,
)


class StatementSerializer(serializers.Serializer[Any]):
    text = serializers.CharField(
        max_length=1000, help_text="Statement about the snippet, true or false."
    )
    expected = serializers.BooleanField(
        help_text="Whether the statement is true. Judges do not see it."
    )


class SnippetSerializer(serializers.Serializer[Any]):
    """Consecutive segments of a document read together, with statements about them."""

    snippet = serializers.CharField(max_length=200, help_text="Name, unique in the task.")
    document = serializers.CharField()
    first = serializers.IntegerField(
        min_value=1, help_text="First segment, by position in the document from 1."
    )
    last = serializers.IntegerField(
        min_value=1, help_text=f"Its last segment; at most {MOST_SEGMENTS} together."
    )
    statements = serializers.ListField(
        child=StatementSerializer(), min_length=1, max_length=MOST_STATEMENTS
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Refuse a snippet that ends before it begins, or is longer than a HIT."""
        if not 0 <= attrs["last"] - attrs["first"] < MOST_SEGMENTS:
            raise ValidationError(
                {"last": [f"From the first segment on, 1 to {MOST_SEGMENTS} are read together."]}
            )
        return attrs


class SnippetsSerializer(serializers.Serializer[Any]):
    """All snippets of a quiz, in order."""

    snippets = serializers.ListField(
        child=SnippetSerializer(), min_length=1, max_length=MOST_SNIPPETS
    )


class SnippetsView(APIView):
    @extend_schema(operation_id="snippets", responses=SnippetsSerializer)
    def get(self, request: Request, task_id: int) -> Response:
        """Return the snippets of a quiz with their statements and expected answers. 404 for other protocols."""
        return _answer(_quiz(readable_task(request, task_id)))

    @extend_schema(
        operation_id="snippets_replace",
        request=SnippetsSerializer,
        responses=SnippetsSerializer,
        examples=[
            OpenApiExample(
                "One snippet",
                value={
                    "snippets": [
                        {
                            "snippet": "news-1",
                            "document": "news",
                            "first": 1,
                            "last": 4,
                            "statements": [{"text": "The tower is open.", "expected": True}],
                        }
                    ]
                },
                request_only=True,
            )
        ],
    )
    def put(self, request: Request, task_id: int) -> Response:
        """Replace all snippets of a quiz (organisers only, before judging starts).

        400 names the error and changes nothing.
        """
        task = _quiz(organised_task(request, task_id))
        sent = SnippetsSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        snippets_replace(
            task=task, given=[_given(each) for each in sent.validated_data["snippets"]]
        )
        return _answer(task)


def _quiz(task: Task) -> Task:
    if task.protocol != Protocol.QUIZ:
        raise NotFound
    return task


def _answer(task: Task) -> Response:
    rows = {"snippets": [snippet_json(each) for each in snippets_of(task)]}
    return Response(SnippetsSerializer(rows).data)


def _given(sent: dict[str, Any]) -> GivenSnippet:
    return GivenSnippet(
        name=sent["snippet"],
        document=sent["document"],
        first=sent["first"],
        last=sent["last"],
        statements=tuple(each["text"] for each in sent["statements"]),
        expected=tuple(each["expected"] for each in sent["statements"]),
    )
