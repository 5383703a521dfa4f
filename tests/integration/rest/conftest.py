"""A judged and ranked test set, its members, and a client that has a token."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from annotation.selectors.judging import assigned_blocks
from annotation.services.submission import SentJudgment, judgment_submit, skip_submit
from campaign.models import Campaign, Judge, Membership, Task, User
from campaign.services.api_tokens import token_create, token_use_note
from ranking.models import RankingRun
from ranking.services.runs import ranking_run_compute
from tests.at_work import assignment_lend
from tests.factories import make_campaign, make_judge, make_organiser, make_task
from tests.rest_operations import description


@pytest.fixture(scope="session")
def schema() -> dict[str, Any]:
    """Return the description of the API; to be read alone."""
    return description()


@pytest.fixture
def campaign(db: None) -> Campaign:
    return make_campaign()


@pytest.fixture
def task(campaign: Campaign) -> Task:
    return make_task(campaign, planned=40)


@pytest.fixture
def judge(campaign: Campaign) -> Judge:
    return make_judge(campaign, "ada")


@pytest.fixture
def judge_hits(task: Task) -> Callable[[Judge, int], None]:
    """Judge some HITs: of each, the last block is skipped and the first one revised."""

    def judge_some(judge: Judge, hits: int) -> None:
        for _ in range(hits):
            assignment = assignment_lend(judge=judge)
            assert assignment is not None
            *judged, skipped = assigned_blocks(assignment)
            for block in [*judged, judged[0]]:
                ranks = [1 + place % 4 for place in range(len(block.candidates))]
                judgment_submit(
                    assigned=block,
                    client_id=uuid4(),
                    sent=SentJudgment(
                        labels=ranks,
                        duration_ms=9000,
                        active_ms=7000,
                        comment="a tie?",
                    ),
                )
            skip_submit(assigned=skipped, client_id=uuid4(), reason="bad_source")

    return judge_some


@pytest.fixture
def ranking(
    task: Task,
    judge: Judge,
    judge_hits: Callable[[Judge, int], None],
) -> RankingRun:
    judge_hits(judge, 2)
    judge_hits(make_judge(task.test_set.campaign, "bob"), 2)
    run = ranking_run_compute(task_id=task.pk)
    assert run is not None
    return run


@pytest.fixture
def make_member() -> Callable[..., User]:
    def make(campaign: Campaign, role: str = "analyst", name: str = "rosa") -> User:
        user = User.objects.create_user(name=name, email=f"{name}@example.org")
        if not campaign.memberships.exists():
            make_organiser(campaign, f"owner@{campaign.slug}.example.org")
        Membership.objects.create(campaign=campaign, user=user, role=role)
        return user

    return make


@pytest.fixture
def client_of() -> Callable[[User], Client]:
    """A client that sends a token of the user's with every request; its first use is noted already."""

    def make(user: User) -> Client:
        instance, token = token_create(user=user)
        token_use_note(token=instance)
        return Client(headers={"Authorization": f"Token {token}"})

    return make


@pytest.fixture
def analyst(
    campaign: Campaign,
    make_member: Callable[..., User],
    client_of: Callable[[User], Client],
) -> Client:
    return client_of(make_member(campaign))
