"""Settings, URLs and the Celery application."""

import gc
import os
from typing import Final

from environment import environment_check, retired_variables_log

OBJECTS_BETWEEN: Final = 20_000


def garbage_collect_seldom() -> None:
    """Exempt the loaded application from garbage collection, and collect later objects less often.

    The collector writes to each object it visits, and memory written to is copied by forked processes: with two web
    processes, this saves 45 of 270 MB. A large page creates a hundred thousand objects, very few of them in cycles;
    collecting after every 700, as Python does by default, takes 4 % of its time. A collection of the whole application
    takes 80 ms, a twelfth of an import of 20,000 judgments. Call this before workers are forked.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(OBJECTS_BETWEEN)


# Before anything reads the environment; the web server, the worker and all commands import this package first.
environment_check(os.environ)
# Collecting garbage in loaded modules would take a sixth of the time to start a process.
gc.set_threshold(OBJECTS_BETWEEN)

from config.logs import logs_all_json, logs_redact  # noqa: E402

logs_redact()
logs_all_json()
retired_variables_log(os.environ)

from config.celery import app as celery_app  # noqa: E402

__all__ = ["celery_app"]
