from django.urls import path

from ranking.views.dashboard import (
    agreement_page,
    campaign_detail,
    campaign_list,
    dashboard_page,
    data_page,
    home,
    progress_page,
    ranking_keep,
    tasks_page,
)
from ranking.views.exports import exported_file, exports_page
from ranking.views.judge import (
    judge_group_delete_page,
    judge_group_page,
    judge_groups_page,
    judge_page,
    judges_page,
)
from ranking.views.one_system import segment_page, system_results_ask, system_results_page
from ranking.views.publishing.desk import (
    publish_confirm,
    publish_page,
    published_bundle,
    published_embargo,
    published_restore,
    published_retract,
    published_reviewers,
    published_zenodo,
)
from ranking.views.publishing.public import (
    published_embed,
    published_file,
    published_result,
    published_review,
    published_review_file,
)
from ranking.views.quality import (
    action_revert,
    judge_act,
    judges_act,
    judges_act_undo,
    judges_acted,
)
from ranking.views.results import analysis_file, analysis_page, analysis_plot
from ranking.views.rules import (
    rule_act,
    rule_page,
    rule_switch_off,
    rule_undo,
    rules_page,
    rules_suggest,
)
from ranking.views.settings import (
    design_again,
    design_budget,
    design_page,
    design_preview,
    ranking_settings_page,
    stopping_rule_page,
)
from ranking.views.tables import (
    campaign_plot,
    judge_plot,
    table_page,
    table_plot,
    table_report,
    tables_page,
    task_plot,
)

_CAMPAIGN = "campaigns/<slug:slug>/"
_TASK = f"{_CAMPAIGN}tasks/<int:task_id>/"
_VERSION = f"{_TASK}publish/<int:version>/"
# Of everybody, under no campaign: the address of a result is its own.
_RESULT = "results/<slug:digest>/"

urlpatterns = [
    path("", home, name="home"),
    path("campaigns/", campaign_list, name="campaign-list"),
    path("campaigns/<slug:slug>/", campaign_detail, name="campaign-detail"),
    path(f"{_CAMPAIGN}plots/<slug:table>.<slug:ending>", campaign_plot, name="campaign-plot"),
    path(f"{_TASK}exports/", exports_page, name="exports"),
    path(f"{_TASK}exports/<int:export_id>/", exported_file, name="exported-file"),
    path(f"{_CAMPAIGN}test-sets/", tasks_page, name="test-sets"),
    path(f"{_CAMPAIGN}tables/", tables_page, name="campaign-tables"),
    path(f"{_CAMPAIGN}tables/<slug:name>/", table_page, name="campaign-table"),
    path(
        f"{_CAMPAIGN}tables/<slug:name>/report.<slug:ending>",
        table_report,
        name="campaign-table-file",
    ),
    path(
        f"{_CAMPAIGN}tables/<slug:name>/plots/<slug:table>.<slug:ending>",
        table_plot,
        name="campaign-table-plot",
    ),
    path(
        "campaigns/<slug:slug>/tasks/<int:task_id>/",
        dashboard_page,
        name="test-set-dashboard",
    ),
    path(f"{_TASK}plots/<slug:table>.<slug:ending>", task_plot, name="test-set-plot"),
    path(f"{_TASK}design/", design_page, name="design"),
    path(f"{_TASK}design/preview/", design_preview, name="design-preview"),
    path(f"{_TASK}design/forecast/", design_budget, name="design-forecast"),
    path(f"{_TASK}design/<int:design_id>/again/", design_again, name="design-again"),
    path(f"{_TASK}judges/", judges_page, name="judge-quality"),
    path(f"{_TASK}judges/act/", judges_act, name="judges-act"),
    path(f"{_TASK}judges/acted/<uuid:batch>/", judges_acted, name="judges-acted"),
    path(f"{_TASK}judges/acted/<uuid:batch>/undo/", judges_act_undo, name="judges-act-undo"),
    path(f"{_TASK}judges/<int:judge_id>/", judge_page, name="judge-page"),
    path(
        f"{_TASK}judges/<int:judge_id>/plots/<slug:table>.<slug:ending>",
        judge_plot,
        name="judge-plot",
    ),
    path(f"{_TASK}judges/<int:judge_id>/act/", judge_act, name="judge-act"),
    path(f"{_TASK}actions/<int:action_id>/revert/", action_revert, name="action-revert"),
    path(f"{_TASK}ranking-settings/", ranking_settings_page, name="ranking-settings"),
    path(f"{_TASK}stopping-rule/", stopping_rule_page, name="stopping-rule"),
    path(f"{_TASK}progress/", progress_page, name="test-set-progress"),
    path(f"{_TASK}agreement/", agreement_page, name="test-set-agreement"),
    path(f"{_TASK}data/", data_page, name="test-set-data"),
    # Where the list of analyses was.
    path(f"{_TASK}analyses/", data_page, name="analyses"),
    path(f"{_TASK}analyses/<slug:kind>/", analysis_page, name="analysis"),
    path(
        f"{_TASK}analyses/<int:analysis_id>/report.<slug:ending>",
        analysis_file,
        name="analysis-file",
    ),
    path(
        f"{_TASK}analyses/<int:analysis_id>/plots/<slug:table>.<slug:ending>",
        analysis_plot,
        name="analysis-plot",
    ),
    path(f"{_TASK}systems/<int:system_id>/results/", system_results_page, name="system-results"),
    path(
        f"{_TASK}systems/<int:system_id>/results/ask/",
        system_results_ask,
        name="system-results-ask",
    ),
    path(f"{_TASK}segments/<int:number>/", segment_page, name="segment"),
    path(f"{_TASK}ranking/keep/", ranking_keep, name="ranking-keep"),
    path(f"{_TASK}publish/", publish_page, name="publish"),
    path(f"{_TASK}publish/confirm/", publish_confirm, name="publish-confirm"),
    path(f"{_VERSION}bundle/", published_bundle, name="published-bundle"),
    path(f"{_VERSION}zenodo/", published_zenodo, name="published-zenodo"),
    path(f"{_VERSION}embargo/", published_embargo, name="published-embargo"),
    path(f"{_VERSION}reviewers/", published_reviewers, name="published-reviewers"),
    path(f"{_VERSION}retract/", published_retract, name="published-retract"),
    path(f"{_VERSION}restore/", published_restore, name="published-restore"),
    path(_RESULT, published_result, name="published-result"),
    path(f"{_RESULT}embed/", published_embed, name="published-embed"),
    path(f"{_RESULT}<str:file_name>", published_file, name="published-file"),
    path(f"{_RESULT}review/<str:token>/", published_review, name="published-review"),
    path(
        f"{_RESULT}review/<str:token>/<str:file_name>",
        published_review_file,
        name="published-review-file",
    ),
    path(f"{_CAMPAIGN}people/groups/", judge_groups_page, name="judge-groups"),
    path(f"{_CAMPAIGN}people/groups/<int:group_id>/", judge_group_page, name="judge-group"),
    path(
        f"{_CAMPAIGN}people/groups/<int:group_id>/delete/",
        judge_group_delete_page,
        name="judge-group-delete",
    ),
    path(f"{_CAMPAIGN}rules/", rules_page, name="quality-rules"),
    path(f"{_CAMPAIGN}rules/suggested/", rules_suggest, name="quality-rules-suggest"),
    path(f"{_CAMPAIGN}rules/<int:rule_id>/", rule_page, name="quality-rule"),
    path(f"{_CAMPAIGN}rules/<int:rule_id>/off/", rule_switch_off, name="quality-rule-off"),
    path(f"{_CAMPAIGN}rules/<int:rule_id>/undo/", rule_undo, name="quality-rule-undo"),
    path(f"{_CAMPAIGN}rules/<int:rule_id>/act/", rule_act, name="quality-rule-act"),
]
