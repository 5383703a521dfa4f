"""What the tables of a campaign cost: processor time and queries of a page, twenty test sets with a million comparisons.

    python -m tests.benchmarks.campaign_tables [--test-sets 20] [--blocks 5000] [--judges 60]

Each test set is filled in a campaign of its own, ranked, and then moved into the first one.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

from tests.benchmarks.pages import cost, say
from tests.benchmarks.web_server import prepare_django, with_services

_PAGES = ("", "collected/", "clusters/", "average-ranks/")
_COMPUTED: tuple[tuple[str, dict[str, Any]], ...] = (
    ("agreement", {}),
    ("methods", {}),
    ("average-ranks", {"method": "expected_wins"}),
)


def filled(tasks: int, blocks: int, judges: int) -> Any:
    """Store the test sets; return their campaign."""
    from campaign.models import TestSet
    from ranking.services import ranking_run_compute
    from tests.factories import make_campaign
    from tests.filling import Filling, filled_task

    first = make_campaign("tables")
    for number in range(tasks):
        campaign = first if not number else make_campaign(f"tables-{number}")
        filling = Filling(blocks=blocks, judges=judges, seed=number)
        task = filled_task(campaign, filling, name=f"test set {number}")
        ranking_run_compute(task_id=task.pk)
        TestSet.objects.filter(pk=task.test_set_id).update(campaign=first)
    return first


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--test-sets", type=int, default=20)
    parser.add_argument("--blocks", type=int, default=5000)
    parser.add_argument("--judges", type=int, default=60)
    parser.add_argument("--times", type=int, default=15)
    options = parser.parse_args()
    with_services("tests.benchmarks.campaign_tables")
    prepare_django(ALLOWED_HOSTS="testserver", STATIC_HASHED="0")
    from django.test import Client

    from ranking.services.campaign_tables import table_ask, table_choice, table_compute
    from tests.factories import make_organiser

    campaign = filled(options.tasks, options.blocks, options.judges)
    client = Client(headers={"X-Forwarded-Proto": "https"})
    client.force_login(make_organiser(campaign))
    say("| page | time | queries | compressed |")
    say("|---|---|---|---|")
    for page in _PAGES:
        found = cost(client, f"/campaigns/tables/tables/{page}", times=options.times)
        say(f"| {page} | {found.milliseconds:.1f} ms | {found.queries} | {found.bytes:,} |")
    for kind, given in _COMPUTED:
        begun = time.monotonic()
        table_compute(
            table=table_ask(campaign=campaign, choice=table_choice(kind, given), is_queued=False)
        )
        seconds = time.monotonic() - begun
        query = "&".join(f"{name}={value}" for name, value in given.items())
        found = cost(client, f"/campaigns/tables/tables/{kind}/?{query}", times=options.times)
        say(
            f"| {kind}?{query}, computed in {seconds:.1f} s | {found.milliseconds:.1f} ms | {found.queries} | {found.bytes:,} |"
        )


if __name__ == "__main__":
    main()
