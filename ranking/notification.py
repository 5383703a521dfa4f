"""Send tasks of this app to a worker; a lost message only delays them."""

from annotation.notification import task_enqueue

BUILD_TASK = "ranking.tasks.build_tallies"


def tallies_build_enqueue(task_id: int) -> None:
    """Enqueue a count of all judgments of a test set in the background."""
    task_enqueue(BUILD_TASK, task_id)
