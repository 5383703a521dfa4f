from django.urls import path

from annotation.views.campaign_state import (
    campaign_bin,
    campaign_restore_page,
    campaign_state_page,
    campaign_transition_page,
    task_close_page,
    task_reopen_page,
)
from annotation.views.corrections import correction_decide_page, output_correct_page
from annotation.views.hits import hit_page, hits_page
from annotation.views.judge import judge_page, judge_worker
from annotation.views.judgments import (
    answers_page,
    judgment_page,
    judgments_download,
    judgments_list_page,
    skips_page,
)
from annotation.views.onboarding import (
    declining_page,
    instructions_page,
    own_data_download,
    own_data_page,
    own_link_page,
    tasks_page,
    work_time_download,
    work_time_page,
)
from annotation.views.panels import (
    completion,
    panel_entry,
    panel_events,
    panel_open,
    panel_page,
    panels_page,
    participations_download,
)
from annotation.views.people import (
    campaign_judge_link,
    campaign_judge_page,
    campaign_judges_page,
    erasure_carry_out_page,
    erasure_refuse_page,
    erasures_page,
    judges_add_page,
    time_sheet_download,
    time_sheet_page,
)
from annotation.views.preview import (
    preview,
    preview_instructions,
    preview_of_campaign,
    preview_sentences,
)
from annotation.views.problem_reports import (
    problem_reply_take_back_page,
    problem_report_page,
    problem_reports_page,
)
from annotation.views.systems import (
    system_add_page,
    system_page,
    system_restore_page,
    system_withdraw_page,
    systems_page,
)
from annotation.views.training import training, training_block

_JUDGES = "campaigns/<slug:slug>/people/judges/"
_ERASURES = "campaigns/<slug:slug>/people/erasures/"

urlpatterns = [
    path("judge/worker.js", judge_worker, name="judge-worker"),
    path("judge/<slug:slug>/", judge_page, name="judge"),
    path("judge/<slug:slug>/instructions/", instructions_page, name="judge-instructions"),
    path("judge/<slug:slug>/test-sets/", tasks_page, name="judge-test-sets"),
    path("judge/<slug:slug>/link/", own_link_page, name="judge-own-link"),
    path("judge/<slug:slug>/time/", work_time_page, name="judge-work-time"),
    path("judge/<slug:slug>/time.csv", work_time_download, name="judge-work-time-file"),
    path("judge/<slug:slug>/data/", own_data_page, name="judge-data"),
    path("judge/<slug:slug>/data.zip", own_data_download, name="judge-data-file"),
    path("judge/<slug:slug>/decline/", declining_page, name="judge-decline"),
    path("judge/<slug:slug>/completion/", completion, name="completion"),
    path("panel/<slug:token>/", panel_entry, name="panel-entry"),
    path("panel/<slug:token>/events/", panel_events, name="panel-events"),
    path("bin/", campaign_bin, name="campaign-bin"),
    path("bin/<slug:slug>/restore/", campaign_restore_page, name="campaign-restore"),
    path("campaigns/<slug:slug>/state/", campaign_state_page, name="campaign-state"),
    path(
        "campaigns/<slug:slug>/state/<slug:transition>/",
        campaign_transition_page,
        name="campaign-transition",
    ),
    path("campaigns/<slug:slug>/as-judge/", preview_of_campaign, name="campaign-preview"),
    path("campaigns/<slug:slug>/tasks/<int:task_id>/as-judge/", preview, name="judge-preview"),
    path(
        "campaigns/<slug:slug>/tasks/<int:task_id>/as-judge/instructions/",
        preview_instructions,
        name="judge-preview-instructions",
    ),
    path(
        "campaigns/<slug:slug>/tasks/<int:task_id>/as-judge/sentences/",
        preview_sentences,
        name="judge-preview-sentences",
    ),
    path("campaigns/<slug:slug>/people/time/", time_sheet_page, name="time-sheet"),
    path("campaigns/<slug:slug>/people/time.csv", time_sheet_download, name="time-sheet-file"),
    path(_ERASURES, erasures_page, name="erasures"),
    path(
        f"{_ERASURES}<int:request_id>/carry-out/", erasure_carry_out_page, name="erasure-carry-out"
    ),
    path(f"{_ERASURES}<int:request_id>/refuse/", erasure_refuse_page, name="erasure-refuse"),
    path(_JUDGES, campaign_judges_page, name="campaign-judges"),
    path(f"{_JUDGES}add/", judges_add_page, name="judges-add"),
    path(f"{_JUDGES}<int:judge_id>/", campaign_judge_page, name="campaign-judge"),
    path(f"{_JUDGES}<int:judge_id>/link/", campaign_judge_link, name="campaign-judge-link"),
    path("campaigns/<slug:slug>/problem-reports/", problem_reports_page, name="problem-reports"),
    path(
        "campaigns/<slug:slug>/problem-reports/<int:report_id>/",
        problem_report_page,
        name="problem-report",
    ),
    path(
        "campaigns/<slug:slug>/problem-reports/<int:report_id>/replies/<int:number>/take-back/",
        problem_reply_take_back_page,
        name="problem-reply-take-back",
    ),
    path("campaigns/<slug:slug>/panels/", panels_page, name="panels"),
    path("campaigns/<slug:slug>/panels/<int:panel_id>/", panel_page, name="panel"),
    path("campaigns/<slug:slug>/panels/<int:panel_id>/open/", panel_open, name="panel-open"),
    path(
        "campaigns/<slug:slug>/panels/<int:panel_id>/participations.csv",
        participations_download,
        name="participations-download",
    ),
    path(
        "campaigns/<slug:slug>/tasks/<int:task_id>/judgments.csv",
        judgments_download,
        name="judgments-download",
    ),
    path("campaigns/<slug:slug>/tasks/<int:task_id>/answers/", answers_page, name="answers"),
    path("campaigns/<slug:slug>/tasks/<int:task_id>/training/", training, name="training"),
    path(
        "campaigns/<slug:slug>/tasks/<int:task_id>/training/<int:block_id>/",
        training_block,
        name="training-block",
    ),
    path(
        "campaigns/<slug:slug>/tasks/<int:task_id>/outputs/<int:output_id>/correct/",
        output_correct_page,
        name="output-correct",
    ),
    path(
        "campaigns/<slug:slug>/tasks/<int:task_id>/corrections/<int:correction_id>/",
        correction_decide_page,
        name="correction-decide",
    ),
    path("campaigns/<slug:slug>/tasks/<int:task_id>/systems/", systems_page, name="systems"),
    path(
        "campaigns/<slug:slug>/tasks/<int:task_id>/systems/add/",
        system_add_page,
        name="system-add",
    ),
    path(
        "campaigns/<slug:slug>/tasks/<int:task_id>/systems/<int:system_id>/",
        system_page,
        name="system",
    ),
    path(
        "campaigns/<slug:slug>/tasks/<int:task_id>/systems/<int:system_id>/withdraw/",
        system_withdraw_page,
        name="system-withdraw",
    ),
    path(
        "campaigns/<slug:slug>/tasks/<int:task_id>/systems/<int:system_id>/restore/",
        system_restore_page,
        name="system-restore",
    ),
    path(
        "campaigns/<slug:slug>/tasks/<int:task_id>/close/",
        task_close_page,
        name="test-set-close",
    ),
    path(
        "campaigns/<slug:slug>/tasks/<int:task_id>/reopen/",
        task_reopen_page,
        name="test-set-reopen",
    ),
    path(
        "campaigns/<slug:slug>/tasks/<int:task_id>/hits/",
        hits_page,
        name="hits",
    ),
    path(
        "campaigns/<slug:slug>/tasks/<int:task_id>/hits/<int:number>/",
        hit_page,
        name="hit",
    ),
    path(
        "campaigns/<slug:slug>/tasks/<int:task_id>/skips/",
        skips_page,
        name="skips",
    ),
    path(
        "campaigns/<slug:slug>/tasks/<int:task_id>/judgments/",
        judgments_list_page,
        name="judgments",
    ),
    path(
        "campaigns/<slug:slug>/tasks/<int:task_id>/judgments/<int:number>/",
        judgment_page,
        name="judgment",
    ),
]
