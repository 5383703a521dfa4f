"""Adequacy rated by other judges than fluency, a rule of a task."""

import json
from collections import Counter, defaultdict
from io import StringIO
from pathlib import Path
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from annotation.models import HIT, Exposure, Judgment
from annotation.selectors.hits import plans_read
from annotation.selectors.judges_needed import judges_needed
from annotation.selectors.judging import assigned_blocks
from annotation.services.numbers import judgments_number
from annotation.services.planning.pool import pool_fill
from annotation.services.simulation import (
    SimulatedJudge,
    SimulatedWork,
    campaign_simulate,
)
from annotation.services.submission import SentJudgment, judgment_submit
from campaign.models import Output, Protocol, Task
from protocols.models import RatingAnswer
from ranking.selectors.analyses import output_scores
from ranking.selectors.chosen_judgments import judgments_chosen
from ranking.services.analyses import analysis_choice
from tests.at_work import lend
from tests.factories import make_judge
from tests.integration.protocols.conftest import MakeTask
from tests.redrawn_hits import hit_redraw

pytestmark = pytest.mark.django_db

BY_OTHERS = {"adequacy_by_others": True, "raters": 1}


@pytest.fixture
def task(make_task_of: MakeTask) -> Task:
    """11 segments of up to seven systems, each text for one judge by each criterion."""
    return make_task_of(Protocol.RATING, rules=BY_OTHERS)


def judged_by(task: Task, judges: int, *, hits_each: int = 4) -> int:
    """Let this many judges rate all they are lent."""
    outputs = Output.objects.filter(segment__test_set=task.test_set)
    return campaign_simulate(
        campaign=task.test_set.campaign,
        judges=[SimulatedJudge(f"sim{number:02}", noise=0) for number in range(judges)],
        languages=["en", "de"],
        work=SimulatedWork(
            hits_each=hits_each,
            qualities={
                pk: 20.0 + 7 * (pk % 11) for pk in outputs.values_list("pk", flat=True)
            },
            seed=3,
        ),
    )


@pytest.mark.thorough
def test_judge_of_fluency_does_not_rate_adequacy_of_the_segment(task: Task) -> None:
    [needed] = judges_needed([task])
    assert not needed.is_feasible
    # With a few more judges than needed, all is done in whatever order they ask.
    assert judged_by(task, 18) > 50
    criteria = defaultdict(set)
    times: Counter[tuple[str, tuple[int, ...]]] = Counter()
    for judge, segment, outputs, [criterion] in RatingAnswer.objects.values_list(
        *("judgment__judge", "judgment__block__segment"),
        *("judgment__block__outputs", "criteria"),
    ):
        criteria[judge, segment].add(criterion)
        times[criterion, tuple(outputs)] += 1
    assert {len(each) for each in criteria.values()} == {1}
    # Each text has one rating by each criterion.
    assert set(times.values()) == {1}
    texts = [outputs for criterion, outputs in times if criterion == "fluency"]
    assert sorted(texts) == sorted(
        each for criterion, each in times if criterion == "adequacy"
    )
    assert not HIT.objects.filter(task=task, completed_at=None).exists()


@pytest.mark.thorough
def test_judges_are_shown_what_each_criterion_shows(task: Task, client: Client) -> None:
    shown = set()
    for number in range(16):
        judge = make_judge(task.test_set.campaign, f"judge{number:02}")
        assert judge.user is not None
        client.force_login(judge.user)
        pool_fill(task_id=task.pk, size=50)
        hit = client.post(
            "/api/v1/judging/assignments/",
            {},
            content_type="application/json",
        ).json()
        criterion = hit["rules"]["criterion"]
        shown.add(criterion)
        for block in hit["blocks"]:
            assert len(block["references"]) == (criterion == "adequacy")
            assert block["source"] is None
    assert shown == {"fluency", "adequacy"}


def test_fluency_may_be_corrected_by_who_rates_adequacy_of_others(task: Task) -> None:
    pool_fill(task_id=task.pk, size=50)
    judge = make_judge(task.test_set.campaign)
    fluency = lend(judge)
    blocks = assigned_blocks(fluency)
    for block in blocks:
        judgment_submit(
            assigned=block,
            client_id=uuid4(),
            sent=SentJudgment(answer={"value": 2}),
        )
    HIT.objects.filter(task=task, part=1, completed_at=None).update(
        available_at="2100-01-01T00:00Z",
    )
    adequacy = lend(judge)
    assert (fluency.hit.part, adequacy.hit.part) == (1, 2)
    assert not set(fluency.hit.segment_ids) & set(adequacy.hit.segment_ids)
    judgment_submit(
        assigned=blocks[0],
        client_id=uuid4(),
        sent=SentJudgment(answer={"value": 5}),
    )
    assert Judgment.objects.latest("pk").supersedes is not None


@pytest.mark.thorough
def test_most_texts_of_a_judge_are_those_of_both_criteria(
    make_task_of: MakeTask,
) -> None:
    task = make_task_of(Protocol.RATING, rules={**BY_OTHERS, "items_per_judge": 10})
    judged_by(task, 12)
    rated = Counter(RatingAnswer.objects.values_list("judgment__judge", flat=True))
    assert max(rated.values()) <= 10
    assert Exposure.objects.filter(segment__test_set=task.test_set).count() == sum(
        rated.values(),
    )


@pytest.mark.thorough
def test_its_hits_are_drawn_again_as_they_were(task: Task) -> None:
    pool_fill(task_id=task.pk, size=50)
    hits = HIT.objects.filter(task=task).select_related("batch", "design", "task")
    assert set(hits.values_list("part", flat=True)) == {1, 2}
    for hit in hits:
        assert hit_redraw(hit) == plans_read([hit.pk])[hit.pk]


def test_a_text_without_a_rating_by_each_criterion_has_no_score(task: Task) -> None:
    pool_fill(task_id=task.pk, size=50)
    judge = make_judge(task.test_set.campaign)
    for block in assigned_blocks(lend(judge)):
        judgment_submit(
            assigned=block,
            client_id=uuid4(),
            sent=SentJudgment(answer={"value": 4}),
        )
    watermark = judgments_number(task_id=task.pk)
    chosen = judgments_chosen(task=task, options=analysis_choice("beside", {}).options)
    assert output_scores(task=task, watermark=watermark, chosen=chosen) is None


def test_files_are_held_to_the_rule(task: Task, tmp_path: Path) -> None:
    path = tmp_path / "ratings.jsonl"

    def imported(*lines: tuple[str, str, str]) -> None:
        path.write_text(
            "".join(
                json.dumps(
                    {
                        "segment": 2,
                        "systems": [system],
                        "judge": judge,
                        "criterion": criterion,
                        "value": 4,
                    },
                )
                + "\n"
                for judge, system, criterion in lines
            ),
            encoding="utf-8",
        )
        test_set = task.test_set
        call_command(
            *("import_answers", str(path)),
            campaign=test_set.campaign.slug,
            test_set=test_set.name,
            protocol="rating",
            stdout=StringIO(),
            stderr=StringIO(),
        )

    imported(("ada", "dune", "fluency"), ("ben", "dune", "adequacy"))
    assert RatingAnswer.objects.count() == 2
    with pytest.raises(CommandError, match="rates the segment by several criteria"):
        imported(("eve", "dune", "fluency"), ("eve", "ember", "adequacy"))
    # Earlier ratings from another file count, too.
    with pytest.raises(
        CommandError,
        match=r"line 1.*by another criterion in an earlier file",
    ):
        imported(("ben", "ember", "fluency"))
    assert RatingAnswer.objects.count() == 2
