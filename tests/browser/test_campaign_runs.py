"""The whole way: a judge ranks, a worker computes, the organiser's page moves."""

from collections.abc import Callable
from subprocess import Popen

from playwright.sync_api import Page, expect

from annotation.models import Assignment, Judgment
from annotation.services import pool_fill
from campaign.models import Campaign, Judge, Task
from ranking.selectors.runs import latest_run
from tests.browser.judging import all_sent, at_sentence, judge_block
from tests.browser.organising import enter_ranking
from tests.factories import make_campaign, make_judge, make_task

NewPage = Callable[..., Page]
SignIn = Callable[[Page, Judge], None]
StartWorker = Callable[[], "Popen[bytes]"]
# The promise is three seconds on an idle machine; a shared one gets more.
SOON_MS = 60_000


def campaign_ready(judges: int) -> tuple[Campaign, list[Judge]]:
    task = make_task(make_campaign(), documents=(6, 5), identical=())
    pool_fill(task_id=task.pk, size=6)
    return task.test_set.campaign, [
        make_judge(task.test_set.campaign, f"judge{number}") for number in range(1, judges + 1)
    ]


def test_what_a_judge_ranks_by_keyboard_moves_the_dashboard_without_a_reload(
    new_page: NewPage, sign_in: SignIn, start_worker: StartWorker
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
        expect(watching.get_by_role("main")).to_contain_text(
            f"from {position} block", timeout=SOON_MS
        )
    all_sent(judging)
    run = latest_run(task_id=Task.objects.get().pk)
    assert run is not None
    assert run.watermark == Judgment.objects.count() == 3
    best = run.result["systems"][0]
    expect(watching.get_by_role("row").filter(has_text=best["system"])).to_contain_text(
        f"{best['score']:.3f}"
    )


def test_two_browsers_never_hold_one_hit(new_page: NewPage, sign_in: SignIn) -> None:
    _campaign, judges = campaign_ready(judges=2)
    pages = [new_page(), new_page()]
    for page, judge in zip(pages, judges, strict=True):
        sign_in(page, judge)
    for page in pages:
        at_sentence(page, 1)
        judge_block(page, "12345")
        at_sentence(page, 2)
    held = list(Assignment.objects.values_list("hit", "judge"))
    assert {judge for _, judge in held} == {judge.pk for judge in judges}
    assert len({hit for hit, _ in held}) == len(held)
