"""Configuration of gunicorn in all environments: `gunicorn --config=python:config.gunicorn`.

Command-line options override these settings.
"""

import os
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

from config import garbage_collect_seldom
from config.logs import gunicorn_logging

wsgi_app = "config.wsgi:application"
worker_class = "gthread"  # nginx hands requests over whole
threads = 4
# Processes: gunicorn's `WEB_CONCURRENCY`, 1 without it.
preload_app = True  # workers share the memory of loaded code, and start at once
graceful_timeout = 20
# A judge is back after half a minute; a new connection each time would cost them a round trip.
keepalive = 75
control_socket_disable = True
if Path("/dev/shm").is_dir():  # noqa: S108  # only nameless heartbeat files, which belong in memory
    worker_tmp_dir = "/dev/shm"  # noqa: S108


if os.environ.get("LOG_FORMAT") == "json":
    logconfig_dict = gunicorn_logging(
        log_format="json", level=os.environ.get("LOG_LEVEL") or "INFO"
    )

# Each process counts in its own file; the one that serves `/metrics` reads them all. Set before the
# library is imported, which reads it once.
METRICS_FOLDER = None
if os.environ.get("METRICS_TOKEN") and not os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
    METRICS_FOLDER = tempfile.mkdtemp(prefix="quintet-metrics-")
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = METRICS_FOLDER


def on_exit(_server: Any) -> None:
    """Remove the metrics files: counters restart from zero, as Prometheus expects."""
    if METRICS_FOLDER is not None:
        shutil.rmtree(METRICS_FOLDER, ignore_errors=True)


def on_starting(_server: Any) -> None:
    """Delay the start until the tables exist: this is loaded while they are created, and the launcher answers
    requests meanwhile.
    """
    if after := os.environ.get("START_AFTER"):
        while not Path(after).exists():
            time.sleep(0.05)


def when_ready(_server: Any) -> None:
    """Share the loaded application's memory, before workers are forked."""
    garbage_collect_seldom()
    # The launcher answers for us until then.
    if ready := os.environ.get("READY_FILE"):
        Path(ready).touch()
