"""Preview the judging API for organisers: the same shapes of responses, but nothing is stored.

Kept outside the judging API's address prefix, which is exempt from the second factor.
"""

from dataclasses import asdict
from functools import partial
from typing import Any
from uuid import UUID

from django.utils import timezone
from rest_framework import status
from rest_framework.response import Response

from annotation.api import serializers
from annotation.api.judging import (
    JudgeAddress,
    JudgedBlocksSerializer,
    ProblemReportRequestSerializer,
    answer_validated,
)
from annotation.api.work_time import WorkTimeSerializer
from annotation.selectors.shown import unlent_data
from annotation.services.preview import (
    PreviewedHIT,
    feedback_preview,
    hit_id_of,
    hit_preview,
    labels_preview,
)
from campaign.api.operations import operation
from campaign.models import Task

_A_DAY_SECONDS = 86_400


def _data(task: Task, hit: PreviewedHIT) -> dict[str, Any]:
    data = unlent_data(hit.blocks, id_=hit.id, task=task, part=1)
    if not hit.number:
        data["rules"]["practice"] = True
    return {**data, "revisable_hits": hit.number}


def _next_data(task: Task, after: UUID | None) -> dict[str, Any] | None:
    hit = hit_preview(task=task, after=after)
    return None if hit is None else _data(task, hit)


#: Read-only members may preview, and the API description omits previews.
_preview = partial(operation, for_readers=True, exclude=True)


class PreviewAssignmentsView(JudgeAddress):
    @_preview("preview_assignment", takes=serializers.AssignmentRequestSerializer)
    def post(self) -> Response:
        """Return the first HIT, or the one that follows another."""
        found = _next_data(self.task, self.sent.get("after"))
        if found is None:
            return Response(status=status.HTTP_204_NO_CONTENT)
        return Response(found)


class PreviewJudgmentView(JudgeAddress):
    @_preview("preview_judgment", takes=serializers.JudgmentRequestSerializer)
    def put(self, client_id: UUID) -> Response:
        """Accept a judgment and discard it; with `after`, the response includes the next HIT."""
        task, data = self.task, self.sent
        after, block = data.pop("after", None), data["block"]
        data.pop("in_hand", None)
        data.pop("replaces", None)
        data.pop("played", None)
        data["answer"] = answer_validated(task.protocol, data.get("answer"))
        data["labels"] = labels_preview(task=task, labels=data.get("labels"), answer=data["answer"])
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
            }
        )


class PreviewSkipView(JudgeAddress):
    @_preview("preview_skip", takes=serializers.SkipRequestSerializer)
    def put(self, client_id: UUID) -> Response:
        """Accept a skip and discard it."""
        assignment = hit_id_of(task=self.task, block=self.sent["block"])
        return Response({"id": client_id, **self.sent, "assignment": assignment, "stopped": None})


class PreviewProblemReportView(JudgeAddress):
    @_preview("preview_problem_report", takes=ProblemReportRequestSerializer)
    def put(self, client_id: UUID) -> Response:
        """Accept a problem report and discard it."""
        return Response({"id": client_id, **self.sent})


class PreviewJudgmentsView(JudgeAddress):
    @_preview("preview_judgments", JudgedBlocksSerializer)
    def get(self) -> dict[str, Any]:
        """Return an empty history: nothing is stored."""
        return {"next": None, "previous": None, "has_older": False, "results": []}


class PreviewProgressView(JudgeAddress):
    @_preview("preview_progress", serializers.ProgressSerializer)
    def get(self) -> dict[str, Any]:
        """Return the progress of a judge who has not begun."""
        wanted = self.task.test_set.campaign.blocks_per_judge
        return {"done": 0, "wanted": wanted, "minutes_left": None}


class PreviewWorkTimeView(JudgeAddress):
    @_preview("preview_work_time", WorkTimeSerializer)
    def get(self) -> dict[str, Any]:
        """Return a work time of zero: previews are not timed."""
        nothing = {"sentences": 0, "active_seconds": 0, "untimed": 0}
        return {
            "time_zone": timezone.get_current_timezone_name(),
            "seconds_left_today": _A_DAY_SECONDS,
            "today": {"day": timezone.localtime().date(), **nothing},
            "total": nothing,
            "days": [],
        }
