"""How gunicorn serves Quintet, everywhere: `gunicorn --config=python:config.gunicorn`.

What is said on the command line goes before what stands here.
"""

import os
import shutil
import socket
import struct
import tempfile
import time
from pathlib import Path
from typing import Any

from config.garbage import garbage_collect_seldom
from config.logs.settings import gunicorn_logging

wsgi_app = "config.wsgi:application"
worker_class = "config.whole_requests.WholeRequestsWorker"
threads = 4
# Processes: gunicorn's `WEB_CONCURRENCY`, 1 without it.
preload_app = True  # workers share the memory of what is loaded, and start at once
graceful_timeout = 20
# A judge is back after half a minute; a new connection each time would cost them a round trip.
keepalive = 75
control_socket_disable = True
if Path("/dev/shm").is_dir():  # noqa: S108  # only nameless heartbeat files, which belong in memory
    worker_tmp_dir = "/dev/shm"  # noqa: S108

# Not shorter: the kernel lets more of a long answer in only when about a megabyte of it has left,
# which takes a slow reader its time. What a lost phone was sending is still in its outbox.
CLIENT_SECONDS = int(os.environ.get("CLIENT_SECONDS") or 120)


if os.environ.get("LOG_FORMAT") == "json":
    logconfig_dict = gunicorn_logging(
        log_format="json", level=os.environ.get("LOG_LEVEL") or "INFO"
    )

# Each process counts in a file of its own; whichever is asked for `/metrics` reads them all. Set before the library
# is imported, which decides by it once.
METRICS_FOLDER = None
if os.environ.get("METRICS_TOKEN") and not os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
    METRICS_FOLDER = tempfile.mkdtemp(prefix="quintet-metrics-")
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = METRICS_FOLDER


def on_exit(_server: Any) -> None:
    """Remove what was counted: the next start counts anew, as Prometheus expects."""
    if METRICS_FOLDER is not None:
        shutil.rmtree(METRICS_FOLDER, ignore_errors=True)


def on_starting(_server: Any) -> None:
    """Answer nobody before the tables are there: this is loaded while they are made, and the launcher answers for us."""
    if after := os.environ.get("START_AFTER"):
        while not Path(after).exists():
            time.sleep(0.05)


def when_ready(server: Any) -> None:
    """Share the loaded application's memory and limit silent clients, before workers are forked."""
    garbage_collect_seldom()
    _silence_limit(server)
    # The launcher answers for us until then.
    if ready := os.environ.get("READY_FILE"):
        Path(ready).touch()


def _silence_limit(server: Any) -> None:
    """Give back the thread of a client that fell silent amid its request or amid the answer.

    gthread would wait for such a client for ever, and eight of them are all there is room for. A request
    arrives whole before it has a thread (`config.whole_requests`), but a large one. The
    limit is the kernel's, for one wait; a socket has it from the one that accepted it. The pause
    between two requests takes no thread and is no such wait.
    """
    limit = struct.pack("ll", CLIENT_SECONDS, 0)
    for listener in server.LISTENERS:
        listener.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, limit)
        listener.sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, limit)
