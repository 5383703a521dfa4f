"""Preview the judging API for organisers: the same shapes of responses, but nothing is stored.

Kept outside the judging API's address prefix, which is exempt from the second factor.
"""

from dataclasses import asdict
from uuid import UUID

from django.utils import timezone
from rest_framework import status
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.api import serializers
from annotation.api.judging import (
    JudgeAPIView,
    JudgedBlocksSerializer,
    ProblemReportRequestSerializer,
)
from annotation.api.work_time import WorkTimeSerializer
from annotation.protocols.answer_kinds import answer_kind_of
from annotation.selectors.shown import unlent_data
from annotation.services.preview import (
    PreviewedHIT,
    feedback_preview,
    hit_id_of,
    hit_preview,
    labels_preview,
)
from campaign.api.base import IsMember, TaskMixin
from campaign.models import Task

_A_DAY_SECONDS = 86_400


def _data(task: Task, hit: PreviewedHIT) -> dict[str, object]:
    data = unlent_data(hit.blocks, id_=hit.id, task=task, part=1)
    if not hit.number:
        data["rules"]["practice"] = True
    return {**data, "revisable_hits": hit.number}


def _next_data(task: Task, after: UUID | None) -> dict[str, object] | None:
    hit = hit_preview(task=task, after=after)
    if hit is None:
        return None
    return _data(task, hit)


class PreviewAPIView(TaskMixin, JudgeAPIView):
    """View of the preview, for members in any role."""

    permission_classes = [IsAuthenticated, IsMember]
    # The API description omits previews.
    schema = None


class PreviewAssignmentsView(PreviewAPIView):
    def post(self, request: Request, task_id: int) -> Response:
        """Return the first HIT, or the one that follows another."""
        data = self.validated(serializers.AssignmentRequestSerializer)
        assignment = _next_data(self.task, data.get("after"))
        if assignment is None:
            return Response(status=status.HTTP_204_NO_CONTENT)
        return Response(assignment)


class PreviewJudgmentView(PreviewAPIView):
    def put(self, request: Request, task_id: int, client_id: UUID) -> Response:
        """Accept a judgment and discard it; with `after`, the response includes the next HIT."""
        task = self.task
        data = self.validated(serializers.JudgmentRequestSerializer)
        after = data.pop("after", None)
        block = data["block"]
        data.pop("in_hand", None)
        data.pop("replaces", None)
        data.pop("played", None)
        kind = answer_kind_of(task)
        data["answer"] = kind.validated(data.get("answer"))
        data["labels"] = labels_preview(
            task=task,
            labels=data.get("labels"),
            answer=data["answer"],
        )
        data["answer"] = kind.named(data["answer"])
        feedback = feedback_preview(task=task, block=block, labels=data["labels"])
        return Response(
            {
                "id": client_id,
                **data,
                "submitted_at": timezone.now(),
                "assignment": hit_id_of(task=task, block=block),
                "feedback": None if feedback is None else asdict(feedback),
                "stopped": None,
                "taken_back": [],
                "next": None if after is None else _next_data(task, after),
            },
        )


class PreviewSkipView(PreviewAPIView):
    def put(self, request: Request, task_id: int, client_id: UUID) -> Response:
        """Accept a skip and discard it."""
        data = self.validated(serializers.SkipRequestSerializer)
        assignment = hit_id_of(task=self.task, block=data["block"])
        return Response(
            {"id": client_id, **data, "assignment": assignment, "stopped": None},
        )


class PreviewProblemReportView(PreviewAPIView):
    def put(self, request: Request, task_id: int, client_id: UUID) -> Response:
        """Accept a problem report and discard it."""
        data = self.validated(ProblemReportRequestSerializer)
        return Response({"id": client_id, **data})


class PreviewJudgmentsView(PreviewAPIView):
    def get(self, request: Request, task_id: int) -> Response:
        """Return an empty history: nothing is stored."""
        return self.serialized(
            {"next": None, "previous": None, "has_older": False, "results": []},
            JudgedBlocksSerializer,
        )


class PreviewProgressView(PreviewAPIView):
    def get(self, request: Request, task_id: int) -> Response:
        """Return the progress of a judge who has not begun."""
        target = self.task.test_set.campaign.blocks_per_judge
        return self.serialized(
            {"done": 0, "wanted": target, "minutes_left": None},
            serializers.ProgressSerializer,
        )


class PreviewWorkTimeView(PreviewAPIView):
    def get(self, request: Request, task_id: int) -> Response:
        """Return a work time of zero: previews are not timed."""
        nothing = {"sentences": 0, "active_seconds": 0, "untimed": 0}
        return self.serialized(
            {
                "time_zone": timezone.get_current_timezone_name(),
                "seconds_left_today": _A_DAY_SECONDS,
                "today": {"day": timezone.localtime().date(), **nothing},
                "total": nothing,
                "days": [],
            },
            WorkTimeSerializer,
        )
