"""Judgments become rankings: with everything up, with the broker away, after a worker was killed."""

import signal
from collections.abc import Callable
from subprocess import Popen
from uuid import uuid4

from annotation.models import HIT
from annotation.selectors import assigned_blocks
from annotation.services import hits_plan, judgment_submit
from campaign.models import Judge, TestSet
from launcher.valkey import Valkey
from ranking.models import RankingRun
from tests.at_work import assignment_lend
from tests.factories import make_campaign, make_judge, make_test_set

Eventually = Callable[[Callable[[], bool]], None]
StartWorker = Callable[[], "Popen[bytes]"]


def campaign_with_a_judge() -> tuple[TestSet, Judge]:
    test_set = make_test_set(make_campaign())
    hits_plan(test_set_id=test_set.pk, count=10)
    return test_set, make_judge(test_set.campaign)


def judge_one_hit(judge: Judge) -> int:
    """Judge all blocks of a HIT; the number of the last judgment."""
    assignment = assignment_lend(judge=judge)
    assert assignment is not None
    number = 0
    for block in assigned_blocks(assignment):
        labels = list(range(1, len(block.candidates) + 1))
        number = judgment_submit(assigned=block, client_id=uuid4(), labels=labels).number
    return number


def ranked_up_to(number: int) -> Callable[[], bool]:
    return lambda: RankingRun.objects.filter(watermark=number).exists()


def test_a_worker_ranks_what_was_judged(start_worker: StartWorker, eventually: Eventually) -> None:
    _test_set, judge = campaign_with_a_judge()
    start_worker()
    eventually(ranked_up_to(judge_one_hit(judge)))
    eventually(ranked_up_to(judge_one_hit(judge)))


def test_what_was_judged_while_the_broker_was_away_is_ranked(
    broker: Valkey, start_worker: StartWorker, eventually: Eventually
) -> None:
    _test_set, judge = campaign_with_a_judge()
    start_worker()
    eventually(ranked_up_to(judge_one_hit(judge)))
    broker.stop()
    number = judge_one_hit(judge)
    broker.start()
    eventually(ranked_up_to(number))


def test_a_killed_worker_loses_nothing(start_worker: StartWorker, eventually: Eventually) -> None:
    _test_set, judge = campaign_with_a_judge()
    worker = start_worker()
    eventually(ranked_up_to(judge_one_hit(judge)))
    number = judge_one_hit(judge)
    worker.send_signal(signal.SIGKILL)
    worker.wait()
    start_worker()
    eventually(ranked_up_to(number))


def test_the_worker_keeps_the_pool_filled(
    start_worker: StartWorker, eventually: Eventually
) -> None:
    make_test_set(make_campaign(), blocks_wanted=90)
    start_worker()
    eventually(lambda: HIT.objects.count() >= 30)
