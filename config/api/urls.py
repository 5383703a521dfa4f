"""Addresses of the API, by app; `/api/v1/` stands before them."""

from typing import Final

from django.urls import URLPattern, URLResolver, include, path

from annotation.api.answers import AnswersView
from annotation.api.campaign_state import (
    CampaignRestoreView,
    CampaignStateView,
    CampaignTransitionView,
    TaskClosingView,
)
from annotation.api.corrections import OutputCorrectView
from annotation.api.designs import (
    DesignAgainView,
    DesignPreviewView,
    DesignsAndChangeView,
    HITsView,
)
from annotation.api.own_data import ErasureCarryOutView, ErasureRefuseView, ErasuresView
from annotation.api.panels import (
    PanelOpenView,
    PanelsView,
    PanelView,
    ParticipationsView,
)
from annotation.api.people import CampaignJudgeLinkView, CampaignJudgesView, CampaignJudgeView
from annotation.api.problem_reports import (
    ProblemRepliesView,
    ProblemReplyTakeBackView,
    ProblemReportsView,
)
from annotation.api.research import ComparisonsView, JudgmentsView, SkipsView
from annotation.api.systems import (
    SystemRestoreView,
    SystemsAndMoreView,
    SystemView,
    SystemWithdrawView,
)
from annotation.api.training import TrainingBlockView, TrainingView
from annotation.api.urls import preview_urlpatterns
from annotation.api.work_time import TimeSheetView
from campaign.api.activity import ActivityView
from campaign.api.bad_references import (
    BadReferenceRedrawView,
    BadReferencesView,
    BadReferenceView,
)
from campaign.api.instructions import InstructionsVersionView, InstructionsView
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
from campaign.api.segments import SegmentsView
from campaign.api.texts import DocumentsView, OutputsView
from campaign.api.tokens import TokensView, TokenView
from campaign.api.uploads import (
    JobAgainView,
    JobStopView,
    JobsView,
    JobView,
    UploadCheckView,
    UploadContentView,
    UploadFilesView,
    UploadFileView,
    UploadImportView,
    UploadsView,
    UploadView,
)
from campaign.api.views import CampaignsView, CampaignView
from campaign.api.webhooks import (
    WebhookDeliveriesView,
    WebhookRedeliverView,
    WebhookSecretView,
    WebhooksView,
    WebhookTestView,
    WebhookView,
)
from config.api.contract import contracted
from config.api.views import RootView
from protocols.quiz.api import SnippetsView
from ranking.api.analyses import (
    AnalysesView,
    AnalysisKindsView,
    AnalysisReportView,
    AnalysisView,
    CampaignTableReportView,
    CampaignTablesView,
    CampaignTableView,
)
from ranking.api.design_forecast import DesignForecastView, SegmentJudgedView
from ranking.api.exports import (
    ExportContentView,
    ExportKindsView,
    ExportStreamView,
    ExportsView,
    ExportView,
)
from ranking.api.judge_groups import (
    JudgeGroupDeleteView,
    JudgeGroupJudgesView,
    JudgeGroupsView,
    JudgeGroupView,
)
from ranking.api.overview import AlertMailView, AlertsView, OverviewView
from ranking.api.published_results import (
    PublishedResultsView,
    PublishedResultView,
    ResultBundleView,
)
from ranking.api.rules import (
    RuleActView,
    RuleOffView,
    RulePreviewView,
    RulesView,
    RuleUndoView,
    SuggestedRulesView,
)
from ranking.api.stopping_rules import StoppingRuleView
from ranking.api.views import (
    JudgesView,
    LatestRankingView,
    QualityActionRevertView,
    QualityActionsUndoView,
    QualityActionsView,
    RankingKeepView,
    RankingSettingsView,
    RankingsView,
    RankingView,
)
from whole_campaigns.api import CampaignCloneView, CampaignTasksView, RehearsalView, TaskAndMoreView
from whole_campaigns.campaign_file.api import CampaignFileView, CampaignSchemaView

#: What stands before the addresses here.
PREFIX: Final = "api/v1/"

_tasks = [
    path("", TaskAndMoreView.as_view(), name="api-task"),
    path("systems/", SystemsAndMoreView.as_view(), name="api-systems"),
    path("systems/<int:system_id>/", SystemView.as_view(), name="api-system"),
    path(
        "systems/<int:system_id>/withdraw/",
        SystemWithdrawView.as_view(),
        name="api-system-withdraw",
    ),
    path(
        "systems/<int:system_id>/restore/", SystemRestoreView.as_view(), name="api-system-restore"
    ),
    path("documents/", DocumentsView.as_view(), name="api-documents"),
    path("outputs/", OutputsView.as_view(), name="api-outputs"),
    path(
        "outputs/<int:output_id>/correct/", OutputCorrectView.as_view(), name="api-output-correct"
    ),
    path("bad-references/", BadReferencesView.as_view(), name="api-bad-references"),
    path(
        "bad-references/<int:bad_reference_id>/",
        BadReferenceView.as_view(),
        name="api-bad-reference",
    ),
    path(
        "bad-references/<int:bad_reference_id>/redraw/",
        BadReferenceRedrawView.as_view(),
        name="api-bad-reference-redraw",
    ),
    path("training/", TrainingView.as_view(), name="api-training"),
    path("training/<int:block_id>/", TrainingBlockView.as_view(), name="api-training-block"),
    path("segments/", SegmentsView.as_view(), name="api-segments"),
    path("segments/<int:number>/", SegmentJudgedView.as_view(), name="api-segment"),
    path("judgments/", JudgmentsView.as_view(), name="api-judgments"),
    path("comparisons/", ComparisonsView.as_view(), name="api-comparisons"),
    path("answers/", AnswersView.as_view(), name="api-answers"),
    path("exports/", ExportsView.as_view(), name="api-exports"),
    path("exports/kinds/", ExportKindsView.as_view(), name="api-export-kinds"),
    path("exports/stream/", ExportStreamView.as_view(), name="api-export-stream"),
    path("exports/<int:export_id>/", ExportView.as_view(), name="api-export"),
    path(
        "exports/<int:export_id>/content/", ExportContentView.as_view(), name="api-export-content"
    ),
    path("skips/", SkipsView.as_view(), name="api-skips"),
    path("analyses/", AnalysesView.as_view(), name="api-analyses"),
    path("analyses/kinds/", AnalysisKindsView.as_view(), name="api-analysis-kinds"),
    path("analyses/<int:analysis_id>/", AnalysisView.as_view(), name="api-analysis"),
    path(
        "analyses/<int:analysis_id>/report.<str:ending>",
        AnalysisReportView.as_view(),
        name="api-analysis-report",
    ),
    path("rankings/", RankingsView.as_view(), name="api-rankings"),
    path("rankings/keep/", RankingKeepView.as_view(), name="api-ranking-keep"),
    path("rankings/latest/", LatestRankingView.as_view(), name="api-ranking-latest"),
    path("rankings/<int:ranking_id>/", RankingView.as_view(), name="api-ranking"),
    path("published-results/", PublishedResultsView.as_view(), name="api-published-results"),
    path(
        "published-results/<int:version>/",
        PublishedResultView.as_view(),
        name="api-published-result",
    ),
    path(
        "published-results/<int:version>/bundle/",
        ResultBundleView.as_view(),
        name="api-published-bundle",
    ),
    path("ranking-settings/", RankingSettingsView.as_view(), name="api-ranking-settings"),
    path("stopping-rule/", StoppingRuleView.as_view(), name="api-stopping-rule"),
    path("closing/", TaskClosingView.as_view(), name="api-closing"),
    path("designs/", DesignsAndChangeView.as_view(), name="api-designs"),
    path("designs/preview/", DesignPreviewView.as_view(), name="api-design-preview"),
    path("designs/forecast/", DesignForecastView.as_view(), name="api-design-forecast"),
    path("designs/<int:design_id>/again/", DesignAgainView.as_view(), name="api-design-again"),
    path("snippets/", SnippetsView.as_view(), name="api-snippets"),
    path("hits/", HITsView.as_view(), name="api-hits"),
    path("judges/", JudgesView.as_view(), name="api-judges"),
    path("quality-actions/", QualityActionsView.as_view(), name="api-quality-actions"),
    path(
        "quality-actions/<int:action_id>/revert/",
        QualityActionRevertView.as_view(),
        name="api-quality-action-revert",
    ),
    path(
        "quality-actions/<uuid:batch>/undo/",
        QualityActionsUndoView.as_view(),
        name="api-quality-actions-undo",
    ),
]
_rules = [
    path("", RulesView.as_view(), name="api-rules"),
    path("preview/", RulePreviewView.as_view(), name="api-rules-preview"),
    path("suggested/", SuggestedRulesView.as_view(), name="api-rules-suggested"),
    path("<int:rule_id>/off/", RuleOffView.as_view(), name="api-rule-off"),
    path("<int:rule_id>/undo/", RuleUndoView.as_view(), name="api-rule-undo"),
    path("<int:rule_id>/act/", RuleActView.as_view(), name="api-rule-act"),
]

_problem_reports = [
    path("", ProblemReportsView.as_view(), name="api-problem-reports"),
    path("<int:report_id>/replies/", ProblemRepliesView.as_view(), name="api-problem-replies"),
    path(
        "<int:report_id>/replies/<int:number>/take-back/",
        ProblemReplyTakeBackView.as_view(),
        name="api-problem-reply-take-back",
    ),
]

_uploads = [
    path("", UploadsView.as_view(), name="api-uploads"),
    path("<uuid:upload_id>/", UploadView.as_view(), name="api-upload"),
    path("<uuid:upload_id>/files/", UploadFilesView.as_view(), name="api-upload-files"),
    path("<uuid:upload_id>/files/<int:file_id>/", UploadFileView.as_view(), name="api-upload-file"),
    path(
        "<uuid:upload_id>/files/<int:file_id>/content/",
        UploadContentView.as_view(),
        name="api-upload-content",
    ),
    path("<uuid:upload_id>/check/", UploadCheckView.as_view(), name="api-upload-check"),
    path("<uuid:upload_id>/import/", UploadImportView.as_view(), name="api-upload-import"),
]

_jobs = [
    path("", JobsView.as_view(), name="api-jobs"),
    path("<int:job_id>/", JobView.as_view(), name="api-job"),
    path("<int:job_id>/stop/", JobStopView.as_view(), name="api-job-stop"),
    path("<int:job_id>/again/", JobAgainView.as_view(), name="api-job-again"),
]

_erasures = [
    path("", ErasuresView.as_view(), name="api-erasures"),
    path(
        "<int:request_id>/carry-out/",
        ErasureCarryOutView.as_view(),
        name="api-erasure-carry-out",
    ),
    path(
        "<int:request_id>/refuse/",
        ErasureRefuseView.as_view(),
        name="api-erasure-refuse",
    ),
]

_webhooks = [
    path("", WebhooksView.as_view(), name="api-webhooks"),
    path("<int:webhook_id>/", WebhookView.as_view(), name="api-webhook"),
    path("<int:webhook_id>/secret/", WebhookSecretView.as_view(), name="api-webhook-secret"),
    path("<int:webhook_id>/test/", WebhookTestView.as_view(), name="api-webhook-test"),
    path(
        "<int:webhook_id>/deliveries/",
        WebhookDeliveriesView.as_view(),
        name="api-webhook-deliveries",
    ),
    path(
        "<int:webhook_id>/deliveries/<int:delivery_id>/again/",
        WebhookRedeliverView.as_view(),
        name="api-webhook-redeliver",
    ),
]

_invitations = [
    path("", JudgeInvitationsView.as_view(), name="api-judge-invitations"),
    path("links/", JudgesLinksView.as_view(), name="api-judges-links"),
    path(
        "links/<int:invitation_id>/revoke/",
        JudgesLinkRevokeView.as_view(),
        name="api-judges-link-revoke",
    ),
    path(
        "links/<int:invitation_id>/restore/",
        JudgesLinkRestoreView.as_view(),
        name="api-judges-link-restore",
    ),
    path(
        "judges/<int:judge_id>/again/",
        JudgeInviteAgainView.as_view(),
        name="api-judge-invite-again",
    ),
    path("judges/<int:judge_id>/withdraw/", JudgeWithdrawView.as_view(), name="api-judge-withdraw"),
    path("judges/<int:judge_id>/readmit/", JudgeReadmitView.as_view(), name="api-judge-readmit"),
]

_panels = [
    path("", PanelsView.as_view(), name="api-panels"),
    path("<int:panel_id>/", PanelView.as_view(), name="api-panel"),
    path("<int:panel_id>/open/", PanelOpenView.as_view(), name="api-panel-open"),
    path(
        "<int:panel_id>/participations/",
        ParticipationsView.as_view(),
        name="api-panel-participations",
    ),
]

_instructions = [
    path("", InstructionsView.as_view(), name="api-instructions"),
    path("<int:version>/", InstructionsVersionView.as_view(), name="api-instructions-version"),
]

_judges = [
    path("", CampaignJudgesView.as_view(), name="api-campaign-judges"),
    path("<int:judge_id>/", CampaignJudgeView.as_view(), name="api-campaign-judge"),
    path("<int:judge_id>/link/", CampaignJudgeLinkView.as_view(), name="api-campaign-judge-link"),
]

_judge_groups = [
    path("", JudgeGroupsView.as_view(), name="api-judge-groups"),
    path("<int:group_id>/", JudgeGroupView.as_view(), name="api-judge-group"),
    path("<int:group_id>/judges/", JudgeGroupJudgesView.as_view(), name="api-judge-group-judges"),
    path("<int:group_id>/delete/", JudgeGroupDeleteView.as_view(), name="api-judge-group-delete"),
]

_members = [
    path("", MembersView.as_view(), name="api-members"),
    path("invitations/", MemberInvitationsView.as_view(), name="api-member-invitations"),
    path(
        "invitations/<int:invitation_id>/",
        MemberInvitationView.as_view(),
        name="api-member-invitation",
    ),
    path("leave/", LeaveView.as_view(), name="api-member-leave"),
    path("<int:membership_id>/", MemberView.as_view(), name="api-member"),
    path("<int:membership_id>/link/", MemberLinkView.as_view(), name="api-member-link"),
]

_research: list[URLPattern | URLResolver] = [
    path("", RootView.as_view(), name="api-root"),
    path("schemas/campaign.json", CampaignSchemaView.as_view(), name="campaign-schema"),
    path("tokens/", TokensView.as_view(), name="api-tokens"),
    path("tokens/<int:token_id>/", TokenView.as_view(), name="api-token"),
    path("campaigns/", CampaignsView.as_view(), name="api-campaigns"),
    path("campaigns/<slug:slug>/", CampaignView.as_view(), name="api-campaign"),
    path("campaigns/<slug:slug>/activity/", ActivityView.as_view(), name="api-activity"),
    path("campaigns/<slug:slug>/overview/", OverviewView.as_view(), name="api-overview"),
    path("campaigns/<slug:slug>/tables/", CampaignTablesView.as_view(), name="api-campaign-tables"),
    path(
        "campaigns/<slug:slug>/tables/<slug:name>/",
        CampaignTableView.as_view(),
        name="api-campaign-table",
    ),
    path(
        "campaigns/<slug:slug>/tables/<slug:name>/report.<str:ending>",
        CampaignTableReportView.as_view(),
        name="api-campaign-table-report",
    ),
    path("campaigns/<slug:slug>/tasks/", CampaignTasksView.as_view(), name="api-tasks"),
    path("campaigns/<slug:slug>/time/", TimeSheetView.as_view(), name="api-time-sheet"),
    path("campaigns/<slug:slug>/alerts/", AlertsView.as_view(), name="api-alerts"),
    path("campaigns/<slug:slug>/alerts/mail/", AlertMailView.as_view(), name="api-alert-mail"),
    path("campaigns/<slug:slug>/rules/", include(_rules)),
    path("campaigns/<slug:slug>/problem-reports/", include(_problem_reports)),
    path("campaigns/<slug:slug>/members/", include(_members)),
    path("campaigns/<slug:slug>/uploads/", include(_uploads)),
    path("campaigns/<slug:slug>/jobs/", include(_jobs)),
    path("campaigns/<slug:slug>/webhooks/", include(_webhooks)),
    path("campaigns/<slug:slug>/judges/", include(_judges)),
    path("campaigns/<slug:slug>/invitations/", include(_invitations)),
    path("campaigns/<slug:slug>/panels/", include(_panels)),
    path("campaigns/<slug:slug>/instructions/", include(_instructions)),
    path("campaigns/<slug:slug>/erasures/", include(_erasures)),
    path("campaigns/<slug:slug>/judge-groups/", include(_judge_groups)),
    path("campaigns/<slug:slug>/state/", CampaignStateView.as_view(), name="api-campaign-state"),
    path(
        "campaigns/<slug:slug>/restore/",
        CampaignRestoreView.as_view(),
        name="api-campaign-restore",
    ),
    path("campaigns/<slug:slug>/file/", CampaignFileView.as_view(), name="api-campaign-file"),
    path("campaigns/<slug:slug>/clone/", CampaignCloneView.as_view(), name="api-campaign-clone"),
    path("campaigns/<slug:slug>/rehearsal/", RehearsalView.as_view(), name="api-rehearsal"),
    path(
        "campaigns/<slug:slug>/<slug:transition>/",
        CampaignTransitionView.as_view(),
        name="api-campaign-transition",
    ),
    path("tasks/<int:task_id>/", include(_tasks)),
]

# The judging page waits for the first ones, which therefore keep less of the contract.
urlpatterns: list[URLPattern | URLResolver] = [
    *contracted([path("judging/", include("annotation.api.urls"))], PREFIX, judging=True),
    *contracted(_research, PREFIX),
    path("tasks/<int:task_id>/as-judge/", include(preview_urlpatterns)),
]
