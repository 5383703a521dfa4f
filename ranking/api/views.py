"""Ranking runs and judges, for the members of a campaign."""

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema, inline_serializer
from rest_framework import generics, serializers
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.models import QualityAction
from campaign.api.access import organised_test_set, readable_test_set, reader
from campaign.api.pages import CursorPages, only_page
from ranking.api.serializers import (
    JudgeSerializer,
    QualityActionSerializer,
    RankingBriefSerializer,
    RankingSerializer,
    RankingSettingsSerializer,
)
from ranking.models import RankingRun
from ranking.range_choices import RangeChoiceError
from ranking.selectors.quality import judges_quality, quality_actions
from ranking.selectors.runs import latest_run
from ranking.selectors.settings import ranking_settings_in_force
from ranking.services import ranking_settings_change


class RankingsView(generics.ListAPIView[RankingRun]):
    """The ranking runs of a test set, the newest first, without their results."""

    serializer_class = RankingBriefSerializer
    pagination_class = CursorPages
    ordering = "-id"

    def get_queryset(self) -> QuerySet[RankingRun]:
        test_set = readable_test_set(self.request, self.kwargs["test_set_id"])
        return RankingRun.objects.of(test_set.pk).defer("result")


class RankingView(generics.RetrieveAPIView[RankingRun]):
    """A ranking run with its result."""

    serializer_class = RankingSerializer
    lookup_url_kwarg = "ranking_id"

    def get_queryset(self) -> QuerySet[RankingRun]:
        test_set = readable_test_set(self.request, self.kwargs["test_set_id"])
        return RankingRun.objects.of(test_set.pk)


class LatestRankingView(APIView):
    @extend_schema(operation_id="rankings_latest", responses=RankingSerializer)
    def get(self, request: Request, test_set_id: int) -> Response:
        """Return the newest ranking; `watermark` is the number of the last judgment in it."""
        test_set = readable_test_set(request, test_set_id)
        run = latest_run(test_set_id=test_set.pk)
        if run is None:
            raise NotFound(_("This test set has no ranking yet."))
        return Response(RankingSerializer(run).data)


class RankingSettingsView(APIView):
    @extend_schema(operation_id="ranking_settings_read", responses=RankingSettingsSerializer)
    def get(self, request: Request, test_set_id: int) -> Response:
        """How the rank ranges of a test set are made. For its organisers only."""
        test_set = organised_test_set(request, test_set_id)
        settings = ranking_settings_in_force(test_set_id=test_set.pk)
        return Response(RankingSettingsSerializer(settings).data)

    @extend_schema(
        operation_id="ranking_settings_change",
        request=RankingSettingsSerializer,
        responses=RankingSettingsSerializer,
    )
    def patch(self, request: Request, test_set_id: int) -> Response:
        """Change it; what is not named stays. A new ranking follows within seconds."""
        test_set = organised_test_set(request, test_set_id)
        sent = RankingSettingsSerializer(data=request.data, partial=True)
        sent.is_valid(raise_exception=True)
        try:
            settings = ranking_settings_change(
                test_set=test_set, changed_by=reader(request), **sent.validated_data
            )
        except RangeChoiceError as error:
            raise ValidationError({error.field: [str(error)]}) from error
        return Response(RankingSettingsSerializer(settings).data)


class JudgesView(APIView):
    @extend_schema(
        operation_id="judges_list",
        responses=inline_serializer(
            "JudgeList",
            {
                "next": serializers.URLField(allow_null=True),
                "previous": serializers.URLField(allow_null=True),
                "results": JudgeSerializer(many=True),
            },
        ),
    )
    def get(self, request: Request, test_set_id: int) -> Response:
        """Return the judges of a test set by pseudonym, all on one page."""
        test_set = readable_test_set(request, test_set_id)
        rows = judges_quality(test_set=test_set, run=latest_run(test_set_id=test_set.pk))
        return Response(only_page([JudgeSerializer(row).data for row in rows]))


class QualityActionsView(generics.ListAPIView[QualityAction]):
    """What was done about judges of the campaign, newest first. For its organisers only."""

    serializer_class = QualityActionSerializer
    pagination_class = CursorPages
    ordering = "-id"

    def get_queryset(self) -> QuerySet[QualityAction]:
        test_set = organised_test_set(self.request, self.kwargs["test_set_id"])
        return quality_actions(test_set=test_set)
