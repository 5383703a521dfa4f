"""Background work of the annotation app: an interface to services, nothing else."""

from celery import shared_task

from annotation.selectors import test_sets_to_plan
from annotation.services import pool_fill


@shared_task
def fill_pools() -> None:
    """Keep every test set's pool of HITs filled."""
    for test_set_id in test_sets_to_plan().values_list("id", flat=True):
        pool_fill(test_set_id=test_set_id)
