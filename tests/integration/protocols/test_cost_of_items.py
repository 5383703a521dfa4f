"""A judged item of any protocol takes few queries more than a ranked block, and no more after a hundred others."""

from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from annotation.models import Assignment, Judgment
from annotation.selectors.judging import assigned_blocks
from annotation.services.planning.pool import pool_fill
from annotation.services.simulation import (
    SimulatedJudge,
    SimulatedWork,
    campaign_simulate,
)
from campaign.models import Output, Protocol, Task
from tests.factories import make_judge
from tests.integration.protocols.conftest import MakeTask
from tests.integration.protocols.every import FINE, POOR, said_about

# As in a request: storing is a transaction of its own.
pytestmark = pytest.mark.django_db(transaction=True)

JUDGING = "/api/v1/judging"
#: Queries of a request that stores a ranked block: session, user and block; the lock, the blocks of the HIT and their
#: judgments; the judgment itself; and the request for a ranking.
OF_A_BLOCK = 13
#: Further queries of an item; the stored answer is returned without reading it.
MORE: dict[Protocol, int] = {
    Protocol.RANKING: 0,
    Protocol.TOP: 0,
    Protocol.SORTING: 0,
    # The stored answer, and …
    Protocol.TWO_OUTPUTS: 1,
    # … whether adequacy has begun, after which fluency cannot change;
    Protocol.RATING: 2,
    # … what was suggested to the judge, and the lengths of the texts;
    Protocol.SPANS: 3,
    # … the output to be edited, and whether another judge has received the edit;
    Protocol.EDITING: 2,
    # … the number of statements.
    Protocol.QUIZ: 2,
}
#: Further queries of an item after others judged: editing looks up the edit it asks about.
MORE_LATE: dict[Protocol, int] = MORE | {Protocol.EDITING: 3}
#: Items judged by others between the first and the last one; three snippets have at most 63 readings.
OF_OTHERS = {Protocol.QUIZ: 40}


def queries_of_an_item(task: Task, name: str) -> int:
    """Let a new judge judge two items; return the queries of the second, because the first fills caches."""
    pool_fill(task_id=task.pk)
    judge = make_judge(task.test_set.campaign, name)
    assert judge.user is not None
    client = Client()
    client.force_login(judge.user)
    lent = client.post(
        f"{JUDGING}/assignments/",
        {},
        content_type="application/json",
    ).json()
    # Poor outputs always have an error to mark.
    qualities = POOR if task.protocol == Protocol.SPANS else FINE
    first, second, *_ = assigned_blocks(Assignment.objects.get(public_id=lent["id"]))
    for block in (first, second):
        body = {"block": str(block.public_id), **said_about(block, qualities)}
        address = f"{JUDGING}/judgments/{uuid4()}/"
        with CaptureQueriesContext(connection) as queries:
            answer = client.put(address, body, content_type="application/json")
        assert answer.status_code == 200, answer.content
    return len(queries)


def judged_by_others(task: Task, at_least: int) -> None:
    outputs = Output.objects.filter(segment__test_set=task.test_set).values_list(
        "pk",
        flat=True,
    )
    qualities = {pk: 20.0 + 7 * (pk % 11) for pk in outputs}
    number = 0
    while (given := Judgment.objects.filter(task=task)).count() < at_least:
        assert number < 60, f"{task.protocol}: no work after {given.count()} judgments"
        number += 1
        campaign_simulate(
            campaign=task.test_set.campaign,
            judges=[SimulatedJudge(f"sim{number:02}", noise=0)],
            languages=["en", "de"],
            work=SimulatedWork(hits_each=4, qualities=qualities, seed=number),
        )


@pytest.mark.parametrize(
    "protocol",
    [
        pytest.param(
            each,
            marks=() if each == Protocol.RATING else pytest.mark.thorough,
        )
        for each in Protocol
    ],
)
def test_an_item_takes_the_queries_of_a_block_however_many_there_were(
    protocol: Protocol,
    make_task_of: MakeTask,
) -> None:
    task = make_task_of(protocol)
    assert queries_of_an_item(task, "early") == OF_A_BLOCK + MORE[protocol]
    judged_by_others(task, at_least=OF_OTHERS.get(protocol, 100))
    assert queries_of_an_item(task, "late") == OF_A_BLOCK + MORE_LATE[protocol]
