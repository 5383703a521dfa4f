"""REST views of the snippets of a quiz."""

from typing import Final

from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from campaign.api.base import TaskAPIView
from campaign.api.plain_serializer import PlainSerializer
from campaign.models import Protocol, Task
from protocols.quiz.snippets import (
    SnippetSerializer,
    snippet_json,
    snippets_of,
    snippets_replace,
)

_MOST_SNIPPETS: Final = 10_000


class SnippetsSerializer(PlainSerializer):
    """All snippets of a quiz, in order."""

    snippets = serializers.ListField(
        child=SnippetSerializer(),
        min_length=1,
        max_length=_MOST_SNIPPETS,
    )


class SnippetsView(TaskAPIView):
    @extend_schema("snippets", responses=SnippetsSerializer)
    def get(self, request: Request, task_id: int) -> Response:
        """Return the snippets of a quiz with their statements and expected answers; 404 for other
        protocols.
        """
        return self.serialized(
            {
                "snippets": [
                    snippet_json(snippet) for snippet in snippets_of(self.quiz())
                ],
            },
            SnippetsSerializer,
        )

    def quiz(self) -> Task:
        if self.task.protocol != Protocol.QUIZ:
            raise NotFound
        return self.task

    @extend_schema(
        "snippets_replace",
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
                            "statements": [
                                {"text": "The tower is open.", "expected": True},
                            ],
                        },
                    ],
                },
                request_only=True,
            ),
        ],
    )
    def put(self, request: Request, task_id: int) -> Response:
        """Replace all snippets of a quiz (organisers only, before judging starts).

        On an error, the response is a 400 that names it, and nothing is changed.
        """
        data = self.validated(SnippetsSerializer)
        task = self.quiz()
        snippets_replace(task=task, snippets=data["snippets"])
        return self.serialized(
            {"snippets": [snippet_json(snippet) for snippet in snippets_of(task)]},
            SnippetsSerializer,
        )
