"""Which rules judges break, beside an answer about them."""

import pytest

from annotation.judge_measures import JudgeMeasure
from annotation.models import QualityRule
from ranking.models import JudgeMeasures
from ranking.selectors.rule_effects import rules_broken
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db


def test_each_rule_is_looked_up_by_its_own_measure(writer: TestSetWriter) -> None:
    """Measures that no rule asks for are not read, and of a judge without measures nothing is known."""
    rules = {
        measure: QualityRule.objects.create(
            campaign=writer.campaign,
            measure=measure,
            direction="above",
            threshold=0.5,
            minimum=1,
            action="warn",
        )
        for measure in (JudgeMeasure.TIES, JudgeMeasure.INTER)
    }
    above = {"value": 0.9, "evidence": 40, "low": 0.8, "high": 0.95}
    below = {"value": 0.1, "evidence": 40, "low": 0.05, "high": 0.2}
    of_judges = {
        "ada": {JudgeMeasure.TIES: above, JudgeMeasure.INTER: below, JudgeMeasure.INTRA: above},
        "bo": {JudgeMeasure.INTER: above},
        "cy": {},
    }
    for name, measures in of_judges.items():
        JudgeMeasures.objects.create(task=writer.task, judge=writer.judge(name), measures=measures)
    judges = [writer.judge(name).pk for name in of_judges]
    assert rules_broken(task=writer.task, judges=judges) == {
        "ada": [rules[JudgeMeasure.TIES]],
        "bo": [rules[JudgeMeasure.INTER]],
    }
