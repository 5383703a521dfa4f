"""Stands where the judging API is while an organiser sees a test set as judges do: the same shapes, nothing stored.

Not below the judging API's address: there nobody is asked for a second factor.
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
from annotation.api.history import JudgedBlocksSerializer
from annotation.api.reports import ProblemReportRequestSerializer
from annotation.api.views import languages_data
from annotation.api.work_time import WorkTimeSerializer
from annotation.services.preview import (
    PreviewedHIT,
    feedback_preview,
    hit_id_of,
    hit_preview,
)
from campaign.api.access import readable_test_set
from campaign.models import TestSet

_A_DAY_SECONDS = 86_400


def _data(test_set: TestSet, hit: PreviewedHIT) -> dict[str, Any]:
    campaign = test_set.campaign
    return {
        "id": hit.id,
        "revisable_hits": hit.number,
        "expires_at": timezone.now() + timedelta(minutes=campaign.lease_minutes),
        "blocks": [asdict(block) for block in hit.blocks],
        "languages": languages_data(test_set.source_language, test_set.target_language),
        "rules": {"partial": campaign.allow_partial_ranking},
        # Nothing is counted.
        "progress": {"done": 0, "wanted": campaign.blocks_per_judge, "minutes_left": None},
        "notice": "",
    }


def _next_data(test_set: TestSet, after: UUID | None) -> dict[str, Any] | None:
    hit = hit_preview(test_set=test_set, after=after)
    return None if hit is None else _data(test_set, hit)


@extend_schema(exclude=True)
class PreviewAssignmentsView(APIView):
    def post(self, request: Request, test_set_id: int) -> Response:
        """Show the first HIT, or the one after."""
        test_set = readable_test_set(request, test_set_id)
        body = serializers.AssignmentRequestSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        found = _next_data(test_set, body.validated_data.get("after"))
        if found is None:
            return Response(status=status.HTTP_204_NO_CONTENT)
        return Response(found)


@extend_schema(exclude=True)
class PreviewJudgmentView(APIView):
    def put(self, request: Request, test_set_id: int, client_id: UUID) -> Response:
        """Take a judgment and drop it; with `after`, the next HIT comes with the answer."""
        test_set = readable_test_set(request, test_set_id)
        body = serializers.JudgmentRequestSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        data = dict(body.validated_data)
        after, block = data.pop("after", None), data["block"]
        feedback = feedback_preview(test_set=test_set, block=block, labels=data["labels"])
        return Response(
            {
                "id": client_id,
                **data,
                "submitted_at": timezone.now(),
                "assignment": hit_id_of(test_set=test_set, block=block),
                "feedback": None if feedback is None else asdict(feedback),
                "next": None if after is None else _next_data(test_set, after),
            }
        )


@extend_schema(exclude=True)
class PreviewSkipView(APIView):
    def put(self, request: Request, test_set_id: int, client_id: UUID) -> Response:
        """Take a skip and drop it."""
        test_set = readable_test_set(request, test_set_id)
        body = serializers.SkipRequestSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        data = body.validated_data
        assignment = hit_id_of(test_set=test_set, block=data["block"])
        return Response({"id": client_id, **data, "assignment": assignment})


@extend_schema(exclude=True)
class PreviewProblemReportView(APIView):
    def put(self, request: Request, test_set_id: int, client_id: UUID) -> Response:
        """Take a problem report and drop it."""
        readable_test_set(request, test_set_id)
        body = ProblemReportRequestSerializer(data=request.data)
        body.is_valid(raise_exception=True)
        return Response({"id": client_id, **body.validated_data})


@extend_schema(exclude=True)
class PreviewJudgmentsView(APIView):
    def get(self, request: Request, test_set_id: int) -> Response:
        """Nothing is stored, so there is no history."""
        readable_test_set(request, test_set_id)
        none: dict[str, Any] = {"next": None, "previous": None, "has_older": False, "results": []}
        return Response(JudgedBlocksSerializer(none).data)


@extend_schema(exclude=True)
class PreviewProgressView(APIView):
    def get(self, request: Request, test_set_id: int) -> Response:
        """As at the beginning."""
        campaign = readable_test_set(request, test_set_id).campaign
        return Response({"done": 0, "wanted": campaign.blocks_per_judge, "minutes_left": None})


@extend_schema(exclude=True)
class PreviewWorkTimeView(APIView):
    def get(self, request: Request, test_set_id: int) -> Response:
        """No time is counted."""
        readable_test_set(request, test_set_id)
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
