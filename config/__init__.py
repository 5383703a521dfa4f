"""Wiring: settings, addresses, the Celery application."""

import gc
import os
from typing import Final

from config.environment import secrets_read

OBJECTS_BETWEEN: Final = 20_000


def garbage_collect_seldom() -> None:
    """Exempt the loaded application from garbage collection, and collect later objects less often.

    The collector writes into each object it visits, and a page written to is copied: with two web processes this
    saves 45 MB of 270. A large page makes a hundred thousand objects, hardly any of them in circles: looked at after
    each 700, as Python does by itself, they take 4 % of its time. To look through the application once takes 80 ms:
    a twelfth of an import of 20,000 judgments. Call it before workers are forked.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(OBJECTS_BETWEEN)


# Before anything reads the environment. Here, because the web server, the worker and every command import this first.
secrets_read(os.environ)
# A sixth of a process's start-up time would go into garbage collection of loaded modules.
gc.set_threshold(OBJECTS_BETWEEN)

from config.celery import app as celery_app  # noqa: E402
from config.logs import logs_redact  # noqa: E402

__all__ = ["celery_app"]

logs_redact()
