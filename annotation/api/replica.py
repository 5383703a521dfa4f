"""Views of the research API whose answers may come from a replica."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from rest_framework.exceptions import NotFound
from rest_framework.response import Response

from annotation.selectors.replica_reads import ReadAt, task_answer
from campaign.api.access import readable_task
from campaign.database.replica import NotEnoughError, replica_is_there


def from_replica(get: Callable[..., Any]) -> Callable[..., Any]:
    """Let `get(view, request, task_id)` ask a replica, if there is one that has enough.

    The answer says where it was read: `Quintet-Watermark` is the number of the last judgment that was there,
    `Quintet-Behind` how many more there were. Without them it is the primary's.
    """

    @wraps(get)
    def read(view: Any, request: Any, *args: Any, **kwargs: Any) -> Any:
        if not replica_is_there():
            return get(view, request, *args, **kwargs)
        # The primary says who may read: a right that was taken away is not there for as long as the replica lags.
        task = readable_task(request, view.kwargs["task_id"])

        def answer(at: ReadAt | None) -> Response:
            try:
                response: Response = get(view, request, *args, **kwargs)
            except NotFound as error:
                if at is None:
                    raise
                raise NotEnoughError from error
            return response

        return task_answer(answer, task_id=task.pk)

    return read
