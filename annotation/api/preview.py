"""Preview the judging API for organisers: the same shapes of responses, but nothing is stored.

Kept outside the judging API's address prefix, which is exempt from the second factor.
"""

from dataclasses import asdict
from datetime import timedelta
from typing import Any
from uuid import UUID

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api import serializers
from annotation.api.judging import (
    JudgedBlocksSerializer,
    ProblemReportRequestSerializer,
    answer_validated,
)
from annotation.api.work_time import WorkTimeSerializer
from annotation.protocols import rules_shown
from annotation.selectors.judging import languages_data
from annotation.services.preview import (
    PreviewedHIT,
    feedback_preview,
    hit_id_of,
    hit_preview,
    labels_preview,
)
from campaign.api.access import readable_task
from campaign.api.requests import content_validated
from campaign.models import Task

_A_DAY_SECONDS = 86_400


def _data(task: Task, hit: PreviewedHIT) -> dict[str, Any]:
    campaign = task.test_set.campaign
    return {
        "id": hit.id,
        "revisable_hits": hit.number,
        "expires_at": timezone.now() + timedelta(minutes=campaign.lease_minutes),
        "blocks": [block.as_shown() for block in hit.blocks],
        "languages": languages_data(task.test_set.source_language, task.test_set.target_language),
        "protocol": task.protocol,
        "rules": {
            **rules_shown(task.protocol, task.rules, campaign=campaign, part=1),
            **(hit.blocks[0].stage_rules if hit.blocks else {}),
            **({} if hit.number else {"practice": True}),
        },
        # Nothing is counted.
        "progress": {"done": 0, "wanted": campaign.blocks_per_judge, "minutes_left": None},
        "notice": "",
    }


def _next_data(task: Task, after: UUID | None) -> dict[str, Any] | None:
    hit = hit_preview(task=task, after=after)
    return None if hit is None else _data(task, hit)


@extend_schema(exclude=True)
class PreviewAssignmentsView(APIView):
    def post(self, request: Request, task_id: int) -> Response:
        """Show the first HIT, or the one after."""
        task = readable_task(request, task_id)
        sent = content_validated(serializers.AssignmentRequestSerializer, request.data)
        found = _next_data(task, sent.get("after"))
        if found is None:
            return Response(status=status.HTTP_204_NO_CONTENT)
        return Response(found)


@extend_schema(exclude=True)
class PreviewJudgmentView(APIView):
    def put(self, request: Request, task_id: int, client_id: UUID) -> Response:
        """Take a judgment and drop it; with `after`, the next HIT comes with the answer."""
        task = readable_task(request, task_id)
        sent = content_validated(serializers.JudgmentRequestSerializer, request.data)
        data = dict(sent)
        after, block = data.pop("after", None), data["block"]
        data.pop("in_hand", None)
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
                "next": None if after is None else _next_data(task, after),
            }
        )


@extend_schema(exclude=True)
class PreviewSkipView(APIView):
    def put(self, request: Request, task_id: int, client_id: UUID) -> Response:
        """Take a skip and drop it."""
        task = readable_task(request, task_id)
        sent = content_validated(serializers.SkipRequestSerializer, request.data)
        assignment = hit_id_of(task=task, block=sent["block"])
        return Response({"id": client_id, **sent, "assignment": assignment})


@extend_schema(exclude=True)
class PreviewProblemReportView(APIView):
    def put(self, request: Request, task_id: int, client_id: UUID) -> Response:
        """Take a problem report and drop it."""
        readable_task(request, task_id)
        sent = content_validated(ProblemReportRequestSerializer, request.data)
        return Response({"id": client_id, **sent})


@extend_schema(exclude=True)
class PreviewJudgmentsView(APIView):
    def get(self, request: Request, task_id: int) -> Response:
        """Nothing is stored, so there is no history."""
        readable_task(request, task_id)
        none: dict[str, Any] = {"next": None, "previous": None, "has_older": False, "results": []}
        return Response(JudgedBlocksSerializer(none).data)


@extend_schema(exclude=True)
class PreviewProgressView(APIView):
    def get(self, request: Request, task_id: int) -> Response:
        """As at the beginning."""
        campaign = readable_task(request, task_id).test_set.campaign
        return Response({"done": 0, "wanted": campaign.blocks_per_judge, "minutes_left": None})


@extend_schema(exclude=True)
class PreviewWorkTimeView(APIView):
    def get(self, request: Request, task_id: int) -> Response:
        """No time is counted."""
        readable_task(request, task_id)
        nothing = {"sentences": 0, "active_seconds": 0, "untimed": 0}
        now = timezone.localtime()
        data = {
            "time_zone": timezone.get_current_timezone_name(),
            "seconds_left_today": _A_DAY_SECONDS,
            "today": {"day": now.date(), **nothing},
            "total": nothing,
            "days": [],
        }
        return Response(WorkTimeSerializer(data).data)
