"""Every kind of analysis and of table, from their registries: page, REST and command give the same bits for the same choice.

The figures are read off the HTML tables of the page. Each is what the report of REST shows, which is what the command
prints.
"""

from collections.abc import Callable

import numpy as np
import pytest
from django.test import Client

from annotation.services.quality import JudgeDecision, quality_action_take
from campaign.models import Campaign, Task
from campaign.services.judge_groups import (
    judge_group_create,
    judge_group_members_change,
)
from ranking.reports.analyses.kind import ProtocolAnalysis
from ranking.reports.analyses.registry import ANALYSES, TABLES
from ranking.selectors.analyses import analyses_of
from ranking.services.metrics import metric_store
from ranking.services.ranking_settings import stopping_rule_set
from ranking.services.runs import ranking_run_compute
from tests.factories import make_campaign, make_organiser
from tests.filling import Filling, filled_task
from tests.integration.machines.answering import machine_judges
from tests.integration.protocols.judging import (
    best_worst_task,
    edited_task,
    judged_task,
    quizzed_task,
    rated_task,
    scored_task,
    sorted_task,
    topped_task,
)
from tests.integration.ranking.three_ways import (
    Given,
    OfCampaign,
    OfTask,
    assert_same_bits,
)
from tests.integration.ranking.two_tasks import two_tasks
from tests.integration.ranking.writing import TestSetWriter

pytestmark = [pytest.mark.usefixtures("as_owner", "db"), pytest.mark.thorough]


#: One choice of each kind that is not the default. A new kind needs an entry here; without options, an empty one.
OTHERWISE: dict[str, Given] = {
    "ranking": {
        "method": "bradley_terry",
        "resample": "blocks",
        "reference": "include",
    },
    "pairs": {"ties": "count", "resample": "pairs"},
    "system": {"system": "system-02", "confidence": 0.9},
    "firmness": {"method": "bojar"},
    "stopping": {"experiments": 40, "limit": 2000, "seed": 1},
    "methods": {"methods": ["bojar", "geq_others"], "accuracy": True, "folds": 2},
    "beside": {"method": "bojar", "resamples": 200, "confidence": 0.9},
    "metric_orders": {"method": "bojar", "resamples": 200, "confidence": 0.9},
    "metrics": {"method": "bojar", "resamples": 200, "confidence": 0.9},
    "predicted_ranking": {"resamples": 200, "confidence": 0.9},
    "agreement": {"chance": "cohen", "by_reference": True, "reference": "include"},
    "agreement_by": {"chance": "uniform", "fewest": 1, "resamples": 200},
    "diagnosis": {"skipped_blocks": "count", "rounded": True},
    "remarks": {"confidence": 0.9},
    "judges": {"deviations": 0.5, "minimum": 1},
    "judge_pairs": {"judge": "judge0001", "other": "judge0002"},
    "machines": {"epsilon": 0.1, "confidence": 0.9},
    "without": {
        "leave_out": ["judge0001", "judge0002"],
        "method": "bojar",
        "resamples": 200,
    },
}


#: The same of the kinds of protocols, each of which is asked of a task of its own.
OTHERWISE_OF_PROTOCOLS: dict[str, Given] = {
    "editing": {"fewest": 2, "acceptances": "mean", "confidence": 0.9},
    "quiz": {"confidence": 0.9, "reference": "include"},
    "rating": {
        "merge": True,
        "standardise": True,
        "easy": ["1", "2 ember"],
        "easy_below": 3,
        "deviations": 0.5,
        "by_difference": True,
    },
    "sorting": {"test": "exact", "error": "two_way", "correction": "holm"},
    "spans": {
        "measure": "mqm",
        "rule": "wmt25",
        "level": "segments",
        "compare": "judge",
    },
    "top": {"confidence": 0.9, "documents": ["document 1"]},
    "best_worst": {"confidence": 0.9},
    "two_outputs": {
        "system_x": "ember",
        "system_y": "dune",
        "judge": "cleo",
        "other": "ada",
    },
}


WORLDS_OF_PROTOCOLS: dict[str, Callable[[Campaign], Task]] = {
    "editing": edited_task,
    "quiz": quizzed_task,
    "rating": rated_task,
    "sorting": sorted_task,
    "spans": scored_task,
    "top": topped_task,
    "best_worst": best_worst_task,
    "two_outputs": judged_task,
}


TABLES_OTHERWISE: dict[str, Given] = {
    "collected": {},
    "clusters": {"method": "bojar", "resamples": 200, "confidence": 0.9},
    "agreement": {"skipped_blocks": "count", "resamples": 200, "seed": 1},
    "methods": {"methods": ["bojar", "expected_wins"], "resamples": 200},
    "average-ranks": {"method": "bojar", "resamples": 200},
}


@pytest.fixture
def task(client: Client) -> Task:
    """A filled test set with an excluded judge, a group of judges, a metric, a machine judge and a stopping rule, beside a small one."""
    campaign = make_campaign()
    filling = Filling(blocks=180, systems=5, segments=36, judges=5)
    task = filled_task(campaign, filling)
    organiser = make_organiser(campaign)
    judges = list(campaign.judges.order_by("pk"))
    judge_group_members_change(
        group=judge_group_create(campaign=campaign, name="experts"),
        add=judges[:3],
    )
    stopping_rule_set(task=task, judgments=1000, reason="Money ends.")
    quality_action_take(
        judge=judges[4],
        task=task,
        decision=JudgeDecision(action="exclude", user=organiser),
    )
    other = TestSetWriter(
        campaign,
        "small",
        ["system-00", "system-01", "system-02", "new"],
    )
    with other.at_once():
        for segment in range(1, 9):
            block = other.block(segment, ["system-00", "system-01", "system-02", "new"])
            other.judgment("judge0000", block, [1, 2, 3, 4])
            other.judgment(
                "judge0001",
                block,
                [2, 1, 4, 3] if segment % 3 == 0 else [1, 3, 2, 4],
            )
    metric_store(
        test_set=task.test_set,
        name="COMET",
        file_name="scores.tsv",
        systems=[f"system-{number:02}" for number in range(5)],
        values=np.random.default_rng(1).normal(range(5), 2, (36, 5)),
    )
    machine_judges(campaign, task, asked_twice=False)
    for each in (task, other.task):
        ranking_run_compute(task_id=each.pk)
    client.force_login(organiser)
    return task


def test_every_kind_of_analysis(
    task: Task,
    client: Client,
    subtests: pytest.Subtests,
) -> None:
    for kind in analyses_of(task=task):
        with subtests.test(kind=kind, **OTHERWISE[kind]):
            assert bool(OTHERWISE[kind]) is bool(ANALYSES[kind].options)
            assert assert_same_bits(OfTask(client, kind, task), OTHERWISE[kind])


def test_every_kind_of_analysis_of_protocols(
    client: Client,
    subtests: pytest.Subtests,
) -> None:
    kinds = [
        name for name, kind in ANALYSES.items() if isinstance(kind, ProtocolAnalysis)
    ]
    assert kinds == list(OTHERWISE_OF_PROTOCOLS) == list(WORLDS_OF_PROTOCOLS)
    for kind, given in OTHERWISE_OF_PROTOCOLS.items():
        task = WORLDS_OF_PROTOCOLS[kind](make_campaign(kind.replace("_", "-")))
        client.force_login(
            make_organiser(task.test_set.campaign, f"{kind}@example.org"),
        )
        with subtests.test(kind=kind, **given):
            assert assert_same_bits(OfTask(client, kind, task), given)


def test_tasks_beside_each_other(client: Client, subtests: pytest.Subtests) -> None:
    task = two_tasks(make_campaign())
    client.force_login(make_organiser(task.test_set.campaign))
    for each in task.test_set.tasks.order_by("pk"):
        with subtests.test(task=each.protocol, **OTHERWISE["beside"]):
            assert assert_same_bits(OfTask(client, "beside", each), OTHERWISE["beside"])


def test_every_table_of_a_campaign(
    task: Task,
    client: Client,
    subtests: pytest.Subtests,
) -> None:
    for kind in TABLES:
        with subtests.test(kind=kind, **TABLES_OTHERWISE[kind]):
            assert bool(TABLES_OTHERWISE[kind]) is bool(TABLES[kind].options)
            ways = OfCampaign(client, kind, task.test_set.campaign)
            assert assert_same_bits(ways, TABLES_OTHERWISE[kind])
