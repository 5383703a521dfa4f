"""``python -m launcher start`` and ``demo``: services, preparation, web server, workers and beat under one roof."""

from __future__ import annotations

import http.client
import os
import socket
import sys
import time
from collections.abc import Callable
from pathlib import Path

from launcher.data_directory import CHECKOUT, DataDirectory, start_command
from launcher.errors import LauncherError
from launcher.prepare import Preparation
from launcher.processes import Child
from launcher.services import Services
from launcher.signals import StopRequest
from launcher.supervisor import Supervisor
from launcher.welcome import welcome

HOST = "127.0.0.1"
READY_SECONDS = 60

# One thread per process: with several, numerical libraries add in another order from run to run,
# and the web server's threads, the workers and PostgreSQL would fight for the same cores.
ONE_THREAD = dict.fromkeys(
    (
        "OMP_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "MKL_NUM_THREADS",
        "VECLIB_MAXIMUM_THREADS",
        "NUMEXPR_NUM_THREADS",
    ),
    "1",
)


# Background processes and the queues each serves, as `config.queues` lists them. Rankings have a
# process of their own, since judges wait for planning; mail waits for servers of others.
WORKERS = {
    "worker-planning": "planning",
    "worker-ranking": "ranking,shards",
    "worker-housekeeping": "mail,webhooks,housekeeping,counting,jobs",
}


def port_from_environment(command: str) -> int:
    """Read ``PORT`` (default 8000; 0 means any free one) and make sure that it can be had.

    Args:
        command: ``start`` or ``demo``, for the example in an error.

    Raises:
        LauncherError: it is not a number, or taken.
    """
    text = os.environ.get("PORT") or "8000"
    if not text.isdecimal() or int(text) > 65535:
        raise LauncherError(
            f"PORT={text} is not a port number. Example: PORT=8001 {start_command(command)}"
        )
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        # As the web server does: a port that was in use a second ago is free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, int(text)))
        except OSError as error:
            raise LauncherError(
                f"Port {text} on {HOST} cannot be used: {error.strerror}. "
                f"Choose another one: PORT={(int(text) + 1) % 65536 or 8001} {start_command(command)}"
            ) from error
        return int(probe.getsockname()[1])


def serve(directory: DataDirectory, report: Callable[[str], None], *, demo: bool) -> None:
    """Start everything, tell where to go, and keep it running until asked to stop.

    Args:
        demo: load the demo campaigns where they are missing, and tell their links.

    Raises:
        LauncherError: the start cannot succeed.
    """
    began = time.monotonic()

    def progress(text: str) -> None:
        report(f"{time.monotonic() - began:6.1f} s  {text}")

    directory.create()
    with StopRequest() as stop:
        report(f"Quintet starts; its data folder is {directory.path}")
        with Services(directory) as services:
            if services.found:
                progress(f"stopped what an earlier run left behind: {', '.join(services.found)}")
            # Only now: an earlier run's web server, stopped a moment ago, may have held the port.
            port = port_from_environment("demo" if demo else "start")
            services.serve_at(f"http://{HOST}:{port}")
            progress(_services_sentence(services))
            environment = _environment(services)
            # Behind a proxy PUBLIC_ADDRESS says where; links lead there.
            base_url = environment["PUBLIC_ADDRESS"].rstrip("/")
            prepared = Preparation(
                directory=directory,
                registry=services.registry,
                environment=environment,
                static_root=Path(environment["STATIC_ROOT"]),
                database_stamp=services.postgres.folder / "prepared.json"
                if services.postgres
                else None,
                base_url=base_url,
                demo=demo,
            ).run(stop, progress)
            # What serves and works never learns of the owner's address.
            environment.pop("MIGRATION_DATABASE_URL", None)
            web, *background = _children(services, environment, port)
            embedded = [s for s in (services.postgres, services.valkey) if s is not None]
            supervisor = Supervisor(embedded, services.registry, progress)
            try:
                if not stop.made:
                    supervisor.start(web)
                    _await_ready(stop, supervisor, port, directory)
                if not stop.made:
                    # Only now, so that the first page is not held up by their starts.
                    supervisor.start(*background)
                    report(welcome(directory, base_url, prepared, time.monotonic() - began))
                    supervisor.run(stop)
                report("\nStopping ...")
            finally:
                supervisor.stop(stop)
    report("Quintet has stopped. Your data is kept.")


def _services_sentence(services: Services) -> str:
    own = [s.name for s in (services.postgres, services.valkey) if s is not None]
    names = {"postgresql": "PostgreSQL", "valkey": "Valkey"}
    if not own:
        return "PostgreSQL and Valkey are those of DATABASE_URL and REDIS_URL"
    return " and ".join(names[name] for name in own) + (" is up" if len(own) == 1 else " are up")


def _environment(services: Services) -> dict[str, str]:
    return {
        **os.environ,
        **ONE_THREAD,
        **services.environment,
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "STATIC_ROOT": os.environ.get("STATIC_ROOT") or str(services.directory.path / "static"),
        # To try invitations out; the logs hold no links.
        "EMAIL_URL": os.environ.get("EMAIL_URL") or f"filemail:///{_mails(services.directory)}",
        "PYTHONUNBUFFERED": "1",  # a log that lags behind misleads
    }


def _mails(directory: DataDirectory) -> Path:
    """Return the folder for messages that no mail server sends; their links are its owner's alone."""
    folder = directory.path / "mails"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def _children(services: Services, environment: dict[str, str], port: int) -> list[Child]:
    python = [sys.executable, "-m"]
    celery = [*python, "celery", "-A", "config"]
    commands = {
        "web": [
            *python,
            "gunicorn",
            "--config=python:config.gunicorn",
            f"--bind={HOST}:{port}",
            "--graceful-timeout=5",
        ],
        **{name: [*celery, *_worker(name, queues)] for name, queues in WORKERS.items()},
        "beat": [
            *celery,
            "--skip-checks",
            "beat",
            "--loglevel=INFO",
            "--pidfile=",  # one left by a killed beat would keep the next from starting
        ],
    }
    return [
        Child(
            name,
            command,
            log=services.directory.log(name),
            registry=services.registry,
            environment=environment,
            folder=CHECKOUT,
        )
        for name, command in commands.items()
    ]


def _worker(name: str, queues: str) -> list[str]:
    return [
        # The preparation has checked the project; to do it again, each would load all pages.
        "--skip-checks",
        "worker",
        f"--queues={queues}",
        "--loglevel=INFO",
        f"--hostname={name}@localhost",
        # A process apart: a task that grows or crashes takes its memory with it.
        "--pool=prefork",
        "--concurrency=1",
        # They have nothing to say to each other; mingling costs a second.
        "--without-gossip",
        "--without-mingle",
    ]


def _await_ready(
    stop: StopRequest, supervisor: Supervisor, port: int, directory: DataDirectory
) -> None:
    end = time.monotonic() + READY_SECONDS
    while not stop.wait(0.05):
        if is_ready(port):
            return
        supervisor.poll()
        if time.monotonic() > end:
            raise LauncherError(
                f"The web server was not ready within {READY_SECONDS} s. "
                f"The reason is at the end of {directory.logs / 'web.log'}"
            )


def is_ready(port: int) -> bool:
    """Return whether the web server on this port of the machine is ready for requests."""
    connection = http.client.HTTPConnection(HOST, port, timeout=5)
    try:
        connection.request("GET", "/readyz")
        return connection.getresponse().status == 200
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
