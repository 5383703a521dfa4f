"""Rankings of a task: the latest one, saved ones, and their results."""

from typing import Any

from django.shortcuts import get_object_or_404
from django.utils.cache import get_conditional_response
from django.utils.http import quote_etag
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from campaign.api.base import IsMember, ResearchAPIView, TaskAPIView, task_of_member
from campaign.api.plain_serializer import PlainSerializer
from ranking.api.analyses import AnalysisSerializer, RankingAskedSerializer, ask
from ranking.core.agreement.intervals import NoInterval
from ranking.core.ranges import Correction
from ranking.core.rankings.rank import only_estimable
from ranking.core.scores import NotEstimable
from ranking.models import RankingRun
from ranking.reports.analyses.ranking import TestedPair, tested_pairs
from ranking.reports.range_choices import LIMITS, ToldApart
from ranking.reports.wording.ranges import thin_systems
from ranking.selectors.runs import (
    judges_left_out,
    latest_run,
    latest_version,
    pairs_of,
    run_told_apart,
)
from ranking.services.kept_rankings import latest_ranking_keep

_REASONS = [(reason.value, reason.name) for reason in NotEstimable]
NO_INTERVAL = [(reason.value, reason.name) for reason in NoInterval]


class RankingBriefSerializer(serializers.Serializer[RankingRun]):
    """The inputs of a ranking, sufficient to recompute it."""

    id = serializers.IntegerField(
        read_only=True,
        allow_null=True,
        help_text="Null while the latest ranking is not saved; `watermark` and `parameters` reproduce it.",
    )
    method = serializers.CharField()
    parameters = serializers.JSONField()
    seed = serializers.IntegerField(min_value=-(2**63), max_value=2**63 - 1)
    watermark = serializers.IntegerField(
        min_value=0,
        help_text="Number of the last judgment in it.",
    )
    code_version = serializers.CharField()
    started_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(read_only=True)


class ShortageSerializer(PlainSerializer):
    """Data still missing to estimate the rank range of a system and test its pairs."""

    unit = serializers.ChoiceField(
        choices=["blocks", "segments", "documents", "judges"],
    )
    found = serializers.FloatField(help_text="Effective number of units so far.")
    needed = serializers.IntegerField()


class AnytimeSystemSerializer(PlainSerializer):
    system = serializers.CharField()
    rank = serializers.IntegerField(
        help_text="Rank within the group. Systems with equal scores share the best rank.",
    )
    rank_low = serializers.IntegerField(
        allow_null=True,
        help_text="Rank range (inclusive). Null while it cannot be estimated, like the cluster.",
    )
    rank_high = serializers.IntegerField(allow_null=True)
    cluster = serializers.IntegerField(
        allow_null=True,
        help_text="1 is the best cluster.",
    )
    shortage = ShortageSerializer(allow_null=True)
    last_rank = serializers.IntegerField(
        required=False,
        help_text="Last rank shared with systems of equal score, otherwise `rank`.",
    )
    group = serializers.IntegerField(
        required=False,
        help_text="Number of its group in `groups`, from 1.",
    )

    def to_representation(self, instance: Any) -> Any:
        return super().to_representation(only_estimable(instance))


class RankedSystemSerializer(AnytimeSystemSerializer):
    score = serializers.FloatField(
        allow_null=True,
        help_text="Null if all comparisons are ties and the method ignores ties.",
    )
    wins = serializers.IntegerField()
    losses = serializers.IntegerField()
    ties = serializers.IntegerField()


class UnrankedSystemSerializer(PlainSerializer):
    system = serializers.CharField()
    reason = serializers.ChoiceField(choices=_REASONS)
    ties = serializers.IntegerField()


class RankingInputSerializer(PlainSerializer):
    blocks = serializers.IntegerField()
    comparisons = serializers.IntegerField()
    ties = serializers.IntegerField()
    judges = serializers.IntegerField()
    systems = serializers.IntegerField()
    segments = serializers.IntegerField()
    effective_segments = serializers.FloatField(
        help_text="Number of equally judged segments with the same information.",
    )
    effective_judges = serializers.FloatField(
        help_text="Number of equally active judges with the same information.",
    )
    documents = serializers.IntegerField(
        allow_null=True,
        help_text="Documents of these segments. Null if the test set has fewer than two.",
    )
    effective_documents = serializers.FloatField(
        allow_null=True,
        help_text="Number of equally judged documents with the same information.",
    )


class JudgeAgreementSerializer(PlainSerializer):
    kappa = serializers.FloatField(
        allow_null=True,
        help_text="Null unless its interval is narrower than 0.4, or within two classes of strength.",
    )
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    agreeing = serializers.IntegerField()
    comparable = serializers.IntegerField(
        help_text="Pairs of comparisons by different judges.",
    )
    reason = serializers.ChoiceField(
        choices=_REASONS,
        allow_null=True,
        help_text="Reason why there is no κ.",
    )
    no_interval = serializers.ChoiceField(
        choices=NO_INTERVAL,
        allow_null=True,
        help_text="Reason why a κ has no interval.",
    )


class KappaSerializer(JudgeAgreementSerializer):
    p_agree = serializers.FloatField(allow_null=True)
    p_chance = serializers.FloatField(
        allow_null=True,
        help_text="Chance agreement of a judge, by the ties of the judge and of the others.",
    )


class JudgeKappaSerializer(KappaSerializer):
    judge = serializers.CharField()
    blocks = serializers.IntegerField()
    comparisons = serializers.IntegerField()
    ties = serializers.IntegerField()


class AgreementSerializer(PlainSerializer):
    chance = serializers.CharField(help_text="Method for chance agreement.")
    p_chance = serializers.FloatField(allow_null=True)
    comparisons = serializers.IntegerField()
    ties = serializers.IntegerField()
    inter = KappaSerializer()
    judges = JudgeKappaSerializer(many=True)


class ComparedPairSerializer(PlainSerializer):
    """Two ranked systems, the better-ranked one first."""

    better = serializers.CharField()
    worse = serializers.CharField()
    wins = serializers.IntegerField(
        help_text="Wins of the first system against the second.",
    )
    losses = serializers.IntegerField()
    ties = serializers.IntegerField()
    p_value = serializers.FloatField(
        allow_null=True,
        help_text="Uncorrected p-value of the difference of scores; null if either system has a `shortage`.",
    )
    adjusted_p = serializers.FloatField(
        allow_null=True,
        help_text="Corrected for the number of pairs by `parameters.correction`; null without a correction.",
    )
    significant = serializers.BooleanField(
        allow_null=True,
        help_text="Whether `adjusted_p` is at most 1 − confidence; null without a corrected p-value.",
    )


class ToldApartSerializer(serializers.Serializer[ToldApart]):
    """Pairs told apart by tests of the difference of scores, corrected for the number of pairs."""

    pairs = serializers.IntegerField()
    told_apart = serializers.IntegerField()
    correction = serializers.ChoiceField(
        choices=[Correction.HOLM.value, Correction.BENJAMINI_HOCHBERG.value],
        help_text="That of `parameters`, or Holm if they have none.",
    )
    level = serializers.FloatField(
        help_text="The largest significant corrected p-value.",
    )


class RuleFoundSerializer(PlainSerializer):
    judgments = serializers.IntegerField(help_text="Judgments that count.")
    pairs = serializers.IntegerField()
    pairs_apart = serializers.IntegerField(
        allow_null=True,
        help_text="Pairs told apart by the test of the rule; null if not available.",
    )
    clusters = serializers.IntegerField(allow_null=True)
    criteria = serializers.ListField(
        child=serializers.CharField(),
        help_text="Criteria met, except the date.",
    )


class AnytimeBesideSerializer(PlainSerializer):
    confidence = serializers.FloatField()
    systems = AnytimeSystemSerializer(many=True)
    clusters = serializers.IntegerField(
        allow_null=True,
        help_text="Null while no rank range can be estimated.",
    )
    pairs_apart = serializers.IntegerField()
    refusals = serializers.DictField(
        child=serializers.ListField(child=serializers.ChoiceField(choices=LIMITS)),
    )


class RankingSerializer(RankingBriefSerializer):
    """A ranking with its result."""

    systems = RankedSystemSerializer(
        many=True,
        source="result.systems",
        help_text="Best first.",
    )
    not_estimable = UnrankedSystemSerializer(many=True, source="result.not_estimable")
    groups = serializers.ListField(
        child=serializers.ListField(child=serializers.CharField()),
        source="result.groups",
        help_text="Systems connected by comparisons, including ties. Each group is ranked separately.",
    )
    input = RankingInputSerializer(source="result.input")
    limits = serializers.ListField(
        child=serializers.ChoiceField(choices=LIMITS),
        source="result.limits",
        help_text="Variation that the rank ranges do not account for. `few_judges`, `few_segments`: too few with "
        "similar shares. `few_documents`: too few documents, so segments are used instead. "
        "`one_document`: all judged segments are from one document, as far as known. For anytime ranges, "
        "the reasons why no systems can be told apart, also `no_comparison`: no comparison has a winner; "
        "`other_opponents`: systems had different opponents; `alone`: only one system has enough judges "
        "and segments.",
    )
    refusals = serializers.DictField(
        child=serializers.ListField(child=serializers.ChoiceField(choices=LIMITS)),
        source="result.refusals",
        help_text="For anytime ranges: systems that cannot be told apart from any other, with reasons as in `limits`.",
    )
    pairs = serializers.SerializerMethodField(
        help_text="All pairs in rank order, with tests of the difference of their scores.",
    )
    told_apart = serializers.SerializerMethodField(
        help_text="Number of pairs told apart, as on pages and in published results.",
    )
    agreement = AgreementSerializer(source="result.agreement")
    judges_left_out = serializers.SerializerMethodField(
        help_text="Pseudonyms of excluded judges with judgments in this test set; see `quality-actions/` for "
        "reasons. `parameters.excluded_judges` lists all excluded judges of the campaign.",
    )

    stopping = RuleFoundSerializer(
        source="result.stopping",
        read_only=True,
        default=None,
        allow_null=True,
        help_text="Progress by the stopping rule in `parameters.stopping_rule`; null without one.",
    )
    anytime = AnytimeBesideSerializer(
        source="result.anytime",
        read_only=True,
        default=None,
        allow_null=True,
        help_text="Anytime ranges by Expected Wins. Null without a stopping rule, or if ranges do not account for "
        "segments and judges.",
    )

    def get_judges_left_out(self, run: RankingRun) -> list[str]:
        return judges_left_out(run)[run.task_id]

    @extend_schema_field(ComparedPairSerializer(many=True))
    def get_pairs(self, run: RankingRun) -> list[TestedPair]:
        return tested_pairs(pairs_of(run), thin_systems(run.result["systems"]))

    @extend_schema_field(ToldApartSerializer)
    def get_told_apart(self, run: RankingRun) -> Any:
        return ToldApartSerializer(run_told_apart(run)).data


class RankingsView(TaskAPIView):
    permission_classes = [IsAuthenticated, IsMember]

    @extend_schema("tasks_rankings_list", responses=RankingBriefSerializer(many=True))
    def get(self, request: Request, task_id: int) -> Response:
        """List the saved rankings of a test set, newest first, without results."""
        return self.paginated(
            RankingRun.objects.filter(task=self.task).defer("result", "standings"),
            RankingBriefSerializer,
        )

    @extend_schema(
        "rankings_ask",
        request=RankingAskedSerializer,
        responses={200: AnalysisSerializer, 202: AnalysisSerializer},
    )
    def post(self, request: Request, task_id: int) -> Response:
        """Compute a custom ranking; the ranking shown does not change.

        This is the analysis `ranking`: 202 while a worker computes it, 200 if it is available.
        """
        return ask(self, "ranking", self.validated(RankingAskedSerializer))


class RankingKeepView(TaskAPIView):
    @extend_schema("rankings_keep", request=None, responses=RankingBriefSerializer)
    def post(self, request: Request, task_id: int) -> Response:
        """Save the latest ranking permanently, unless it is saved already. For organisers only."""
        run = latest_ranking_keep(task_id=self.task.pk)
        if run is None:
            raise NotFound(_("This test set has no ranking yet."))
        return self.serialized(run, RankingBriefSerializer)


class RankingView(TaskAPIView):
    @extend_schema("tasks_rankings_retrieve", responses=RankingSerializer)
    def get(self, request: Request, task_id: int, ranking_id: int) -> Response:
        """Return a saved ranking with its result."""
        return self.serialized(
            get_object_or_404(RankingRun.objects.filter(task=self.task), pk=ranking_id),
            RankingSerializer,
        )


class RankingLatestView(ResearchAPIView):
    @extend_schema(operation_id="rankings_latest", responses=RankingSerializer)
    def get(self, request: Request, task_id: int) -> Response:
        """Return the newest ranking; `watermark` is the number of the last judgment in it.

        304 without a body if the request's `If-None-Match` is the `ETag` of the newest ranking.
        """
        version = latest_version(user=self.user, task_id=task_id)
        if version is None:
            task_of_member(request, task_id)
            raise NotFound(_("This test set has no ranking yet."))
        etag = quote_etag(version)
        unchanged = get_conditional_response(request, etag=etag)
        if unchanged is not None:
            return Response(status=unchanged.status_code, headers={"ETag": etag})
        run = latest_run(task_id=task_id)
        return Response(RankingSerializer(run).data, headers={"ETag": etag})
