"""Ranking runs and judges, for the members of a campaign."""

from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from django.utils.cache import get_conditional_response
from django.utils.functional import cached_property
from django.utils.http import quote_etag
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema, extend_schema_view, inline_serializer
from rest_framework import generics, serializers
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from annotation.api.research import from_replica
from annotation.models import QualityAction
from annotation.services.quality import (
    judges_decision_undo,
    quality_action_revert,
)
from campaign.api.access import group_asked_for, organised_task, readable_task, reader
from campaign.api.filters import filter_parameters, filtered
from campaign.api.pages import CursorPages
from campaign.models import Judge, Task
from ranking.api.analyses import AnalysisSerializer, RankingAskedSerializer, ask
from ranking.api.serializers import (
    JudgeDecisionSerializer,
    JudgesDecidedSerializer,
    JudgeSerializer,
    QualityActionSerializer,
    RankingBriefSerializer,
    RankingSerializer,
    RankingSettingsInForceSerializer,
    RankingSettingsSerializer,
)
from ranking.models import Analysis, RankingRun
from ranking.pages.acting import deciding_in_words
from ranking.pages.judge_measures import JudgeFilter
from ranking.selectors.judges import TallyRow, judges_by_pseudonym, judges_listed
from ranking.selectors.quality import judges_quality, quality_actions
from ranking.selectors.runs import latest_run, latest_version
from ranking.selectors.settings import ranking_settings_in_force
from ranking.services.judges import decision_take
from ranking.services.latest_rankings import latest_ranking_keep
from ranking.services.settings import ranking_settings_change


class RankingsView(generics.ListAPIView[RankingRun]):
    """Saved rankings of a test set, newest first, without results."""

    serializer_class = RankingBriefSerializer
    pagination_class = CursorPages
    ordering = "-id"

    def get_queryset(self) -> QuerySet[RankingRun]:
        task = readable_task(self.request, self.kwargs["task_id"])
        return RankingRun.objects.of(task.pk).defer("result", "standings")

    @extend_schema(
        operation_id="rankings_ask",
        request=RankingAskedSerializer,
        responses={200: AnalysisSerializer, 202: AnalysisSerializer},
    )
    def post(self, request: Request, task_id: int) -> Response:
        """Compute a custom ranking; the ranking shown does not change.

        This is the analysis `ranking`: 202 while a worker computes it, 200 if it is available.
        """
        task = readable_task(request, task_id)
        sent = RankingAskedSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        return ask(request, task, "ranking", sent.validated_data)


class RankingKeepView(APIView):
    @extend_schema(
        operation_id="rankings_keep",
        request=None,
        responses=RankingBriefSerializer,
    )
    def post(self, request: Request, task_id: int) -> Response:
        """Save the latest ranking permanently, unless it is saved already. For organisers only."""
        task = organised_task(request, task_id)
        run = latest_ranking_keep(task_id=task.pk)
        if run is None:
            raise NotFound(_("This test set has no ranking yet."))
        return Response(RankingBriefSerializer(run).data)


class RankingView(generics.RetrieveAPIView[RankingRun]):
    """A saved ranking with its result."""

    serializer_class = RankingSerializer
    lookup_url_kwarg = "ranking_id"

    def get_queryset(self) -> QuerySet[RankingRun]:
        task = readable_task(self.request, self.kwargs["task_id"])
        return RankingRun.objects.of(task.pk)


class LatestRankingView(APIView):
    @extend_schema(operation_id="rankings_latest", responses=RankingSerializer)
    @from_replica
    def get(self, request: Request, task_id: int) -> Response:
        """Return the newest ranking; `watermark` is the number of the last judgment in it.

        304 without a body if the request's `If-None-Match` is the `ETag` of the newest ranking.
        """
        version = latest_version(user=reader(request), task_id=task_id)
        if version is None:
            readable_task(request, task_id)
            raise NotFound(_("This test set has no ranking yet."))
        etag = quote_etag(version)
        unchanged = get_conditional_response(request, etag=etag)
        if unchanged is not None:
            return Response(status=unchanged.status_code, headers={"ETag": etag})
        run = latest_run(task_id=task_id)
        return Response(RankingSerializer(run).data, headers={"ETag": etag})


class RankingSettingsView(APIView):
    @extend_schema(operation_id="ranking_settings_read", responses=RankingSettingsInForceSerializer)
    def get(self, request: Request, task_id: int) -> Response:
        """Return the current ranking settings and their history."""
        task = organised_task(request, task_id)
        settings = ranking_settings_in_force(task_id=task.pk)
        return Response(RankingSettingsInForceSerializer(settings).data)

    @extend_schema(
        operation_id="ranking_settings_change",
        request=RankingSettingsSerializer,
        responses=RankingSettingsSerializer,
    )
    def patch(self, request: Request, task_id: int) -> Response:
        """Change ranking settings; omitted fields keep their values. The new ranking follows within seconds."""
        task = organised_task(request, task_id)
        sent = RankingSettingsSerializer(data=request.data, partial=True)
        sent.is_valid(raise_exception=True)
        changes = dict(sent.validated_data)
        if "judge_group" in changes:
            try:
                group = group_asked_for(task, changes["judge_group"]["name"])
            except ValidationError as error:
                raise ValidationError({"judge_group": error.detail}) from error
            changes["judge_group"] = group
        settings = ranking_settings_change(task=task, changed_by=reader(request), **changes)
        return Response(RankingSettingsSerializer(settings).data)


@extend_schema_view(get=extend_schema(parameters=filter_parameters(JudgeFilter)))
class JudgesView(generics.ListAPIView[Any]):
    """The judges of a test set, by pseudonym."""

    serializer_class = JudgeSerializer
    pagination_class = CursorPages
    ordering = "pseudonym"
    get = from_replica(generics.ListAPIView.get)

    def get_queryset(self) -> QuerySet[Any, Any]:
        listed = judges_listed(task=self._task)
        found = filtered(JudgeFilter, self.request, listed)
        return found.values_list(*TallyRow._fields, named=True)

    def paginate_queryset(self, queryset: Any) -> Any:
        tallies = super().paginate_queryset(queryset) or ()
        run = latest_run(task_id=self._task.pk)
        return judges_quality(task=self._task, run=run, tallies=tallies)

    @cached_property
    def _task(self) -> Task:
        return readable_task(self.request, self.kwargs["task_id"])


class QualityActionsView(generics.ListAPIView[QualityAction]):
    """Actions on judges of the campaign, newest first."""

    serializer_class = QualityActionSerializer
    pagination_class = CursorPages
    ordering = "-id"
    get = from_replica(generics.ListAPIView.get)

    def get_queryset(self) -> QuerySet[QualityAction]:
        task = organised_task(self.request, self.kwargs["task_id"])
        return quality_actions(task=task)

    @extend_schema(
        operation_id="quality_actions_take",
        request=JudgeDecisionSerializer,
        responses={200: JudgesDecidedSerializer, 201: JudgesDecidedSerializer},
    )
    def post(self, request: Request, task_id: int) -> Response:
        """Act on judges; with `dry_run`, return a preview with 200."""
        task = organised_task(request, task_id)
        sent = JudgeDecisionSerializer(data=request.data)
        sent.is_valid(raise_exception=True)
        asked = dict(sent.validated_data)
        judges, analysis = _judges_named(task, asked.pop("judges")), asked.pop("analysis")
        if asked.pop("dry_run"):
            effects = deciding_in_words(
                judges=judges, task=task, action=asked["action"], text=asked["text"]
            )
            return Response({"batch": None, "judges": [], "unchanged": {}, "effects": effects})
        decided = decision_take(
            judges=judges,
            task=task,
            user=reader(request),
            analysis=_analysis_finished(task, analysis),
            **asked,
        )
        done = {
            "batch": decided.batch if decided.judges else None,
            "judges": [judge.pseudonym for judge in decided.judges],
            "unchanged": {judge.pseudonym: why for judge, why in decided.refused},
            "effects": [],
        }
        return Response(done, status=201 if decided.judges else 200)


def _judges_named(task: Task, names: list[str]) -> list[Judge]:
    judges, unknown = judges_by_pseudonym(task.test_set.campaign_id, names)
    if unknown:
        said = _("Judge not found: %(value)s.") % {"value": ", ".join(unknown)}
        raise ValidationError({"judges": [said]})
    return judges


def _analysis_finished(task: Task, analysis_id: int | None) -> Analysis | None:
    if analysis_id is None:
        return None
    found = Analysis.objects.of(task.pk).finished().filter(pk=analysis_id).first()
    if found is None:
        raise ValidationError({"analysis": [_("Analysis not found, or not finished.")]})
    return found


class QualityActionsUndoView(APIView):
    @extend_schema(
        operation_id="quality_actions_undo",
        request=None,
        responses=inline_serializer(
            "JudgesUndone", {"judges": serializers.ListField(child=serializers.CharField())}
        ),
    )
    def post(self, request: Request, task_id: int, batch: UUID) -> Response:
        """Undo a decision for all its judges."""
        task = organised_task(request, task_id)
        judges = judges_decision_undo(
            campaign=task.test_set.campaign, batch=batch, user=reader(request)
        )
        return Response({"judges": [judge.pseudonym for judge in judges]})


class QualityActionRevertView(APIView):
    @extend_schema(
        operation_id="quality_action_revert", request=None, responses=QualityActionSerializer
    )
    def post(self, request: Request, task_id: int, action_id: int) -> Response:
        """Revert an action."""
        task = organised_task(request, task_id)
        action = get_object_or_404(quality_actions(task=task), pk=action_id)
        quality_action_revert(action=action, user=reader(request))
        return Response(QualityActionSerializer(quality_actions(task=task).get(pk=action_id)).data)
