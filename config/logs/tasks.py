"""Let what a worker logs say which task it is, and which request sent it."""

import logging.config
from typing import Any, Final

import structlog
from celery import current_app
from celery.signals import before_task_publish, setup_logging, task_postrun, task_prerun

from config.logs.sentry import errors_report
from ranking.code_version import code_version

#: A header of messages.
REQUEST: Final = "quintet_request"


def tasks_name() -> None:
    """Name every task that this process runs or sends, and log as `settings.LOGGING` says, from now on."""
    setup_logging.connect(_log_as_set, weak=False)
    before_task_publish.connect(_sent, weak=False)
    task_prerun.connect(_begun, weak=False)
    task_postrun.connect(_ended, weak=False)


def _log_as_set(*, logfile: str | None, **_signal: Any) -> None:
    """Set logs up by ourselves, so that Celery does not, and report errors if that is asked for."""
    from django.conf import settings

    logging_set = settings.LOGGING
    if logfile:
        handler = {**logging_set["handlers"]["console"], "class": "logging.FileHandler"}
        handlers = logging_set["handlers"] | {"console": handler | {"filename": str(logfile)}}
        logging_set = logging_set | {"handlers": handlers}
    logging.config.dictConfig(logging_set)
    # Whatever prints passes the logs, too, and loses its secrets. Not before: they write to what is replaced here.
    current_app.log.redirect_stdouts(current_app.conf.worker_redirect_stdouts_level)
    errors_report(settings.SENTRY_DSN, release=code_version())


def _sent(*, headers: dict[str, Any], **_signal: Any) -> None:
    request = structlog.contextvars.get_contextvars().get("request")
    if request is not None:
        headers[REQUEST] = request


def _begun(*, task: Any, task_id: str, **_signal: Any) -> None:
    structlog.contextvars.clear_contextvars()
    structlog.contextvars.bind_contextvars(task=task.name, task_id=task_id)
    request = task.request.get(REQUEST)
    if request:
        structlog.contextvars.bind_contextvars(request=request)


def _ended(**_signal: Any) -> None:
    structlog.contextvars.clear_contextvars()
