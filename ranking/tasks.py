"""What the worker does: rank a test set when told to, and look for what nobody told it."""

import logging

from celery import shared_task

from annotation.services.judging.notifications import ranking_request, ranking_request_clear
from ranking.selectors.quality import quality_due
from ranking.selectors.runs import due_test_sets, ranking_is_due
from ranking.services import quality_evaluate, ranking_run_compute

logger = logging.getLogger(__name__)


@shared_task(name="ranking.tasks.rank_test_set")
def rank_test_set(test_set_id: int) -> None:
    """Rank a test set."""
    _rank(test_set_id)


@shared_task(name="ranking.tasks.rank_what_is_due")
def rank_what_is_due() -> None:
    """Rank every test set that has newer judgments than its ranking, or other judges.

    Then measure judges where that was missed, or where there is a new rule.

    Knows of them from the database alone, so it makes up for a broker that lost every message.
    """
    for test_set_id in due_test_sets():
        try:
            _rank(test_set_id)
        except Exception:
            # The other test sets must not wait until this one is mended.
            logger.exception("Test set %s could not be ranked.", test_set_id)
    for run in quality_due():
        try:
            quality_evaluate(run=run)
        except Exception:
            logger.exception("The judges of test set %s could not be measured.", run.test_set_id)


def _rank(test_set_id: int) -> None:
    # Before the judgments are read: one that comes in from now on must request a ranking again.
    ranking_request_clear(test_set_id=test_set_id)
    run = ranking_run_compute(test_set_id=test_set_id)
    if run is None:
        return
    quality_evaluate(run=run)
    # While we ranked, another worker's message was turned away by our lock: look once more.
    if ranking_is_due(test_set_id=test_set_id):
        ranking_request(test_set_id=test_set_id)
