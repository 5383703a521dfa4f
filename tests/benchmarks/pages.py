"""What pages cost the server with few judgments and with many: processor time and queries of a request.

    python -m tests.benchmarks.pages [--blocks 1000 100000] [--judges 60] [--times 15] [--every]

Twenty systems, 3,000 segments, rankings and measures as the worker leaves them. A request goes through Django as in
the web server; the time is that of this process and of its PostgreSQL, the middle one of so many. With `--every`
each address that answers organisers is asked, and the bytes of its answer are said, compressed as proxies do.
"""

from __future__ import annotations

import argparse
import gzip
import sys
import time
from dataclasses import dataclass
from statistics import median
from typing import Any

import psutil

from tests.benchmarks.web_server import prepare_django, processor_seconds, with_services

_TEST_SET = "tasks/<int:task_id>/"
_JUDGMENTS = f"campaigns/<slug:slug>/{_TEST_SET}judgments/"
PAGES = {
    "dashboard": ("organiser", f"campaigns/<slug:slug>/{_TEST_SET}"),
    "dashboard, part that changes": ("organiser", f"campaigns/<slug:slug>/{_TEST_SET}live/"),
    "campaigns": ("organiser", "campaigns/"),
    "judges": ("organiser", f"campaigns/<slug:slug>/{_TEST_SET}judges/"),
    "judges, last seen first": (
        "organiser",
        f"campaigns/<slug:slug>/{_TEST_SET}judges/?sort=-seen",
    ),
    "judges, lowest κ first": (
        "organiser",
        f"campaigns/<slug:slug>/{_TEST_SET}judges/?sort=agreement",
    ),
    "a judge": ("organiser", f"campaigns/<slug:slug>/{_TEST_SET}judges/<int:judge_id>/"),
    "judgments": ("organiser", f"campaigns/<slug:slug>/{_TEST_SET}judgments/"),
    "judgments, with ties": ("organiser", f"campaigns/<slug:slug>/{_TEST_SET}judgments/?ties=yes"),
    "judgments, none found in a window": (
        "organiser",
        f"campaigns/<slug:slug>/{_TEST_SET}judgments/?system=nobody",
    ),
    "judgments of a judge": (
        "organiser",
        f"campaigns/<slug:slug>/{_TEST_SET}judgments/?judge=judge0003",
    ),
    "judgments of a pair, that one won": (
        "organiser",
        f"{_JUDGMENTS}?system=system-03&other=system-04&outcome=won&counts=yes",
    ),
    "judgments of a document that a system lost": (
        "organiser",
        f"{_JUDGMENTS}?document=document%207&system=system-03&outcome=lost&counts=yes",
    ),
    "judgments of a day": (
        "organiser",
        f"campaigns/<slug:slug>/{_TEST_SET}judgments/?day=2001-01-01&counts=yes",
    ),
    "a segment": ("organiser", f"campaigns/<slug:slug>/{_TEST_SET}segments/17/"),
    "a system, at once": (
        "organiser",
        f"campaigns/<slug:slug>/{_TEST_SET}systems/<int:system_id>/results/",
    ),
    "HITs": ("organiser", f"campaigns/<slug:slug>/{_TEST_SET}hits/"),
    "own history": ("judge", "api/v1/judging/judgments/?campaign=<slug:slug>"),
    "own time": ("judge", "judge/<slug:slug>/time/"),
    "REST judgments": ("analyst", f"api/v1/{_TEST_SET}judgments/"),
    "REST judges": ("analyst", f"api/v1/{_TEST_SET}judges/"),
    "REST rankings": ("analyst", f"api/v1/{_TEST_SET}rankings/"),
    "REST latest ranking": ("analyst", f"api/v1/{_TEST_SET}rankings/latest/"),
}
# Asked again with the ETag of the answer.
POLLS = {
    "poll of the dashboard, nothing new": PAGES["dashboard, part that changes"],
    "poll of REST latest ranking, nothing new": PAGES["REST latest ranking"],
}
WARM_UP = 3
# Files of everything there is, and what writes.
NOT_PAGES = ("judgments.csv", "<uuid:client_id>", "judging/", "activity.")


@dataclass(frozen=True, slots=True)
class Cost:
    """Milliseconds of processor time of a request, its queries, and the bytes of its answer, compressed."""

    milliseconds: float
    queries: int
    bytes: int


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def cost(client: Any, address: str, *, times: int, is_poll: bool = False) -> Cost:
    """Return what a request costs."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    from config.garbage import garbage_collect_seldom

    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        backend = psutil.Process(cursor.fetchone()[0])
    garbage_collect_seldom()
    spent = []
    for turn in range(times + WARM_UP):
        headers = {"If-None-Match": client.get(address)["ETag"]} if is_poll else {}
        # To look at PostgreSQL's time takes time, too: not between the two looks at ours.
        server = processor_seconds(backend)
        own = time.process_time()
        status = client.get(address, headers=headers).status_code
        own = time.process_time() - own
        server = processor_seconds(backend) - server
        if turn >= WARM_UP:
            spent.append(own + server)
        assert status == (304 if is_poll else 200), (address, status)
    with CaptureQueriesContext(connection) as queries:
        answer = client.get(address, headers=headers)
    body = b"".join(answer) if answer.streaming else answer.content
    return Cost(1000 * median(spent), len(queries), len(gzip.compress(body, compresslevel=6)))


def measure_every(world: Any, client: Any, *, times: int) -> None:
    """Say what each address costs that answers organisers, the largest answer first."""
    from tests.permissions.addresses import ADDRESSES

    found = {}
    for route in ADDRESSES:
        if any(part in route for part in NOT_PAGES):
            continue
        address = world.address(route)
        if client.get(address).status_code == 200:
            found[route] = cost(client, address, times=times)
    say("| address | bytes, compressed | queries | time |")
    say("|---|---|---|---|")
    for route, each in sorted(found.items(), key=lambda item: -item[1].bytes):
        say(f"| {route} | {each.bytes:,} | {each.queries} | {each.milliseconds:.1f} ms |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--blocks", type=int, nargs="+", default=[1000, 100_000])
    parser.add_argument("--judges", type=int, default=60)
    parser.add_argument("--times", type=int, default=15)
    parser.add_argument("--every", action="store_true", help="every address, its bytes too")
    options = parser.parse_args()
    with_services("tests.benchmarks.pages")
    prepare_django(ALLOWED_HOSTS="testserver", STATIC_HASHED="0")
    from django.test import Client

    from tests.filled_world import filled_world
    from tests.filling import Filling

    def client_of(world: Any, role: str) -> Any:
        client = Client(headers={"X-Forwarded-Proto": "https"})
        client.force_login(world.users[role])
        return client

    found: dict[str, list[Cost]] = {name: [] for name in (*PAGES, *POLLS)}
    for blocks in options.blocks:
        world = filled_world(f"b{blocks}", Filling(blocks=blocks, judges=options.judges))
        if options.every:
            say(f"\n{blocks:,} blocks, {options.judges:,} judges:\n")
            measure_every(world, client_of(world, "organiser"), times=options.times)
            continue
        for name, (role, route) in (PAGES | POLLS).items():
            client, address = client_of(world, role), world.address(route)
            found[name].append(cost(client, address, times=options.times, is_poll=name in POLLS))
    if options.every:
        return
    say(f"| page | {' | '.join(f'{blocks:,} blocks' for blocks in options.blocks)} | queries |")
    say("|---|" + "---|" * (len(options.blocks) + 1))
    for name, each in found.items():
        times = " | ".join(f"{one.milliseconds:.1f} ms" for one in each)
        queries = ", ".join(str(q) for q in sorted({one.queries for one in each}))
        say(f"| {name} | {times} | {queries} |")


if __name__ == "__main__":
    main()
