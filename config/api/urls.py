"""Addresses of the API, by app, below `/api/v1/`."""

from typing import Final

from django.urls import URLPattern, URLResolver, include, path

from annotation.api import campaign_state, designs, panels, people, problem_reports, systems, urls
from annotation.api.answers import AnswersView
from annotation.api.corrections import OutputCorrectView
from annotation.api.own_data import ErasureCarryOutView, ErasureRefuseView, ErasuresView
from annotation.api.research import ComparisonsView, JudgmentsView, SkipsView
from annotation.api.training import TrainingBlockView, TrainingView
from annotation.api.work_time import TimeSheetView
from campaign.api import activity, instructions, texts, tokens, uploads, webhooks
from campaign.api.bad_references import BadReferenceRedrawView, BadReferencesView, BadReferenceView
from campaign.api.invitations import (
    JudgeInvitationsView,
    JudgeInviteAgainView,
    JudgeReadmitView,
    JudgesLinkRestoreView,
    JudgesLinkRevokeView,
    JudgesLinksView,
    JudgeWithdrawView,
)
from campaign.api.members import (
    LeaveView,
    MemberInvitationsView,
    MemberInvitationView,
    MemberLinkView,
    MembersView,
    MemberView,
)
from campaign.api.views import CampaignsView, CampaignView
from config.api.contract import contracted
from config.api.views import RootView
from protocols.quiz.api import SnippetsView
from ranking.api import analyses, exports, metrics, overview, rules, stopping_rules, views
from ranking.api.design_forecast import DesignForecastView, SegmentJudgedView
from ranking.api.judge_groups import (
    JudgeGroupDeleteView,
    JudgeGroupJudgesView,
    JudgeGroupsView,
    JudgeGroupView,
)
from ranking.api.published_results import (
    PublishedResultsView,
    PublishedResultView,
    ResultBundleView,
)
from whole_campaigns.api import CampaignCloneView, CampaignTasksView, RehearsalView, TaskAndMoreView
from whole_campaigns.campaign_file.api import CampaignFileView, CampaignSchemaView

_files = [
    path("", uploads.UploadFilesView.as_view(), name="api-upload-files"),
    path("<int:file_id>/", uploads.UploadFileView.as_view(), name="api-upload-file"),
    path("<int:file_id>/content/", uploads.UploadContentView.as_view(), name="api-upload-content"),
]

_upload: list[URLPattern | URLResolver] = [
    path("", uploads.UploadView.as_view(), name="api-upload"),
    path("files/", include(_files)),
    path("check/", uploads.UploadCheckView.as_view(), name="api-upload-check"),
    path("import/", uploads.UploadImportView.as_view(), name="api-upload-import"),
]

_webhook = [
    path("", webhooks.WebhookView.as_view(), name="api-webhook"),
    path("secret/", webhooks.WebhookSecretView.as_view(), name="api-webhook-secret"),
    path("test/", webhooks.WebhookTestView.as_view(), name="api-webhook-test"),
    path("deliveries/", webhooks.WebhookDeliveriesView.as_view(), name="api-webhook-deliveries"),
    path(
        "deliveries/<int:delivery_id>/again/",
        webhooks.WebhookRedeliverView.as_view(),
        name="api-webhook-redeliver",
    ),
]

_judges = [
    path("<int:judge_id>/again/", JudgeInviteAgainView.as_view(), name="api-judge-invite-again"),
    path("<int:judge_id>/withdraw/", JudgeWithdrawView.as_view(), name="api-judge-withdraw"),
    path("<int:judge_id>/readmit/", JudgeReadmitView.as_view(), name="api-judge-readmit"),
]

_panel = [
    path("", panels.PanelView.as_view(), name="api-panel"),
    path("open/", panels.PanelOpenView.as_view(), name="api-panel-open"),
    path("participations/", panels.ParticipationsView.as_view(), name="api-panel-participations"),
]

_erasures = [
    path("", ErasuresView.as_view(), name="api-erasures"),
    path(
        "<int:request_id>/carry-out/", ErasureCarryOutView.as_view(), name="api-erasure-carry-out"
    ),
    path("<int:request_id>/refuse/", ErasureRefuseView.as_view(), name="api-erasure-refuse"),
]

_judge_groups = [
    path("", JudgeGroupsView.as_view(), name="api-judge-groups"),
    path("<int:group_id>/", JudgeGroupView.as_view(), name="api-judge-group"),
    path("<int:group_id>/judges/", JudgeGroupJudgesView.as_view(), name="api-judge-group-judges"),
    path("<int:group_id>/delete/", JudgeGroupDeleteView.as_view(), name="api-judge-group-delete"),
]

_campaign: list[URLPattern | URLResolver] = [
    path("", CampaignView.as_view(), name="api-campaign"),
    path("activity/", activity.ActivityView.as_view(), name="api-activity"),
    path("overview/", overview.OverviewView.as_view(), name="api-overview"),
    path("tables/", analyses.CampaignTablesView.as_view(), name="api-campaign-tables"),
    path("tables/<slug:name>/", analyses.CampaignTableView.as_view(), name="api-campaign-table"),
    path(
        "tables/<slug:name>/report.<str:ending>",
        analyses.CampaignTableReportView.as_view(),
        name="api-campaign-table-report",
    ),
    path("tasks/", CampaignTasksView.as_view(), name="api-tasks"),
    path("time/", TimeSheetView.as_view(), name="api-time-sheet"),
    path("alerts/", overview.AlertsView.as_view(), name="api-alerts"),
    path("alerts/mail/", overview.AlertMailView.as_view(), name="api-alert-mail"),
    path("rules/", rules.RulesView.as_view(), name="api-rules"),
    path("rules/preview/", rules.RulePreviewView.as_view(), name="api-rules-preview"),
    path("rules/suggested/", rules.SuggestedRulesView.as_view(), name="api-rules-suggested"),
    path("rules/<int:rule_id>/off/", rules.RuleOffView.as_view(), name="api-rule-off"),
    path("rules/<int:rule_id>/undo/", rules.RuleUndoView.as_view(), name="api-rule-undo"),
    path("rules/<int:rule_id>/act/", rules.RuleActView.as_view(), name="api-rule-act"),
    path(
        "problem-reports/", problem_reports.ProblemReportsView.as_view(), name="api-problem-reports"
    ),
    path(
        "problem-reports/<int:report_id>/replies/",
        problem_reports.ProblemRepliesView.as_view(),
        name="api-problem-replies",
    ),
    path(
        "problem-reports/<int:report_id>/replies/<int:number>/take-back/",
        problem_reports.ProblemReplyTakeBackView.as_view(),
        name="api-problem-reply-take-back",
    ),
    path("members/", MembersView.as_view(), name="api-members"),
    path("members/invitations/", MemberInvitationsView.as_view(), name="api-member-invitations"),
    path(
        "members/invitations/<int:invitation_id>/",
        MemberInvitationView.as_view(),
        name="api-member-invitation",
    ),
    path("members/leave/", LeaveView.as_view(), name="api-member-leave"),
    path("members/<int:membership_id>/", MemberView.as_view(), name="api-member"),
    path("members/<int:membership_id>/link/", MemberLinkView.as_view(), name="api-member-link"),
    path("uploads/", uploads.UploadsView.as_view(), name="api-uploads"),
    path("uploads/<uuid:upload_id>/", include(_upload)),
    path("jobs/", uploads.JobsView.as_view(), name="api-jobs"),
    path("jobs/<int:job_id>/", uploads.JobView.as_view(), name="api-job"),
    path("jobs/<int:job_id>/stop/", uploads.JobStopView.as_view(), name="api-job-stop"),
    path("jobs/<int:job_id>/again/", uploads.JobAgainView.as_view(), name="api-job-again"),
    path("webhooks/", webhooks.WebhooksView.as_view(), name="api-webhooks"),
    path("webhooks/<int:webhook_id>/", include(_webhook)),
    path("judges/", people.CampaignJudgesView.as_view(), name="api-campaign-judges"),
    path("judges/<int:judge_id>/", people.CampaignJudgeView.as_view(), name="api-campaign-judge"),
    path(
        "judges/<int:judge_id>/link/",
        people.CampaignJudgeLinkView.as_view(),
        name="api-campaign-judge-link",
    ),
    path("invitations/", JudgeInvitationsView.as_view(), name="api-judge-invitations"),
    path("invitations/links/", JudgesLinksView.as_view(), name="api-judges-links"),
    path(
        "invitations/links/<int:invitation_id>/revoke/",
        JudgesLinkRevokeView.as_view(),
        name="api-judges-link-revoke",
    ),
    path(
        "invitations/links/<int:invitation_id>/restore/",
        JudgesLinkRestoreView.as_view(),
        name="api-judges-link-restore",
    ),
    path("invitations/judges/", include(_judges)),
    path("panels/", panels.PanelsView.as_view(), name="api-panels"),
    path("panels/<int:panel_id>/", include(_panel)),
    path("instructions/", instructions.InstructionsView.as_view(), name="api-instructions"),
    path(
        "instructions/<int:version>/",
        instructions.InstructionsVersionView.as_view(),
        name="api-instructions-version",
    ),
    path("erasures/", include(_erasures)),
    path("judge-groups/", include(_judge_groups)),
    path("state/", campaign_state.CampaignStateView.as_view(), name="api-campaign-state"),
    path("restore/", campaign_state.CampaignRestoreView.as_view(), name="api-campaign-restore"),
    path("file/", CampaignFileView.as_view(), name="api-campaign-file"),
    path("clone/", CampaignCloneView.as_view(), name="api-campaign-clone"),
    path("rehearsal/", RehearsalView.as_view(), name="api-rehearsal"),
    path(
        "<slug:transition>/",
        campaign_state.CampaignTransitionView.as_view(),
        name="api-campaign-transition",
    ),
]

_system = [
    path("", systems.SystemView.as_view(), name="api-system"),
    path("withdraw/", systems.SystemWithdrawView.as_view(), name="api-system-withdraw"),
    path("restore/", systems.SystemRestoreView.as_view(), name="api-system-restore"),
]

_bad_references = [
    path("", BadReferencesView.as_view(), name="api-bad-references"),
    path("<int:bad_reference_id>/", BadReferenceView.as_view(), name="api-bad-reference"),
    path(
        "<int:bad_reference_id>/redraw/",
        BadReferenceRedrawView.as_view(),
        name="api-bad-reference-redraw",
    ),
]

_published_results = [
    path("", PublishedResultsView.as_view(), name="api-published-results"),
    path("<int:version>/", PublishedResultView.as_view(), name="api-published-result"),
    path("<int:version>/bundle/", ResultBundleView.as_view(), name="api-published-bundle"),
]

_task: list[URLPattern | URLResolver] = [
    path("", TaskAndMoreView.as_view(), name="api-task"),
    path("systems/", systems.SystemsAndMoreView.as_view(), name="api-systems"),
    path("systems/<int:system_id>/", include(_system)),
    path("documents/", texts.DocumentsView.as_view(), name="api-documents"),
    path("outputs/", texts.OutputsView.as_view(), name="api-outputs"),
    path(
        "outputs/<int:output_id>/correct/", OutputCorrectView.as_view(), name="api-output-correct"
    ),
    path("bad-references/", include(_bad_references)),
    path("training/", TrainingView.as_view(), name="api-training"),
    path("training/<int:block_id>/", TrainingBlockView.as_view(), name="api-training-block"),
    path("segments/", texts.SegmentsView.as_view(), name="api-segments"),
    path("segments/<int:number>/", SegmentJudgedView.as_view(), name="api-segment"),
    path("judgments/", JudgmentsView.as_view(), name="api-judgments"),
    path("comparisons/", ComparisonsView.as_view(), name="api-comparisons"),
    path("answers/", AnswersView.as_view(), name="api-answers"),
    path("exports/", exports.ExportsView.as_view(), name="api-exports"),
    path("exports/kinds/", exports.ExportKindsView.as_view(), name="api-export-kinds"),
    path("exports/stream/", exports.ExportStreamView.as_view(), name="api-export-stream"),
    path("exports/<int:export_id>/", exports.ExportView.as_view(), name="api-export"),
    path(
        "exports/<int:export_id>/content/",
        exports.ExportContentView.as_view(),
        name="api-export-content",
    ),
    path("skips/", SkipsView.as_view(), name="api-skips"),
    path("metrics/", metrics.MetricsView.as_view(), name="api-metrics"),
    path("metrics/compute/", metrics.MetricsComputeView.as_view(), name="api-metrics-compute"),
    path("metrics/<int:metric_id>/", metrics.MetricView.as_view(), name="api-metric"),
    path("analyses/", analyses.AnalysesView.as_view(), name="api-analyses"),
    path("analyses/kinds/", analyses.AnalysisKindsView.as_view(), name="api-analysis-kinds"),
    path("analyses/<int:analysis_id>/", analyses.AnalysisView.as_view(), name="api-analysis"),
    path(
        "analyses/<int:analysis_id>/report.<str:ending>",
        analyses.AnalysisReportView.as_view(),
        name="api-analysis-report",
    ),
    path("rankings/", views.RankingsView.as_view(), name="api-rankings"),
    path("rankings/keep/", views.RankingKeepView.as_view(), name="api-ranking-keep"),
    path("rankings/latest/", views.LatestRankingView.as_view(), name="api-ranking-latest"),
    path("rankings/<int:ranking_id>/", views.RankingView.as_view(), name="api-ranking"),
    path("published-results/", include(_published_results)),
    path("ranking-settings/", views.RankingSettingsView.as_view(), name="api-ranking-settings"),
    path("stopping-rule/", stopping_rules.StoppingRuleView.as_view(), name="api-stopping-rule"),
    path("closing/", campaign_state.TaskClosingView.as_view(), name="api-closing"),
    path("designs/", designs.DesignsAndChangeView.as_view(), name="api-designs"),
    path("designs/preview/", designs.DesignPreviewView.as_view(), name="api-design-preview"),
    path("designs/forecast/", DesignForecastView.as_view(), name="api-design-forecast"),
    path(
        "designs/<int:design_id>/again/", designs.DesignAgainView.as_view(), name="api-design-again"
    ),
    path("snippets/", SnippetsView.as_view(), name="api-snippets"),
    path("hits/", designs.HITsView.as_view(), name="api-hits"),
    path("judges/", views.JudgesView.as_view(), name="api-judges"),
    path("quality-actions/", views.QualityActionsView.as_view(), name="api-quality-actions"),
    path(
        "quality-actions/<int:action_id>/revert/",
        views.QualityActionRevertView.as_view(),
        name="api-quality-action-revert",
    ),
    path(
        "quality-actions/<uuid:batch>/undo/",
        views.QualityActionsUndoView.as_view(),
        name="api-quality-actions-undo",
    ),
]

_research: list[URLPattern | URLResolver] = [
    path("", RootView.as_view(), name="api-root"),
    path("schemas/campaign.json", CampaignSchemaView.as_view(), name="campaign-schema"),
    path("tokens/", tokens.TokensView.as_view(), name="api-tokens"),
    path("tokens/<int:token_id>/", tokens.TokenView.as_view(), name="api-token"),
    path("campaigns/", CampaignsView.as_view(), name="api-campaigns"),
    path("campaigns/<slug:slug>/", include(_campaign)),
    path("tasks/<int:task_id>/", include(_task)),
]

#: Prefix of the addresses here.
PREFIX: Final = "api/v1/"

# The judging page waits for the first ones, which therefore keep less of the contract.
urlpatterns: list[URLPattern | URLResolver] = [
    *contracted([path("judging/", include("annotation.api.urls"))], PREFIX, judging=True),
    *contracted(_research, PREFIX),
    path("tasks/<int:task_id>/as-judge/", include(urls.preview_urlpatterns)),
]
