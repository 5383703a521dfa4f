"""What a static copy of a large campaign costs.

    python -m tests.benchmarks.static_copy [--blocks 100000]

A test set of 20 systems, 3,000 segments and 60 judges is stored (`tests.filling`), ranked and copied with its texts, by a
process of its own. 100,000 blocks are a million comparisons.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from tempfile import TemporaryFile

from tests.benchmarks.full_ranking import say
from tests.benchmarks.web_server import peak_megabytes, prepare_django, with_services

WANTED_SECONDS, WANTED_MB = 60.0, 1000.0


def _store(blocks: int) -> str:
    from ranking.services.runs import ranking_run_compute
    from tests.factories import make_campaign
    from tests.filling import Filling, filled_task

    campaign = make_campaign(f"filled-{blocks}")
    task = filled_task(campaign, Filling(blocks=blocks))
    ranking_run_compute(task_id=task.pk)
    return campaign.slug


def _copy(slug: str) -> None:
    from django.db import transaction

    from campaign.models import Campaign
    from cells.campaign_copy.writing import zip_write

    campaign = Campaign.objects.get(slug=slug)
    idle, began = peak_megabytes(), time.monotonic()
    with TemporaryFile() as stream, transaction.atomic():
        pages = zip_write(
            stream,
            campaign,
            with_texts=True,
            address="https://q.example",
            told=lambda _done, _total: None,
        )
        size = stream.tell()
    say(
        f"{slug}: {pages} pages, {size / 1e6:.1f} MB in {time.monotonic() - began:.1f} s, peak "
        f"{peak_megabytes():.0f} MB, {idle:.0f} MB before (wanted: at most {WANTED_SECONDS:.0f} s, "
        f"{WANTED_MB:.0f} MB)"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--blocks", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--of", help=argparse.SUPPRESS)
    options = parser.parse_args()
    with_services("tests.benchmarks.static_copy")
    prepare_django(STATIC_HASHED="0")
    if options.of is not None:
        _copy(options.of)
        return
    for blocks in options.blocks:
        command = [sys.executable, "-m", "tests.benchmarks.static_copy", "--of", _store(blocks)]
        subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
