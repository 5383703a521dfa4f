"""URLs of the API under `/api/v1/`."""

from typing import Final

from django.urls import URLPattern, URLResolver, include, path
from rest_framework.views import APIView

from annotation.api import (
    answers,
    campaign_state,
    corrections,
    designs,
    own_data,
    panels,
    people,
    problem_reports,
    research,
    systems,
    training,
    urls,
    work_time,
)
from campaign.api import (
    activity,
    bad_references,
    instructions,
    invitations,
    members,
    texts,
    tokens,
    uploads,
    webhooks,
)
from campaign.api import views as campaigns
from config.api.contract import AskedAsDescribed, contracted
from config.api.views import RootView
from protocols.quiz.api import SnippetsView
from ranking.api import (
    analyses,
    design_forecast,
    exports,
    judge_groups,
    metrics,
    overview,
    rules,
    views,
)
from ranking.api.published_results import (
    PublishedResultsView,
    PublishedResultView,
    ResultBundleView,
)
from whole_campaigns.api import CampaignCloneView, CampaignTasksView, RehearsalView, TaskAndMoreView
from whole_campaigns.campaign_file.api import CampaignFileView, CampaignSchemaView


def _at(route: str, view: type[APIView], name: str) -> URLPattern:
    return path(route, contracted(view, route).as_view(), name=name)


def _judging(each: URLPattern) -> URLPattern:
    """Return an address used by the judging page, which has only a part of the contract to save time."""
    route, view = f"judging/{each.pattern}", each.callback.cls  # type: ignore[attr-defined]
    judging = contracted(view, f"/{route}", AskedAsDescribed)
    return path(route, judging.as_view(), name=each.name)


_files = [
    _at("", uploads.UploadFilesView, "api-upload-files"),
    _at("<int:file_id>/", uploads.UploadFileView, "api-upload-file"),
    _at("<int:file_id>/content/", uploads.UploadContentView, "api-upload-content"),
]

_upload: list[URLPattern | URLResolver] = [
    _at("", uploads.UploadView, "api-upload"),
    path("files/", include(_files)),
    _at("check/", uploads.UploadCheckView, "api-upload-check"),
    _at("import/", uploads.UploadImportView, "api-upload-import"),
]

_webhook = [
    _at("", webhooks.WebhookView, "api-webhook"),
    _at("secret/", webhooks.WebhookSecretView, "api-webhook-secret"),
    _at("test/", webhooks.WebhookTestView, "api-webhook-test"),
    _at("deliveries/", webhooks.WebhookDeliveriesView, "api-webhook-deliveries"),
    _at(
        "deliveries/<int:delivery_id>/again/",
        webhooks.WebhookRedeliverView,
        "api-webhook-redeliver",
    ),
]

_judges = [
    _at("<int:judge_id>/again/", invitations.JudgeInviteAgainView, "api-judge-invite-again"),
    _at("<int:judge_id>/withdraw/", invitations.JudgeWithdrawView, "api-judge-withdraw"),
    _at("<int:judge_id>/readmit/", invitations.JudgeReadmitView, "api-judge-readmit"),
]

_panel = [
    _at("", panels.PanelView, "api-panel"),
    _at("open/", panels.PanelOpenView, "api-panel-open"),
    _at("participations/", panels.ParticipationsView, "api-panel-participations"),
]

_erasures = [
    _at("", own_data.ErasuresView, "api-erasures"),
    _at("<int:request_id>/carry-out/", own_data.ErasureCarryOutView, "api-erasure-carry-out"),
    _at("<int:request_id>/refuse/", own_data.ErasureRefuseView, "api-erasure-refuse"),
]

_judge_groups = [
    _at("", judge_groups.JudgeGroupsView, "api-judge-groups"),
    _at("<int:group_id>/", judge_groups.JudgeGroupView, "api-judge-group"),
    _at("<int:group_id>/judges/", judge_groups.JudgeGroupJudgesView, "api-judge-group-judges"),
    _at("<int:group_id>/delete/", judge_groups.JudgeGroupDeleteView, "api-judge-group-delete"),
]

_campaign: list[URLPattern | URLResolver] = [
    _at("", campaigns.CampaignView, "api-campaign"),
    _at("activity/", activity.ActivityView, "api-activity"),
    _at("overview/", overview.OverviewView, "api-overview"),
    _at("tables/", analyses.CampaignTablesView, "api-campaign-tables"),
    _at("tables/<slug:name>/", analyses.CampaignTableView, "api-campaign-table"),
    _at(
        "tables/<slug:name>/report.<str:ending>",
        analyses.CampaignTableReportView,
        "api-campaign-table-report",
    ),
    _at("tasks/", CampaignTasksView, "api-tasks"),
    _at("time/", work_time.TimeSheetView, "api-time-sheet"),
    _at("alerts/", overview.AlertsView, "api-alerts"),
    _at("alerts/mail/", overview.AlertMailView, "api-alert-mail"),
    _at("rules/", rules.RulesView, "api-rules"),
    _at("rules/preview/", rules.RulePreviewView, "api-rules-preview"),
    _at("rules/suggested/", rules.SuggestedRulesView, "api-rules-suggested"),
    _at("rules/<int:rule_id>/off/", rules.RuleOffView, "api-rule-off"),
    _at("rules/<int:rule_id>/undo/", rules.RuleUndoView, "api-rule-undo"),
    _at("rules/<int:rule_id>/act/", rules.RuleActView, "api-rule-act"),
    _at("problem-reports/", problem_reports.ProblemReportsView, "api-problem-reports"),
    _at(
        "problem-reports/<int:report_id>/replies/",
        problem_reports.ProblemRepliesView,
        "api-problem-replies",
    ),
    _at(
        "problem-reports/<int:report_id>/replies/<int:number>/take-back/",
        problem_reports.ProblemReplyTakeBackView,
        "api-problem-reply-take-back",
    ),
    _at("members/", members.MembersView, "api-members"),
    _at("members/invitations/", members.MemberInvitationsView, "api-member-invitations"),
    _at(
        "members/invitations/<int:invitation_id>/",
        members.MemberInvitationView,
        "api-member-invitation",
    ),
    _at("members/leave/", members.LeaveView, "api-member-leave"),
    _at("members/<int:membership_id>/", members.MemberView, "api-member"),
    _at("members/<int:membership_id>/link/", members.MemberLinkView, "api-member-link"),
    _at("uploads/", uploads.UploadsView, "api-uploads"),
    path("uploads/<uuid:upload_id>/", include(_upload)),
    _at("jobs/", uploads.JobsView, "api-jobs"),
    _at("jobs/<int:job_id>/", uploads.JobView, "api-job"),
    _at("jobs/<int:job_id>/stop/", uploads.JobStopView, "api-job-stop"),
    _at("jobs/<int:job_id>/again/", uploads.JobAgainView, "api-job-again"),
    _at("webhooks/", webhooks.WebhooksView, "api-webhooks"),
    path("webhooks/<int:webhook_id>/", include(_webhook)),
    _at("judges/", people.CampaignJudgesView, "api-campaign-judges"),
    _at("judges/<int:judge_id>/", people.CampaignJudgeView, "api-campaign-judge"),
    _at("judges/<int:judge_id>/link/", people.CampaignJudgeLinkView, "api-campaign-judge-link"),
    _at("invitations/", invitations.JudgeInvitationsView, "api-judge-invitations"),
    _at("invitations/links/", invitations.JudgesLinksView, "api-judges-links"),
    _at(
        "invitations/links/<int:invitation_id>/revoke/",
        invitations.JudgesLinkRevokeView,
        "api-judges-link-revoke",
    ),
    _at(
        "invitations/links/<int:invitation_id>/restore/",
        invitations.JudgesLinkRestoreView,
        "api-judges-link-restore",
    ),
    path("invitations/judges/", include(_judges)),
    _at("panels/", panels.PanelsView, "api-panels"),
    path("panels/<int:panel_id>/", include(_panel)),
    _at("instructions/", instructions.InstructionsView, "api-instructions"),
    _at(
        "instructions/<int:version>/",
        instructions.InstructionsVersionView,
        "api-instructions-version",
    ),
    path("erasures/", include(_erasures)),
    path("judge-groups/", include(_judge_groups)),
    _at("state/", campaign_state.CampaignStateView, "api-campaign-state"),
    _at("restore/", campaign_state.CampaignRestoreView, "api-campaign-restore"),
    _at("file/", CampaignFileView, "api-campaign-file"),
    _at("clone/", CampaignCloneView, "api-campaign-clone"),
    _at("rehearsal/", RehearsalView, "api-rehearsal"),
    _at("<slug:transition>/", campaign_state.CampaignTransitionView, "api-campaign-transition"),
]

_system = [
    _at("", systems.SystemView, "api-system"),
    _at("withdraw/", systems.SystemWithdrawView, "api-system-withdraw"),
    _at("restore/", systems.SystemRestoreView, "api-system-restore"),
]

_bad_references = [
    _at("", bad_references.BadReferencesView, "api-bad-references"),
    _at("<int:bad_reference_id>/", bad_references.BadReferenceView, "api-bad-reference"),
    _at(
        "<int:bad_reference_id>/redraw/",
        bad_references.BadReferenceRedrawView,
        "api-bad-reference-redraw",
    ),
]

_published_results = [
    _at("", PublishedResultsView, "api-published-results"),
    _at("<int:version>/", PublishedResultView, "api-published-result"),
    _at("<int:version>/bundle/", ResultBundleView, "api-published-bundle"),
]

_task: list[URLPattern | URLResolver] = [
    _at("", TaskAndMoreView, "api-task"),
    _at("systems/", systems.SystemsView, "api-systems"),
    path("systems/<int:system_id>/", include(_system)),
    _at("documents/", texts.DocumentsView, "api-documents"),
    _at("outputs/", texts.OutputsView, "api-outputs"),
    _at("outputs/<int:output_id>/correct/", corrections.OutputCorrectView, "api-output-correct"),
    path("bad-references/", include(_bad_references)),
    _at("training/", training.TrainingView, "api-training"),
    _at("training/<int:block_id>/", training.TrainingBlockView, "api-training-block"),
    _at("segments/", texts.SegmentsView, "api-segments"),
    _at("segments/<int:number>/", design_forecast.SegmentJudgedView, "api-segment"),
    _at("judgments/", research.JudgmentsView, "api-judgments"),
    _at("comparisons/", research.ComparisonsView, "api-comparisons"),
    _at("answers/", answers.AnswersView, "api-answers"),
    _at("exports/", exports.ExportsView, "api-exports"),
    _at("exports/kinds/", exports.ExportKindsView, "api-export-kinds"),
    _at("exports/stream/", exports.ExportStreamView, "api-export-stream"),
    _at("exports/<int:export_id>/", exports.ExportView, "api-export"),
    _at("exports/<int:export_id>/content/", exports.ExportContentView, "api-export-content"),
    _at("skips/", research.SkipsView, "api-skips"),
    _at("metrics/", metrics.MetricsView, "api-metrics"),
    _at("metrics/compute/", metrics.MetricsComputeView, "api-metrics-compute"),
    _at("metrics/<int:metric_id>/", metrics.MetricView, "api-metric"),
    _at("analyses/", analyses.AnalysesView, "api-analyses"),
    _at("analyses/kinds/", analyses.AnalysisKindsView, "api-analysis-kinds"),
    _at("analyses/<int:analysis_id>/", analyses.AnalysisView, "api-analysis"),
    _at(
        "analyses/<int:analysis_id>/report.<str:ending>",
        analyses.AnalysisReportView,
        "api-analysis-report",
    ),
    _at("rankings/", views.RankingsView, "api-rankings"),
    _at("rankings/keep/", views.RankingKeepView, "api-ranking-keep"),
    _at("rankings/latest/", views.LatestRankingView, "api-ranking-latest"),
    _at("rankings/<int:ranking_id>/", views.RankingView, "api-ranking"),
    path("published-results/", include(_published_results)),
    _at("ranking-settings/", views.RankingSettingsView, "api-ranking-settings"),
    _at("stopping-rule/", views.StoppingRuleView, "api-stopping-rule"),
    _at("closing/", campaign_state.TaskClosingView, "api-closing"),
    _at("designs/", designs.DesignsView, "api-designs"),
    _at("designs/preview/", designs.DesignPreviewView, "api-design-preview"),
    _at("designs/forecast/", design_forecast.DesignForecastView, "api-design-forecast"),
    _at("designs/<int:design_id>/again/", designs.DesignAgainView, "api-design-again"),
    _at("snippets/", SnippetsView, "api-snippets"),
    _at("hits/", designs.HITsView, "api-hits"),
    _at("judges/", views.JudgesView, "api-judges"),
    _at("quality-actions/", views.QualityActionsView, "api-quality-actions"),
    _at(
        "quality-actions/<int:action_id>/revert/",
        views.QualityActionRevertView,
        "api-quality-action-revert",
    ),
    _at(
        "quality-actions/<uuid:batch>/undo/",
        views.QualityActionsUndoView,
        "api-quality-actions-undo",
    ),
]

#: Prefix of these addresses.
PREFIX: Final = "api/v1/"

urlpatterns: list[URLPattern | URLResolver] = [
    *(_judging(each) for each in urls.urlpatterns),
    _at("", RootView, "api-root"),
    _at("schemas/campaign.json", CampaignSchemaView, "campaign-schema"),
    _at("tokens/", tokens.TokensView, "api-tokens"),
    _at("tokens/<int:token_id>/", tokens.TokenView, "api-token"),
    _at("campaigns/", campaigns.CampaignsView, "api-campaigns"),
    path("campaigns/<slug:slug>/", include(_campaign)),
    path("tasks/<int:task_id>/", include(_task)),
    path("tasks/<int:task_id>/as-judge/", include(urls.preview_urlpatterns)),
]
