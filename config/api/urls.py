"""URLs of the API under `/api/v1/`."""

import re
from typing import Final

from django.urls import URLPattern, URLResolver, include, path
from rest_framework.views import APIView

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
from config.api.contract import AskedAsDescribed, contracted
from config.api.views import RootView
from desk.api import overview
from protocols.quiz.api import SnippetsView
from protocols.spans.api import SuggestionsView
from ranking.api import (
    analyses,
    design_forecast,
    exports,
    metrics,
    quality_rules,
    rankings,
)
from ranking.api.published_results import (
    PublishedBundleView,
    PublishedResultsView,
    PublishedResultView,
)
from whole_campaigns.api import CampaignCloneView, RehearsalView, TasksView, TaskView
from whole_campaigns.campaign_file.api import CampaignFileView


def _at(route: str, view: type[APIView]) -> URLPattern:
    """Return the address of a view, named after it: `api-judge-group` of `JudgeGroupView`."""
    words = re.sub("(?<=[a-z])(?=[A-Z])", "-", view.__name__.removesuffix("View"))
    return path(route, contracted(view, route).as_view(), name=f"api-{words.lower()}")


def _judging(each: URLPattern) -> URLPattern:
    """Return an address used by the judging page, which has only a part of the contract to save time."""
    route, view = f"judging/{each.pattern}", each.callback.cls  # type: ignore[attr-defined]
    judging = contracted(view, f"/{route}", AskedAsDescribed)
    return path(route, judging.as_view(), name=each.name)


_campaign = [
    _at("", campaigns.CampaignView),
    _at("activity/", activity.ActivityView),
    _at("overview/", overview.OverviewView),
    _at("tables/", analyses.CampaignTablesView),
    _at("tables/<slug:name>/", analyses.CampaignTableView),
    _at("tables/<slug:name>/report.<str:ending>", analyses.CampaignTableReportView),
    _at("tasks/", TasksView),
    _at("time/", work_time.TimeSheetView),
    _at("alerts/", overview.AlertsView),
    _at("alerts/mail/", overview.AlertMailView),
    _at("rules/", quality_rules.RulesView),
    _at("rules/preview/", quality_rules.RulesPreviewView),
    _at("rules/suggested/", quality_rules.RulesSuggestedView),
    _at("rules/<int:rule_id>/off/", quality_rules.RuleOffView),
    _at("rules/<int:rule_id>/undo/", quality_rules.RuleUndoView),
    _at("rules/<int:rule_id>/act/", quality_rules.RuleActView),
    _at("problem-reports/", judgments.ProblemReportsView),
    _at("problem-reports/<int:report_id>/replies/", judgments.ProblemRepliesView),
    _at(
        "problem-reports/<int:report_id>/replies/<int:number>/take-back/",
        judgments.ProblemReplyTakeBackView,
    ),
    _at("members/", members.MembersView),
    _at("members/invitations/", members.MemberInvitationsView),
    _at("members/invitations/<int:invitation_id>/", members.MemberInvitationView),
    _at("members/leave/", members.MemberLeaveView),
    _at("members/<int:membership_id>/", members.MemberView),
    _at("members/<int:membership_id>/link/", members.MemberLinkView),
    _at("uploads/", uploads.UploadsView),
    _at("uploads/<uuid:upload_id>/", uploads.UploadView),
    _at("uploads/<uuid:upload_id>/files/", uploads.UploadFilesView),
    _at("uploads/<uuid:upload_id>/files/<int:file_id>/", uploads.UploadFileView),
    _at("uploads/<uuid:upload_id>/files/<int:file_id>/content/", uploads.UploadContentView),
    _at("uploads/<uuid:upload_id>/check/", uploads.UploadCheckView),
    _at("uploads/<uuid:upload_id>/import/", uploads.UploadImportView),
    _at("jobs/", uploads.JobsView),
    _at("jobs/<int:job_id>/", uploads.JobView),
    _at("jobs/<int:job_id>/stop/", uploads.JobStopView),
    _at("jobs/<int:job_id>/again/", uploads.JobAgainView),
    _at("webhooks/", webhooks.WebhooksView),
    _at("webhooks/<int:webhook_id>/", webhooks.WebhookView),
    _at("webhooks/<int:webhook_id>/secret/", webhooks.WebhookSecretView),
    _at("webhooks/<int:webhook_id>/test/", webhooks.WebhookTestView),
    _at("webhooks/<int:webhook_id>/deliveries/", webhooks.WebhookDeliveriesView),
    _at(
        "webhooks/<int:webhook_id>/deliveries/<int:delivery_id>/again/",
        webhooks.WebhookRedeliverView,
    ),
    _at("judges/", judges.CampaignJudgesView),
    _at("judges/<int:judge_id>/", judges.CampaignJudgeView),
    _at("judges/<int:judge_id>/link/", judges.CampaignJudgeLinkView),
    _at("machines/", machines.MachinesView),
    _at("machines/<int:machine_id>/", machines.MachineView),
    _at("machines/<int:machine_id>/token/", machines.MachineTokenView),
    _at("invitations/", invitations.JudgeInvitationsView),
    _at("invitations/links/", invitations.JudgesLinksView),
    _at("invitations/links/<int:invitation_id>/revoke/", invitations.JudgesLinkRevokeView),
    _at("invitations/links/<int:invitation_id>/restore/", invitations.JudgesLinkRestoreView),
    _at("invitations/judges/<int:judge_id>/again/", invitations.JudgeInviteAgainView),
    _at("invitations/judges/<int:judge_id>/withdraw/", invitations.JudgeWithdrawView),
    _at("invitations/judges/<int:judge_id>/readmit/", invitations.JudgeReadmitView),
    _at("panels/", panels.PanelsView),
    _at("panels/<int:panel_id>/", panels.PanelView),
    _at("panels/<int:panel_id>/open/", panels.PanelOpenView),
    _at("panels/<int:panel_id>/participations/", panels.PanelParticipationsView),
    _at("questions/", questions.QuestionsView),
    _at("instructions/", instructions.InstructionsView),
    _at("instructions/<int:version>/", instructions.InstructionsVersionView),
    _at("erasures/", own_data.ErasuresView),
    _at("erasures/<int:request_id>/carry-out/", own_data.ErasureCarryOutView),
    _at("erasures/<int:request_id>/refuse/", own_data.ErasureRefuseView),
    _at("judge-groups/", judge_groups.JudgeGroupsView),
    _at("judge-groups/<int:group_id>/", judge_groups.JudgeGroupView),
    _at("judge-groups/<int:group_id>/judges/", judge_groups.JudgeGroupJudgesView),
    _at("judge-groups/<int:group_id>/delete/", judge_groups.JudgeGroupDeleteView),
    _at("state/", campaign_state.CampaignStateView),
    _at("restore/", campaign_state.CampaignRestoreView),
    _at("file/", CampaignFileView),
    _at("clone/", CampaignCloneView),
    _at("rehearsal/", RehearsalView),
    _at("<slug:transition>/", campaign_state.CampaignTransitionView),
]


_task = [
    _at("", TaskView),
    _at("systems/", systems.SystemsView),
    _at("systems/<int:system_id>/", systems.SystemView),
    _at("systems/<int:system_id>/withdraw/", systems.SystemWithdrawView),
    _at("systems/<int:system_id>/restore/", systems.SystemRestoreView),
    _at("documents/", texts.DocumentsView),
    _at("outputs/", texts.OutputsView),
    _at("outputs/<int:output_id>/correct/", systems.OutputCorrectView),
    _at("bad-references/", bad_references.BadReferencesView),
    _at("bad-references/<int:bad_reference_id>/", bad_references.BadReferenceView),
    _at("bad-references/<int:bad_reference_id>/redraw/", bad_references.BadReferenceRedrawView),
    _at("training/", training.TrainingView),
    _at("training/<int:block_id>/", training.TrainingBlockView),
    _at("segments/", texts.SegmentsView),
    _at("segments/<int:number>/", design_forecast.SegmentView),
    _at("judgments/", judgments.JudgmentsView),
    _at("comparisons/", judgments.ComparisonsView),
    _at("answers/", answers.AnswersView),
    _at("exports/", exports.ExportsView),
    _at("exports/kinds/", exports.ExportKindsView),
    _at("exports/stream/", exports.ExportStreamView),
    _at("exports/<int:export_id>/", exports.ExportView),
    _at("exports/<int:export_id>/content/", exports.ExportContentView),
    _at("skips/", judgments.SkipsView),
    _at("metrics/", metrics.MetricsView),
    _at("metrics/compute/", metrics.MetricsComputeView),
    _at("metrics/<int:metric_id>/", metrics.MetricView),
    _at("analyses/", analyses.AnalysesView),
    _at("analyses/kinds/", analyses.AnalysisKindsView),
    _at("analyses/<int:analysis_id>/", analyses.AnalysisView),
    _at("analyses/<int:analysis_id>/report.<str:ending>", analyses.AnalysisReportView),
    _at("rankings/", rankings.RankingsView),
    _at("rankings/keep/", rankings.RankingKeepView),
    _at("rankings/latest/", rankings.RankingLatestView),
    _at("rankings/<int:ranking_id>/", rankings.RankingView),
    _at("published-results/", PublishedResultsView),
    _at("published-results/<int:version>/", PublishedResultView),
    _at("published-results/<int:version>/bundle/", PublishedBundleView),
    _at("ranking-settings/", rankings.RankingSettingsView),
    _at("stopping-rule/", rankings.StoppingRuleView),
    _at("closing/", campaign_state.ClosingView),
    _at("designs/", designs.DesignsView),
    _at("designs/preview/", designs.DesignPreviewView),
    _at("designs/forecast/", design_forecast.DesignForecastView),
    _at("designs/<int:design_id>/again/", designs.DesignAgainView),
    _at("snippets/", SnippetsView),
    _at("suggestions/", SuggestionsView),
    _at("hits/", designs.HITsView),
    _at("judges/", rankings.JudgesView),
    _at("quality-actions/", rankings.QualityActionsView),
    _at("quality-actions/<int:action_id>/revert/", rankings.QualityActionRevertView),
    _at("quality-actions/<uuid:batch>/undo/", rankings.QualityActionsUndoView),
]

#: Prefix of these addresses.
PREFIX: Final = "api/v1/"

urlpatterns: list[URLPattern | URLResolver] = [
    *(_judging(each) for each in urls.urlpatterns),
    _at("", RootView),
    _at("tokens/", tokens.TokensView),
    _at("tokens/<int:token_id>/", tokens.TokenView),
    _at("campaigns/", campaigns.CampaignsView),
    path("campaigns/<slug:slug>/", include(_campaign)),
    path("tasks/<int:task_id>/", include(_task)),
    path("tasks/<int:task_id>/as-judge/", include(urls.preview_urlpatterns)),
]
