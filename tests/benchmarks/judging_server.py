"""What a judged block costs the server: processor time of web processes and PostgreSQL together.

    python -m tests.benchmarks.judging_server [--blocks 240] [--stored 100 100000]

Eight judges take turns over kept-alive connections: each block is submitted, and the first of every
three brings the next HIT with its answer. HITs wait in the pool, as the worker keeps them; what planning them cost is
printed beside. Once with few judgments stored and once with many, of the same judges too. A machine that is busy otherwise makes
processor time longer, too: the floor, measured beside it in the same run, says by how much.
"""

import argparse
import gzip
import http.client
import json
from collections.abc import Callable
from itertools import cycle, islice
from typing import Any
from uuid import uuid4

from tests.benchmarks import say
from tests.benchmarks.web_server import (
    HOST,
    postgresql_process,
    prepare_django,
    processor_seconds,
    web_server,
    with_services,
)

JUDGES = 8
OTHERS = 42
BLOCKS_A_HIT = 3
WANTED_MS = 25.0
WARM_ROUNDS = 6
FLOOR = "tests.benchmarks.floor:application"


class JudgingBrowser:
    """As much of a judge's page as the server notices."""

    campaign = "museum"

    def __init__(self, port: int, token: str) -> None:
        self._connection = http.client.HTTPConnection(HOST, port, timeout=30)
        self._cookies: dict[str, str] = {}
        self._last: str | None = None
        self._blocks: list[dict[str, Any]] = []
        self._request("GET", f"/i/{token}/")  # for the cookie that goes with the button
        self._request("POST", f"/i/{token}/", {})
        self._request("GET", f"/judge/{self.campaign}/")

    def judge_block(self) -> None:
        if not self._blocks:
            self._take(
                self._request(
                    "POST",
                    "/api/v1/judging/assignments/",
                    {"campaign": self.campaign},
                ),
            )
        block = self._blocks.pop(0)
        body = {
            "block": block["id"],
            "labels": [1 + place % 5 for place in range(len(block["candidates"]))],
            "duration_ms": 41_000,
            "active_ms": 38_000,
            "comment": "",
        }
        if (
            len(self._blocks) == BLOCKS_A_HIT - 1
        ):  # as the page does with the last block but two
            body["after"] = self._last
        stored = self._request("PUT", f"/api/v1/judging/judgments/{uuid4()}/", body)
        if stored["next"]:
            self._take(stored["next"])

    def _take(self, hit: dict[str, Any]) -> None:
        self._last = hit["id"]
        self._blocks += hit["blocks"]

    def ask_floor(self) -> None:
        self._request("POST", "/floor/", {"block": str(uuid4())})

    def _request(self, method: str, path: str, body: object = None) -> Any:
        headers = {
            "Cookie": "; ".join(
                f"{name}={value}" for name, value in self._cookies.items()
            ),
            "Accept": "application/json",
            "Accept-Encoding": "gzip",
        }
        if body is not None:
            headers |= {
                "Content-Type": "application/json",
                "X-CSRFToken": self._cookies["csrftoken"],
            }
        self._connection.request(
            method,
            path,
            json.dumps(body) if body else None,
            headers,
        )
        response = self._connection.getresponse()
        data = response.read()
        if response.getheader("Content-Encoding") == "gzip":
            data = gzip.decompress(data)
        for name, value in response.getheaders():
            if name == "Set-Cookie":
                key, _, rest = value.partition("=")
                self._cookies[key] = rest.partition(";")[0]
        assert response.status in {200, 302}, (
            f"{path}: {response.status} {data[:300]!r}"
        )
        if response.getheader("Content-Type", "").startswith("application/json"):
            return json.loads(data)
        return None


def make_campaign() -> tuple[int, list[str]]:
    """A campaign with work for all; its test set and the judges' links."""
    from annotation.services.lending.lend import assignment_lend
    from annotation.services.planning.pool import hits_plan
    from campaign.models import InvitationRole
    from campaign.services.invitations import invitation_create
    from tests import factories

    task = factories.make_task(
        factories.make_campaign(blocks_per_judge=100_000),
        documents=(100,) * 6,
        identical=(),
    )
    tokens = []
    for number in range(JUDGES):
        judge = factories.make_judge(task.test_set.campaign, f"judge{number:02}")
        assert judge.user is not None
        _, token = invitation_create(
            campaign=judge.campaign,
            user=judge.user,
            role=InvitationRole.JUDGE,
        )
        tokens.append(token)
    for number in range(OTHERS):
        factories.make_judge(task.test_set.campaign, f"other{number:02}")
    hits_plan(task_id=task.pk, count=40)
    # The one that `store` copies has blocks once it was lent.
    assignment_lend(judge=factories.make_judge(task.test_set.campaign, "model"))
    return task.pk, tokens


# Copies of the first HIT, done, each by one of the judges: as many rows in every table as so many
# judgments leave behind.
STORE = """
WITH model AS (
    SELECT h.id AS hit, h.design_id, h.task_id FROM annotation_hit h
    WHERE h.task_id = %(task)s ORDER BY h.id LIMIT 1
), hits AS (
    INSERT INTO annotation_hit ({hit_fields} task_id, design_id, number, available_at, completed_at)
    SELECT {hit_values} task_id, design_id, 1000000 + n, now(), now()
    FROM model, generate_series(%(from)s, %(until)s) n RETURNING id, number
), blocks AS (
    INSERT INTO annotation_block ({block_fields} hit_id, segment_id, position, outputs, stands_for, public_id)
    SELECT {block_values} hits.id, b.segment_id, b.position, b.outputs, b.stands_for, gen_random_uuid()
    FROM hits, annotation_block b, model WHERE b.hit_id = model.hit RETURNING id, hit_id, segment_id, position
), judges AS (
    SELECT id, row_number() OVER (ORDER BY id) - 1 AS place FROM campaign_judge
), assignments AS (
    INSERT INTO annotation_assignment ({assignment_fields} hit_id, judge_id, public_id, lease, completed_at)
    SELECT {assignment_values} hits.id, judges.id, gen_random_uuid(), tstzrange(now() - interval '2 hours', now()), now()
    FROM hits JOIN judges ON judges.place = hits.number %% (SELECT count(*) FROM judges)
    RETURNING id, hit_id, judge_id
), exposures AS (
    INSERT INTO annotation_exposure (judge_id, segment_id, assignment_id, is_repeat)
    SELECT a.judge_id, blocks.segment_id, a.id, true
    FROM blocks JOIN assignments a ON a.hit_id = blocks.hit_id
)
INSERT INTO annotation_judgment
    (task_id, client_id, judge_id, block_id, assignment_id, labels,
     duration_ms, active_ms, comment, submitted_at)
SELECT model.task_id, gen_random_uuid(), a.judge_id, blocks.id, a.id, ARRAY[1, 2, 3, 4, 5], 40000, 35000, '', now()
FROM blocks JOIN assignments a ON a.hit_id = blocks.hit_id, model
"""

# What the trigger does, which filling passes.
UNNUMBERED = """
INSERT INTO annotation_uncountedanswer (task_id, is_skip, answer)
SELECT j.task_id, false, j.id FROM annotation_judgment j
WHERE NOT EXISTS (SELECT FROM annotation_judgmentnumber n WHERE n.judgment_id = j.id)
ON CONFLICT DO NOTHING
"""


def defaults_of(table: str, named: set[str]) -> tuple[str, str]:
    """Columns of a table that must have a value and are not named, with one that will do."""
    from django.db import connection

    values = {
        "integer": "0",
        "smallint": "0",
        "bigint": "0",
        "boolean": "false",
        "ARRAY": "'{}'",
        "jsonb": "'{}'",
        "double precision": "0",
    }
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT column_name, data_type FROM information_schema.columns WHERE table_name = %s "
            "AND is_nullable = 'NO' AND column_default IS NULL AND is_identity = 'NO'",
            [table],
        )
        rest = [
            (name, values.get(kind, "''")) for name, kind in cursor if name not in named
        ]
    return "".join(f"{name}, " for name, _ in rest), "".join(
        f"{value}, " for _, value in rest
    )


def store(task_id: int, judgments: int) -> None:
    """Fill the tables up to so many judgments, past triggers and foreign keys."""
    from django.db import connection

    from annotation.models import Judgment
    from annotation.services.numbers import judgments_number

    there = Judgment.objects.filter(task=task_id).count()
    hits = max(0, (judgments - there) // BLOCKS_A_HIT)
    hit = defaults_of(
        "annotation_hit",
        {"task_id", "design_id", "number", "available_at", "completed_at"},
    )
    block = defaults_of(
        "annotation_block",
        {"hit_id", "segment_id", "position", "outputs", "public_id"},
    )
    lent = defaults_of(
        "annotation_assignment",
        {"hit_id", "judge_id", "public_id", "lease", "completed_at"},
    )
    statement = STORE.format(
        hit_fields=hit[0],
        hit_values=hit[1],
        block_fields=block[0],
        block_values=block[1],
        assignment_fields=lent[0],
        assignment_values=lent[1],
    )
    with connection.cursor() as cursor:
        cursor.execute("SET session_replication_role = replica")
        cursor.execute(
            statement,
            {"task": task_id, "from": there, "until": there + hits},
        )
        cursor.execute("SET session_replication_role = origin")
        cursor.execute(UNNUMBERED)
    judgments_number(task_id=task_id)
    with connection.cursor() as cursor:
        # What filling left to do must not be counted below.
        cursor.execute("VACUUM (ANALYZE)")
        cursor.execute("CHECKPOINT")
        cursor.execute(
            "UPDATE annotation_judgeaccount c SET blocks_closed = %s * (SELECT count(*) FROM "
            "annotation_assignment a WHERE a.judge_id = c.judge_id AND a.completed_at IS NOT NULL)",
            [BLOCKS_A_HIT],
        )


def plan(task_id: int, blocks: int) -> float:
    """Plan HITs for so many blocks, as the worker does; return milliseconds a block."""
    import psutil

    from annotation.services.planning.pool import hits_plan

    own, database = psutil.Process(), postgresql_process()
    began = processor_seconds(database) + own.cpu_times().user
    planned = hits_plan(task_id=task_id, count=blocks // BLOCKS_A_HIT + 1)
    ended = processor_seconds(database) + own.cpu_times().user
    return 1000 * (ended - began) / (planned * BLOCKS_A_HIT)


def measure(
    tokens: list[str],
    blocks: int,
    ask: Callable[[JudgingBrowser], None] = JudgingBrowser.judge_block,
    application: str = "config.wsgi:application",
    browser: Callable[[int, str], JudgingBrowser] = JudgingBrowser,
) -> tuple[float, float]:
    """Milliseconds of web processes and of PostgreSQL for each time a judge does `ask`."""
    database = postgresql_process()
    with web_server(application) as (port, web):
        judges = [browser(port, token) for token in tokens]
        for judge in judges * WARM_ROUNDS:  # connections of each thread, caches, plans
            ask(judge)
        began = processor_seconds(web), processor_seconds(database)
        for judge in islice(cycle(judges), blocks):
            ask(judge)
        ended = processor_seconds(web), processor_seconds(database)
    spent = [
        1000 * (end - begin) / blocks for begin, end in zip(began, ended, strict=True)
    ]
    return spent[0], spent[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--blocks", type=int, default=240)
    parser.add_argument("--stored", type=int, nargs="+", default=[100, 100_000])
    options = parser.parse_args()
    with_services("tests.benchmarks.judging_server")
    prepare_django(STATIC_HASHED="0")
    from django.db import connection

    task_id, tokens = make_campaign()
    with connection.cursor() as cursor:
        cursor.execute(
            "CREATE TABLE benchmark_floor (id bigserial PRIMARY KEY, judge bigint)",
        )
        # The server is the application, which may do nothing to tables that no migration made.
        cursor.execute("GRANT INSERT ON benchmark_floor TO PUBLIC")
        cursor.execute("GRANT USAGE ON SEQUENCE benchmark_floor_id_seq TO PUBLIC")
    totals = []
    for stored in options.stored:
        store(task_id, stored)
        ahead = plan(task_id, BLOCKS_A_HIT * len(tokens) * WARM_ROUNDS + options.blocks)
        web, database = measure(tokens, options.blocks)
        totals.append(web + database)
        say(
            f"{stored:9,} judgments stored: {web + database:5.2f} ms a judged block "
            f"(web {web:.2f}, PostgreSQL {database:.2f}; wanted: at most {WANTED_MS:.0f})",
        )
        say(f"{'':9} the worker's part, ahead: {ahead:5.2f} ms a block")
        asked = measure(tokens, options.blocks, JudgingBrowser.ask_floor, FLOOR)
        say(
            f"{'':9} the floor under it: {sum(asked):5.2f} ms "
            f"(web {asked[0]:.2f}, PostgreSQL {asked[1]:.2f}): "
            "as many requests of an empty view that knows who asks and commits one row",
        )
    say(f"ratio, many to few: {totals[-1] / totals[0]:.2f}")


if __name__ == "__main__":
    main()
