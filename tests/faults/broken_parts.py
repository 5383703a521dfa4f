"""Single processes below the first one of a role, several roles at once, restarts, the broker's memory."""

import signal
import time

import psutil
import redis

from tests.faults.installation import SUPERVISOR
from tests.faults.registry import fault
from tests.faults.stage import Stage

# A ranking holds the advisory lock of its test set.
RANKING = "SELECT count(*) > 0 FROM pg_locks WHERE locktype = 'advisory' AND granted"
TIMES = 5


@fault("none")
def nothing(stage: Stage) -> None:
    """Do nothing for 10 s, to compare with."""
    stage.last(10)


@fault("kill-web-process", short=True)
def kill_web_process(stage: Stage) -> None:
    """Kill one of the web server's processes."""
    stage.send(signal.SIGKILL, stage.installation.workers("web")[:1])


@fault("kill-web-processes-repeatedly")
def kill_web_processes(stage: Stage) -> None:
    """Kill one of the web server's processes every 2 s, five times."""
    for _time in range(TIMES):
        kill_web_process(stage)
        stage.last(2)


@fault("stop-web-process")
def stop_web_process(stage: Stage) -> None:
    """Stop one of the web server's processes for 20 s."""
    stage.hold(stage.installation.workers("web")[:1], 20)


@fault("stop-web-process-long")
def stop_web_process_long(stage: Stage) -> None:
    """Stop one of the web server's processes for 60 s."""
    stage.hold(stage.installation.workers("web")[:1], 60)


@fault("hup-web")
def hup_web(stage: Stage) -> None:
    """Let the web server load its code anew (HUP)."""
    stage.send(signal.SIGHUP, [stage.installation.master("web")])


@fault("term-web")
def term_web(stage: Stage) -> None:
    """End the web server in order (TERM); the supervisor starts another."""
    stage.send(signal.SIGTERM, [stage.installation.master("web")])


def _workers_in_ranking(stage: Stage) -> list[str]:
    """Wait for a ranking; return the roles that work behind the web server."""
    stage.until(lambda: stage.asks(RANKING), seconds=30, what="a ranking under way")
    return [role for role in stage.installation.roles() if role.startswith("worker")]


@fault("kill-worker-in-ranking", short=True)
def kill_worker_in_ranking(stage: Stage) -> None:
    """Kill the worker in the middle of a ranking."""
    for role in _workers_in_ranking(stage):
        stage.send(signal.SIGKILL, stage.installation.group(role))


@fault("kill-postgresql-connection", short=True)
def kill_connection(stage: Stage) -> None:
    """Kill one of PostgreSQL's processes that serve a connection; PostgreSQL restarts them all."""
    serving = [
        each for each in stage.installation.workers("postgresql") if _serves(each)
    ]
    stage.send(signal.SIGKILL, serving[:1])
    if not serving:
        stage.notes.append("no connection found")


def _serves(process: psutil.Process) -> bool:
    # Its title names the cluster, the user, the database, where the client is, and what it does.
    return "[local]" in " ".join(process.cmdline())


@fault("kill-valkey-repeatedly")
def kill_valkey(stage: Stage) -> None:
    """Kill Valkey every 2 s, five times."""
    for _time in range(TIMES):
        # It may not be back yet from the last time.
        stage.send(signal.SIGKILL, stage.installation.group("valkey"))
        stage.last(2)


@fault("kill-valkey-under-load", short=True)
def kill_valkey_under_load(stage: Stage) -> None:
    """Kill Valkey ten times while tasks are sent as fast as the broker takes them; the worker must not end."""
    worker = stage.installation.roles()["worker"]
    waits = []
    with stage.installation.beside("-m", "tests.faults.messages") as sending:
        for _time in range(3 if stage.short else 10):
            stage.until(lambda: _tasks_end(stage), seconds=60, what="a task that ends")
            stage.last(2)
            killed = stage.installation.roles()["valkey"]
            stage.send(signal.SIGKILL, stage.installation.group("valkey"))
            stage.until(
                lambda before=killed: _is_back(stage, before),  # type: ignore[misc]
                seconds=90,
                what="Valkey again",
            )
            began = time.monotonic()
            stage.until(lambda: _tasks_end(stage), seconds=60, what="a task that ends")
            waits.append(time.monotonic() - began)
        if sending.poll() is not None:
            stage.failures.append("no tasks were sent")
    waits.sort()
    stage.notes.append(f"tasks again after {waits[0]:.1f}–{waits[-1]:.1f} s")
    if stage.installation.roles()["worker"] != worker:
        stage.failures.append("the worker ended")


def _is_back(stage: Stage, before: int) -> bool:
    """Return whether another Valkey than the one with this process ID answers."""
    if stage.installation.roles().get("valkey") in (None, before):
        return False
    try:
        with redis.Redis.from_url(
            stage.installation.services["REDIS_URL"],
            retry=None,
        ) as client:
            return bool(client.ping())
    except redis.RedisError:
        return False


def _tasks_end(stage: Stage) -> bool:
    """Wait for a moment; return whether a task ended meanwhile."""
    log = stage.installation.folder / "logs" / "worker.log"
    size = log.stat().st_size
    time.sleep(0.1)
    with log.open("rb") as file:
        file.seek(size)
        return b" succeeded in " in file.read()


@fault("kill-all")
def kill_all(stage: Stage) -> None:
    """Kill everything that the supervisor runs, at once."""
    roles = [role for role in stage.installation.roles() if role != SUPERVISOR]
    stage.send(
        signal.SIGKILL,
        [each for role in roles for each in stage.installation.group(role)],
    )


@fault("restart-supervisor")
def restart_supervisor(stage: Stage) -> None:
    """End the supervisor in order, with everything it runs, and start it again."""
    stage.installation.stop()
    stage.installation.start()


@fault("broker-emptied", short=True)
def empty_broker(stage: Stage) -> None:
    """Delete everything that the broker holds, ten times."""
    with redis.Redis.from_url(stage.installation.services["REDIS_URL"]) as client:
        for _time in range(10):
            client.flushall()
            time.sleep(0.1)
