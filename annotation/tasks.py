"""Background work of the annotation app: an interface to services, nothing else."""

import logging

from celery import shared_task

from annotation.notification import planning_request_clear
from annotation.selectors import test_sets_to_plan
from annotation.services import leases_release, pool_fill
from annotation.services.panels import participations_refresh_due

logger = logging.getLogger(__name__)


@shared_task(name="annotation.tasks.plan_test_set")
def plan_test_set(test_set_id: int) -> None:
    """Plan the HITs a test set needs now."""
    # Before the requests are read: a judge who asks from now on must notify again.
    planning_request_clear(test_set_id)
    pool_fill(test_set_id=test_set_id)


@shared_task
def fill_pools() -> None:
    """Keep every test set's pool of HITs filled, and end the leases that ran out."""
    leases_release()
    for test_set_id in test_sets_to_plan().values_list("id", flat=True):
        try:
            pool_fill(test_set_id=test_set_id)
        except Exception:
            # The other test sets must not wait until this one is mended.
            logger.exception("No HITs could be planned for test set %s.", test_set_id)


@shared_task
def refresh_participations() -> None:
    """End the participations of panels that are late or whose judge was stopped."""
    participations_refresh_due()
