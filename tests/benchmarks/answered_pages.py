"""What it costs to show an answer: a page of each kind of analysis, each table over test sets, published results.

    python -m tests.benchmarks.answered_pages [--blocks 1000 100000] [--judges 60] [--times 15]

Twenty systems, 3,000 segments. Answers are computed first, as a worker does, and said with the seconds that took; then
their pages are asked as in `tests.benchmarks.pages`.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tests.benchmarks.pages import Cost, cost, say
from tests.benchmarks.web_server import prepare_django, with_services

if TYPE_CHECKING:
    from tests.filled_world import FilledWorld

_TEST_SET = "campaigns/<slug:slug>/tasks/<int:task_id>/"
# What takes long to compute and makes no difference to a page.
QUICK: dict[str, dict[str, Any]] = {
    "ranking": {"resamples": 100},
    "methods": {"methods": ["bojar", "expected_wins"]},
    "agreement": {"resamples": 100},
    "judges": {"resamples": 100},
    "without": {"resamples": 100},
    "firmness": {"method": "bojar"},
    "stopping": {"experiments": 40},
}
PUBLISHED = {
    "a published result": "results/<slug:digest>/",
    "a published result, embedded": "results/<slug:digest>/embed/",
    "publish": f"{_TEST_SET}publish/",
}


def answered(world: FilledWorld) -> Iterator[tuple[str, str, float]]:
    """Have everything answered that can be asked; yield its name, its address and the seconds it took."""
    from django.urls import reverse

    from ranking.campaign_tables import TABLES
    from ranking.selectors.analyses import analyses_of
    from ranking.services.analyses import analysis_ask, analysis_choice, analysis_compute
    from ranking.services.campaign_tables import table_ask, table_choice, table_compute

    slug, task = world.campaign.slug, world.task
    for kind in analyses_of(task=task):
        options = QUICK.get(kind, {})
        begin = time.perf_counter()
        choice = analysis_choice(kind, options)
        analysis_compute(analysis=analysis_ask(task=task, choice=choice, is_queued=False))
        seconds = time.perf_counter() - begin
        yield kind, reverse("analysis", args=[slug, task.pk, kind], query=options), seconds
    for name in TABLES:
        begin = time.perf_counter()
        table = table_choice(name, {})
        if not table.is_live:
            asked = table_ask(campaign=world.campaign, choice=table, is_queued=False)
            table_compute(table=asked)
        seconds = time.perf_counter() - begin
        yield f"table “{name}”", reverse("campaign-table", args=[slug, name]), seconds
    for name, route in PUBLISHED.items():
        yield name, world.address(route), 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--blocks", type=int, nargs="+", default=[1000, 100_000])
    parser.add_argument("--judges", type=int, default=60)
    parser.add_argument("--times", type=int, default=15)
    options = parser.parse_args()
    with_services("tests.benchmarks.answered_pages")
    prepare_django(ALLOWED_HOSTS="testserver", STATIC_HASHED="0")
    from django.test import Client

    from tests.filled_world import filled_world
    from tests.filling import Filling

    found: dict[str, list[tuple[Cost, float]]] = {}
    for blocks in options.blocks:
        world = filled_world(f"b{blocks}", Filling(blocks=blocks, judges=options.judges))
        client = Client(headers={"X-Forwarded-Proto": "https"})
        client.force_login(world.users["organiser"])
        for name, address, seconds in answered(world):
            found.setdefault(name, []).append((cost(client, address, times=options.times), seconds))
    sizes = " | ".join(f"{blocks:,} blocks | computed in" for blocks in options.blocks)
    say(f"| page | {sizes} | queries | bytes, compressed |")
    say("|---|" + "---|---|" * len(options.blocks) + "---|---|")
    for name, each in found.items():
        times = " | ".join(
            f"{one.milliseconds:.0f} ms | {f'{seconds:.1f} s' if seconds else '–'}"
            for one, seconds in each
        )
        queries = ", ".join(str(q) for q in sorted({one.queries for one, _seconds in each}))
        say(f"| {name} | {times} | {queries} | {max(one.bytes for one, _seconds in each):,} |")


if __name__ == "__main__":
    main()
