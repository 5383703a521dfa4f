"""What the page of each kind of analysis costs: as many queries and about as many bytes with 6,000 blocks as with 300."""

import gzip
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from campaign.models import Task
from ranking.selectors.analyses import analyses_of
from ranking.services.analyses import analysis_ask, analysis_choice, analysis_compute
from tests.benchmarks.answered_pages import QUICK
from tests.factories import make_campaign, make_organiser
from tests.filling import Filling, filled_task

pytestmark = pytest.mark.usefixtures("as_owner", "db")

FEW, MANY = 300, 6_000
#: Queries of a page, whatever was judged: session, user, member, test set, choices of judgments, answer.
QUERIES = 25
#: Bytes as they are sent, compressed: twenty systems and sixty judges, with plots.
KILOBYTES = 60


def shown(client: Client, task: Task, kind: str, options: dict[str, Any]) -> tuple[int, int]:
    """Return the queries and compressed kilobytes of the page of a question."""
    page = reverse("analysis", args=[task.test_set.campaign.slug, task.pk, kind], query=options)
    client.get(page)
    with CaptureQueriesContext(connection) as queries:
        answer = client.get(page)
    assert answer.status_code == 200
    assert "shown" in answer.context, (kind, options)
    return len(queries), len(gzip.compress(answer.content)) // 1024


def test_pages_of_all_kinds_cost_the_same_with_few_blocks_and_with_many(client: Client) -> None:
    found: dict[str, list[tuple[int, int]]] = {}
    for blocks in (FEW, MANY):
        campaign = make_campaign(f"of-{blocks}")
        task = filled_task(campaign, Filling(blocks=blocks, judges=blocks // 100, segments=120))
        client.force_login(make_organiser(campaign, f"{blocks}@example.org"))
        for kind in analyses_of(task=task):
            options = QUICK.get(kind, {})
            choice = analysis_choice(kind, options)
            analysis_compute(analysis=analysis_ask(task=task, choice=choice, is_queued=False))
            found.setdefault(kind, []).append(shown(client, task, kind, options))
    queries = {kind: [each[0] for each in costs] for kind, costs in found.items()}
    assert {kind: each for kind, each in queries.items() if len(set(each)) > 1} == {}
    assert max(each[0] for each in queries.values()) <= QUERIES, queries
    sizes = {kind: [each[1] for each in costs] for kind, costs in found.items()}
    assert {kind: each for kind, each in sizes.items() if max(each) > KILOBYTES} == {}, sizes
