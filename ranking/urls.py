from django.urls import path

from ranking.views.campaigns import campaign_detail, campaign_list
from ranking.views.dashboard import dashboard_live, dashboard_page
from ranking.views.home import home
from ranking.views.quality import action_revert, judge_act, judge_quality_page
from ranking.views.rules import (
    rule_act,
    rule_page,
    rule_switch_off,
    rule_undo,
    rules_page,
    rules_suggest,
)
from ranking.views.settings import ranking_settings_page

_CAMPAIGN = "campaigns/<slug:slug>/"
_TEST_SET = f"{_CAMPAIGN}test-sets/<int:test_set_id>/"

urlpatterns = [
    path("", home, name="home"),
    path("campaigns/", campaign_list, name="campaign-list"),
    path("campaigns/<slug:slug>/", campaign_detail, name="campaign-detail"),
    path(
        "campaigns/<slug:slug>/test-sets/<int:test_set_id>/",
        dashboard_page,
        name="test-set-dashboard",
    ),
    path(
        "campaigns/<slug:slug>/test-sets/<int:test_set_id>/live/",
        dashboard_live,
        name="test-set-live",
    ),
    path(f"{_TEST_SET}judges/", judge_quality_page, name="judge-quality"),
    path(f"{_TEST_SET}judges/<int:judge_id>/act/", judge_act, name="judge-act"),
    path(f"{_TEST_SET}actions/<int:action_id>/revert/", action_revert, name="action-revert"),
    path(f"{_TEST_SET}ranking-settings/", ranking_settings_page, name="ranking-settings"),
    path(f"{_CAMPAIGN}rules/", rules_page, name="quality-rules"),
    path(f"{_CAMPAIGN}rules/suggested/", rules_suggest, name="quality-rules-suggest"),
    path(f"{_CAMPAIGN}rules/<int:rule_id>/", rule_page, name="quality-rule"),
    path(f"{_CAMPAIGN}rules/<int:rule_id>/off/", rule_switch_off, name="quality-rule-off"),
    path(f"{_CAMPAIGN}rules/<int:rule_id>/undo/", rule_undo, name="quality-rule-undo"),
    path(f"{_CAMPAIGN}rules/<int:rule_id>/act/", rule_act, name="quality-rule-act"),
]
