"""Every export beside a raw COPY of the same rows: processor seconds, and memory that is added.

    python -m tests.benchmarks.exports [--blocks 100000 1000000] [--kinds judgments skips] [--jobs]

A test set of 20 systems, 3,000 segments and 60 judges is stored for each number of blocks (`tests.filling`), with texts of
twenty words, as many judges without work as there are tenths of the blocks, and as many events as thirds. For every kind and
format of the registry a process of its own writes the file to nowhere, as a stream, or with `--jobs` as a job that keeps it.
Before and after it PostgreSQL copies the same rows (`tests.benchmarks.raw_copies`); the faster one counts. Every export should
be at least half as fast, and add at most 150 MB. Seconds are of the processor, of Python and PostgreSQL together, so that a machine
that is shared tells them, too; PostgreSQL's are counted in hundredths, which says nothing of a COPY of a few.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from typing import Any, Final

from tests.benchmarks.import_speed import Spent
from tests.benchmarks.judging_server import say
from tests.benchmarks.raw_copies import COPIES
from tests.benchmarks.web_server import peak_megabytes, prepare_django, with_services

MOST_MEGABYTES: Final = 150
#: A COPY of fewer seconds measures the clock.
_LEAST_SECONDS: Final = 0.05
_MORE = (
    "UPDATE campaign_output SET text = text || repeat(' und so weiter', 6)",
    "UPDATE campaign_segment SET source_text = source_text || repeat(' and so on', 6)",
    """
    INSERT INTO campaign_activityevent
        (campaign_id, operation, kind, object_id, object_name, count, changes, origin, user_id, through, operator)
    SELECT {campaign}, 'changed', 'campaign.judge', n, 'judge ' || n, 1,
        jsonb_build_object('hits_at_once', jsonb_build_array(n, n + 1)), 'page', NULL, '', ''
    FROM generate_series(1, {blocks} / 3) n
    """,
)


class _Nowhere:
    """Counts what is written, and keeps none of it."""

    written = 0

    def write(self, data: bytes) -> int:
        self.written += len(data)
        return len(data)


def copied(task_id: int, statement: str) -> dict[str, Any]:
    """Copy the rows to nowhere."""
    from django.db import connection

    sink, spent = _Nowhere(), Spent()
    with connection.cursor() as cursor:
        cursor.copy_expert(f"COPY ({statement.format(task=task_id)}) TO STDOUT (FORMAT csv)", sink)
    return _measured(spent, sink.written, 0.0)


def exported(task_id: int, kind: str, file_format: str) -> dict[str, Any]:
    """Write an export to nowhere."""
    from campaign.models import Task
    from ranking.export.judgments.asked import export_asked
    from ranking.export.judgments.making import export_bytes

    task = Task.objects.select_related("test_set__campaign").get(pk=task_id)
    # What is loaded once a process is neither memory nor time of the export.
    for first in (kind, file_format), ("judgments", "csv"), ("judgments", "parquet"):
        asked = export_asked(task=task, kind=first[0], file_format=first[1], watermark=1)
        for _part in export_bytes(asked):
            pass
    before, sink, spent = peak_megabytes(), _Nowhere(), Spent()
    for part in export_bytes(export_asked(task=task, kind=kind, file_format=file_format)):
        sink.write(part)
    return _measured(spent, sink.written, peak_megabytes() - before)


def stored(task_id: int, kind: str, file_format: str) -> dict[str, Any]:
    """Keep an export in the database as a job of a worker does."""
    from campaign.models import Task
    from campaign.services.exported_files import exported_file_keep
    from ranking.export.judgments.asked import export_asked
    from ranking.export.judgments.making import export_bytes

    task = Task.objects.select_related("test_set__campaign").get(pk=task_id)
    described = {"kind": kind, "file_format": file_format, "name": "file", "until": 1}
    asked = export_asked(task=task, kind=kind, file_format=file_format, watermark=1)
    exported_file_keep(task=task, content=export_bytes(asked), by=None, watermark=1, **described)
    before, spent = peak_megabytes(), Spent()
    asked = export_asked(task=task, kind=kind, file_format=file_format)
    kept = exported_file_keep(
        task=task, content=export_bytes(asked), by=None, watermark=1, **described
    )
    return _measured(spent, kept.size, peak_megabytes() - before)


def _measured(spent: Spent, size: int, added: float) -> dict[str, Any]:
    python, postgresql = spent.seconds()
    found = {"python": python, "postgresql": postgresql, "seconds": python + postgresql}
    return {**found, "clock": time.monotonic() - spent.since, "bytes": size, "added": added}


def in_a_process(task_id: int, kind: str, form: str, *, is_job: bool) -> list[dict[str, Any]]:
    """Measure in a process of its own the COPY, the export, and the COPY again."""
    done = subprocess.run(
        [sys.executable, "-m", __spec__.name, "--of", str(task_id), "--what", kind, form]
        + ["--jobs"] * is_job,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    found: list[dict[str, Any]] = json.loads(done.stdout.splitlines()[-1])
    return found


def fill(blocks: int) -> int:
    """Store the judgments and what is around them; return the task."""
    from django.db import connection, transaction

    from campaign.models import Judge, User
    from tests.factories import make_campaign
    from tests.filling import Filling, filled_task

    campaign = make_campaign(f"filled-{blocks}")
    task = filled_task(campaign, Filling(blocks=blocks))
    with connection.cursor() as cursor:
        with transaction.atomic():
            cursor.execute("SET LOCAL session_replication_role = replica")
            for statement in _MORE:
                cursor.execute(statement.format(blocks=blocks, campaign=campaign.pk))
            users = User.objects.bulk_create(
                User(name=f"waiting-{number}", password="!") for number in range(blocks // 10)
            )
            Judge.objects.bulk_create(
                Judge(campaign=campaign, user=user, pseudonym=user.name) for user in users
            )
        cursor.execute("VACUUM (FREEZE, ANALYZE)")
    return task.pk


def measure(task_id: int, blocks: int, kinds: list[str], *, is_job: bool) -> None:
    """Say how long each export takes, and PostgreSQL before and after it: the machine may be shared."""
    from ranking.export.judgments.kinds import KINDS

    wanted = [(kind, form) for kind in kinds or KINDS for form in KINDS[kind].formats]
    for kind, form in wanted:
        before, found, after = in_a_process(task_id, kind, form, is_job=is_job)
        fastest = min(before["seconds"], after["seconds"])
        is_told = fastest >= _LEAST_SECONDS
        speed = f"{fastest / found['seconds']:.2f} of its speed" if is_told else "too fast to tell"
        say(
            f"{blocks:10,} blocks, {kind:12} {form:16}: {found['seconds']:6.2f} s "
            f"({found['python']:.2f} Python, {found['postgresql']:.2f} PostgreSQL; clock {found['clock']:.2f}), "
            f"{found['bytes'] / 1e6:7.1f} MB; COPY {before['seconds']:.2f} s and {after['seconds']:.2f} s, "
            f"{before['bytes'] / 1e6:.0f} MB: {speed} (wanted: 0.5); "
            f"{found['added']:4.0f} MB added (wanted: at most {MOST_MEGABYTES})"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--blocks", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--kinds", nargs="+", default=[], help="default: all")
    parser.add_argument(
        "--jobs", action="store_true", help="keep files as jobs do, not as a stream"
    )
    parser.add_argument("--of", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--what", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    with_services("tests.benchmarks.exports")
    prepare_django(has_tables=options.of is not None)
    if options.of is not None:
        kind, form = options.what
        write = stored if options.jobs else exported
        before = copied(options.of, COPIES[kind])
        found = write(options.of, kind, form)
        say(json.dumps([before, found, copied(options.of, COPIES[kind])]))
        return
    for blocks in options.blocks:
        measure(fill(blocks), blocks, options.kinds, is_job=options.jobs)


if __name__ == "__main__":
    main()
