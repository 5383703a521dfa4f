"""Configure gunicorn in all environments: `gunicorn --config=python:config.gunicorn`.

Command-line options override these settings.
"""

import os
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

from config import garbage_collect_seldom
from config.logs import gunicorn_logging, output_log

output_log()

wsgi_app = "config.wsgi:application"
worker_class = "config.web_worker.WebWorker"
threads = 4
# Number of processes: `WEB_CONCURRENCY` of gunicorn, by default 1.
preload_app = True  # workers share the memory of loaded code, and start immediately
graceful_timeout = 20
# Judges send the next request after about half a minute; a new connection would cost a round trip.
keepalive = 75
control_socket_disable = True
if Path("/dev/shm").is_dir():  # noqa: S108  # only nameless heartbeat files, which belong in memory
    worker_tmp_dir = "/dev/shm"  # noqa: S108


logconfig_dict = gunicorn_logging(
    log_format=os.environ.get("LOG_FORMAT") or "console",
    level=os.environ.get("LOG_LEVEL") or "INFO",
)

# Each process counts in its own file; the one that serves `/metrics` reads all of them. This is set before the
# import of the library, which reads it once.
METRICS_FOLDER = None
if os.environ.get("METRICS_TOKEN") and not os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
    METRICS_FOLDER = tempfile.mkdtemp(prefix="quintet-metrics-")
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = METRICS_FOLDER


def on_exit(_server: Any) -> None:
    """Remove the files of metrics; counters restart from zero, as Prometheus expects."""
    if METRICS_FOLDER is not None:
        shutil.rmtree(METRICS_FOLDER, ignore_errors=True)


def on_starting(_server: Any) -> None:
    """Delay the start until the tables exist: this process is loaded while they are created, and the launcher answers
    requests meanwhile.
    """
    if after := os.environ.get("START_AFTER"):
        while not Path(after).exists():
            time.sleep(0.05)


def when_ready(server: Any) -> None:
    """Share the memory of the loaded application before workers are forked; end with the tables of another version, and
    without static files.
    """
    from config.set_up import problem_at_start, static_files_problem

    garbage_collect_seldom()
    if ready := os.environ.get("READY_FILE"):
        # Until then, the launcher answers requests. It checks the tables itself, and collects the files.
        Path(ready).touch()
    elif problem := problem_at_start() or static_files_problem():
        server.halt(reason=problem, exit_status=1)
