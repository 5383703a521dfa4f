"""The whole way: a judge ranks, a worker computes, the organiser's page moves."""

from collections.abc import Callable
from subprocess import Popen

from playwright.sync_api import Page, expect

from annotation.models import Judgment
from annotation.services.planning.pool import pool_fill
from campaign.models import Campaign, Judge, Task
from ranking.selectors.runs import latest_run
from tests.browser.judging import all_sent, at_sentence, judge_block
from tests.browser.organising import enter_ranking
from tests.factories import make_campaign, make_judge, make_task

NewPage = Callable[..., Page]
SignIn = Callable[[Page, Judge], None]
StartWorker = Callable[[], "Popen[bytes]"]


def campaign_ready(judges: int) -> tuple[Campaign, list[Judge]]:
    task = make_task(make_campaign(), documents=(6, 5), identical=())
    pool_fill(task_id=task.pk, size=6)
    return task.test_set.campaign, [
        make_judge(task.test_set.campaign, f"judge{number}")
        for number in range(1, judges + 1)
    ]


def test_ranking_by_keyboard_updates_the_dashboard_without_a_reload(
    new_page: NewPage,
    sign_in: SignIn,
    start_worker: StartWorker,
) -> None:
    campaign, (judge,) = campaign_ready(judges=1)
    watching, judging = new_page(), new_page()
    enter_ranking(watching, campaign)
    expect(watching.get_by_role("main")).not_to_contain_text("judge1")
    start_worker()
    sign_in(judging, judge)
    for position in (1, 2, 3):
        at_sentence(judging, position)
        judge_block(judging, "12345")
        expect(watching.get_by_role("main")).to_contain_text(f"from {position} block")
    all_sent(judging)
    run = latest_run(task_id=Task.objects.get().pk)
    assert run is not None
    assert run.watermark == Judgment.objects.count() == 3
    best = run.result["systems"][0]
    expect(watching.get_by_role("row").filter(has_text=best["system"])).to_contain_text(
        f"{best['score']:.3f}",
    )
