"""Serializers of rankings, judges and settings."""

from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from annotation.models import QualityAction, QualityActionKind
from annotation.selectors.judges import JudgeStatus
from annotation.services.quality import MESSAGE_LENGTH, NOTE_LENGTH
from campaign.api.access import group_asked_for
from campaign.api.requests import NumberField
from campaign.models import Judge, JudgeGroup
from ranking.analyses.ranking import tested_pairs
from ranking.core.agreement.intervals import NoInterval
from ranking.core.rankings.rank import only_estimable
from ranking.core.scores import NotEstimable
from ranking.models import RankingRun, RankingSettings
from ranking.pages.forms import DECISIONS
from ranking.range_choices import LIMITS
from ranking.selectors.quality import JudgeQuality
from ranking.selectors.runs import judges_left_out
from ranking.selectors.settings import ranking_settings_history
from ranking.services.run_results import pairs_of

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


class ShortageSerializer(serializers.Serializer[Any]):
    """Data missing before the rank range of a system and its pairs can be estimated."""

    unit = serializers.ChoiceField(choices=["blocks", "segments", "documents", "judges"])
    found = serializers.FloatField(help_text="Effective number of units so far.")
    needed = serializers.IntegerField()


class AnytimeSystemSerializer(serializers.Serializer[Any]):
    system = serializers.CharField()
    rank = serializers.IntegerField(
        help_text="Rank within the group. Systems with equal scores share the best rank."
    )
    rank_low = serializers.IntegerField(
        allow_null=True,
        help_text="Rank range (inclusive). Null while it cannot be estimated, like the cluster.",
    )
    rank_high = serializers.IntegerField(allow_null=True)
    cluster = serializers.IntegerField(allow_null=True, help_text="1 is the best cluster.")
    shortage = ShortageSerializer(allow_null=True)
    last_rank = serializers.IntegerField(
        required=False, help_text="Last rank shared with systems of equal score, otherwise `rank`."
    )
    group = serializers.IntegerField(
        required=False, help_text="Number of its group in `groups`, from 1."
    )

    def to_representation(self, instance: Any) -> Any:
        return super().to_representation(only_estimable(instance))


class RankedSystemSerializer(AnytimeSystemSerializer):
    score = serializers.FloatField(
        allow_null=True, help_text="Null if all comparisons are ties and the method ignores ties."
    )
    wins = serializers.IntegerField()
    losses = serializers.IntegerField()
    ties = serializers.IntegerField()


class UnrankedSystemSerializer(serializers.Serializer[Any]):
    system = serializers.CharField()
    reason = serializers.ChoiceField(choices=_REASONS)
    ties = serializers.IntegerField()


class RankingInputSerializer(serializers.Serializer[Any]):
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


class JudgeAgreementSerializer(serializers.Serializer[Any]):
    kappa = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    agreeing = serializers.IntegerField()
    comparable = serializers.IntegerField(help_text="Pairs of comparisons by different judges.")
    no_interval = serializers.ChoiceField(
        choices=NO_INTERVAL, allow_null=True, help_text="Reason why a κ has no interval."
    )


class KappaSerializer(JudgeAgreementSerializer):
    p_agree = serializers.FloatField(allow_null=True)
    reason = serializers.ChoiceField(
        choices=_REASONS, allow_null=True, help_text="Reason why there is no κ."
    )
    p_chance = serializers.FloatField(
        allow_null=True,
        help_text="Chance agreement of a judge, by the ties of the judge and of the others.",
    )


class JudgeKappaSerializer(KappaSerializer):
    judge = serializers.CharField()
    blocks = serializers.IntegerField()
    comparisons = serializers.IntegerField()
    ties = serializers.IntegerField()


class AgreementSerializer(serializers.Serializer[Any]):
    chance = serializers.CharField(help_text="Method for chance agreement.")
    p_chance = serializers.FloatField(allow_null=True)
    comparisons = serializers.IntegerField()
    ties = serializers.IntegerField()
    inter = KappaSerializer()
    judges = JudgeKappaSerializer(many=True)


class ComparedPairSerializer(serializers.Serializer[Any]):
    """Two ranked systems, the better-ranked one first."""

    better = serializers.CharField()
    worse = serializers.CharField()
    wins = serializers.IntegerField(help_text="Wins of the first system against the second.")
    losses = serializers.IntegerField()
    ties = serializers.IntegerField()
    p_value = serializers.FloatField(
        allow_null=True,
        help_text="Uncorrected p-value of the difference; null if either system has a `shortage`.",
    )
    adjusted_p = serializers.FloatField(
        allow_null=True,
        help_text="Corrected for the number of pairs by `parameters.correction`.",
    )
    significant = serializers.BooleanField(
        help_text="Whether `adjusted_p` is at most 1 − confidence."
    )


class RuleFoundSerializer(serializers.Serializer[Any]):
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


class AnytimeBesideSerializer(serializers.Serializer[Any]):
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

    systems = RankedSystemSerializer(many=True, source="result.systems", help_text="Best first.")
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
        help_text="All pairs in rank order, with tests of their differences."
    )
    agreement = AgreementSerializer(source="result.agreement")
    judges_left_out = serializers.SerializerMethodField(
        help_text="Pseudonyms of excluded judges with judgments in this test set; see `quality-actions/` for "
        "reasons. `parameters.excluded_judges` lists all excluded judges of the campaign."
    )

    stopping = serializers.SerializerMethodField(
        help_text="Progress by the stopping rule in `parameters.stopping_rule`; null without one."
    )
    anytime = serializers.SerializerMethodField(
        help_text="Anytime ranges by Expected Wins. Null without a stopping rule, or if ranges do not account for "
        "segments and judges."
    )

    @extend_schema_field(RuleFoundSerializer(allow_null=True))
    def get_stopping(self, run: RankingRun) -> Any:
        return run.result.get("stopping")

    @extend_schema_field(AnytimeBesideSerializer(allow_null=True))
    def get_anytime(self, run: RankingRun) -> Any:
        return run.result.get("anytime")

    def get_judges_left_out(self, run: RankingRun) -> list[str]:
        return judges_left_out(run)[run.task_id]

    @extend_schema_field(ComparedPairSerializer(many=True))
    def get_pairs(self, run: RankingRun) -> list[dict[str, Any]]:
        pairs = pairs_of(run)
        thin = {row["system"] for row in run.result["systems"] if row.get("shortage")}
        return tested_pairs(pairs, thin)


class MeasureResultSerializer(serializers.Serializer[Any]):
    value = serializers.FloatField()
    evidence = serializers.IntegerField(help_text="Number of comparisons or blocks.")
    low = serializers.FloatField(allow_null=True, help_text="Lower end of the 95% interval.")
    high = serializers.FloatField(allow_null=True)
    p_value = serializers.FloatField(allow_null=True)


class JudgeSerializer(serializers.Serializer[JudgeQuality]):
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
    by_rule = serializers.SerializerMethodField(help_text="Whether a rule took the action.")
    created_by = serializers.CharField(source="created_by.name", default=None, allow_null=True)
    reverted_by = serializers.CharField(source="reverted_by.name", default=None, allow_null=True)

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


class JudgeDecisionSerializer(serializers.Serializer[Any]):
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


class JudgesDecidedSerializer(serializers.Serializer[Any]):
    """Effects of a decision."""

    batch = serializers.UUIDField(allow_null=True, help_text="ID for undoing the decision.")
    judges = serializers.ListField(child=serializers.CharField(), help_text="Judges changed.")
    unchanged = serializers.DictField(
        child=serializers.CharField(), help_text="Judges not changed, with reasons."
    )
    effects = serializers.ListField(
        child=serializers.CharField(), help_text="Effects in words, for a dry run."
    )


class RankingSettingsSerializer(serializers.Serializer[Any]):
    """Ranking method and rank ranges of a test set."""

    method = serializers.ChoiceField(
        choices=RankingSettings.Method.choices,
        help_text="Ranking method; `by_design` is Expected Wins, or Bradley–Terry once an active design has chosen pairs.",
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
        source="created_at", read_only=True, allow_null=True, help_text="Null for the defaults."
    )
    changed_by = serializers.CharField(
        source="changed_by.name", read_only=True, default=None, allow_null=True
    )

    def validate_judge_group(self, name: str | None) -> JudgeGroup | None:
        """Find the group in the campaign of the test set that the view names."""
        return group_asked_for(self.context["view"].task, name)


class RankingSettingsInForceSerializer(RankingSettingsSerializer):
    """Current settings with their history."""

    history = serializers.SerializerMethodField(
        help_text="All settings, newest first; empty for the defaults."
    )

    @extend_schema_field(RankingSettingsSerializer(many=True))
    def get_history(self, settings: RankingSettings) -> Any:
        rows = ranking_settings_history(task_id=settings.task_id)
        return RankingSettingsSerializer(rows, many=True).data
