"""Settings of REST and of its description that depend on nothing: renderers, names of enumerations."""

from typing import Final

# By name: where the choices stand, or the choices themselves.
ENUM_NAMES: Final[dict[str, str | list[str]]] = {
    "ActivityOperation": "campaign.models.ActivityOperation",
    "ActivityOrigin": "campaign.models.ActivityOrigin",
    "AlertKind": "ranking.selectors.alerts.AlertKind",
    "AnalysisName": "ranking.api.analyses.KINDS",
    "MembershipRole": "campaign.models.MembershipRole",
    "MailLanguage": "django.conf.settings.LANGUAGES",
    "MailState": "campaign.models.MailState",
    "DeliveryState": "campaign.models.DeliveryState",
    "TokenScope": "campaign.models.TokenScope",
    "WebhookEventName": "campaign.models.WebhookEvent",
    "CampaignState": "campaign.models.CampaignState",
    "CampaignTransition": "campaign.models.Transition",
    "ExportFileFormat": "ranking.api.exports.FORMAT_NAMES",
    "ExportKindName": "ranking.api.exports.KIND_NAMES",
    "FileRole": ["source", "reference", "system", "documents", "whole", "ignored"],
    "JobKind": "campaign.models.JobKind",
    "JobState": "campaign.models.JobState",
    "ReferenceUse": "campaign.models.ReferenceUse",
    "SystemKind": "campaign.models.SystemKind",
    "JudgeOrigin": "campaign.models.Judge.Origin",
    "NotEstimableReason": "ranking.core.scores.NotEstimable",
    "Protocol": "campaign.models.Protocol",
    "SpanKind": ["error", "missing"],
    "SpanSeverity": ["minor", "major"],
    "SortingVerdict": ["first", "same", "second"],
    "EditingAsked": ["edit", "accept"],
    "EditingOutcome": "protocols.editing.models.Outcome",
    "TwoOutputsVerdict": "protocols.two_outputs.models.Verdict",
    "RatingCriterion": "protocols.rating.models.Criterion",
    "AdequacyBasis": "protocols.rating.models.AdequacyBasis",
    "RangeCorrection": "ranking.models.RankingSettings.Correction",
    "RangeKind": "ranking.models.RankingSettings.Ranges",
    "RuleTests": "ranking.wording.stopping_rules.RuleTests",
    "RankingMethod": "ranking.wording.live_methods.LiveMethod",
    "RangeLevel": "ranking.models.RankingSettings.Resample",
    "JudgeStanding": "annotation.api.people_serializers.STANDINGS",
    "JudgeRowState": "annotation.api.people_serializers.ROW_STATES",
    "NoIntervalReason": "ranking.core.agreement.kappa_intervals.NoInterval",
    "TableName": "ranking.api.campaign_tables.TABLE_KINDS",
    "TextDirection": ["ltr", "rtl"],
    "BlockState": ["open", "judged", "skipped"],
    "DesignKind": "annotation.models.Design.Kind",
    "DesignSameness": "annotation.models.Design.Sameness",
    "DesignOrder": "annotation.models.Design.Order",
    "JudgeStatus": ["good", "warned", "paused", "excluded"],
    "ProblemKind": ["source", "reference", "output", "content", "page", "other"],
    "QualityActionKind": "annotation.models.QualityActionKind",
    "JudgeDecisionKind": "ranking.pages.forms.DECISIONS",
    "QualityRuleAction": "annotation.models.quality.ACTIONS",
    "QualityRuleDirection": "annotation.models.RuleDirection",
    "JudgeMeasure": "annotation.judge_measures.JudgeMeasure",
    "MeasureUnit": ["share", "kappa", "seconds", "probability"],
    "HITPurpose": "annotation.models.HITPurpose",
    "HITState": ["waiting", "available", "lent", "done", "withdrawn"],
    "NotYetState": [
        "preparing",
        "waiting",
        "not_begun",
        "campaign_paused",
        "campaign_closed",
    ],
    "RehearsalState": ["none", "under way", "there", "outdated"],
    "SkippedReason": "annotation.models.SkipReason",
    "SkipReason": ["bad_source", "bad_reference", "cannot_judge", "other"],
}

DESCRIPTION = (
    "Ranking campaigns. Members read campaigns, judgments and rankings with a token "
    "(`Authorization: Token …`, made on the page *Your sign-ins*, at `/api/v1/tokens/` or by `manage.py create_token`); the judging page talks to "
    "`/api/v1/judging/` with its session."
)

FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "campaign.api.authentication.ScopedTokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["campaign.api.parsers.StrictJSONParser"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "config.api.errors.exception_handler",
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}
