"""How fast judgments are read: ``python -m tests.benchmarks.reading [ROWS]``.

Ratios of two ways over the same bytes in memory, CPU time of all threads, best of several rounds in
which both take turns. Two comparisons: cells as values (what `csv.DictReader` gives, dictionaries of
texts, against the columns of numbers that pyarrow's become), and the same output (`Blocks` with
content keys, from these columns in compiled code and from DictReader's rows).
"""

from __future__ import annotations

import csv
import io
import sys
import time
from collections.abc import Callable, Iterator

import numpy as np

from campaign.formats import InputFile
from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows
from ranking.files import build
from ranking.files.five_way import scan_five_way
from ranking.files.pairwise import COLUMNS
from ranking.files.pairwise_scan import scan_pairwise
from ranking.files.vocabulary import Columns, Vocabulary, joined

SYSTEMS = [f"{name}-{number}" for name in ("online", "uedin-wmt", "jhu") for number in range(5)]
ROUNDS = 5


def five_way(rows: int) -> bytes:
    random = np.random.default_rng(0)
    places = range(1, 6)
    header = ["srclang", "trglang", "srcIndex", "documentId", "segmentId", "judgeId"]
    header += [f"system{place}{what}" for place in places for what in ("Number", "Id")]
    header += [f"system{place}rank" for place in places]
    lines = [",".join(header)]
    for _ in range(rows):
        segment, judge = random.integers(1, 3001), random.integers(1, 46)
        shown = random.choice(len(SYSTEMS), 5, replace=False).tolist()
        cells = [f"{system},{SYSTEMS[system]}" for system in shown]
        ranks = random.integers(1, 6, 5).tolist()
        lines.append(
            f"Czech,English,{segment},cs-en.test,{segment},judge{judge:02},"
            f"{','.join(cells)},{','.join(map(str, ranks))}"
        )
    return ("\n".join(lines) + "\n").encode()


def pairwise(rows: int) -> bytes:
    lines = [",".join(COLUMNS)]
    random = np.random.default_rng(0)
    for ranking in range(rows // 10):
        segment, judge = random.integers(1, 3001), random.integers(1, 46)
        shown = random.choice(len(SYSTEMS), 5, replace=False).tolist()
        ranks = random.integers(1, 6, 5).tolist()
        lines.extend(
            f"eng,nld,{segment},{segment},judge{judge},"
            f"{SYSTEMS[shown[p]]},{ranks[p]},{SYSTEMS[shown[q]]},{ranks[q]},{ranking}"
            for p in range(5)
            for q in range(p)
        )
    return ("\n".join(lines) + "\n").encode()


def dictionaries(data: bytes) -> int:
    with io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", newline="") as file:
        return sum(1 for _ in csv.DictReader(file))


def blocks_from_dictionaries(data: bytes) -> Blocks:
    def rows() -> Iterator[BlockRow]:
        with io.TextIOWrapper(io.BytesIO(data), encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                ranks = [int(row[f"system{place}rank"]) for place in range(1, 6)]
                yield BlockRow(
                    judge=row["judgeId"],
                    segment=int(row["srcIndex"]),
                    candidates=[row[f"system{place}Id"].split(",") for place in range(1, 6)],
                    labels=[rank if rank > 0 else None for rank in ranks],
                )

    return blocks_from_rows(rows(), SYSTEMS)


def columns(
    scan: Callable[[InputFile, Vocabulary], Iterator[Columns]], data: bytes
) -> tuple[Columns, Vocabulary]:
    vocabulary = Vocabulary()
    return joined(list(scan(InputFile("data", io.BytesIO(data)), vocabulary))), vocabulary


def blocks_compiled(data: bytes) -> Blocks:
    found, vocabulary = columns(scan_five_way, data)
    return build.blocks_of(found, SYSTEMS, list(vocabulary.judges), list(vocabulary.candidates))


def paired(ours: Callable[[], object], theirs: Callable[[], object]) -> tuple[float, float]:
    """Best CPU seconds of both, taking turns so that a busy machine slows both alike."""
    ours()  # loads pyarrow, and compiles or loads what was compiled
    best = [float("inf"), float("inf")]
    for _ in range(ROUNDS):
        for which, run in enumerate((ours, theirs)):
            start = time.process_time()
            run()
            best[which] = min(best[which], time.process_time() - start)
    return best[0], best[1]


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
    build.COMPILED_FROM = 0
    wide, narrow = five_way(rows), pairwise(rows)
    table = [
        (
            "five-way CSV, cells as values",
            paired(lambda: columns(scan_five_way, wide), lambda: dictionaries(wide)),
        ),
        (
            "pairwise CSV, cells as values, put together to blocks",
            paired(lambda: columns(scan_pairwise, narrow), lambda: dictionaries(narrow)),
        ),
        (
            "five-way CSV, Blocks with content keys",
            paired(lambda: blocks_compiled(wide), lambda: blocks_from_dictionaries(wide)),
        ),
    ]
    out = sys.stdout
    out.write(f"{rows:,} rows; microseconds a row\n")
    out.write(f"{'':54}{'pyarrow':>8}{'DictReader':>12}{'ratio':>8}\n")
    for called, (ours, theirs) in table:
        out.write(
            f"{called:54}{ours / rows * 1e6:8.2f}{theirs / rows * 1e6:12.2f}{theirs / ours:8.1f}\n"
        )


if __name__ == "__main__":
    main()
