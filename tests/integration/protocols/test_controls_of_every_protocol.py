"""Checks of careless judges, and exports, in every protocol."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import HIT, Block, Judgment, QualityAction, TrainingBlock
from annotation.protocols.answer_kinds import ScoresOneOutput, answer_kind
from annotation.selectors.judges import JudgeStatus, excluded_judges, judge_status
from annotation.selectors.judging import assigned_blocks
from annotation.selectors.training import training_feedback
from annotation.services.numbers import judgments_number
from annotation.services.planning.designs import design_change
from annotation.services.planning.pool import hits_plan, pool_fill
from annotation.services.quality import (
    JudgeDecision,
    RuleTerms,
    quality_action_take,
    quality_rule_add,
    quality_rules_suggest,
)
from annotation.services.simulation import (
    SimulatedJudge,
    SimulatedWork,
    campaign_simulate,
    lend_prepared,
)
from annotation.services.submission import SentJudgment, judgment_submit
from campaign.models import Campaign, Judge, Output, Protocol, Task, User
from ranking.reports.analyses.kind import ProtocolAnalysis
from ranking.reports.analyses.registry import ANALYSES
from ranking.selectors.analyses import analyses_of
from ranking.selectors.judges import measures_by_judge
from ranking.services.analyses import analysis_ask, analysis_choice, analysis_compute
from ranking.tasks import rank_task
from tests.damaged_references import damaged_references_approve
from tests.exporting import exported, exported_rows
from tests.factories import make_campaign, make_judge, make_organiser
from tests.integration.protocols.conftest import MakeTask
from tests.integration.protocols.every import (
    TWO_NOW,
    TWO_PROTOCOLS,
    plans_delete,
    said_about,
)
from tests.integration.ranking.test_same_bits import WORLDS_OF_PROTOCOLS
from tests.integration.ranking.two_tasks import two_tasks

pytestmark = pytest.mark.django_db

WORLDS: dict[str, Callable[[Campaign], Task]] = {
    "ranking": two_tasks,
    **WORLDS_OF_PROTOCOLS,
}


@pytest.fixture
def task(protocol: Protocol, make_task_of: MakeTask) -> Task:
    return make_task_of(protocol)


@pytest.fixture
def organiser(task: Task) -> User:
    return make_organiser(task.test_set.campaign)


@pytest.fixture
def organising(organiser: User) -> Client:
    client = Client()
    client.force_login(organiser)
    return client


def judged_by(judge: Judge, *, seconds: float = 30, hits: int = 1) -> None:
    """Let an attentive or careless judge judge this many HITs."""
    for _hit in range(hits):
        lent = lend_prepared(judge)
        assert lent is not None
        for block in assigned_blocks(lent.assignment):
            judgment_submit(
                assigned=block,
                client_id=uuid4(),
                sent=SentJudgment(
                    **said_about(block),
                    duration_ms=round(1000 * seconds),
                    active_ms=round(1000 * seconds),
                ),
            )


# --- Rules about judges ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("protocol", "action"),
    [
        (Protocol.RATING, "warn"),
        (Protocol.QUIZ, "pause"),
        (Protocol.RANKING, "exclude"),
    ],
)
def test_rules_warn_pause_and_exclude(task: Task, organiser: User, action: str) -> None:
    campaign = task.test_set.campaign
    hasty = make_judge(campaign, "hasty")
    judged_by(hasty, seconds=1, hits=2)
    for number in range(5):
        judged_by(make_judge(campaign, f"careful{number}"))
    terms = RuleTerms(
        measure="seconds",
        direction="below",
        threshold=5,
        minimum=6,
        action=action,
    )
    quality_rule_add(campaign=campaign, terms=terms, user=organiser)
    rank_task(task.pk)
    [taken] = QualityAction.objects.all()
    assert (taken.judge, taken.action) == (hasty, action)
    status = judge_status(hasty)
    assert status == JudgeStatus(
        {"warn": "warned", "pause": "paused"}.get(action, "excluded"),
    )
    asking = Client()
    assert hasty.user is not None
    asking.force_login(hasty.user)
    asked = asking.post(
        "/api/v1/judging/assignments/",
        {},
        content_type="application/json",
    )
    if action == "warn":
        assert asked.status_code in {200, 202, 204}
    else:
        assert (asked.status_code, asked.json()["code"]) == (403, status)
    assert ("hasty" in exported(task)) is (action != "exclude")


@pytest.mark.thorough
@TWO_PROTOCOLS
def test_suggested_rules_do_not_act_on_attentive_judges(
    task: Task,
    organiser: User,
) -> None:
    campaign = task.test_set.campaign
    quality_rules_suggest(campaign=campaign, user=organiser)
    outputs = Output.objects.filter(segment__test_set=task.test_set)
    count = campaign_simulate(
        campaign=campaign,
        judges=[SimulatedJudge(f"bot{number}", noise=8) for number in range(3)],
        languages=["en", "de"],
        work=SimulatedWork(
            hits_each=9,
            qualities={
                pk: 10.0 + pk * 37 % 80 for pk in outputs.values_list("pk", flat=True)
            },
            seed=3,
        ),
    )
    assert count >= 20
    rank_task(task.pk)
    assert not QualityAction.objects.exists()
    measured = {
        name for found in measures_by_judge(task_id=task.pk).values() for name in found
    }
    assert "seconds" in measured
    if not answer_kind(task.protocol).compares_outputs:
        # Labels of one output say nothing about a judge.
        assert measured <= {"seconds", "pace"}


@TWO_NOW
def test_exclusion_changes_the_analyses(protocol: Protocol) -> None:
    task = WORLDS[protocol](make_campaign())
    campaign = task.test_set.campaign
    organiser = make_organiser(campaign)
    judgments_number(task_id=task.pk)
    own = [
        kind
        for kind in analyses_of(task=task)
        if isinstance(ANALYSES[kind], ProtocolAnalysis)
    ]
    kinds = own or ["ranking", "judges"]
    assert kinds[0] == protocol or protocol == Protocol.RANKING

    def answers() -> dict[str, Any]:
        return {
            kind: analysis_compute(
                analysis=analysis_ask(
                    task=task,
                    choice=analysis_choice(kind, {}),
                    is_queued=False,
                ),
            ).data
            for kind in kinds
        }

    before = answers()
    out = Judgment.objects.filter(task=task).latest("pk").judge
    quality_action_take(
        judge=out,
        task=task,
        decision=JudgeDecision(action="exclude", user=organiser),
    )
    assert excluded_judges(campaign_id=campaign.pk) == [out.pseudonym]
    after = answers()
    for kind in kinds:
        assert after[kind] != before[kind], kind
        said = {name: value for name, value in after[kind].items() if name != "input"}
        assert f'"{out.pseudonym}"' not in str(said).replace("'", '"'), kind


# --- Attention checks and training ----------------------------------------------------------------


#: Protocols that compare, score, or do neither; and outputs side by side, where the first design shows only one.
SOME_DESIGNS = pytest.mark.parametrize(
    ("protocol", "outputs"),
    [
        *((each, 0) for each in (Protocol.RANKING, Protocol.SPANS, Protocol.EDITING)),
        (Protocol.SPANS, 3),
    ],
)


@pytest.fixture
def designed(task: Task, outputs: int) -> Task:
    if outputs:
        HIT.objects.filter(task=task).delete()
        design_change(task=task, systems_per_block=outputs)
    return task


@pytest.fixture
def shows_one(designed: Task) -> bool:
    """Whether judges are asked about one output at a time."""
    return designed.designs.latest().systems_per_block == 1


@pytest.mark.thorough
@SOME_DESIGNS
def test_attention_checks_where_outputs_are_compared_or_scored(
    designed: Task,
    organising: Client,
    *,
    shows_one: bool,
) -> None:
    task = designed
    kind = answer_kind(task.protocol)
    damaged_references_approve(task)
    plans_delete(task)
    asked: dict[str, Any] = {"bad_reference_rate": 0.5, "attention_every": 1}
    address = f"/api/v1/tasks/{task.pk}/designs/"
    scores_one = isinstance(kind, ScoresOneOutput)
    if kind.passes is not None and scores_one:
        refused = organising.post(
            address,
            {**asked, "confirm": True},
            content_type="application/json",
        )
        assert refused.status_code == 400
        assert (
            "Set bad_reference_rate only"
            in refused.json()["errors"]["attention_every"][0]
        )
        asked["attention_every"] = 0
    changed = organising.post(
        address,
        {**asked, "confirm": True},
        content_type="application/json",
    )
    if shows_one and not isinstance(kind, ScoresOneOutput):
        words = "this task has neither"
        assert changed.status_code == 400
        assert words in changed.json()["errors"]["bad_reference_rate"][0]
        assert task.designs.latest().bad_reference_rate == 0
        return
    assert changed.status_code == 201, changed.content
    if kind.passes is None:
        hits_plan(task_id=task.pk, count=6, checks=3)
    else:
        pool_fill(task_id=task.pk)
    judge = make_judge(task.test_set.campaign)
    judged_by(judge, hits=2)
    assert Judgment.objects.filter(block__control="attention", judge=judge).exists()
    # Measured, but neither ranked nor counted, on the judge's page and over REST.
    rank_task(task.pk)
    assert "bad_reference" in measures_by_judge(task_id=task.pk)[judge.pseudonym]
    page = reverse("judge-page", args=[task.test_set.campaign.slug, task.pk, judge.pk])
    assert "rejection of damaged references" in organising.get(page).content.decode()
    [row] = organising.get(f"/api/v1/tasks/{task.pk}/judges/").json()["results"]
    assert row["measures"]["bad_reference"]["evidence"] > 0
    lines = exported(task)
    assert "_badref" not in lines


@pytest.mark.thorough
@SOME_DESIGNS
def test_training_where_outputs_are_compared(
    designed: Task,
    organising: Client,
    *,
    shows_one: bool,
) -> None:
    task = designed
    damaged_references_approve(task)
    slug = task.test_set.campaign.slug
    page = reverse("training", args=[slug, task.pk])
    answer = organising.post(page, {"count": "2"}, follow=True)
    words = "Training is not available"
    said = answer.content.decode()
    if shows_one:
        assert words in said
        assert not TrainingBlock.objects.exists()
        return
    assert words not in said
    assert TrainingBlock.objects.filter(task=task).count() == 2
    judge = make_judge(task.test_set.campaign)
    pool_fill(task_id=task.pk)
    lent = lend_prepared(judge)
    assert lent is not None
    assert lent.assignment.hit.purpose == "training"
    for block in assigned_blocks(lent.assignment):
        expected = Block.objects.get(pk=block.block_id).expected or []
        wanted = [100.0 - 20 * (rank or 3) for rank in expected]
        for qualities, agrees in (
            (wanted, True),
            ([100 - each for each in wanted], False),
        ):
            stored = judgment_submit(
                assigned=block,
                client_id=uuid4(),
                sent=SentJudgment(**said_about(block, qualities)),
            )
            feedback = training_feedback(stored)
            assert feedback is not None
            assert feedback.agrees is agrees
    judgments_number(task_id=task.pk)
    # Practice does not count.
    assert not exported_rows(task)


# --- Exports --------------------------------------------------------------------------------------


@TWO_NOW
def test_organisers_pages_show_answers(task: Task, organising: Client) -> None:
    judged_by(make_judge(task.test_set.campaign))
    judgments_number(task_id=task.pk)
    rank_task(task.pk)
    args = [task.test_set.campaign.slug, task.pk]
    for name in (
        "test-set-dashboard",
        "analyses",
        "judge-quality",
        "judgments",
        "hits",
        "training",
    ):
        assert organising.get(reverse(name, args=args)).status_code == 200, name
    judgment = reverse("judgment", args=[*args, 1])
    assert organising.get(judgment).status_code == 200
