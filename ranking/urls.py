from django.urls import URLPattern, URLResolver, include, path

from ranking.views import (
    analyses,
    dashboards,
    designs,
    exports,
    judges,
    published_results,
    quality_rules,
    ranking_settings,
    results,
    tables,
)
from ranking.views.metrics import metrics_page
from ranking.views.systems import (
    segment_page,
    system_results_ask,
    system_results_page,
    systems_page,
)

_judges = [
    path("", judges.judges_page, name="judge-quality"),
    path("act/", judges.judges_act, name="judges-act"),
    path("acted/<uuid:batch>/", judges.judges_acted, name="judges-acted"),
    path("acted/<uuid:batch>/undo/", judges.judges_act_undo, name="judges-act-undo"),
    path("<int:judge_id>/", judges.judge_page, name="judge-page"),
    path(
        "<int:judge_id>/plots/<slug:table>.<slug:ending>",
        results.page_plot,
        name="judge-plot",
    ),
    path("<int:judge_id>/act/", judges.judge_act, name="judge-act"),
]

_analyses = [
    # Former address of the list of analyses.
    path("", results.data_page, name="analyses"),
    path("<slug:kind>/", analyses.analysis_page, name="analysis"),
    path(
        "<int:analysis_id>/report.<slug:ending>",
        analyses.analysis_file,
        name="analysis-file",
    ),
    path(
        "<int:analysis_id>/plots/<slug:table>.<slug:ending>",
        analyses.analysis_file,
        name="analysis-plot",
    ),
]

_task: list[URLPattern | URLResolver] = [
    path("exports/", exports.exports_page, name="exports"),
    path("exports/<int:export_id>/", exports.exported_file, name="exported-file"),
    path("", dashboards.dashboard_page, name="test-set-dashboard"),
    path("plots/<slug:table>.<slug:ending>", results.page_plot, name="test-set-plot"),
    path("design/", designs.design_page, name="design"),
    path("design/preview/", designs.design_preview, name="design-preview"),
    path("design/forecast/", designs.design_budget, name="design-forecast"),
    path("design/<int:design_id>/again/", designs.design_again, name="design-again"),
    path("judges/", include(_judges)),
    path("actions/<int:action_id>/revert/", judges.action_revert, name="action-revert"),
    path(
        "ranking-settings/",
        ranking_settings.ranking_settings_page,
        name="ranking-settings",
    ),
    path("stopping-rule/", ranking_settings.stopping_rule_page, name="stopping-rule"),
    path("progress/", results.progress_page, name="test-set-progress"),
    path("agreement/", results.agreement_page, name="test-set-agreement"),
    path("data/", results.data_page, name="test-set-data"),
    path("metrics/", metrics_page, name="metrics"),
    path("analyses/", include(_analyses)),
    path("systems/", systems_page, name="systems"),
    path(
        "systems/<int:system_id>/results/",
        system_results_page,
        name="system-results",
    ),
    path(
        "systems/<int:system_id>/results/ask/",
        system_results_ask,
        name="system-results-ask",
    ),
    path("segments/<int:number>/", segment_page, name="segment"),
    path("ranking/keep/", dashboards.ranking_keep, name="ranking-keep"),
    path("publish/", published_results.publish_page, name="publish"),
    path("publish/confirm/", published_results.publish_confirm, name="publish-confirm"),
    path(
        "publish/<int:version>/bundle/",
        published_results.published_bundle,
        name="published-bundle",
    ),
    path(
        "publish/<int:version>/embargo/",
        published_results.published_embargo,
        name="published-embargo",
    ),
    path(
        "publish/<int:version>/reviewers/",
        published_results.published_reviewers,
        name="published-reviewers",
    ),
    path(
        "publish/<int:version>/retract/",
        published_results.published_retract,
        name="published-retract",
    ),
    path(
        "publish/<int:version>/restore/",
        published_results.published_restore,
        name="published-restore",
    ),
]

_table = [
    path("", tables.table_page, name="campaign-table"),
    path("report.<slug:ending>", tables.table_file, name="campaign-table-file"),
    path(
        "plots/<slug:table>.<slug:ending>",
        tables.table_file,
        name="campaign-table-plot",
    ),
]

_campaign: list[URLPattern | URLResolver] = [
    path("plots/<slug:table>.<slug:ending>", results.page_plot, name="campaign-plot"),
    path("tasks/<int:task_id>/", include(_task)),
    path("tables/", tables.tables_page, name="campaign-tables"),
    path("tables/<slug:name>/", include(_table)),
    path("rules/", quality_rules.rules_page, name="quality-rules"),
    path("rules/suggested/", quality_rules.rules_suggest, name="quality-rules-suggest"),
    path("rules/<int:rule_id>/", quality_rules.rule_page, name="quality-rule"),
    path(
        "rules/<int:rule_id>/off/",
        quality_rules.rule_switch_off,
        name="quality-rule-off",
    ),
    path(
        "rules/<int:rule_id>/undo/",
        quality_rules.rule_undo,
        name="quality-rule-undo",
    ),
    path("rules/<int:rule_id>/act/", quality_rules.rule_act, name="quality-rule-act"),
]

_results = [
    path("<slug:digest>/", published_results.published_result, name="published-result"),
    path(
        "<slug:digest>/embed/",
        published_results.published_embed,
        name="published-embed",
    ),
    path(
        "<slug:digest>/<str:file_name>",
        published_results.published_file,
        name="published-file",
    ),
    path(
        "<slug:digest>/review/<str:token>/",
        published_results.published_review,
        name="published-review",
    ),
    path(
        "<slug:digest>/review/<str:token>/<str:file_name>",
        published_results.published_file,
        name="published-review-file",
    ),
]

urlpatterns: list[URLPattern | URLResolver] = [
    path("campaigns/<slug:slug>/", include(_campaign)),
    path("results/", include(_results)),
]
