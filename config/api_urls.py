"""Addresses of the API, by app; `/api/v1/` stands before them."""

from django.urls import include, path

from annotation.api.closing import TestSetClosingView
from annotation.api.hits import DesignsView, HITsView
from annotation.api.research import JudgmentsView
from campaign.api.views import CampaignsView, CampaignView, SystemsView, TestSetView
from ranking.api.rules import (
    RuleActView,
    RuleOffView,
    RulePreviewView,
    RulesView,
    RuleUndoView,
    SuggestedRulesView,
)
from ranking.api.views import (
    JudgesView,
    LatestRankingView,
    QualityActionsView,
    RankingSettingsView,
    RankingsView,
    RankingView,
)

_rules = [
    path("", RulesView.as_view(), name="api-rules"),
    path("preview/", RulePreviewView.as_view(), name="api-rules-preview"),
    path("suggested/", SuggestedRulesView.as_view(), name="api-rules-suggested"),
    path("<int:rule_id>/off/", RuleOffView.as_view(), name="api-rule-off"),
    path("<int:rule_id>/undo/", RuleUndoView.as_view(), name="api-rule-undo"),
    path("<int:rule_id>/act/", RuleActView.as_view(), name="api-rule-act"),
]

_test_set = [
    path("", TestSetView.as_view(), name="api-test-set"),
    path("systems/", SystemsView.as_view(), name="api-systems"),
    path("judgments/", JudgmentsView.as_view(), name="api-judgments"),
    path("rankings/", RankingsView.as_view(), name="api-rankings"),
    path("rankings/latest/", LatestRankingView.as_view(), name="api-ranking-latest"),
    path("rankings/<int:ranking_id>/", RankingView.as_view(), name="api-ranking"),
    path("ranking-settings/", RankingSettingsView.as_view(), name="api-ranking-settings"),
    path("closing/", TestSetClosingView.as_view(), name="api-closing"),
    path("designs/", DesignsView.as_view(), name="api-designs"),
    path("hits/", HITsView.as_view(), name="api-hits"),
    path("judges/", JudgesView.as_view(), name="api-judges"),
    path("quality-actions/", QualityActionsView.as_view(), name="api-quality-actions"),
]

urlpatterns = [
    path("judging/", include("annotation.api.urls")),
    path("campaigns/", CampaignsView.as_view(), name="api-campaigns"),
    path("campaigns/<slug:slug>/", CampaignView.as_view(), name="api-campaign"),
    path("campaigns/<slug:slug>/rules/", include(_rules)),
    path("test-sets/<int:test_set_id>/", include(_test_set)),
]
