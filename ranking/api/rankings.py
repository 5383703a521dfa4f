"""Ranking runs, judges, settings and stopping rules, for the members of a campaign."""

from typing import Any
from uuid import UUID

from django.shortcuts import get_object_or_404
from django.utils.cache import get_conditional_response
from django.utils.http import quote_etag
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.models import QualityAction, QualityActionKind
from annotation.selectors.judges import JudgeStatus
from annotation.services.quality import (
    MESSAGE_LENGTH,
    NOTE_LENGTH,
    judges_decision_undo,
    quality_action_revert,
)
from campaign.api.base import (
    IsMember,
    ResearchAPIView,
    TaskAPIView,
    group_by_name,
    task_of_member,
)
from campaign.api.plain_serializer import PlainSerializer
from campaign.api.requests import NumberField
from campaign.models import Judge, JudgeGroup, Task
from campaign.texts.joining import comma_list
from ranking.api.analyses import AnalysisSerializer, RankingAskedSerializer, ask
from ranking.core.agreement.intervals import NoInterval
from ranking.core.ranges import Correction
from ranking.core.rankings.rank import only_estimable
from ranking.core.scores import NotEstimable
from ranking.models import Analysis, RankingRun, RankingSettings, StoppingRule
from ranking.pages.acting import deciding_in_words
from ranking.pages.judge_decisions import (
    DECISIONS,
)
from ranking.pages.judge_measures import JudgeFilter
from ranking.reports.analyses.ranking import tested_pairs
from ranking.reports.range_choices import LIMITS, ToldApart
from ranking.reports.wording.stopping_rules import shown_rule
from ranking.selectors.judges import (
    judges_by_pseudonym,
    judges_listed,
    judges_quality,
    quality_actions,
)
from ranking.selectors.runs import (
    judges_left_out,
    latest_run,
    latest_version,
    pairs_of,
    ranking_settings_history,
    ranking_settings_in_force,
    run_told_apart,
    stopping_rule_history,
    stopping_rule_state,
)
from ranking.services.quality import decision_take
from ranking.services.ranking_settings import ranking_settings_change, stopping_rule_set
from ranking.services.runs import latest_ranking_keep

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
        min_value=0, help_text="Number of the last judgment in it."
    )
    code_version = serializers.CharField()
    started_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(read_only=True)


class ShortageSerializer(PlainSerializer):
    """Data still missing to estimate the rank range of a system and test its pairs."""

    unit = serializers.ChoiceField(
        choices=["blocks", "segments", "documents", "judges"]
    )
    found = serializers.FloatField(help_text="Effective number of units so far.")
    needed = serializers.IntegerField()


class AnytimeSystemSerializer(PlainSerializer):
    system = serializers.CharField()
    rank = serializers.IntegerField(
        help_text="Rank within the group. Systems with equal scores share the best rank."
    )
    rank_low = serializers.IntegerField(
        allow_null=True,
        help_text="Rank range (inclusive). Null while it cannot be estimated, like the cluster.",
    )
    rank_high = serializers.IntegerField(allow_null=True)
    cluster = serializers.IntegerField(
        allow_null=True, help_text="1 is the best cluster."
    )
    shortage = ShortageSerializer(allow_null=True)
    last_rank = serializers.IntegerField(
        required=False,
        help_text="Last rank shared with systems of equal score, otherwise `rank`.",
    )
    group = serializers.IntegerField(
        required=False, help_text="Number of its group in `groups`, from 1."
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
        help_text="Number of equally judged segments with the same information."
    )
    effective_judges = serializers.FloatField(
        help_text="Number of equally active judges with the same information."
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
        help_text="Pairs of comparisons by different judges."
    )
    reason = serializers.ChoiceField(
        choices=_REASONS, allow_null=True, help_text="Reason why there is no κ."
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
        help_text="Wins of the first system against the second."
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
        help_text="The largest significant corrected p-value."
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
        child=serializers.CharField(), help_text="Criteria met, except the date."
    )


class AnytimeBesideSerializer(PlainSerializer):
    confidence = serializers.FloatField()
    systems = AnytimeSystemSerializer(many=True)
    clusters = serializers.IntegerField(
        allow_null=True, help_text="Null while no rank range can be estimated."
    )
    pairs_apart = serializers.IntegerField()
    refusals = serializers.DictField(
        child=serializers.ListField(child=serializers.ChoiceField(choices=LIMITS))
    )


class RankingSerializer(RankingBriefSerializer):
    """A ranking with its result."""

    systems = RankedSystemSerializer(
        many=True, source="result.systems", help_text="Best first."
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
        help_text="All pairs in rank order, with tests of the difference of their scores."
    )
    told_apart = serializers.SerializerMethodField(
        help_text="Number of pairs told apart, as on pages and in published results."
    )
    agreement = AgreementSerializer(source="result.agreement")
    judges_left_out = serializers.SerializerMethodField(
        help_text="Pseudonyms of excluded judges with judgments in this test set; see `quality-actions/` for "
        "reasons. `parameters.excluded_judges` lists all excluded judges of the campaign."
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
    def get_pairs(self, run: RankingRun) -> list[dict[str, Any]]:
        pairs = pairs_of(run)
        thin = {row["system"] for row in run.result["systems"] if row.get("shortage")}
        return tested_pairs(pairs, thin)

    @extend_schema_field(ToldApartSerializer)
    def get_told_apart(self, run: RankingRun) -> Any:
        return ToldApartSerializer(run_told_apart(run)).data


class MeasureResultSerializer(PlainSerializer):
    value = serializers.FloatField()
    evidence = serializers.IntegerField(help_text="Number of comparisons or blocks.")
    low = serializers.FloatField(
        allow_null=True, help_text="Lower end of the 95% interval."
    )
    high = serializers.FloatField(allow_null=True)
    p_value = serializers.FloatField(allow_null=True)


class JudgeSerializer(PlainSerializer):
    pseudonym = serializers.CharField()
    origin = serializers.ChoiceField(choices=Judge.Origin.choices)
    judged = serializers.IntegerField(help_text="Blocks that count.")
    skipped = serializers.IntegerField()
    agreement = JudgeAgreementSerializer(
        help_text="Agreement with the other judges in the latest ranking; κ is null while it cannot be estimated.",
    )
    status = serializers.ChoiceField(choices=[each.value for each in JudgeStatus])
    measures = serializers.DictField(
        child=MeasureResultSerializer(),
        help_text="Available measures by name; see docs/statistics/quality.md.",
    )


class QualityActionSerializer(serializers.ModelSerializer[QualityAction]):
    """An action on a judge (warning, pause, exclusion, request or message) and its reversal."""

    judge = serializers.CharField(source="judge.pseudonym")
    task = serializers.CharField(source="task.test_set.name")
    by_rule = serializers.SerializerMethodField(
        help_text="Whether a rule took the action."
    )
    created_by = serializers.CharField(
        source="created_by.name", default=None, allow_null=True
    )
    reverted_by = serializers.CharField(
        source="reverted_by.name", default=None, allow_null=True
    )

    class Meta:
        model = QualityAction
        fields = [
            "id",
            "judge",
            "task",
            "action",
            "by_rule",
            "evidence",
            "note",
            "text",
            "batch",
            "created_at",
            "created_by",
            "reverted_at",
            "reverted_by",
        ]
        read_only_fields = fields

    def get_by_rule(self, action: QualityAction) -> bool:
        return action.rule_id is not None


class JudgeDecisionSerializer(PlainSerializer):
    """A decision about judges."""

    judges = serializers.ListField(
        child=serializers.CharField(max_length=200),
        min_length=1,
        max_length=10_000,
        help_text="Pseudonyms of judges.",
    )
    action = serializers.ChoiceField(choices=DECISIONS)
    note = serializers.CharField(
        default="",
        allow_blank=True,
        max_length=NOTE_LENGTH,
        help_text="Reason, not visible to judges. Published as the reason of an exclusion.",
    )
    text = serializers.CharField(
        default="",
        allow_blank=True,
        max_length=MESSAGE_LENGTH,
        help_text="Text of a message.",
    )
    analysis = serializers.IntegerField(
        default=None,
        allow_null=True,
        help_text="ID of the analysis to record as evidence.",
    )
    dry_run = serializers.BooleanField(
        default=False, help_text="Return the effects without changing anything."
    )

    batch = serializers.UUIDField(
        default=None,
        allow_null=True,
        help_text="UUID chosen by the client, so that a repeated request has no effect.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Require a text for a message, and drop it for other actions."""
        if attrs["action"] != QualityActionKind.MESSAGE:
            attrs["text"] = ""
        elif not attrs["text"]:
            raise serializers.ValidationError({"text": [_("Enter a message.")]})
        return attrs


class JudgesDecidedSerializer(PlainSerializer):
    """Effects of a decision."""

    batch = serializers.UUIDField(
        allow_null=True, help_text="ID for undoing the decision."
    )
    judges = serializers.ListField(
        child=serializers.CharField(), help_text="Judges changed."
    )
    unchanged = serializers.DictField(
        child=serializers.CharField(), help_text="Judges not changed, with reasons."
    )
    effects = serializers.ListField(
        child=serializers.CharField(), help_text="Effects in words, for a dry run."
    )


class RankingSettingsSerializer(PlainSerializer):
    """Ranking method and rank ranges of a test set."""

    method = serializers.ChoiceField(
        choices=RankingSettings.Method.choices,
        help_text="Ranking method; `by_design` is Expected Wins, or Bradley–Terry once an active design has chosen pairs.",
    )
    method_options = serializers.DictField(
        help_text="Options of the method that differ from their defaults, such as `prior` of `bradley_terry` (0 to 100). Another method starts with its defaults."
    )
    resample = serializers.ChoiceField(
        choices=RankingSettings.Resample.choices,
        help_text="Variation that ranges account for; see docs/organisers.md.",
    )
    ranges = serializers.ChoiceField(
        choices=RankingSettings.Ranges.choices, help_text="Method for rank ranges."
    )
    correction = serializers.ChoiceField(
        choices=RankingSettings.Correction.choices,
        help_text="Correction for the number of pairs. Confidence sets are individual (none) or simultaneous (holm).",
    )
    sides = serializers.IntegerField(
        min_value=1, max_value=2, help_text="One- or two-sided tests of pairs."
    )
    confidence = NumberField(help_text="Above 0 and up to 0.999.")
    judge_group = serializers.CharField(
        source="judge_group.name",
        default=None,
        allow_null=True,
        max_length=60,
        help_text="Only judgments by this group count; null for all judges.",
    )
    reason = serializers.CharField(
        max_length=1000,
        allow_blank=True,
        help_text="Reason, required once there are judgments. Published with results.",
    )
    judgments = serializers.IntegerField(
        read_only=True,
        allow_null=True,
        help_text="Number of judgments at the time, including revisions; null for defaults or if not recorded.",
    )
    changed_at = serializers.DateTimeField(
        source="created_at",
        read_only=True,
        allow_null=True,
        help_text="Null for the defaults.",
    )
    changed_by = serializers.CharField(
        source="changed_by.name", read_only=True, default=None, allow_null=True
    )

    def validate_judge_group(self, name: str | None) -> JudgeGroup | None:
        """Find the group in the campaign of the test set that the view names."""
        return group_by_name(self.context["view"].task, name)


class RankingSettingsInForceSerializer(RankingSettingsSerializer):
    """Current settings with their history."""

    history = serializers.SerializerMethodField(
        help_text="All settings, newest first; empty for the defaults."
    )

    @extend_schema_field(RankingSettingsSerializer(many=True))
    def get_history(self, settings: RankingSettings) -> Any:
        rows = ranking_settings_history(task_id=settings.task_id)
        return RankingSettingsSerializer(rows, many=True).data


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


class RankingSettingsView(TaskAPIView):
    @extend_schema("ranking_settings_read", responses=RankingSettingsInForceSerializer)
    def get(self, request: Request, task_id: int) -> Response:
        """Return the current ranking settings and their history."""
        return self.serialized(
            ranking_settings_in_force(task_id=self.task.pk),
            RankingSettingsInForceSerializer,
        )

    @extend_schema(
        "ranking_settings_change",
        request=RankingSettingsSerializer,
        responses=RankingSettingsSerializer,
    )
    def patch(self, request: Request, task_id: int) -> Response:
        """Change ranking settings; omitted fields keep their values. The new ranking follows within seconds."""
        data = self.validated(RankingSettingsSerializer)
        changes = ranking_settings_of(data)
        return self.serialized(
            ranking_settings_change(task=self.task, changed_by=self.user, **changes),
            RankingSettingsSerializer,
        )


def ranking_settings_of(sent: dict[str, Any]) -> dict[str, Any]:
    """Return the validated content of `RankingSettingsSerializer` as arguments of `ranking_settings_change`."""
    if "judge_group" not in sent:
        return sent
    return {**sent, "judge_group": sent["judge_group"]["name"]}


class JudgesView(TaskAPIView):
    filterset_class = JudgeFilter
    ordering = "pseudonym"

    @extend_schema("tasks_judges_list", responses=JudgeSerializer(many=True))
    def get(self, request: Request, task_id: int) -> Response:
        """List the judges of a test set, by pseudonym."""
        return self.paginated(
            self.filter_queryset(judges_listed(task=self.task)), JudgeSerializer
        )

    def page_rows(self, page: Any) -> Any:
        return judges_quality(
            task=self.task, run=latest_run(task_id=self.task.pk), tallies=page
        )


class QualityActionsView(TaskAPIView):
    @extend_schema(
        "tasks_quality_actions_list", responses=QualityActionSerializer(many=True)
    )
    def get(self, request: Request, task_id: int) -> Response:
        """List the actions on judges of the campaign, newest first."""
        return self.paginated(quality_actions(task=self.task), QualityActionSerializer)

    @extend_schema(
        "quality_actions_take",
        request=JudgeDecisionSerializer,
        responses={201: JudgesDecidedSerializer, 200: JudgesDecidedSerializer},
    )
    def post(self, request: Request, task_id: int) -> Response:
        """Act on judges; with `dry_run`, return a preview with 200."""
        task = self.task
        asked = self.validated(JudgeDecisionSerializer)
        judges = _judges_named(task, asked.pop("judges"))
        analysis = asked.pop("analysis")
        if asked.pop("dry_run"):
            effects = deciding_in_words(
                judges=judges, task=task, action=asked["action"], text=asked["text"]
            )
            return Response(
                {"batch": None, "judges": [], "unchanged": {}, "effects": effects}
            )
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
        return self.serialized(
            done, JudgesDecidedSerializer, status=201 if decided.judges else 200
        )


def _judges_named(task: Task, names: list[str]) -> list[Judge]:
    judges, unknown = judges_by_pseudonym(task.test_set.campaign_id, names)
    if unknown:
        said = _("Judge not found: %(value)s.") % {"value": comma_list(unknown)}
        raise ValidationError({"judges": [said]})
    return judges


def _analysis_finished(task: Task, analysis_id: int | None) -> Analysis | None:
    if analysis_id is None:
        return None
    found = Analysis.objects.of(task.pk).finished().filter(pk=analysis_id).first()
    if found is None:
        raise ValidationError({"analysis": ["Analysis not found, or not finished."]})
    return found


class JudgesUndoneSerializer(PlainSerializer):
    judges = serializers.ListField(child=serializers.CharField())


class QualityActionsUndoView(TaskAPIView):
    @extend_schema(
        "quality_actions_undo", request=None, responses=JudgesUndoneSerializer
    )
    def post(self, request: Request, task_id: int, batch: UUID) -> Response:
        """Undo a decision for all its judges."""
        campaign = self.task.test_set.campaign
        judges = judges_decision_undo(campaign=campaign, batch=batch, user=self.user)
        return self.serialized(
            {"judges": [judge.pseudonym for judge in judges]}, JudgesUndoneSerializer
        )


class QualityActionRevertView(TaskAPIView):
    @extend_schema(
        "quality_action_revert", request=None, responses=QualityActionSerializer
    )
    def post(self, request: Request, task_id: int, action_id: int) -> Response:
        """Revert an action."""
        actions = quality_actions(task=self.task)
        quality_action_revert(
            action=get_object_or_404(actions, pk=action_id), user=self.user
        )
        return self.serialized(actions.get(pk=action_id), QualityActionSerializer)


class StoppingRuleSerializer(serializers.Serializer[StoppingRule]):
    """A stopping rule: it is met by the first criterion that is met. No criterion means no rule."""

    judgments = serializers.IntegerField(
        min_value=1,
        max_value=2**31 - 1,
        allow_null=True,
        default=None,
        help_text="Stop at this number of judgments.",
    )
    pairs_share = NumberField(
        allow_null=True,
        default=None,
        help_text="Stop at this share of pairs told apart, above 0 and up to 1.",
    )
    clusters = serializers.IntegerField(
        min_value=2,
        max_value=32_767,
        allow_null=True,
        default=None,
        help_text="Stop at this number of clusters.",
    )
    until = serializers.DateField(
        allow_null=True, default=None, help_text="Stop on this day."
    )
    tests = serializers.ChoiceField(
        choices=StoppingRule.Tests.choices,
        required=False,
        help_text="Test for telling pairs apart. By default anytime ranges, valid at any look; Holm-corrected tests, "
        "valid for one look fixed in advance, if anytime ranges are not available.",
    )
    confidence = NumberField(default=0.95, help_text="Above 0 and up to 0.999.")
    reason = serializers.CharField(
        max_length=1000,
        allow_blank=True,
        default="",
        help_text="Reason, required once there are judgments. Published with results.",
    )
    after_judgments = serializers.IntegerField(read_only=True)
    set_at = serializers.DateTimeField(source="created_at", read_only=True)
    set_by = serializers.CharField(
        source="changed_by.name", read_only=True, default=None, allow_null=True
    )


class RuleMetSerializer(PlainSerializer):
    run = serializers.IntegerField(
        help_text="The first ranking that met the rule, saved permanently."
    )
    judgments = serializers.IntegerField()
    at = serializers.DateTimeField()
    criteria = serializers.ListField(child=serializers.CharField())


class StoppingSerializer(serializers.Serializer[Task]):
    """Current rule, its state, and the history of rules."""

    rule = StoppingRuleSerializer(allow_null=True, help_text="Null without a rule.")
    words = serializers.ListField(
        child=serializers.CharField(),
        help_text="The rule in words, in the language of the request.",
    )
    is_met = serializers.BooleanField(help_text="A rule stays met once it was met.")
    met = RuleMetSerializer(
        allow_null=True,
        help_text="Null until a ranking meets the rule; a date is met without a ranking.",
    )
    judgments_since = serializers.IntegerField(
        help_text="Judgments since the rule was met."
    )
    history = StoppingRuleSerializer(
        many=True,
        help_text="Newest first; an entry without criteria removed the previous rule.",
    )


class StoppingRuleView(TaskAPIView):
    @extend_schema("stopping_rule_read", responses=StoppingSerializer)
    def get(self, request: Request, task_id: int) -> Response:
        """Return the stopping rule and whether it is met."""
        return self.serialized(_said(self.task), StoppingSerializer)

    @extend_schema(
        "stopping_rule_set",
        request=StoppingRuleSerializer,
        responses=StoppingSerializer,
    )
    def put(self, request: Request, task_id: int) -> Response:
        """Replace the stopping rule; without criteria, remove it."""
        data = self.validated(StoppingRuleSerializer)
        stopping_rule_set(task=self.task, changed_by=self.user, **data)
        return self.serialized(_said(self.task), StoppingSerializer)


def _said(task: Task) -> dict[str, Any]:
    history = stopping_rule_history(task_id=task.pk)
    state = stopping_rule_state(task_id=task.pk)
    if state is None:
        shown = None
    else:
        shown = shown_rule(state)
    return {
        "rule": history[0] if history and history[0].is_there else None,
        "words": []
        if shown is None
        else [shown["rule"], shown["since"], *shown["state"], shown["caution"]],
        "is_met": state is not None and state.is_met,
        "met": None if state is None else state.met,
        "judgments_since": 0 if state is None else state.more,
        "history": history,
    }
