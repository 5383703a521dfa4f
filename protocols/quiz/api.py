"""REST views of the snippets of a quiz."""

from typing import Any, Final

from drf_spectacular.utils import OpenApiExample
from rest_framework import serializers
from rest_framework.exceptions import NotFound

from campaign.api.operations import Address, operation
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
        child=SnippetSerializer(), min_length=1, max_length=_MOST_SNIPPETS
    )


class SnippetsView(Address):
    @operation("snippets", SnippetsSerializer)
    def get(self) -> dict[str, Any]:
        """Return the snippets of a quiz with their statements and expected answers; 404 for other
        protocols.
        """
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

        On an error, the response is a 400 that names it, and nothing is changed.
        """
        task = self.quiz()
        snippets_replace(task=task, snippets=self.sent["snippets"])
        return {"snippets": [snippet_json(each) for each in snippets_of(task)]}
