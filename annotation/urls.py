from django.urls import URLPattern, URLResolver, include, path

from annotation.views import (
    answers,
    campaign_state,
    erasures,
    judge_groups,
    judges,
    judging,
    judgments,
    machines,
    media,
    onboarding,
    panels,
    problem_reports,
    questions,
    systems,
    work_time,
)
from annotation.views.hits import hit_page, hits_page
from annotation.views.systems import correction_decide_page, output_correct_page
from annotation.views.training import training, training_block

_task = [
    path("as-judge/", judging.preview, name="judge-preview"),
    path(
        "as-judge/instructions/",
        judging.preview_instructions,
        name="judge-preview-instructions",
    ),
    path(
        "as-judge/sentences/",
        judging.preview_sentences,
        name="judge-preview-sentences",
    ),
    path("answers/", answers.answers_page, name="answers"),
    path("training/", training, name="training"),
    path("training/<int:block_id>/", training_block, name="training-block"),
    path(
        "outputs/<int:output_id>/correct/",
        output_correct_page,
        name="output-correct",
    ),
    path(
        "corrections/<int:correction_id>/",
        correction_decide_page,
        name="correction-decide",
    ),
    path("systems/add/", systems.system_add_page, name="system-add"),
    path("systems/<int:system_id>/", systems.system_page, name="system"),
    path(
        "systems/<int:system_id>/withdraw/",
        systems.system_withdraw_page,
        name="system-withdraw",
    ),
    path(
        "systems/<int:system_id>/restore/",
        systems.system_restore_page,
        name="system-restore",
    ),
    path("close/", campaign_state.task_close_page, name="test-set-close"),
    path("reopen/", campaign_state.task_reopen_page, name="test-set-reopen"),
    path("hits/", hits_page, name="hits"),
    path("hits/<int:number>/", hit_page, name="hit"),
    path("skips/", judgments.skips_page, name="skips"),
    path("judgments/", judgments.judgments_list_page, name="judgments"),
    path("judgments/<int:number>/", judgments.judgment_page, name="judgment"),
    path(
        "judgments/<int:number>/take-back/",
        judgments.judgment_take_back,
        name="judgment-take-back",
    ),
]

_erasures = [
    path("", erasures.erasures_page, name="erasures"),
    path(
        "<int:request_id>/carry-out/",
        erasures.erasure_carry_out_page,
        name="erasure-carry-out",
    ),
    path(
        "<int:request_id>/refuse/",
        erasures.erasure_refuse_page,
        name="erasure-refuse",
    ),
]

_groups = [
    path("", judge_groups.judge_groups_page, name="judge-groups"),
    path("<int:group_id>/", judge_groups.judge_group_page, name="judge-group"),
    path(
        "<int:group_id>/delete/",
        judge_groups.judge_group_delete_page,
        name="judge-group-delete",
    ),
]

_panel = [
    path("", panels.panel_page, name="panel"),
    path("open/", panels.panel_open, name="panel-open"),
    path(
        "participations.csv",
        panels.participations_download,
        name="participations-download",
    ),
]

_campaign: list[URLPattern | URLResolver] = [
    path("state/", campaign_state.campaign_state_page, name="campaign-state"),
    path(
        "state/<slug:transition>/",
        campaign_state.campaign_transition_page,
        name="campaign-transition",
    ),
    path("as-judge/", judging.preview_of_campaign, name="campaign-preview"),
    path("media/<str:file_name>", media.campaign_media, name="campaign-media"),
    path("tasks/<int:task_id>/", include(_task)),
    path("people/time/", work_time.time_sheet_page, name="time-sheet"),
    path("people/time.csv", work_time.time_sheet_download, name="time-sheet-file"),
    path("people/erasures/", include(_erasures)),
    path("people/groups/", include(_groups)),
    path("people/questions/", questions.questions_page, name="questions"),
    path("people/judges/", judges.campaign_judges_page, name="campaign-judges"),
    path("people/judges/add/", judges.judges_add_page, name="judges-add"),
    path("people/judges/machines/", machines.machines_page, name="machines"),
    path(
        "people/judges/<int:judge_id>/",
        judges.campaign_judge_page,
        name="campaign-judge",
    ),
    path(
        "people/judges/<int:judge_id>/link/",
        judges.campaign_judge_link,
        name="campaign-judge-link",
    ),
    path(
        "problem-reports/",
        problem_reports.problem_reports_page,
        name="problem-reports",
    ),
    path(
        "problem-reports/<int:report_id>/",
        problem_reports.problem_report_page,
        name="problem-report",
    ),
    path(
        "problem-reports/<int:report_id>/replies/<int:number>/take-back/",
        problem_reports.problem_reply_take_back_page,
        name="problem-reply-take-back",
    ),
    path("panels/", panels.panels_page, name="panels"),
    path("panels/<int:panel_id>/", include(_panel)),
]

urlpatterns: list[URLPattern | URLResolver] = [
    path("judge/worker.js", judging.judge_worker, name="judge-worker"),
    path("judge/<slug:slug>/", judging.judge_page, name="judge"),
    path(
        "judge/<slug:slug>/instructions/",
        onboarding.instructions_page,
        name="judge-instructions",
    ),
    path(
        "judge/<slug:slug>/questions/",
        onboarding.questions_page,
        name="judge-questions",
    ),
    path("judge/<slug:slug>/test-sets/", onboarding.tasks_page, name="judge-test-sets"),
    path("judge/<slug:slug>/link/", onboarding.own_link_page, name="judge-own-link"),
    path("judge/<slug:slug>/time/", onboarding.work_time_page, name="judge-work-time"),
    path(
        "judge/<slug:slug>/time.csv",
        onboarding.work_time_download,
        name="judge-work-time-file",
    ),
    path("judge/<slug:slug>/data/", onboarding.own_data_page, name="judge-data"),
    path(
        "judge/<slug:slug>/data.zip",
        onboarding.own_data_download,
        name="judge-data-file",
    ),
    path("judge/<slug:slug>/decline/", onboarding.declining_page, name="judge-decline"),
    path(
        "judge/<slug:slug>/media/<slug:signature>/<str:file_name>",
        media.judge_media,
        name="judge-media",
    ),
    path("judge/<slug:slug>/completion/", panels.completion, name="completion"),
    path("panel/<slug:token>/", panels.panel_entry, name="panel-entry"),
    path("panel/<slug:token>/events/", panels.panel_events, name="panel-events"),
    path("bin/", campaign_state.campaign_bin, name="campaign-bin"),
    path(
        "bin/<slug:slug>/restore/",
        campaign_state.campaign_restore_page,
        name="campaign-restore",
    ),
    path("campaigns/<slug:slug>/", include(_campaign)),
]
