"""A prepared query of a page of organisers returns what its queryset would yield."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from annotation.judge_measures import JudgeMeasure
from annotation.models import (
    Judgment,
    JudgmentSequence,
    ProblemReport,
    QualityActionKind,
    Skip,
)
from annotation.services import quality_action_take
from campaign.models import User
from ranking.models import JudgeMeasures
from ranking.tasks import rank_task
from ranking.urls import urlpatterns
from tests.integration.ranking.twelve_judges import judges_judge
from tests.integration.ranking.writing import TestSetWriter
from tests.prepared_queries import prepared_queries

pytestmark = pytest.mark.django_db


@pytest.mark.thorough
def test_all_of_them_return_what_their_queryset_yields(
    writer: TestSetWriter, organiser: User
) -> None:
    assert urlpatterns
    judges_judge(writer)
    one, other, excluded = writer.campaign.judges.order_by("pseudonym")[:3]
    block = writer.block(13, ["A", "B"])
    said = {"task": writer.task, "block": block, "comment": "Cut off."}
    ProblemReport.objects.create(**said, client_id=uuid4(), judge=one, kind="source")
    Skip.objects.create(**said, client_id=uuid4(), judge=one, reason="other")
    Judgment.objects.create(**said, client_id=uuid4(), judge=other, labels=[1, 2])
    quality_action_take(
        judge=excluded,
        task=writer.task,
        action=QualityActionKind.EXCLUDE,
        user=organiser,
    )
    rank_task(writer.task.pk)
    JudgeMeasures.objects.filter(judge=one).update(
        measures={JudgeMeasure.DISAGREES: {"value": 0.0001, "number": 12}}
    )
    values = {
        "task_id": writer.task.pk,
        "campaign_id": writer.campaign.pk,
        "slug": writer.campaign.slug,
        "user_id": organiser.pk,
        "judges": list(writer.campaign.judges.values_list("pk", flat=True)),
        "since": timezone.now() - timedelta(minutes=30),
        "watermark": JudgmentSequence.objects.get(task=writer.task).last_number,
        "without": [excluded.pseudonym],
    }
    found = set()
    for query in prepared_queries("ranking."):
        asked = {name: values[name] for name in query.fields}
        expected = sorted(query.queryset(**asked), key=repr)
        assert sorted(query.rows(**asked), key=repr) == expected, query.name
        found.update([query.name] if expected else [])
    assert found == {query.name for query in prepared_queries("ranking.")}
