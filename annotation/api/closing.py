"""Closing a test set to judges, for its organisers."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.selectors.effects import closing_in_words, task_at_work
from campaign.api.access import organised_task
from campaign.models import Task
from campaign.services import task_close, task_reopen


class ClosingSerializer(serializers.Serializer[Any]):
    """Closing of a test set to judges, and the judges at work in it now."""

    closed_at = serializers.DateTimeField(allow_null=True, read_only=True)
    judges = serializers.IntegerField(read_only=True, help_text="Who hold a HIT of it now.")
    blocks = serializers.IntegerField(read_only=True, help_text="Of these HITs.")
    words = serializers.ListField(
        child=serializers.CharField(), read_only=True, help_text="What closing it would do now."
    )


class ClosingRequestSerializer(serializers.Serializer[Any]):
    closed = serializers.BooleanField()
    confirm = serializers.BooleanField(
        default=False, help_text="Needed to close it while judges are at work."
    )


class TaskClosingView(APIView):
    __test__ = False

    @extend_schema(operation_id="task_closing", responses=ClosingSerializer)
    def get(self, request: Request, task_id: int) -> Response:
        """Say whether a test set is closed, and what closing it would do now."""
        return closing_answer(organised_task(request, task_id))

    @extend_schema(
        operation_id="task_close_or_reopen",
        request=ClosingRequestSerializer,
        responses={200: ClosingSerializer, 409: ClosingSerializer},
    )
    def put(self, request: Request, task_id: int) -> Response:
        """Close it to judges or open it again. 409 while judges are at work, without `confirm`."""
        task = organised_task(request, task_id)
        sent = ClosingRequestSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        if not sent.validated_data["closed"]:
            task_reopen(task=task)
        elif sent.validated_data["confirm"] or not task_at_work(task=task).judges:
            task_close(task=task)
        else:
            return closing_answer(task, status=409)
        task.refresh_from_db(fields=["closed_at"])
        return closing_answer(task)


def closing_answer(task: Task, status: int = 200) -> Response:
    """Return whether a task is closed, and what closing it would do now."""
    now = task_at_work(task=task)
    shown = {
        "closed_at": task.closed_at,
        "judges": now.judges,
        "blocks": now.blocks,
        "words": closing_in_words(task=task),
    }
    return Response(ClosingSerializer(shown).data, status=status)
