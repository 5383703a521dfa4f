"""Real alarms: Prometheus watches a running Quintet in which one thing after the other is broken.

    python -m tests.alarms

Needs the program `prometheus` (Debian's package of that name). Thresholds are those of deploy/prometheus/alerts.yml; only how long
a condition has to hold (`for`) is shortened. What takes hours, such as a job that runs for two, is written into the database.
Ends with 1 if an alarm rang before anything was broken, or did not ring afterwards.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import psycopg2

from launcher.data_directory import CHECKOUT
from launcher.waiting import wait_until
from tests.benchmarks.judging_server import say
from tests.benchmarks.web_server import (
    HOST,
    postgresql_process,
    prepare_django,
    web_server,
    with_services,
)
from tests.containers import WORKERS, World, status
from tests.load.soak import start_workers

TOKEN: Final = "a-token-of-the-alarms"
QUIET_SECONDS, RING_SECONDS = 30, 300
RULES: Final = CHECKOUT / "deploy" / "prometheus" / "alerts.yml"
#: Written by the owner, past triggers: what hours of trouble would leave behind.
TROUBLE: Final = """
SET session_replication_role = replica;
UPDATE ranking_latestranking SET watermark = watermark - 5;
UPDATE annotation_judgeaccount SET requested_at = now() - interval '2 minutes';
UPDATE annotation_hit SET completed_at = coalesce(completed_at, now());
UPDATE annotation_assignment SET completed_at = NULL, lease = tstzrange(now() - interval '2 hours', now() - interval '9 minutes');
INSERT INTO annotation_unnumberedjudgment (judgment_id, task_id) SELECT id, task_id FROM annotation_judgment ORDER BY id LIMIT 5;
INSERT INTO campaign_job (campaign_id, kind, name, parameters, state, done, total, log, error, result, language, attempts, created_at, started_at)
    SELECT id, 'export', 'a', '{}', each.state, 0, 0, '{}', '', '{}', 'en', 0, now() - interval '3 hours', each.started_at
    FROM campaign_campaign, (VALUES ('queued', NULL), ('running', now() - interval '3 hours')) each (state, started_at);
INSERT INTO campaign_accountmail (address, language, base_url, state, attempts, next_attempt_at, error, created_at, kind)
    VALUES ('a@example.org', 'en', '', 'queued', 0, now() - interval '1 hour', '', now(), 'password');
"""


class Prometheus:
    """Prometheus with our rules, asking each two seconds."""

    def __init__(self, folder: Path, port: int) -> None:
        self.port = World._free_port()
        rules = re.sub(r"for: \w+", "for: 4s", RULES.read_text())
        (folder / "alerts.yml").write_text(rules)
        (folder / "prometheus.yml").write_text(
            json.dumps(
                {
                    "global": {"scrape_interval": "2s", "evaluation_interval": "2s"},
                    "rule_files": ["alerts.yml"],
                    "scrape_configs": [
                        {
                            "job_name": "quintet",
                            "authorization": {"credentials": TOKEN},
                            "static_configs": [{"targets": [f"{HOST}:{port}"]}],
                        }
                    ],
                }
            )
        )
        self.folder = folder

    @contextlib.contextmanager
    def running(self) -> Iterator[Prometheus]:
        """Start it, and stop it at the end."""
        options = [
            f"--config.file={self.folder}/prometheus.yml",
            f"--storage.tsdb.path={self.folder}/data",
            f"--web.listen-address={HOST}:{self.port}",
        ]
        with (self.folder / "prometheus.log").open("wb") as log:
            process = subprocess.Popen(["prometheus", *options], stdout=log, stderr=log)
        try:
            assert wait_until(lambda: status(self.port, "/-/ready") == 200, seconds=60)
            yield self
        finally:
            process.terminate()
            process.wait(60)

    def alarms(self) -> dict[str, str]:
        """Return the alarms that are pending or firing, by name."""
        with urllib.request.urlopen(f"http://{HOST}:{self.port}/api/v1/alerts") as answer:
            found = json.load(answer)["data"]["alerts"]
        return {each["labels"]["alertname"]: each["state"] for each in found}

    def await_alarms(self, *names: str) -> set[str]:
        """Wait until these fire; print how long each took, and return those that did not."""
        began, missing = time.monotonic(), set(names)
        while missing and time.monotonic() < began + RING_SECONDS:
            alarms = self.alarms()
            for name in sorted(missing):
                if alarms.get(name) == "firing":
                    say(f"| {name} | fires after {time.monotonic() - began:.0f} s |")
                    missing.remove(name)
            time.sleep(1)
        for name in sorted(missing):
            say(f"| {name} | DOES NOT FIRE |")
        return missing


def fill() -> None:
    """A campaign with a small test set, of whose judges some wait, and the address of a webhook that is gone."""
    from campaign.models import WebhookEndpoint
    from tests.factories import make_campaign
    from tests.filling import Filling, filled_task

    campaign = make_campaign("museum")
    filled_task(campaign, Filling(blocks=300, judges=12))
    WebhookEndpoint.objects.create(
        campaign=campaign,
        url="http://127.0.0.1:1/",
        events=["campaign.closed"],
        secret="whsec_aaaa",
    )


def owner() -> psycopg2.extensions.connection:
    connection = psycopg2.connect(os.environ["MIGRATION_DATABASE_URL"])
    connection.autocommit = True
    return connection


def webhook_messages() -> None:
    """One message that is due for long, and one that was given up."""
    with contextlib.closing(owner()) as connection:
        connection.cursor().execute(
            "INSERT INTO campaign_webhookdelivery (endpoint_id, message_id, event, body, state, attempts,"
            " next_attempt_at, error, created_at, attempted_at) SELECT id, gen_random_uuid(), 'campaign.closed', '{}',"
            " each.state, 0, each.due, '', now() - interval '2 hours', now() FROM campaign_webhookendpoint,"
            " (VALUES ('waiting', now() - interval '1 hour'), ('failed', NULL)) each (state, due)"
        )


def judgments_wait(port: int) -> None:
    """Requests of judges that wait for a lock, in vain; twice, since Prometheus sees no rise in what just began."""
    headers = {"Cookie": f"sessionid={'a' * 32}"}
    path = "/api/v1/judging/judgments/6f9c2b9e-3c1d-4a52-9d4e-0b7c6a1d2e3f/"
    status(port, path, headers=headers)
    time.sleep(5)
    for _round in range(2):
        _locked_out(port, path, headers)


def _locked_out(port: int, path: str, headers: dict[str, str]) -> None:
    with contextlib.closing(owner()) as connection:
        connection.autocommit = False
        connection.cursor().execute("LOCK TABLE campaign_session IN ACCESS EXCLUSIVE MODE")
        asking = [
            threading.Thread(target=status, args=(port, path), kwargs={"headers": headers})
            for _each in range(6)
        ]
        for thread in asking:
            thread.start()
        for thread in asking:
            thread.join()
        # The web server waits ten seconds for a lock, as do we for its answer.
        time.sleep(5)
        connection.rollback()


def watch(folder: Path, stack: ExitStack) -> set[str]:
    """Break one thing after the other; return the alarms that rang too early or not at all."""
    from config.celery import app

    port, web = stack.enter_context(web_server())
    workers = start_workers(folder, list(WORKERS.values()), stack)
    prometheus = stack.enter_context(Prometheus(folder, port).running())
    early = {"start"}
    wait_until(lambda: not prometheus.alarms(), seconds=RING_SECONDS)
    time.sleep(QUIET_SECONDS)
    early = {f"{name} (early)" for name, state in prometheus.alarms().items() if state == "firing"}
    say(f"| nothing is broken | {', '.join(early) or 'none rings'} |")
    missing = set(early)
    app.send_task("annotation.tasks.plan_task", args=["not a number"], queue="planning")
    missing |= prometheus.await_alarms("QuintetTasksFail", "QuintetErrorsLogged")
    judgments_wait(port)
    missing |= prometheus.await_alarms("QuintetServerErrors", "QuintetJudgingSlow")
    for name in ("beat", *WORKERS.values()):
        os.killpg(workers[name].pid, signal.SIGSTOP)
        stack.callback(os.killpg, workers[name].pid, signal.SIGCONT)
    for queue in ("mail", "planning"):
        app.send_task("campaign.tasks.send_mails", queue=queue)
    with contextlib.closing(owner()) as connection:
        connection.cursor().execute(TROUBLE)
    webhook_messages()
    missing |= prometheus.await_alarms(
        *("QuintetJobsWait", "QuintetJobsLong", "QuintetWebhooksWait", "QuintetWebhooksFail"),
        *("QuintetMailWaits", "QuintetJudgesWait", "QuintetPoolEmpty", "QuintetLeasesExpire"),
        *("QuintetRankingBehind", "QuintetJudgmentsUnnumbered", "QuintetQueueOld"),
        "QuintetBeatSilent",
    )
    held = []
    with contextlib.suppress(psycopg2.OperationalError):
        while True:
            held.append(psycopg2.connect(os.environ["DATABASE_URL"]))
    missing |= prometheus.await_alarms("QuintetConnectionsFew")
    for each in held:
        each.close()
    valkey = next(
        each for each in web.parents()[1].children(recursive=True) if "valkey" in each.name()
    )
    postgresql = postgresql_process()
    valkey.suspend()
    stack.callback(valkey.resume)
    missing |= prometheus.await_alarms("QuintetBrokerDown")
    valkey.resume()
    postgresql.send_signal(signal.SIGINT)
    missing |= prometheus.await_alarms("QuintetDatabaseDown")
    web.suspend()
    stack.callback(web.resume)
    for child in web.children(recursive=True):
        child.kill()
    return missing | prometheus.await_alarms("QuintetDown")


def main() -> None:
    if shutil.which("prometheus") is None:
        sys.exit("This needs prometheus: apt-get install prometheus, or your system's way.")
    with_services("tests.alarms")
    os.environ["METRICS_TOKEN"] = TOKEN
    prepare_django(STATIC_HASHED="0", WEBHOOKS_ALLOW_HTTP="1", WEBHOOKS_ALLOW_PRIVATE="1")
    fill()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="quintet-alarms-")))
        missing = watch(folder, stack)
    sys.exit(f"Not as they should: {', '.join(sorted(missing))}" if missing else 0)


if __name__ == "__main__":
    main()
