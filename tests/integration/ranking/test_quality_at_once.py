"""A rule that is added while judges are measured acts with that measurement or is due afterwards."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection, transaction

from annotation.selectors.judges import JudgeStatus, judge_status
from annotation.services.quality import RuleTerms, quality_rule_add
from campaign.models import Campaign, Judge
from ranking.selectors.judges import quality_due
from ranking.services.quality import quality_evaluate
from ranking.services.runs import ranking_run_compute
from tests.conftest import Eventually
from tests.integration.ranking.writing import TestSetWriter
from tests.locks import somebody_waits_for_a_lock

TERMS = RuleTerms(
    measure="one_label",
    direction="above",
    threshold=0.5,
    minimum=20,
    action="warn",
)


@pytest.mark.django_db(transaction=True)
def test_a_rule_committed_after_the_measurement_began_is_not_missed(
    writer: TestSetWriter,
    campaign: Campaign,
    eventually: Eventually,
) -> None:
    with writer.at_once():
        for segment in range(1, 25):
            block = writer.block(segment, ["A", "B", "C"])
            writer.judgment("careful", block, [1, 2, 3])
            writer.judgment("careless", block, [1, 1, 1])
    run = ranking_run_compute(task_id=writer.task.pk)
    assert run is not None

    def measure() -> bool:
        try:
            return quality_evaluate(run=run)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            quality_rule_add(campaign=campaign, terms=TERMS, user=None)
            measured = pool.submit(measure)
            eventually(lambda: measured.done() or somebody_waits_for_a_lock())
        assert measured.result(timeout=30)
    careless = Judge.objects.get(pseudonym="careless")
    assert judge_status(careless) == JudgeStatus.WARNED or quality_due() == [run]
