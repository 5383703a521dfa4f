"""Closing a test set to judges, for its organisers."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.selectors.at_work import closing_in_words, test_set_at_work
from campaign.api.access import organised_test_set
from campaign.models import TestSet
from campaign.services import test_set_close, test_set_reopen


class ClosingSerializer(serializers.Serializer[Any]):
    """Whether a test set is closed to judges, and who is at work in it now."""

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


class TestSetClosingView(APIView):
    __test__ = False

    @extend_schema(operation_id="test_set_closing", responses=ClosingSerializer)
    def get(self, request: Request, test_set_id: int) -> Response:
        """Say whether a test set is closed, and what closing it would do now."""
        return _answer(organised_test_set(request, test_set_id))

    @extend_schema(
        operation_id="test_set_close_or_reopen",
        request=ClosingRequestSerializer,
        responses={200: ClosingSerializer, 409: ClosingSerializer},
    )
    def put(self, request: Request, test_set_id: int) -> Response:
        """Close it to judges or open it again. 409 while judges are at work, without `confirm`."""
        test_set = organised_test_set(request, test_set_id)
        sent = ClosingRequestSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        if not sent.validated_data["closed"]:
            test_set_reopen(test_set=test_set)
        elif sent.validated_data["confirm"] or not test_set_at_work(test_set=test_set).judges:
            test_set_close(test_set=test_set)
        else:
            return _answer(test_set, status=409)
        test_set.refresh_from_db(fields=["closed_at"])
        return _answer(test_set)


def _answer(test_set: TestSet, status: int = 200) -> Response:
    now = test_set_at_work(test_set=test_set)
    shown = {
        "closed_at": test_set.closed_at,
        "judges": now.judges,
        "blocks": now.blocks,
        "words": closing_in_words(test_set=test_set),
    }
    return Response(ClosingSerializer(shown).data, status=status)
