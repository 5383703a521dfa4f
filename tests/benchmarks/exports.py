"""Exports of judgments beside a raw COPY of the same rows: processor seconds, and memory that is added.

    python -m tests.benchmarks.exports [--blocks 100000 1000000]

A test set of 20 systems, 3,000 segments and 60 judges is stored for each number of blocks (`tests.filling`). A process of
its own writes each file to nowhere, as a stream, and once more as a job that keeps it. Beside it PostgreSQL copies the same
rows in the order of their numbers: judgments joined with blocks, segments and judges, for the comparisons a row for each
pair of outputs, and of the other kinds their own tables. Every export should be at least half as fast as the COPY, and add
at most 150 MB. Seconds are of the processor, of Python and PostgreSQL, so that a machine that is shared tells them, too.
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
from tests.benchmarks.web_server import peak_megabytes, prepare_django, with_services

MOST_MEGABYTES: Final = 150
FORMATS: Final = (
    ("counted", "five-way-csv"),
    ("counted", "jsonl"),
    ("counted", "parquet"),
    ("counted", "appraise-xml"),
    ("comparisons", "pairwise-csv"),
    ("judgments", "jsonl"),
    ("judgments", "csv"),
    ("judgments", "parquet"),
    ("assignments", "jsonl"),
    ("assignments", "csv"),
    ("assignments", "parquet"),
    ("skips", "jsonl"),
    ("texts", "jsonl"),
)
_COPY: Final = """
COPY (
    SELECT number.number, segment.number, document.name, segment.position, judge.pseudonym, block.outputs,
           block.stands_for, judgment.labels, judgment.duration_ms
    FROM annotation_judgmentnumber number
    JOIN annotation_judgment judgment ON judgment.id = number.judgment_id
    JOIN annotation_block block ON block.id = judgment.block_id
    JOIN campaign_segment segment ON segment.id = block.segment_id
    JOIN campaign_document document ON document.id = segment.document_id
    JOIN campaign_judge judge ON judge.id = judgment.judge_id
    WHERE number.task_id = {task} AND block.control = ''
    ORDER BY number.number
) TO STDOUT (FORMAT csv)
"""
_COPY_OF_PAIRS: Final = """
COPY (
    SELECT number.number, segment.number, judge.pseudonym, block.outputs[one], judgment.labels[one],
           block.outputs[other], judgment.labels[other]
    FROM annotation_judgmentnumber number
    JOIN annotation_judgment judgment ON judgment.id = number.judgment_id
    JOIN annotation_block block ON block.id = judgment.block_id
    JOIN campaign_segment segment ON segment.id = block.segment_id
    JOIN campaign_judge judge ON judge.id = judgment.judge_id
    CROSS JOIN LATERAL generate_subscripts(block.outputs, 1) one
    CROSS JOIN LATERAL generate_series(one + 1, cardinality(block.outputs)) other
    WHERE number.task_id = {task} AND block.control = ''
    ORDER BY number.number
) TO STDOUT (FORMAT csv)
"""

_COPY_OF_ASSIGNMENTS: Final = """
COPY (
    SELECT assignment.id, assignment.public_id, hit.number, judge.pseudonym, assignment.ordinal, lower(assignment.lease),
           upper(assignment.lease), assignment.completed_at, assignment.released_at
    FROM annotation_assignment assignment
    JOIN annotation_hit hit ON hit.id = assignment.hit_id
    JOIN campaign_judge judge ON judge.id = assignment.judge_id
    WHERE hit.task_id = {task}
    ORDER BY assignment.id
) TO STDOUT (FORMAT csv)
"""
_COPY_OF_SKIPS: Final = """
COPY (
    SELECT skip.id, skip.client_id, judge.pseudonym, segment.number, document.name, block.control, skip.reason, skip.comment,
           skip.duration_ms, skip.active_ms, skip.created_at
    FROM annotation_skip skip
    JOIN annotation_block block ON block.id = skip.block_id
    JOIN campaign_segment segment ON segment.id = block.segment_id
    JOIN campaign_document document ON document.id = segment.document_id
    JOIN campaign_judge judge ON judge.id = skip.judge_id
    WHERE skip.task_id = {task}
    ORDER BY skip.id
) TO STDOUT (FORMAT csv)
"""
_COPY_OF_TEXTS: Final = """
COPY (
    SELECT document.name, segment.position, segment.source_text, system.name, output.text
    FROM campaign_output output
    JOIN campaign_segment segment ON segment.id = output.segment_id
    JOIN campaign_document document ON document.id = segment.document_id
    JOIN campaign_system system ON system.id = output.system_id
    JOIN campaign_task task ON task.test_set_id = segment.test_set_id
    WHERE task.id = {task}
    ORDER BY segment.number, system.id
) TO STDOUT (FORMAT csv)
"""
_COPIES: Final = {
    "judgments": _COPY,
    "counted": _COPY,
    "comparisons": _COPY_OF_PAIRS,
    "assignments": _COPY_OF_ASSIGNMENTS,
    "skips": _COPY_OF_SKIPS,
    "texts": _COPY_OF_TEXTS,
}


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
        cursor.copy_expert(statement.format(task=task_id), sink)
    return _measured(spent, sink.written, 0.0)


def exported(task_id: int, kind: str, file_format: str) -> dict[str, Any]:
    """Write an export to nowhere."""
    from campaign.models import Task
    from ranking.export.judgments.asked import export_asked
    from ranking.export.judgments.making import export_bytes

    task = Task.objects.select_related("test_set__campaign").get(pk=task_id)
    # What is loaded once a process is no memory of the export.
    for _part in export_bytes(
        export_asked(task=task, kind=kind, file_format=file_format, watermark=1)
    ):
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


def in_a_process(task_id: int, *what: str) -> dict[str, Any]:
    """Measure something in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", __spec__.name, "--of", str(task_id), "--what", *what],
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def fill(blocks: int) -> int:
    """Store the judgments; return the task."""
    from tests.factories import make_campaign
    from tests.filling import Filling, filled_task

    return filled_task(make_campaign(f"filled-{blocks}"), Filling(blocks=blocks)).pk


def measure(task_id: int, blocks: int) -> None:
    """Say how long each export takes, and PostgreSQL before and after it: the machine may be shared."""
    for kind, form in FORMATS:
        before = in_a_process(task_id, kind)
        found = in_a_process(task_id, kind, form)
        after = in_a_process(task_id, kind)
        job = in_a_process(task_id, kind, form, "job")
        fastest = min(before["seconds"], after["seconds"])
        say(
            f"{blocks:10,} blocks, {kind:11} {form:12}: {found['seconds']:7.2f} s "
            f"({found['python']:.2f} Python, {found['postgresql']:.2f} PostgreSQL; clock {found['clock']:.2f}), "
            f"{found['bytes'] / 1e6:7.1f} MB; COPY {before['seconds']:.2f} s and {after['seconds']:.2f} s, "
            f"{before['bytes'] / 1e6:.0f} MB: {fastest / found['seconds']:5.2f} of its speed (wanted: 0.5); "
            f"{found['added']:4.0f} MB added, by a job {job['added']:.0f} (wanted: at most {MOST_MEGABYTES})"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--blocks", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--of", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--what", nargs="+", default=[], help=argparse.SUPPRESS)
    options = parser.parse_args()
    with_services("tests.benchmarks.exports")
    prepare_django()
    if options.of is not None:
        kind, *form = options.what
        if form[1:]:
            found = stored(options.of, kind, form[0])
        else:
            found = exported(options.of, kind, *form) if form else copied(options.of, _COPIES[kind])
        say(json.dumps(found))
        return
    for blocks in options.blocks:
        task_id = fill(blocks)
        measure(task_id, blocks)


if __name__ == "__main__":
    main()
