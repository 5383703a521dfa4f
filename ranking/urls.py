from django.urls import URLPattern, URLResolver, include, path

from ranking.views import exports, judge, publishing, results, settings
from ranking.views.metrics import metrics_page
from ranking.views.one_system import (
    segment_page,
    system_results_ask,
    system_results_page,
    systems_page,
)

_judges = [
    path("", judge.judges_page, name="judge-quality"),
    path("act/", judge.judges_act, name="judges-act"),
    path("acted/<uuid:batch>/", judge.judges_acted, name="judges-acted"),
    path("acted/<uuid:batch>/undo/", judge.judges_act_undo, name="judges-act-undo"),
    path("<int:judge_id>/", judge.judge_page, name="judge-page"),
    path("<int:judge_id>/plots/<slug:table>.<slug:ending>", results.page_plot, name="judge-plot"),
    path("<int:judge_id>/act/", judge.judge_act, name="judge-act"),
]

_analyses = [
    # Former address of the list of analyses.
    path("", results.data_page, name="analyses"),
    path("<slug:kind>/", results.analysis_page, name="analysis"),
    path("<int:analysis_id>/report.<slug:ending>", results.analysis_file, name="analysis-file"),
    path(
        "<int:analysis_id>/plots/<slug:table>.<slug:ending>",
        results.analysis_file,
        name="analysis-plot",
    ),
]

_task: list[URLPattern | URLResolver] = [
    path("exports/", exports.exports_page, name="exports"),
    path("exports/<int:export_id>/", exports.exported_file, name="exported-file"),
    path("", results.dashboard_page, name="test-set-dashboard"),
    path("plots/<slug:table>.<slug:ending>", results.page_plot, name="test-set-plot"),
    path("design/", settings.design_page, name="design"),
    path("design/preview/", settings.design_preview, name="design-preview"),
    path("design/forecast/", settings.design_budget, name="design-forecast"),
    path("design/<int:design_id>/again/", settings.design_again, name="design-again"),
    path("judges/", include(_judges)),
    path("actions/<int:action_id>/revert/", judge.action_revert, name="action-revert"),
    path("ranking-settings/", settings.ranking_settings_page, name="ranking-settings"),
    path("stopping-rule/", settings.stopping_rule_page, name="stopping-rule"),
    path("progress/", results.progress_page, name="test-set-progress"),
    path("agreement/", results.agreement_page, name="test-set-agreement"),
    path("data/", results.data_page, name="test-set-data"),
    path("metrics/", metrics_page, name="metrics"),
    path("analyses/", include(_analyses)),
    path("systems/", systems_page, name="systems"),
    path("systems/<int:system_id>/results/", system_results_page, name="system-results"),
    path("systems/<int:system_id>/results/ask/", system_results_ask, name="system-results-ask"),
    path("segments/<int:number>/", segment_page, name="segment"),
    path("ranking/keep/", results.ranking_keep, name="ranking-keep"),
    path("publish/", publishing.publish_page, name="publish"),
    path("publish/confirm/", publishing.publish_confirm, name="publish-confirm"),
    path("publish/<int:version>/bundle/", publishing.published_bundle, name="published-bundle"),
    path("publish/<int:version>/embargo/", publishing.published_embargo, name="published-embargo"),
    path(
        "publish/<int:version>/reviewers/",
        publishing.published_reviewers,
        name="published-reviewers",
    ),
    path("publish/<int:version>/retract/", publishing.published_retract, name="published-retract"),
    path("publish/<int:version>/restore/", publishing.published_restore, name="published-restore"),
]

_table = [
    path("", results.table_page, name="campaign-table"),
    path("report.<slug:ending>", results.table_file, name="campaign-table-file"),
    path("plots/<slug:table>.<slug:ending>", results.table_file, name="campaign-table-plot"),
]

_campaign: list[URLPattern | URLResolver] = [
    path("plots/<slug:table>.<slug:ending>", results.page_plot, name="campaign-plot"),
    path("tasks/<int:task_id>/", include(_task)),
    path("tables/", results.tables_page, name="campaign-tables"),
    path("tables/<slug:name>/", include(_table)),
    path("rules/", judge.rules_page, name="quality-rules"),
    path("rules/suggested/", judge.rules_suggest, name="quality-rules-suggest"),
    path("rules/<int:rule_id>/", judge.rule_page, name="quality-rule"),
    path("rules/<int:rule_id>/off/", judge.rule_switch_off, name="quality-rule-off"),
    path("rules/<int:rule_id>/undo/", judge.rule_undo, name="quality-rule-undo"),
    path("rules/<int:rule_id>/act/", judge.rule_act, name="quality-rule-act"),
]

_results = [
    path("<slug:digest>/", publishing.published_result, name="published-result"),
    path("<slug:digest>/embed/", publishing.published_embed, name="published-embed"),
    path("<slug:digest>/<str:file_name>", publishing.published_file, name="published-file"),
    path("<slug:digest>/review/<str:token>/", publishing.published_review, name="published-review"),
    path(
        "<slug:digest>/review/<str:token>/<str:file_name>",
        publishing.published_file,
        name="published-review-file",
    ),
]

urlpatterns: list[URLPattern | URLResolver] = [
    path("campaigns/<slug:slug>/", include(_campaign)),
    path("results/", include(_results)),
]
