"""What REST says of rankings, judges and settings."""

from typing import Any

from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from annotation.models import QualityAction, QualityActionKind
from annotation.selectors.judges import JudgeStatus
from annotation.services.quality import MESSAGE_LENGTH, NOTE_LENGTH
from campaign.api.requests import NumberField
from campaign.models import Judge
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


class RankingBriefSerializer(serializers.ModelSerializer[RankingRun]):
    """What went into a ranking, enough to compute it again."""

    id = serializers.IntegerField(
        read_only=True,
        allow_null=True,
        help_text="Null while the latest ranking is not kept: `watermark` and `parameters` give it again.",
    )

    class Meta:
        model = RankingRun
        fields = [
            "id",
            "method",
            "parameters",
            "seed",
            "watermark",
            "code_version",
            "started_at",
            "finished_at",
        ]


class ShortageSerializer(serializers.Serializer[Any]):
    """What a system lacks before its rank range and the tests of its pairs are estimable."""

    unit = serializers.ChoiceField(choices=["blocks", "segments", "documents", "judges"])
    found = serializers.FloatField(help_text="Effective number of units so far.")
    needed = serializers.IntegerField()


class RankedSystemSerializer(serializers.Serializer[Any]):
    system = serializers.CharField()
    score = serializers.FloatField(
        allow_null=True, help_text="Null if all comparisons are ties, which the method drops."
    )
    rank = serializers.IntegerField(
        help_text="Within the group. Systems with equal scores share the best of their ranks."
    )
    rank_low = serializers.IntegerField(
        allow_null=True,
        help_text="The rank range, both ends included. Null where it is not estimable yet, like the cluster.",
    )
    rank_high = serializers.IntegerField(allow_null=True)
    cluster = serializers.IntegerField(allow_null=True, help_text="1 for the best.")
    shortage = ShortageSerializer(allow_null=True)
    wins = serializers.IntegerField()
    losses = serializers.IntegerField()
    ties = serializers.IntegerField()
    last_rank = serializers.IntegerField(
        help_text="The last of the ranks shared with systems of equal score; `rank` if none."
    )
    group = serializers.IntegerField(help_text="Number of its group in `groups`, 1 for the first.")

    def to_representation(self, instance: Any) -> Any:
        return super().to_representation(only_estimable(instance))


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
        help_text="So many segments with equally many comparisons would say as much."
    )
    effective_judges = serializers.FloatField(
        help_text="So many judges with equally many comparisons would say as much."
    )
    documents = serializers.IntegerField(
        allow_null=True,
        help_text="Documents of these segments. Null where the test set names fewer than two.",
    )
    effective_documents = serializers.FloatField(
        allow_null=True,
        help_text="So many documents with equally many comparisons would say as much.",
    )


class KappaSerializer(serializers.Serializer[Any]):
    comparable = serializers.IntegerField(help_text="Pairs of comparisons by different judges.")
    agreeing = serializers.IntegerField()
    p_agree = serializers.FloatField(allow_null=True)
    kappa = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    reason = serializers.ChoiceField(
        choices=_REASONS, allow_null=True, help_text="Why there is no κ, where there is none."
    )
    p_chance = serializers.FloatField(
        allow_null=True,
        help_text="Of a judge, by the ties of the judge and of the others.",
    )
    no_interval = serializers.ChoiceField(
        choices=NO_INTERVAL,
        allow_null=True,
        help_text="Why there is no interval, where there is none.",
    )


class JudgeKappaSerializer(KappaSerializer):
    judge = serializers.CharField()
    blocks = serializers.IntegerField()
    comparisons = serializers.IntegerField()
    ties = serializers.IntegerField()


class AgreementSerializer(serializers.Serializer[Any]):
    chance = serializers.CharField(help_text="How agreement by chance was reckoned.")
    p_chance = serializers.FloatField(allow_null=True)
    comparisons = serializers.IntegerField()
    ties = serializers.IntegerField()
    inter = KappaSerializer()
    judges = JudgeKappaSerializer(many=True)


class ComparedPairSerializer(serializers.Serializer[Any]):
    """Two ranked systems, the better-ranked one first."""

    better = serializers.CharField()
    worse = serializers.CharField()
    wins = serializers.IntegerField(help_text="Of the first against the second.")
    losses = serializers.IntegerField()
    ties = serializers.IntegerField()
    p_value = serializers.FloatField(
        allow_null=True,
        help_text="Of the difference by itself; null where either system has a `shortage`.",
    )
    adjusted_p = serializers.FloatField(
        allow_null=True,
        help_text="Corrected for the number of pairs, as `parameters.correction` says.",
    )
    significant = serializers.BooleanField(
        help_text="Whether the corrected one is at most 1 − confidence."
    )


class RuleFoundSerializer(serializers.Serializer[Any]):
    judgments = serializers.IntegerField(help_text="That count.")
    pairs = serializers.IntegerField()
    pairs_apart = serializers.IntegerField(
        allow_null=True,
        help_text="As the rule tells them apart; null where the ranking does not say.",
    )
    clusters = serializers.IntegerField(allow_null=True)
    criteria = serializers.ListField(
        child=serializers.CharField(), help_text="Those that are met, but for the day."
    )


class AnytimeSystemSerializer(serializers.Serializer[Any]):
    system = serializers.CharField()
    rank = serializers.IntegerField()
    rank_low = serializers.IntegerField(allow_null=True, help_text="Null where not estimable yet.")
    rank_high = serializers.IntegerField(allow_null=True)
    cluster = serializers.IntegerField(allow_null=True)
    shortage = ShortageSerializer(allow_null=True)
    last_rank = serializers.IntegerField(required=False)
    group = serializers.IntegerField(required=False)

    def to_representation(self, instance: Any) -> Any:
        return super().to_representation(only_estimable(instance))


class AnytimeBesideSerializer(serializers.Serializer[Any]):
    confidence = serializers.FloatField()
    systems = AnytimeSystemSerializer(many=True)
    clusters = serializers.IntegerField(
        allow_null=True, help_text="Null while no rank range is estimable."
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
        help_text="Systems that comparisons connect, ties included. Each group is ranked by itself.",
    )
    input = RankingInputSerializer(source="result.input")
    limits = serializers.ListField(
        child=serializers.ChoiceField(choices=LIMITS),
        source="result.limits",
        help_text="What the rank ranges should account for but do not. `few_judges` or "
        "`few_segments`: too few with about equal shares to tell how much they differ. "
        "`few_documents`: likewise of documents, so that segments count in their place. "
        "`one_document`: all judged segments come from one document, as far as is known. Of "
        "anytime ranges, why no systems can be told apart; also `no_comparison`: no comparison "
        "has a winner; `other_opponents`: systems were compared with different opponents; "
        "`alone`: only one system has enough judges and segments.",
    )
    refusals = serializers.DictField(
        child=serializers.ListField(child=serializers.ChoiceField(choices=LIMITS)),
        source="result.refusals",
        help_text="Of anytime ranges: the systems that cannot be told apart from any other, "
        "and why. Codes as in `limits`.",
    )
    pairs = serializers.SerializerMethodField(
        help_text="All pairs in the order of ranks, with tests of their differences."
    )
    agreement = AgreementSerializer(source="result.agreement")
    judges_left_out = serializers.SerializerMethodField(
        help_text="Pseudonyms of excluded judges whose judgments of this test set did not count; "
        "`quality-actions/` says why. `parameters.excluded_judges` has all of the campaign."
    )

    stopping = serializers.SerializerMethodField(
        help_text="How far it was by the stopping rule in `parameters.stopping_rule`; null without one."
    )
    anytime = serializers.SerializerMethodField(
        help_text="Ranges that hold at all looks together, by Expected Wins. Null without a stopping rule, and "
        "where ranges do not account for segments and judges."
    )

    class Meta(RankingBriefSerializer.Meta):
        fields = [
            *RankingBriefSerializer.Meta.fields,
            "systems",
            "not_estimable",
            "groups",
            "input",
            "limits",
            "refusals",
            "pairs",
            "agreement",
            "judges_left_out",
            "stopping",
            "anytime",
        ]

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


class JudgeAgreementSerializer(serializers.Serializer[Any]):
    kappa = serializers.FloatField(allow_null=True)
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    agreeing = serializers.IntegerField()
    comparable = serializers.IntegerField()
    no_interval = serializers.ChoiceField(
        choices=NO_INTERVAL,
        allow_null=True,
        help_text="Why there is no interval, if there is a κ.",
    )


class MeasureResultSerializer(serializers.Serializer[Any]):
    value = serializers.FloatField()
    evidence = serializers.IntegerField(help_text="Comparisons or blocks it rests on.")
    low = serializers.FloatField(allow_null=True, help_text="Ends of the 95 % interval.")
    high = serializers.FloatField(allow_null=True)
    p_value = serializers.FloatField(allow_null=True)


class JudgeSerializer(serializers.Serializer[JudgeQuality]):
    pseudonym = serializers.CharField()
    origin = serializers.ChoiceField(choices=Judge.Origin.choices)
    judged = serializers.IntegerField(help_text="Blocks that count, however often revised.")
    skipped = serializers.IntegerField()
    agreement = JudgeAgreementSerializer(
        help_text="With the others, as of the latest ranking; κ is null while not estimable.",
    )
    status = serializers.ChoiceField(choices=[each.value for each in JudgeStatus])
    measures = serializers.DictField(
        child=MeasureResultSerializer(),
        help_text="By name, those there is evidence for; see docs/statistics/quality.md.",
    )


class QualityActionSerializer(serializers.ModelSerializer[QualityAction]):
    """A judge was warned, paused, excluded, asked or told something; and whether that was taken back."""

    judge = serializers.CharField(source="judge.pseudonym")
    task = serializers.CharField(source="task.test_set.name")
    by_rule = serializers.SerializerMethodField(help_text="Not by a person.")
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
        help_text="Pseudonyms.",
    )
    action = serializers.ChoiceField(choices=DECISIONS)
    note = serializers.CharField(
        default="",
        allow_blank=True,
        max_length=NOTE_LENGTH,
        help_text="Why; judges do not see it here. Of an exclusion, a published result gives it as the reason.",
    )
    text = serializers.CharField(
        default="",
        allow_blank=True,
        max_length=MESSAGE_LENGTH,
        help_text="Of a message: what the judges read.",
    )
    analysis = serializers.IntegerField(
        default=None,
        allow_null=True,
        help_text="Id of the analysis whose figures are kept as evidence.",
    )
    dry_run = serializers.BooleanField(
        default=False, help_text="Say what it would do, and change nothing."
    )

    batch = serializers.UUIDField(
        default=None,
        allow_null=True,
        help_text="Chosen by the client, for one decision: sent again, it is not taken again.",
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Demand a text of a message, and drop it of anything else."""
        if attrs["action"] != QualityActionKind.MESSAGE:
            attrs["text"] = ""
        elif not attrs["text"]:
            raise serializers.ValidationError({"text": [_("Write what the judge should read.")]})
        return attrs


class JudgesDecidedSerializer(serializers.Serializer[Any]):
    """What a decision did, or would do."""

    batch = serializers.UUIDField(allow_null=True, help_text="By which it is undone.")
    judges = serializers.ListField(
        child=serializers.CharField(), help_text="For whom something changed."
    )
    unchanged = serializers.DictField(
        child=serializers.CharField(), help_text="The others, each with the reason."
    )
    effects = serializers.ListField(
        child=serializers.CharField(), help_text="Of a dry run: what it would do, in sentences."
    )


class RankingSettingsSerializer(serializers.ModelSerializer[RankingSettings]):
    """By which method a test set is ranked, and how its rank ranges are made."""

    method = serializers.ChoiceField(
        choices=RankingSettings.Method.choices,
        help_text="What systems are ranked by; `by_design`: Expected Wins, or Bradley–Terry once an active "
        "design chose pairs.",
    )
    resample = serializers.ChoiceField(
        choices=RankingSettings.Resample.choices,
        help_text="What ranges account for; see docs/organisers.md.",
    )
    ranges = serializers.ChoiceField(
        choices=RankingSettings.Ranges.choices, help_text="How rank ranges are made."
    )
    correction = serializers.ChoiceField(
        choices=RankingSettings.Correction.choices,
        help_text="Of the tests of pairs, for their number. Confidence sets hold each by itself "
        "(none) or all together (holm).",
    )
    sides = serializers.IntegerField(min_value=1, max_value=2, help_text="Of the tests of pairs.")
    confidence = NumberField(help_text="Above 0, up to 0.999.")
    judge_group = serializers.CharField(
        source="judge_group.name",
        default=None,
        allow_null=True,
        max_length=60,
        help_text="The group whose judges alone count in the ranking; null: all judges.",
    )
    reason = serializers.CharField(
        max_length=1000,
        allow_blank=True,
        help_text="Why it was chosen; asked for once there are judgments, and published with results.",
    )
    judgments = serializers.IntegerField(
        read_only=True,
        allow_null=True,
        help_text="How many judgments there were then, revisions counted; null where nobody chose, or not recorded.",
    )
    changed_at = serializers.DateTimeField(
        source="created_at", read_only=True, allow_null=True, help_text="Null for the defaults."
    )
    changed_by = serializers.CharField(
        source="changed_by.name", read_only=True, default=None, allow_null=True
    )

    class Meta:
        model = RankingSettings
        fields = [
            "method",
            "resample",
            "ranges",
            "correction",
            "sides",
            "confidence",
            "judge_group",
            "reason",
            "judgments",
            "changed_at",
            "changed_by",
        ]


class RankingSettingsInForceSerializer(RankingSettingsSerializer):
    """The settings in force, and all that were."""

    history = serializers.SerializerMethodField(
        help_text="All that were chosen, the newest first; empty where nobody chose."
    )

    class Meta(RankingSettingsSerializer.Meta):
        fields = [*RankingSettingsSerializer.Meta.fields, "history"]

    @extend_schema_field(RankingSettingsSerializer(many=True))
    def get_history(self, settings: RankingSettings) -> Any:
        rows = ranking_settings_history(task_id=settings.task_id)
        return RankingSettingsSerializer(rows, many=True).data
