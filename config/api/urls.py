"""URLs of the API under `/api/v1/`."""

from typing import Final

from django.urls import URLPattern, URLResolver, include, path

from annotation.api import (
    answers,
    campaign_state,
    designs,
    judge_groups,
    judges,
    judgments,
    machines,
    own_data,
    panels,
    systems,
    training,
    urls,
    work_time,
)
from campaign.api import (
    activity,
    bad_references,
    campaigns,
    instructions,
    invitations,
    members,
    questions,
    texts,
    tokens,
    uploads,
    webhooks,
)
from config.api.views import RootView
from desk.api import overview
from protocols.quiz.api import SnippetsView
from protocols.spans.api import SuggestionsView
from ranking.api import (
    analyses,
    design_forecast,
    exports,
    metrics,
    quality_actions,
    quality_rules,
    ranking_settings,
    rankings,
    segments,
    stopping_rules,
)
from ranking.api.judges import JudgesView
from ranking.api.published_results import (
    PublishedBundleView,
    PublishedResultsView,
    PublishedResultView,
)
from whole_campaigns.api import CampaignCloneView, RehearsalView, TasksView, TaskView
from whole_campaigns.campaign_file.api import CampaignFileView

_campaign = [
    path("", campaigns.CampaignView.as_view(), name="api-campaign"),
    path("activity/", activity.ActivityView.as_view(), name="api-activity"),
    path("overview/", overview.OverviewView.as_view(), name="api-overview"),
    path("tables/", analyses.CampaignTablesView.as_view(), name="api-campaign-tables"),
    path(
        "tables/<slug:name>/",
        analyses.CampaignTableView.as_view(),
        name="api-campaign-table",
    ),
    path(
        "tables/<slug:name>/report.<str:ending>",
        analyses.CampaignTableReportView.as_view(),
        name="api-campaign-table-report",
    ),
    path("tasks/", TasksView.as_view(), name="api-tasks"),
    path("time/", work_time.TimeSheetView.as_view(), name="api-time-sheet"),
    path("alerts/", overview.AlertsView.as_view(), name="api-alerts"),
    path("alerts/mail/", overview.AlertMailView.as_view(), name="api-alert-mail"),
    path("rules/", quality_rules.RulesView.as_view(), name="api-rules"),
    path(
        "rules/preview/",
        quality_rules.RulesPreviewView.as_view(),
        name="api-rules-preview",
    ),
    path(
        "rules/suggested/",
        quality_rules.RulesSuggestedView.as_view(),
        name="api-rules-suggested",
    ),
    path(
        "rules/<int:rule_id>/off/",
        quality_rules.RuleOffView.as_view(),
        name="api-rule-off",
    ),
    path(
        "rules/<int:rule_id>/undo/",
        quality_rules.RuleUndoView.as_view(),
        name="api-rule-undo",
    ),
    path(
        "rules/<int:rule_id>/act/",
        quality_rules.RuleActView.as_view(),
        name="api-rule-act",
    ),
    path(
        "problem-reports/",
        judgments.ProblemReportsView.as_view(),
        name="api-problem-reports",
    ),
    path(
        "problem-reports/<int:report_id>/replies/",
        judgments.ProblemRepliesView.as_view(),
        name="api-problem-replies",
    ),
    path(
        "problem-reports/<int:report_id>/replies/<int:number>/take-back/",
        judgments.ProblemReplyTakeBackView.as_view(),
        name="api-problem-reply-take-back",
    ),
    path("members/", members.MembersView.as_view(), name="api-members"),
    path(
        "members/invitations/",
        members.MemberInvitationsView.as_view(),
        name="api-member-invitations",
    ),
    path(
        "members/invitations/<int:invitation_id>/",
        members.MemberInvitationView.as_view(),
        name="api-member-invitation",
    ),
    path("members/leave/", members.MemberLeaveView.as_view(), name="api-member-leave"),
    path(
        "members/<int:membership_id>/",
        members.MemberView.as_view(),
        name="api-member",
    ),
    path(
        "members/<int:membership_id>/link/",
        members.MemberLinkView.as_view(),
        name="api-member-link",
    ),
    path("uploads/", uploads.UploadsView.as_view(), name="api-uploads"),
    path("uploads/<uuid:upload_id>/", uploads.UploadView.as_view(), name="api-upload"),
    path(
        "uploads/<uuid:upload_id>/files/",
        uploads.UploadFilesView.as_view(),
        name="api-upload-files",
    ),
    path(
        "uploads/<uuid:upload_id>/files/<int:file_id>/",
        uploads.UploadFileView.as_view(),
        name="api-upload-file",
    ),
    path(
        "uploads/<uuid:upload_id>/files/<int:file_id>/content/",
        uploads.UploadContentView.as_view(),
        name="api-upload-content",
    ),
    path(
        "uploads/<uuid:upload_id>/check/",
        uploads.UploadCheckView.as_view(),
        name="api-upload-check",
    ),
    path(
        "uploads/<uuid:upload_id>/import/",
        uploads.UploadImportView.as_view(),
        name="api-upload-import",
    ),
    path("jobs/", uploads.JobsView.as_view(), name="api-jobs"),
    path("jobs/<int:job_id>/", uploads.JobView.as_view(), name="api-job"),
    path("jobs/<int:job_id>/stop/", uploads.JobStopView.as_view(), name="api-job-stop"),
    path(
        "jobs/<int:job_id>/again/",
        uploads.JobAgainView.as_view(),
        name="api-job-again",
    ),
    path("webhooks/", webhooks.WebhooksView.as_view(), name="api-webhooks"),
    path(
        "webhooks/<int:webhook_id>/",
        webhooks.WebhookView.as_view(),
        name="api-webhook",
    ),
    path(
        "webhooks/<int:webhook_id>/secret/",
        webhooks.WebhookSecretView.as_view(),
        name="api-webhook-secret",
    ),
    path(
        "webhooks/<int:webhook_id>/test/",
        webhooks.WebhookTestView.as_view(),
        name="api-webhook-test",
    ),
    path(
        "webhooks/<int:webhook_id>/deliveries/",
        webhooks.WebhookDeliveriesView.as_view(),
        name="api-webhook-deliveries",
    ),
    path(
        "webhooks/<int:webhook_id>/deliveries/<int:delivery_id>/again/",
        webhooks.WebhookRedeliverView.as_view(),
        name="api-webhook-redeliver",
    ),
    path("judges/", judges.CampaignJudgesView.as_view(), name="api-campaign-judges"),
    path(
        "judges/<int:judge_id>/",
        judges.CampaignJudgeView.as_view(),
        name="api-campaign-judge",
    ),
    path(
        "judges/<int:judge_id>/link/",
        judges.CampaignJudgeLinkView.as_view(),
        name="api-campaign-judge-link",
    ),
    path("machines/", machines.MachinesView.as_view(), name="api-machines"),
    path(
        "machines/<int:machine_id>/",
        machines.MachineView.as_view(),
        name="api-machine",
    ),
    path(
        "machines/<int:machine_id>/token/",
        machines.MachineTokenView.as_view(),
        name="api-machine-token",
    ),
    path(
        "invitations/",
        invitations.JudgeInvitationsView.as_view(),
        name="api-judge-invitations",
    ),
    path(
        "invitations/links/",
        invitations.JudgesLinksView.as_view(),
        name="api-judges-links",
    ),
    path(
        "invitations/links/<int:invitation_id>/",
        invitations.JudgesLinkView.as_view(),
        name="api-judges-link",
    ),
    path(
        "invitations/links/<int:invitation_id>/revoke/",
        invitations.JudgesLinkRevokeView.as_view(),
        name="api-judges-link-revoke",
    ),
    path(
        "invitations/links/<int:invitation_id>/restore/",
        invitations.JudgesLinkRestoreView.as_view(),
        name="api-judges-link-restore",
    ),
    path(
        "invitations/judges/<int:judge_id>/again/",
        invitations.JudgeInviteAgainView.as_view(),
        name="api-judge-invite-again",
    ),
    path(
        "invitations/judges/<int:judge_id>/withdraw/",
        invitations.JudgeWithdrawView.as_view(),
        name="api-judge-withdraw",
    ),
    path(
        "invitations/judges/<int:judge_id>/readmit/",
        invitations.JudgeReadmitView.as_view(),
        name="api-judge-readmit",
    ),
    path("panels/", panels.PanelsView.as_view(), name="api-panels"),
    path("panels/<int:panel_id>/", panels.PanelView.as_view(), name="api-panel"),
    path(
        "panels/<int:panel_id>/open/",
        panels.PanelOpenView.as_view(),
        name="api-panel-open",
    ),
    path(
        "panels/<int:panel_id>/participations/",
        panels.PanelParticipationsView.as_view(),
        name="api-panel-participations",
    ),
    path("questions/", questions.QuestionsView.as_view(), name="api-questions"),
    path(
        "instructions/",
        instructions.InstructionsView.as_view(),
        name="api-instructions",
    ),
    path(
        "instructions/<int:version>/",
        instructions.InstructionsVersionView.as_view(),
        name="api-instructions-version",
    ),
    path("erasures/", own_data.ErasuresView.as_view(), name="api-erasures"),
    path(
        "erasures/<int:request_id>/carry-out/",
        own_data.ErasureCarryOutView.as_view(),
        name="api-erasure-carry-out",
    ),
    path(
        "erasures/<int:request_id>/refuse/",
        own_data.ErasureRefuseView.as_view(),
        name="api-erasure-refuse",
    ),
    path(
        "judge-groups/",
        judge_groups.JudgeGroupsView.as_view(),
        name="api-judge-groups",
    ),
    path(
        "judge-groups/<int:group_id>/",
        judge_groups.JudgeGroupView.as_view(),
        name="api-judge-group",
    ),
    path(
        "judge-groups/<int:group_id>/judges/",
        judge_groups.JudgeGroupJudgesView.as_view(),
        name="api-judge-group-judges",
    ),
    path(
        "judge-groups/<int:group_id>/delete/",
        judge_groups.JudgeGroupDeleteView.as_view(),
        name="api-judge-group-delete",
    ),
    path(
        "state/",
        campaign_state.CampaignStateView.as_view(),
        name="api-campaign-state",
    ),
    path(
        "restore/",
        campaign_state.CampaignRestoreView.as_view(),
        name="api-campaign-restore",
    ),
    path("file/", CampaignFileView.as_view(), name="api-campaign-file"),
    path("clone/", CampaignCloneView.as_view(), name="api-campaign-clone"),
    path("rehearsal/", RehearsalView.as_view(), name="api-rehearsal"),
    path(
        "<slug:transition>/",
        campaign_state.CampaignTransitionView.as_view(),
        name="api-campaign-transition",
    ),
]


_task = [
    path("", TaskView.as_view(), name="api-task"),
    path("systems/", systems.SystemsView.as_view(), name="api-systems"),
    path("systems/<int:system_id>/", systems.SystemView.as_view(), name="api-system"),
    path(
        "systems/<int:system_id>/withdraw/",
        systems.SystemWithdrawView.as_view(),
        name="api-system-withdraw",
    ),
    path(
        "systems/<int:system_id>/restore/",
        systems.SystemRestoreView.as_view(),
        name="api-system-restore",
    ),
    path("documents/", texts.DocumentsView.as_view(), name="api-documents"),
    path("outputs/", texts.OutputsView.as_view(), name="api-outputs"),
    path(
        "outputs/<int:output_id>/correct/",
        systems.OutputCorrectView.as_view(),
        name="api-output-correct",
    ),
    path(
        "bad-references/",
        bad_references.BadReferencesView.as_view(),
        name="api-bad-references",
    ),
    path(
        "bad-references/segments/<int:number>/",
        bad_references.BadReferenceOfSegmentView.as_view(),
        name="api-bad-reference-of-segment",
    ),
    path(
        "bad-references/<int:bad_reference_id>/",
        bad_references.BadReferenceView.as_view(),
        name="api-bad-reference",
    ),
    path(
        "bad-references/<int:bad_reference_id>/redraw/",
        bad_references.BadReferenceRedrawView.as_view(),
        name="api-bad-reference-redraw",
    ),
    path("training/", training.TrainingView.as_view(), name="api-training"),
    path(
        "training/segments/<int:number>/",
        training.TrainingOfSegmentView.as_view(),
        name="api-training-of-segment",
    ),
    path(
        "training/<int:block_id>/",
        training.TrainingBlockView.as_view(),
        name="api-training-block",
    ),
    path("segments/", texts.SegmentsView.as_view(), name="api-segments"),
    path(
        "segments/<int:number>/",
        segments.SegmentView.as_view(),
        name="api-segment",
    ),
    path("judgments/", judgments.JudgmentsView.as_view(), name="api-judgments"),
    path(
        "judgments/<int:number>/take-back/",
        quality_actions.JudgmentTakeBackView.as_view(),
        name="api-judgment-take-back",
    ),
    path("comparisons/", judgments.ComparisonsView.as_view(), name="api-comparisons"),
    path("answers/", answers.AnswersView.as_view(), name="api-answers"),
    path("exports/", exports.ExportsView.as_view(), name="api-exports"),
    path("exports/kinds/", exports.ExportKindsView.as_view(), name="api-export-kinds"),
    path(
        "exports/stream/",
        exports.ExportStreamView.as_view(),
        name="api-export-stream",
    ),
    path("exports/<int:export_id>/", exports.ExportView.as_view(), name="api-export"),
    path(
        "exports/<int:export_id>/content/",
        exports.ExportContentView.as_view(),
        name="api-export-content",
    ),
    path("skips/", judgments.SkipsView.as_view(), name="api-skips"),
    path("metrics/", metrics.MetricsView.as_view(), name="api-metrics"),
    path(
        "metrics/compute/",
        metrics.MetricsComputeView.as_view(),
        name="api-metrics-compute",
    ),
    path("metrics/<int:metric_id>/", metrics.MetricView.as_view(), name="api-metric"),
    path("analyses/", analyses.AnalysesView.as_view(), name="api-analyses"),
    path(
        "analyses/kinds/",
        analyses.AnalysisKindsView.as_view(),
        name="api-analysis-kinds",
    ),
    path(
        "analyses/<int:analysis_id>/",
        analyses.AnalysisView.as_view(),
        name="api-analysis",
    ),
    path(
        "analyses/<int:analysis_id>/report.<str:ending>",
        analyses.AnalysisReportView.as_view(),
        name="api-analysis-report",
    ),
    path("rankings/", rankings.RankingsView.as_view(), name="api-rankings"),
    path("rankings/keep/", rankings.RankingKeepView.as_view(), name="api-ranking-keep"),
    path(
        "rankings/latest/",
        rankings.RankingLatestView.as_view(),
        name="api-ranking-latest",
    ),
    path(
        "rankings/<int:ranking_id>/",
        rankings.RankingView.as_view(),
        name="api-ranking",
    ),
    path(
        "published-results/",
        PublishedResultsView.as_view(),
        name="api-published-results",
    ),
    path(
        "published-results/<int:version>/",
        PublishedResultView.as_view(),
        name="api-published-result",
    ),
    path(
        "published-results/<int:version>/bundle/",
        PublishedBundleView.as_view(),
        name="api-published-bundle",
    ),
    path(
        "ranking-settings/",
        ranking_settings.RankingSettingsView.as_view(),
        name="api-ranking-settings",
    ),
    path(
        "stopping-rule/",
        stopping_rules.StoppingRuleView.as_view(),
        name="api-stopping-rule",
    ),
    path("closing/", campaign_state.ClosingView.as_view(), name="api-closing"),
    path("designs/", designs.DesignsView.as_view(), name="api-designs"),
    path(
        "designs/preview/",
        designs.DesignPreviewView.as_view(),
        name="api-design-preview",
    ),
    path(
        "designs/forecast/",
        design_forecast.DesignForecastView.as_view(),
        name="api-design-forecast",
    ),
    path(
        "designs/<int:design_id>/again/",
        designs.DesignAgainView.as_view(),
        name="api-design-again",
    ),
    path("snippets/", SnippetsView.as_view(), name="api-snippets"),
    path("suggestions/", SuggestionsView.as_view(), name="api-suggestions"),
    path("hits/", designs.HITsView.as_view(), name="api-hits"),
    path("judges/", JudgesView.as_view(), name="api-judges"),
    path(
        "quality-actions/",
        quality_actions.QualityActionsView.as_view(),
        name="api-quality-actions",
    ),
    path(
        "quality-actions/<int:action_id>/revert/",
        quality_actions.QualityActionRevertView.as_view(),
        name="api-quality-action-revert",
    ),
    path(
        "quality-actions/<uuid:batch>/undo/",
        quality_actions.QualityActionsUndoView.as_view(),
        name="api-quality-actions-undo",
    ),
]

#: Prefix of these addresses.
PREFIX: Final = "api/v1/"

urlpatterns: list[URLPattern | URLResolver] = [
    path("judging/", include(urls.urlpatterns)),
    path("", RootView.as_view(), name="api-root"),
    path("tokens/", tokens.TokensView.as_view(), name="api-tokens"),
    path("tokens/<int:token_id>/", tokens.TokenView.as_view(), name="api-token"),
    path("campaigns/", campaigns.CampaignsView.as_view(), name="api-campaigns"),
    path("campaigns/<slug:slug>/", include(_campaign)),
    path("tasks/<int:task_id>/", include(_task)),
    path("tasks/<int:task_id>/as-judge/", include(urls.preview_urlpatterns)),
]
