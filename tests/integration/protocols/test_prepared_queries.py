"""A protocol's prepared queries return what their querysets would yield, whatever block they are asked about."""

import pytest
from django.db import transaction

from annotation.models import Assignment
from annotation.services.simulation import SimulatedJudge, campaign_simulate
from campaign.models import Output, Protocol
from tests.integration.protocols.conftest import MakeTask
from tests.integration.protocols.every import EVERY_PROTOCOL
from tests.prepared_queries import prepared_queries

pytestmark = [pytest.mark.django_db, pytest.mark.thorough]


@EVERY_PROTOCOL
def test_each_returns_what_its_queryset_yields(protocol: Protocol, make_task_of: MakeTask) -> None:
    queries = prepared_queries(f"protocols.{protocol}.")
    if not queries:
        return
    task = make_task_of(protocol)
    outputs = Output.objects.filter(segment__test_set=task.test_set).values_list("pk", flat=True)
    campaign_simulate(
        campaign=task.test_set.campaign,
        judges=[SimulatedJudge(f"sim{number}", noise=0) for number in range(4)],
        languages=["en", "de"],
        hits_each=8,
        qualities={pk: 20.0 + 7 * (pk % 11) for pk in outputs},
        seed=1,
    )
    found = set()
    for assignment in Assignment.objects.filter(hit__task=task):
        blocks = list(assignment.hit.blocks.order_by("position").values_list("pk", flat=True))
        for query in queries:
            for block in blocks:
                values = {
                    "block_id": block,
                    "block_ids": blocks,
                    "judge_id": assignment.judge_id,
                    "task_id": task.pk,
                }
                asked = {name: values[name] for name in query.fields}
                with transaction.atomic():
                    expected = list(query.queryset(**asked))
                    assert query.rows(**asked) == expected, query.name
                found.update([query.name] if expected else [])
    assert found == {query.name for query in queries}, "Each has found something."
