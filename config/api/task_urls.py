"""Addresses of the API below a task."""

from typing import Final

from django.urls import URLPattern, path

from annotation.api.answers import AnswersView
from annotation.api.closing import TaskClosingView
from annotation.api.comparisons import ComparisonsView
from annotation.api.designs import DesignAgainView, DesignPreviewView, DesignsAndChangeView
from annotation.api.hits import HITsView
from annotation.api.research import JudgmentsView
from annotation.api.skips import SkipsView
from annotation.api.systems import (
    SystemRestoreView,
    SystemsAndMoreView,
    SystemView,
    SystemWithdrawView,
)
from annotation.api.training import TrainingBlockView, TrainingView
from campaign.api.bad_references import (
    BadReferenceRedrawView,
    BadReferencesView,
    BadReferenceView,
)
from campaign.api.segments import SegmentsView
from campaign.api.texts import DocumentsView, OutputsView
from cells.api import TaskAndMoreView
from protocols.quiz.api import SnippetsView
from ranking.api.analyses import AnalysesView, AnalysisKindsView, AnalysisReportView, AnalysisView
from ranking.api.design_forecast import DesignForecastView
from ranking.api.exports import (
    ExportContentView,
    ExportKindsView,
    ExportStreamView,
    ExportsView,
    ExportView,
)
from ranking.api.published_results import (
    PublishedResultsView,
    PublishedResultView,
    ResultBundleView,
)
from ranking.api.segments import SegmentJudgedView
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

task_addresses: Final[list[URLPattern]] = [
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
