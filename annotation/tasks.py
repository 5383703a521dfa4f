"""Background tasks of the annotation app, which only call services."""

import logging

from celery import shared_task

import annotation.importing.test_sets  # noqa: F401  registers the handlers of its jobs
from annotation.selectors.pool import tasks_changed, tasks_to_plan
from annotation.services.judges import erasures_due_carry_out
from annotation.services.lending.lend import leases_release
from annotation.services.notification import planning_request_clear
from annotation.services.numbers import (
    judgment_webhooks_record,
    waiting_judgments_number,
)
from annotation.services.panels import participations_refresh_due
from annotation.services.planning.pool import pool_fill
from campaign.models.task import TaskQuerySet
from campaign.services.webhooks import webhooks_deliver

logger = logging.getLogger(__name__)


@shared_task(name="annotation.tasks.plan_task")
def plan_task(task_id: int) -> None:
    """Plan the HITs a test set needs now."""
    # Cleared before the requests are read, so that later ones send a new message.
    planning_request_clear(task_id)
    pool_fill(task_id=task_id)


@shared_task
def fill_pools() -> None:
    """Keep the pools of HITs filled, and end expired leases.

    Judgments are also numbered here, in case no ranking runs.
    """
    leases_release()
    waiting_judgments_number()
    _pools_fill(tasks_changed())


@shared_task
def fill_all_pools() -> None:
    """Plan the HITs that every task needs."""
    _pools_fill(tasks_to_plan())


def _pools_fill(tasks: TaskQuerySet) -> None:
    for task_id in tasks.values_list("id", flat=True):
        try:
            pool_fill(task_id=task_id)
        except Exception:
            # Other test sets must not wait until this one is fixed.
            logger.exception("Planning HITs of task %s failed.", task_id)


@shared_task(name="annotation.tasks.deliver_webhooks")
def deliver_webhooks() -> None:
    """Put new judgments into the outbox of webhooks, and send due messages."""
    judgment_webhooks_record()
    webhooks_deliver()


@shared_task
def refresh_participations() -> None:
    """End participations in panels that are overdue or whose judge was paused or excluded."""
    participations_refresh_due()


@shared_task
def carry_out_erasures() -> None:
    """Carry out the requests for erasure that are due; safe to run twice."""
    erasures_due_carry_out()
