"""Ranking runs and judges, for the members of a campaign."""

from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from django.utils.cache import get_conditional_response
from django.utils.http import quote_etag
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
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
from campaign.api.access import readable_task, reader
from campaign.api.filters import filter_parameters, filtered
from campaign.api.operations import Address, operation
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
from ranking.models import Analysis, RankingRun, RankingSettings
from ranking.pages.acting import deciding_in_words
from ranking.pages.judge_measures import JudgeFilter
from ranking.selectors.judges import TallyRow, judges_by_pseudonym, judges_listed
from ranking.selectors.quality import judges_quality, quality_actions
from ranking.selectors.runs import latest_run, latest_version
from ranking.selectors.settings import ranking_settings_in_force
from ranking.services.judges import decision_take
from ranking.services.latest_rankings import latest_ranking_keep
from ranking.services.settings import ranking_settings_change


class RankingsView(Address):
    @operation("tasks_rankings_list", RankingBriefSerializer(many=True))
    def get(self) -> QuerySet[RankingRun]:
        """List the saved rankings of a test set, newest first, without results."""
        return RankingRun.objects.of(self.task.pk).defer("result", "standings")

    @operation(
        "rankings_ask",
        {200: AnalysisSerializer, 202: AnalysisSerializer},
        takes=RankingAskedSerializer,
        for_readers=True,
    )
    def post(self) -> Response:
        """Compute a custom ranking; the ranking shown does not change.

        This is the analysis `ranking`: 202 while a worker computes it, 200 if it is available.
        """
        return ask(self, "ranking")


class RankingKeepView(Address):
    @operation("rankings_keep", RankingBriefSerializer)
    def post(self) -> RankingRun:
        """Save the latest ranking permanently, unless it is saved already. For organisers only."""
        run = latest_ranking_keep(task_id=self.task.pk)
        if run is None:
            raise NotFound(_("This test set has no ranking yet."))
        return run


class RankingView(Address):
    @operation("tasks_rankings_retrieve", RankingSerializer)
    def get(self, ranking_id: int) -> RankingRun:
        """Return a saved ranking with its result."""
        return get_object_or_404(RankingRun.objects.of(self.task.pk), pk=ranking_id)


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


class RankingSettingsView(Address):
    @operation("ranking_settings_read", RankingSettingsInForceSerializer)
    def get(self) -> RankingSettings:
        """Return the current ranking settings and their history."""
        return ranking_settings_in_force(task_id=self.task.pk)

    @operation(
        "ranking_settings_change", RankingSettingsSerializer, takes=RankingSettingsSerializer
    )
    def patch(self) -> RankingSettings:
        """Change ranking settings; omitted fields keep their values. The new ranking follows within seconds."""
        changes = dict(self.sent)
        if "judge_group" in changes:
            changes["judge_group"] = changes["judge_group"]["name"]
        return ranking_settings_change(task=self.task, changed_by=self.user, **changes)


class JudgesView(Address):
    ordering = "pseudonym"

    @from_replica
    @operation(
        "tasks_judges_list", JudgeSerializer(many=True), parameters=filter_parameters(JudgeFilter)
    )
    def get(self) -> QuerySet[Any, Any]:
        """List the judges of a test set, by pseudonym."""
        found = filtered(JudgeFilter, self.request, judges_listed(task=self.task))
        return found.values_list(*TallyRow._fields, named=True)

    def rows(self, page: Any) -> Any:
        return judges_quality(task=self.task, run=latest_run(task_id=self.task.pk), tallies=page)


class QualityActionsView(Address):
    @from_replica
    @operation("tasks_quality_actions_list", QualityActionSerializer(many=True))
    def get(self) -> QuerySet[QualityAction]:
        """List the actions on judges of the campaign, newest first."""
        return quality_actions(task=self.task)

    @operation(
        "quality_actions_take",
        {201: JudgesDecidedSerializer, 200: JudgesDecidedSerializer},
        takes=JudgeDecisionSerializer,
    )
    def post(self) -> Response | dict[str, Any]:
        """Act on judges; with `dry_run`, return a preview with 200."""
        task, asked = self.task, dict(self.sent)
        judges, analysis = _judges_named(task, asked.pop("judges")), asked.pop("analysis")
        if asked.pop("dry_run"):
            effects = deciding_in_words(
                judges=judges, task=task, action=asked["action"], text=asked["text"]
            )
            return Response({"batch": None, "judges": [], "unchanged": {}, "effects": effects})
        decided = decision_take(
            judges=judges,
            task=task,
            user=self.user,
            analysis=_analysis_finished(task, analysis),
            **asked,
        )
        done = {
            "batch": decided.batch if decided.judges else None,
            "judges": [judge.pseudonym for judge in decided.judges],
            "unchanged": {judge.pseudonym: why for judge, why in decided.refused},
            "effects": [],
        }
        return done if decided.judges else Response(done)


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
        raise ValidationError({"analysis": ["Analysis not found, or not finished."]})
    return found


class JudgesUndoneSerializer(serializers.Serializer[Any]):
    judges = serializers.ListField(child=serializers.CharField())


class QualityActionsUndoView(Address):
    @operation("quality_actions_undo", JudgesUndoneSerializer)
    def post(self, batch: UUID) -> dict[str, list[str]]:
        """Undo a decision for all its judges."""
        campaign = self.task.test_set.campaign
        judges = judges_decision_undo(campaign=campaign, batch=batch, user=self.user)
        return {"judges": [judge.pseudonym for judge in judges]}


class QualityActionRevertView(Address):
    @operation("quality_action_revert", QualityActionSerializer)
    def post(self, action_id: int) -> QualityAction:
        """Revert an action."""
        actions = quality_actions(task=self.task)
        quality_action_revert(action=get_object_or_404(actions, pk=action_id), user=self.user)
        return actions.get(pk=action_id)
