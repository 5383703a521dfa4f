"""Celery tasks: rank test sets on request and at intervals, and keep daily rankings."""

import logging

from celery import shared_task

from annotation.services.notification import ranking_begun
from annotation.services.numbers import (
    ranking_request,
    ranking_request_clear,
    waiting_judgments_number,
)
from campaign.models import Task
from ranking.selectors.judges import quality_due
from ranking.selectors.runs import due_tasks, ranking_is_due
from ranking.services.analyses import answer_keep_up
from ranking.services.kept_rankings import rankings_of_days_keep
from ranking.services.published_results.bundles import bundles_due_queue
from ranking.services.quality import quality_evaluate
from ranking.services.reproduced_runs import tallies_check
from ranking.services.runs import ranking_compute

logger = logging.getLogger(__name__)


@shared_task(name="ranking.tasks.rank_task")
def rank_task(task_id: int) -> None:
    """Rank a test set if its ranking is out of date, and measure its judges."""
    _rank(task_id)


@shared_task(name="ranking.tasks.rank_what_is_due")
def rank_what_is_due() -> None:
    """Rank every test set whose ranking is out of date.

    Then measure judges if that was missed or there is a new rule, and queue the bundles of published results that
    waited for the end of judging. Everything due is found in the
    database, so that no ranking depends on a message.
    """
    waiting_judgments_number()
    for task_id in due_tasks():
        try:
            _rank(task_id)
        except Exception:
            # One failure must not block the other test sets.
            logger.exception("Ranking task %s failed.", task_id)
    for run in quality_due():
        try:
            quality_evaluate(run=run)
        except Exception:
            logger.exception("Measuring the judges of task %s failed.", run.task_id)
    bundles_due_queue()


@shared_task(name="ranking.tasks.keep_rankings_of_days")
def keep_rankings_of_days() -> None:
    """Keep the last ranking of each past day for idle test sets."""
    rankings_of_days_keep()


@shared_task(name="ranking.tasks.check_tallies")
def check_tallies() -> None:
    """Compare rankings and their tallies with all judgments; log and correct differences."""
    for task_id in Task.objects.order_by("pk").values_list("pk", flat=True):
        wrong = tallies_check(task_id=task_id)
        if wrong:
            logger.error(
                "Stored ranking or tallies of task %s differed from its judgments (%s) and were recomputed.",
                task_id,
                ", ".join(wrong),
            )


def _rank(task_id: int) -> None:
    # Do this before judgments are read, so that a later judgment requests another ranking.
    ranking_request_clear(task_id=task_id)
    ranking_begun(task_id)
    computed = ranking_compute(task_id=task_id)
    if computed is None:
        return
    quality_evaluate(
        run=computed.run,
        tallies=computed.judges,
        agreement=computed.agreement,
    )
    answer_keep_up(task=computed.run.task)
    # Our lock may have turned away another worker's message meanwhile, so check once more.
    if ranking_is_due(task_id=task_id):
        ranking_request(task_id=task_id)
