"""The snippets of a quiz over REST."""

from typing import Any

from drf_spectacular.utils import OpenApiExample
from rest_framework import serializers
from rest_framework.exceptions import NotFound, ValidationError

from campaign.api.operations import Address, operation
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


class SnippetsView(Address):
    @operation("snippets", SnippetsSerializer)
    def get(self) -> dict[str, Any]:
        """Return the snippets of a quiz with their statements and expected answers. 404 for other protocols."""
        return {"snippets": [snippet_json(each) for each in snippets_of(self.quiz())]}

    def quiz(self) -> Task:
        if self.task.protocol != Protocol.QUIZ:
            raise NotFound
        return self.task

    @operation(
        "snippets_replace",
        SnippetsSerializer,
        takes=SnippetsSerializer,
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
    def put(self) -> dict[str, Any]:
        """Replace all snippets of a quiz (organisers only, before judging starts).

        400 names the error and changes nothing.
        """
        task = self.quiz()
        snippets_replace(task=task, given=[_given(each) for each in self.sent["snippets"]])
        return {"snippets": [snippet_json(each) for each in snippets_of(task)]}


def _given(sent: dict[str, Any]) -> GivenSnippet:
    return GivenSnippet(
        name=sent["snippet"],
        document=sent["document"],
        first=sent["first"],
        last=sent["last"],
        statements=tuple(each["text"] for each in sent["statements"]),
        expected=tuple(each["expected"] for each in sent["statements"]),
    )
