"""Planning the HITs of a large campaign: seconds, memory, balance, and the same bits again.

    python -m tests.benchmarks.planning [--hits 100000] [--designs uniform balanced active]

20 systems (one of them the reference), 3 blocks a HIT, 3,000 segments with some missing and some
identical outputs; an active design learns from 4,500 comparisons more after every thousandth HIT.
Each design is drawn in memory alone, and planned and stored as the worker does it, on a PostgreSQL
of its own; in processes of their own, for the peak of their memory. What is read back from the
database must be what was drawn, bit for bit. Processor seconds, of PostgreSQL too where HITs are
stored; beside them what the clock said, which other work on the machine makes longer.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from hashlib import blake2b
from typing import TypedDict

import numpy as np
import psutil

from annotation.sampling.corpus import SegmentOutputs
from annotation.sampling.parameters import DesignKind, DesignParameters
from annotation.sampling.plans import HITPlan
from annotation.sampling.state import DrawState, Float64Array
from tests.benchmarks.web_server import (
    peak_megabytes,
    postgresql_process,
    prepare_django,
    processor_seconds,
)
from tests.drawn_texts import REFERENCE, corpus, drawn, system_names

NAMES = (*system_names(19), REFERENCE)
SEGMENTS = 3000
SYSTEMS_PER_BLOCK = 5
LEARNS_EVERY = 1000
SECONDS_ALLOWED = 60
MEGABYTES_ALLOWED = 500


class Planned(TypedDict):
    """What came of a run: pairs met so often at least and at most, positions that far apart."""

    seconds: float
    of_database: float
    wall: float
    megabytes: float
    digest: str
    pairs: list[int]
    places: int


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def learned(state: DrawState, hits: int) -> DrawState:
    """The state after the judgments of so many HITs of systems evenly spread in ability."""
    ability = np.linspace(0, 2, len(NAMES))
    judged = 30 * hits / (len(NAMES) * (len(NAMES) - 1) / 2)
    wins: Float64Array = np.round(
        judged / (1 + np.exp(ability[np.newaxis, :] - ability[:, np.newaxis]))
    )
    np.fill_diagonal(wins, 0)
    return state.judged(systems=NAMES, wins=wins, ties=np.zeros_like(wins), watermark=3 * hits)


def parameters_of(kind: DesignKind) -> DesignParameters:
    return DesignParameters(kind=kind, seed=2026, systems_per_block=SYSTEMS_PER_BLOCK)


def texts_made() -> dict[int, SegmentOutputs]:
    return corpus(NAMES, segments=SEGMENTS, missing=0.01, identical=0.02)


class Digest:
    """Of the outputs behind the candidates of HITs, in order."""

    def __init__(self) -> None:
        self._hash = blake2b(digest_size=16)

    def add(self, plan: HITPlan) -> None:
        self._hash.update(repr([block.candidates for block in plan.blocks]).encode())

    def hexdigest(self) -> str:
        return self._hash.hexdigest()


class Spent:
    """Processor seconds of this process and of PostgreSQL, and what a clock on the wall says."""

    seconds = of_database = wall = 0.0

    def __init__(self, database: psutil.Process | None = None) -> None:
        self._database = database

    def __enter__(self) -> Spent:
        self._begun = self._now()
        return self

    def __exit__(self, *_error: object) -> None:
        ended = self._now()
        self.seconds += ended[0] - self._begun[0]
        self.of_database += ended[1] - self._begun[1]
        self.wall += ended[2] - self._begun[2]

    def _now(self) -> tuple[float, float, float]:
        database = 0.0 if self._database is None else processor_seconds(self._database)
        return time.process_time(), database, time.monotonic()


def planned(state: DrawState, plans: Digest, spent: Spent) -> Planned:
    """What came of it, as far as `state` and the clocks know."""
    pairs = state.pair_counts[np.triu_indices(len(state.systems), 1)]
    places = state.position_counts[:, :SYSTEMS_PER_BLOCK]
    return {
        "seconds": spent.seconds,
        "of_database": spent.of_database,
        "wall": spent.wall,
        "megabytes": peak_megabytes(),
        "digest": plans.hexdigest(),
        "pairs": [int(pairs.min()), int(pairs.max())],
        "places": int((places.max(axis=1) - places.min(axis=1)).max()),
    }


def draw(kind: DesignKind, hits: int) -> Planned:
    """Draw so many HITs in this process; what came of it."""
    texts, parameters, digest = texts_made(), parameters_of(kind), Digest()
    state = DrawState.empty(NAMES)
    # The compiled kernels are loaded once in a worker's life.
    for _ in drawn(parameters, texts, hits=1, state=state):
        pass
    with Spent() as spent:
        for done in range(0, hits, LEARNS_EVERY):
            if kind is DesignKind.ACTIVE:
                state = learned(state, done)
            step = min(LEARNS_EVERY, hits - done)
            for plan, after in drawn(parameters, texts, hits=step, state=state, begin=done + 1):
                state = after
                digest.add(plan)
    return planned(state, digest, spent)


def store(kind: DesignKind, hits: int) -> Planned:
    """Plan so many HITs as the worker does, in the database that the environment names."""
    prepare_django()
    from django.utils import timezone

    from annotation.models import HIT, HITSequence
    from annotation.selectors.corpus import TestSetTexts
    from annotation.selectors.planned import plans_read
    from annotation.services import hits_plan, sampling_state_record
    from tests.benchmarks.stored_corpus import corpus_store

    # A kernel that was never compiled before is, once on a machine.
    list(drawn(parameters_of(kind), texts_made(), hits=1, state=DrawState.empty()))
    task = corpus_store(texts_made(), parameters_of(kind), document=30)
    with Spent(postgresql_process()) as spent:
        texts = TestSetTexts(task, at=timezone.now())
        for done in range(0, hits, LEARNS_EVERY):
            if kind is DesignKind.ACTIVE:
                known = learned(DrawState.empty(NAMES), done)
                sampling_state_record(
                    task_id=task.pk,
                    watermark=known.watermark,
                    systems=known.systems,
                    wins=known.wins.tolist(),
                    ties=known.ties.tolist(),
                )
            step = min(LEARNS_EVERY, hits - done)
            hits_plan(task_id=task.pk, count=step, texts=texts)
    digest = Digest()
    rows = list(HIT.objects.order_by("number").values_list("pk", flat=True))
    for begin in range(0, len(rows), LEARNS_EVERY):
        plans = plans_read(rows[begin : begin + LEARNS_EVERY])
        for plan in sorted(plans.values(), key=lambda plan: plan.number):
            digest.add(plan)
    state = DrawState.from_json(HITSequence.objects.get(task=task).state)
    return planned(state, digest, spent)


def in_a_process(what: str, kind: str, hits: int) -> Planned:
    """`draw` or `store` in a process of its own, `store` with a database of its own."""
    command = [sys.executable, "-m", __spec__.name, "--one", what, kind, "--hits", str(hits)]
    if what == "store":
        command = [sys.executable, "-m", "launcher", "run", "--temporary", "--", *command]
    answer: Planned = json.loads(subprocess.check_output(command, text=True).splitlines()[-1])
    return answer


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hits", type=int, default=100_000)
    parser.add_argument("--designs", nargs="+", default=["uniform", "balanced", "active"])
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        what, kind = options.one
        say(json.dumps({"draw": draw, "store": store}[what](DesignKind(kind), options.hits)))
        return 0
    failed = False
    say(f"{options.hits:,} HITs; wanted: {SECONDS_ALLOWED} s, {MEGABYTES_ALLOWED} MB")
    for kind in options.designs:
        alone, stored = (in_a_process(what, kind, options.hits) for what in ("draw", "store"))
        same = alone["digest"] == stored["digest"]
        failed = failed or not same
        say(
            f"{kind:9} drawn {alone['seconds']:5.1f} s, {alone['megabytes']:4.0f} MB; "
            f"drawn and stored {stored['seconds'] + stored['of_database']:5.1f} s "
            f"(worker {stored['seconds']:.1f}, PostgreSQL {stored['of_database']:.1f}; "
            f"by the clock {stored['wall']:.1f}), {stored['megabytes']:4.0f} MB; "
            f"pairs met {stored['pairs'][0]:,}–{stored['pairs'][1]:,} times, "
            f"positions differ by {stored['places']}; "
            f"read back: {'the same' if same else 'DIFFERENT'} ({alone['digest']})"
        )
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
