"""Ranking runs and judges, for the members of a campaign."""

from typing import Any

from django.db.models import QuerySet
from django.utils.cache import get_conditional_response
from django.utils.functional import cached_property
from django.utils.http import quote_etag
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema, extend_schema_view
from rest_framework import generics
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.replica import from_replica
from annotation.models import QualityAction
from campaign.api.access import organised_test_set, readable_test_set, reader
from campaign.api.filters import filter_parameters, filtered
from campaign.api.judge_groups import group_asked_for
from campaign.api.pages import CursorPages
from campaign.models import TestSet
from ranking.api.analyses import AnalysisSerializer, RankingAskedSerializer, ask
from ranking.api.serializers import (
    JudgeSerializer,
    QualityActionSerializer,
    RankingBriefSerializer,
    RankingSerializer,
    RankingSettingsInForceSerializer,
    RankingSettingsSerializer,
)
from ranking.models import RankingRun
from ranking.pages.judge_table import JudgeFilter
from ranking.range_choices import RangeChoiceError
from ranking.selectors.judge_list import judges_listed
from ranking.selectors.judges import TallyRow
from ranking.selectors.quality import judges_quality, quality_actions
from ranking.selectors.runs import latest_run, latest_version
from ranking.selectors.settings import ranking_settings_in_force
from ranking.services import latest_ranking_keep, ranking_settings_change


class RankingsView(generics.ListAPIView[RankingRun]):
    """The kept rankings of a test set, the newest first, without their results."""

    serializer_class = RankingBriefSerializer
    pagination_class = CursorPages
    ordering = "-id"

    def get_queryset(self) -> QuerySet[RankingRun]:
        test_set = readable_test_set(self.request, self.kwargs["test_set_id"])
        return RankingRun.objects.of(test_set.pk).defer("result", "standings")

    @extend_schema(
        operation_id="rankings_ask",
        request=RankingAskedSerializer,
        responses={200: AnalysisSerializer, 202: AnalysisSerializer},
    )
    def post(self, request: Request, test_set_id: int) -> Response:
        """Rank by a method, rank ranges and judgments of one's own; what is shown stays as it is.

        It is the analysis `ranking`: 202 while a worker computes it, 200 if it is there.
        """
        test_set = readable_test_set(request, test_set_id)
        sent = RankingAskedSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        return ask(request, test_set, "ranking", sent.validated_data)


class RankingKeepView(APIView):
    @extend_schema(
        operation_id="rankings_keep",
        request=None,
        responses=RankingBriefSerializer,
    )
    def post(self, request: Request, test_set_id: int) -> Response:
        """Keep the present ranking for good, unless it is kept already. For organisers only."""
        test_set = organised_test_set(request, test_set_id)
        run = latest_ranking_keep(test_set_id=test_set.pk)
        if run is None:
            raise NotFound(_("This test set has no ranking yet."))
        return Response(RankingBriefSerializer(run).data)


class RankingView(generics.RetrieveAPIView[RankingRun]):
    """A kept ranking with its result."""

    serializer_class = RankingSerializer
    lookup_url_kwarg = "ranking_id"

    def get_queryset(self) -> QuerySet[RankingRun]:
        test_set = readable_test_set(self.request, self.kwargs["test_set_id"])
        return RankingRun.objects.of(test_set.pk)


class LatestRankingView(APIView):
    @extend_schema(operation_id="rankings_latest", responses=RankingSerializer)
    @from_replica
    def get(self, request: Request, test_set_id: int) -> Response:
        """Return the newest ranking; `watermark` is the number of the last judgment in it.

        304 without a body if the request's `If-None-Match` is the `ETag` of the newest ranking.
        """
        version = latest_version(user=reader(request), test_set_id=test_set_id)
        if version is None:
            readable_test_set(request, test_set_id)
            raise NotFound(_("This test set has no ranking yet."))
        etag = quote_etag(version)
        unchanged = get_conditional_response(request, etag=etag)
        if unchanged is not None:
            return Response(status=unchanged.status_code, headers={"ETag": etag})
        run = latest_run(test_set_id=test_set_id)
        return Response(RankingSerializer(run).data, headers={"ETag": etag})


class RankingSettingsView(APIView):
    @extend_schema(operation_id="ranking_settings_read", responses=RankingSettingsInForceSerializer)
    def get(self, request: Request, test_set_id: int) -> Response:
        """By which method a test set is ranked and how its rank ranges are made, now and before."""
        test_set = organised_test_set(request, test_set_id)
        settings = ranking_settings_in_force(test_set_id=test_set.pk)
        return Response(RankingSettingsInForceSerializer(settings).data)

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
        changes = dict(sent.validated_data)
        if "judge_group" in changes:
            try:
                group = group_asked_for(test_set, changes["judge_group"]["name"])
            except ValidationError as error:
                raise ValidationError({"judge_group": error.detail}) from error
            changes["judge_group"] = group
        try:
            settings = ranking_settings_change(
                test_set=test_set, changed_by=reader(request), **changes
            )
        except RangeChoiceError as error:
            raise ValidationError({error.field: [str(error)]}) from error
        return Response(RankingSettingsSerializer(settings).data)


@extend_schema_view(get=extend_schema(parameters=filter_parameters(JudgeFilter)))
class JudgesView(generics.ListAPIView[Any]):
    """The judges of a test set, by pseudonym."""

    serializer_class = JudgeSerializer
    pagination_class = CursorPages
    ordering = "pseudonym"
    get = from_replica(generics.ListAPIView.get)

    def get_queryset(self) -> QuerySet[Any, Any]:
        listed = judges_listed(test_set=self._test_set)
        found = filtered(JudgeFilter, self.request, listed)
        return found.values_list(*TallyRow._fields, named=True)

    def paginate_queryset(self, queryset: Any) -> Any:
        tallies = super().paginate_queryset(queryset)
        run = latest_run(test_set_id=self._test_set.pk)
        return judges_quality(test_set=self._test_set, run=run, tallies=tallies)

    @cached_property
    def _test_set(self) -> TestSet:
        return readable_test_set(self.request, self.kwargs["test_set_id"])


class QualityActionsView(generics.ListAPIView[QualityAction]):
    """What was done about judges of the campaign, newest first."""

    serializer_class = QualityActionSerializer
    pagination_class = CursorPages
    ordering = "-id"
    get = from_replica(generics.ListAPIView.get)

    def get_queryset(self) -> QuerySet[QualityAction]:
        test_set = organised_test_set(self.request, self.kwargs["test_set_id"])
        return quality_actions(test_set=test_set)
