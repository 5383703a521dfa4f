"""A server of its own that judges when it is its turn; `judging_protocols` starts one for each protocol.

    python -m launcher run --temporary -- python -P tests/benchmarks/judging_turn.py PROTOCOL STORED ITEMS

It writes `ready`, then for each number that it reads judges so many items and writes what one took: milliseconds of the web processes and of
PostgreSQL. Before each turn all judges connect anew and judge one item that does not count, because which of two web processes takes
whose connection is chance, and differs by a tenth of what an item takes. `ITEMS` is how many there are to be in all. `block` for a protocol asks only what `judging_server` offers in versions that know no protocols.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from itertools import cycle, islice

from tests.benchmarks.judging_server import (
    BLOCKS_A_HIT,
    JUDGES,
    WARM_ROUNDS,
    JudgingBrowser,
    make_campaign,
    prepare,
    say,
    store,
)
from tests.benchmarks.web_server import (
    postgresql_process,
    prepare_django,
    processor_seconds,
    web_server,
)

BLOCK = "block"
SERVED = "config.wsgi:application"

Judges = Callable[[int], list[JudgingBrowser]]


def blocks_prepared(stored: int, items: int) -> Judges:
    """Make a campaign with ranked blocks for all."""
    task_id, tokens = make_campaign()
    store(task_id, stored)
    prepare(task_id, items)
    return lambda port: [JudgingBrowser(port, token) for token in tokens]


def items_prepared(protocol: str, stored: int, items: int) -> Judges:
    """Make a campaign with items of a protocol for all."""
    from annotation.services import hits_plan
    from annotation.services.planning.blocks import hits_prepare
    from tests.benchmarks.judging_protocols import Judging, make_world, store_answers

    task_id, tokens = make_world(protocol)
    # HITs that repeat others wait: of blind editing, two of three.
    hits_plan(task_id=task_id, count=3 * (items // BLOCKS_A_HIT + JUDGES))
    hits_prepare(task_id=task_id, count=10_000)

    def signed_in(port: int) -> list[JudgingBrowser]:
        return [Judging(port, token, protocol) for token in tokens]

    # One answer, to be copied. The server that is measured plans its statements when all is stored.
    with web_server(SERVED) as (port, _web):
        signed_in(port)[0].judge_block()
    store(task_id, stored)
    store_answers(protocol)
    return signed_in


def main() -> None:
    protocol, stored, items = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    prepare_django(STATIC_HASHED="0")
    make = blocks_prepared if protocol == BLOCK else partial(items_prepared, protocol)
    judges_of = make(stored, items + JUDGES * WARM_ROUNDS)
    database = postgresql_process()
    with web_server(SERVED) as (port, web):
        judges = judges_of(port)
        for judge in judges * WARM_ROUNDS:
            judge.judge_block()
        turn = cycle(judges)
        say("ready")
        for line in sys.stdin:
            for judge in judges:
                judge._connection.close()  # opened again by the next request
                judge.judge_block()
            count = int(line)
            began = processor_seconds(web), processor_seconds(database)
            for judge in islice(turn, count):
                judge.judge_block()
            ended = processor_seconds(web), processor_seconds(database)
            spent = (1000 * (end - begin) / count for begin, end in zip(began, ended, strict=True))
            say(" ".join(f"{each:.4f}" for each in spent))


if __name__ == "__main__":
    main()
