"""Drawing the HITs of a large campaign: seconds, memory, balance, and the same bits again.

    python -m tests.benchmarks.planning [--hits 100000] [--designs uniform balanced active]

20 systems (one of them the reference), 3 blocks a HIT, 3,000 segments with some missing and some
identical outputs. Each design is drawn twice, in processes of their own, for the peak of their
memory; an active one learns from 4,500 comparisons more after every thousandth HIT. Processor
seconds, of drawing only: nothing is stored.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from hashlib import blake2b
from typing import TypedDict

import numpy as np

from annotation.sampling.parameters import DesignKind, DesignParameters
from annotation.sampling.state import DrawState, Float64Array
from tests.drawn_texts import REFERENCE, corpus, drawn, system_names

SYSTEMS = 20
SEGMENTS = 3000
LEARNS_EVERY = 1000
SECONDS_ALLOWED = 60
MEGABYTES_ALLOWED = 500


class Drawn(TypedDict):
    """What came of a run: pairs met so often at least and at most, positions that far apart."""

    seconds: float
    megabytes: float
    digest: str
    pairs: list[int]
    places: int


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def learned(state: DrawState, names: list[str], hits: int) -> DrawState:
    """The state after the judgments of so many HITs of systems evenly spread in ability."""
    ability = np.linspace(0, 2, len(names))
    judged = 30 * hits / (len(names) * (len(names) - 1) / 2)
    wins: Float64Array = np.round(
        judged / (1 + np.exp(ability[np.newaxis, :] - ability[:, np.newaxis]))
    )
    np.fill_diagonal(wins, 0)
    return state.judged(systems=names, wins=wins, ties=np.zeros_like(wins), watermark=3 * hits)


def run(kind: DesignKind, hits: int) -> Drawn:
    """Draw so many HITs in this process; what came of it."""
    names = [*system_names(SYSTEMS - 1), REFERENCE]
    texts = corpus(names, segments=SEGMENTS, missing=0.01, identical=0.02)
    parameters = DesignParameters(kind=kind, seed=2026)
    digest = blake2b(digest_size=16)
    state = DrawState.empty(names)
    # The compiled kernels are loaded once in a worker's life.
    for _ in drawn(parameters, texts, hits=1, state=state):
        pass
    begin = time.process_time()
    done = 0
    while done < hits:
        if kind is DesignKind.ACTIVE:
            state = learned(state, names, done)
        step = min(LEARNS_EVERY, hits - done)
        for plan, after in drawn(parameters, texts, hits=step, state=state, begin=done + 1):
            state = after
            digest.update(repr([block.candidates for block in plan.blocks]).encode())
        done += step
    seconds = time.process_time() - begin
    pairs = state.pair_counts[np.triu_indices(len(names), 1)]
    places = state.position_counts[:, : parameters.systems_per_block]
    return {
        "seconds": seconds,
        "megabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "digest": digest.hexdigest(),
        "pairs": [int(pairs.min()), int(pairs.max())],
        "places": int((places.max(axis=1) - places.min(axis=1)).max()),
    }


def in_a_process(kind: str, hits: int) -> Drawn:
    """`run` in a process of its own."""
    command = [sys.executable, "-m", __spec__.name, "--one", kind, "--hits", str(hits)]
    answer: Drawn = json.loads(subprocess.check_output(command))
    return answer


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hits", type=int, default=100_000)
    parser.add_argument("--designs", nargs="+", default=["uniform", "balanced", "active"])
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        say(json.dumps(run(DesignKind(options.one), options.hits)))
        return 0
    failed = False
    for kind in options.designs:
        first, again = (in_a_process(kind, options.hits) for _ in range(2))
        same = first["digest"] == again["digest"]
        failed = failed or not same
        say(
            f"{kind:9} {options.hits:,} HITs: {first['seconds']:5.1f} s, "
            f"{first['megabytes']:4.0f} MB (wanted: {SECONDS_ALLOWED} s, {MEGABYTES_ALLOWED} MB); "
            f"pairs met {first['pairs'][0]:,}–{first['pairs'][1]:,} times, "
            f"positions differ by {first['places']}; "
            f"drawn again: {'the same' if same else 'DIFFERENT'} ({first['digest']})"
        )
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
