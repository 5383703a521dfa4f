"""What an import costs the worker: processor seconds of its process and of PostgreSQL together.

    python -m tests.benchmarks.import_speed [--blocks 20000] [--segments 3000] [--systems 20]

First the texts of a test set, from TSV; then judgments of random blocks of five of its outputs, each by
one of sixty judges, from five-way CSV. Beside them what reading the file alone costs, which is part of
it. Last, scores of single outputs with an error each, from JSON Lines, into a task of error spans and scores.
"""

import argparse
import json
import random
import time
from collections.abc import Callable
from functools import partial
from io import BytesIO
from typing import Any

from tests.benchmarks import say
from tests.benchmarks.web_server import (
    postgresql_process,
    prepare_django,
    processor_seconds,
    with_services,
)

WANTED_BLOCKS_A_SECOND = 4_000
WANTED_SECONDS_OF_TEXTS = 5
JUDGES = 60
SHOWN = 5
WORDS = 20


class Spent:
    """Processor seconds of this process and of PostgreSQL, both 0 at the beginning."""

    def __init__(self) -> None:
        self._postgresql = postgresql_process()
        self._began = self._now()
        self.since = time.monotonic()

    def _now(self) -> tuple[float, float]:
        return time.process_time(), processor_seconds(self._postgresql)

    def seconds(self) -> tuple[float, float]:
        own, database = self._now()
        return own - self._began[0], database - self._began[1]


def texts(segments: int, systems: int) -> bytes:
    """Return a TSV with so many segments in documents of ten, twenty words a text."""
    draw = random.Random(14)
    words = [f"word{number}" for number in range(2000)]
    lines = [
        "\t".join(["document", "source", *(f"system-{n:02}" for n in range(systems))]),
    ]
    for number in range(segments):
        cells = [" ".join(draw.choices(words, k=WORDS)) for _each in range(systems + 1)]
        lines.append("\t".join([f"document {number // 10}", *cells]))
    return ("\n".join(lines) + "\n").encode()


def judgments(blocks: int, segments: int, systems: int) -> bytes:
    """Return a five-way CSV of so many blocks, no two of them alike."""
    draw = random.Random(7)
    columns = ["srclang", "trglang", "srcIndex", "documentId", "segmentId", "judgeId"]
    columns += [
        f"system{n}{field}" for n in range(1, SHOWN + 1) for field in ("Number", "Id")
    ]
    columns += [f"system{n}rank" for n in range(1, SHOWN + 1)]
    lines = [",".join(columns)]
    for _block in range(blocks):
        number = draw.randrange(segments)
        shown = [f"{n + 1},system-{n:02}" for n in draw.sample(range(systems), SHOWN)]
        place = [
            f"document {number // 10}",
            str(number % 10 + 1),
            f"judge{draw.randrange(JUDGES)}",
        ]
        ranks = [str(draw.randint(1, 5)) for _each in shown]
        lines.append(
            ",".join(["English", "German", str(number + 1), *place, *shown, *ranks]),
        )
    return ("\n".join(lines) + "\n").encode()


def scores(blocks: int, segments: int, systems: int) -> bytes:
    """Return JSON Lines of so many scored outputs, each with an error."""
    draw = random.Random(21)
    lines = []
    for second in range(blocks):
        output = {
            "systems": [f"system-{draw.randrange(systems):02}"],
            "score": draw.randrange(101),
            "spans": [{"start": 0, "end": 4, "severity": "minor"}],
        }
        values = {
            "segment": draw.randrange(segments) + 1,
            "judge": f"scorer{draw.randrange(JUDGES)}",
            "outputs": [output],
            "ended_at": 1_770_000_000 + second,
        }
        lines.append(json.dumps(values))
    return ("\n".join(lines) + "\n").encode()


def measured(work: Callable[[], Any]) -> tuple[Any, float, float]:
    """Return what comes of the work, and the processor seconds of Python and PostgreSQL."""
    spent = Spent()
    found = work()
    return (found, *spent.seconds())


def texts_import(content: bytes) -> Any:
    from campaign.formats import InputFile, read_test_set
    from campaign.importing.test_sets import test_set_create, test_set_fill
    from tests.factories import make_campaign

    test_set = test_set_create(
        campaign=make_campaign(),
        name="many",
        source_language="en",
        target_language="de",
    )
    test_set_fill(
        test_set=test_set,
        segments=read_test_set(source=InputFile("texts.tsv", BytesIO(content))),
        protocol="ranking",
    )
    return test_set


def answers_of(content: bytes, task: Any, name: str) -> Any:
    from annotation.importing.answers import answers_import
    from campaign.formats.streams import StoredFile

    return answers_import(
        task=task,
        files=[StoredFile(name, partial(BytesIO, content))],
    )


def scores_read(content: bytes) -> int:
    from campaign.formats import InputFile
    from protocols.spans.files.formats import read_spans_file

    return len(read_spans_file(InputFile("scores.jsonl", BytesIO(content)))[1])


def rows_read(content: bytes) -> int:
    from campaign.formats import read_five_way_csv

    return sum(1 for _row in read_five_way_csv(BytesIO(content), "judgments.csv"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--blocks", type=int, default=20_000)
    parser.add_argument("--segments", type=int, default=3000)
    parser.add_argument("--systems", type=int, default=20)
    options = parser.parse_args()
    with_services("tests.benchmarks.import_speed")
    prepare_django(STATIC_HASHED="0")
    from campaign.models import Protocol, Task
    from campaign.selectors.tasks import ranking_task
    from config import garbage_collect_seldom

    garbage_collect_seldom()  # as a worker does that has started
    written = texts(options.segments, options.systems)
    test_set, python, database = measured(lambda: texts_import(written))
    say(
        f"texts, {options.segments:,} segments × {options.systems} systems: {python + database:5.2f} s "
        f"(Python {python:.2f}, PostgreSQL {database:.2f}; wanted: at most {WANTED_SECONDS_OF_TEXTS})",
    )
    content = judgments(options.blocks, options.segments, options.systems)
    _rows, reading, _database = measured(lambda: rows_read(content))
    task = ranking_task(test_set=test_set)
    _done, python, database = measured(
        lambda: answers_of(content, task, "judgments.csv"),
    )
    say(
        f"judgments: {options.blocks / (python + database):7,.0f} blocks a second "
        f"(a block: Python {1e6 * python / options.blocks:.0f} µs, of it reading the file "
        f"{1e6 * reading / options.blocks:.0f}; PostgreSQL {1e6 * database / options.blocks:.0f} µs; "
        f"wanted: at least {WANTED_BLOCKS_A_SECOND:,})",
    )
    content = scores(options.blocks, options.segments, options.systems)
    _judgments, reading, _database = measured(lambda: scores_read(content))
    task = Task.objects.create(test_set=test_set, protocol=Protocol.SPANS)
    _done, python, database = measured(
        lambda: answers_of(content, task, "scores.jsonl"),
    )
    say(
        f"scored outputs: {options.blocks / (python + database):7,.0f} blocks a second "
        f"(a block: Python {1e6 * python / options.blocks:.0f} µs, of it reading the file "
        f"{1e6 * reading / options.blocks:.0f}; PostgreSQL {1e6 * database / options.blocks:.0f} µs)",
    )


if __name__ == "__main__":
    main()
