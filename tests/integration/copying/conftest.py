"""A campaign with everything that a static copy has, and people who are not to be named in it."""

import pytest

from annotation.services import quality_action_take
from campaign.models import Campaign, Judge, System, User
from campaign.services import instructions_write
from ranking.services import ranking_run_compute
from tests.factories import make_campaign, make_organiser
from tests.integration.publishing.conftest import ranked_task
from tests.integration.ranking.writing import TestSetWriter

#: Words of people: of organisers and judges.
PEOPLE = (
    "Olga Organiserova",
    "olga@example.org",
    "Jana Judgeova",
    "jana@example.org",
    "of uncle Bob",
)


@pytest.fixture
def campaign(db: None) -> Campaign:
    return make_campaign("autumn")


@pytest.fixture
def organiser(campaign: Campaign) -> User:
    user = make_organiser(campaign, PEOPLE[1])
    User.objects.filter(pk=user.pk).update(name=PEOPLE[0])
    return user


@pytest.fixture
def news(campaign: Campaign, organiser: User) -> TestSetWriter:
    """A ranked test set whose judge j3 is left out."""
    writer = ranked_task(campaign)
    System.objects.filter(name="cobalt").update(team="Secret Lab")
    judge = writer.judge("j3")
    Judge.objects.filter(pk=judge.pk).update(note=PEOPLE[4])
    user = User.objects.create_user(name=PEOPLE[2], email=PEOPLE[3])
    Judge.objects.filter(pk=judge.pk).update(user=user)
    quality_action_take(
        judge=judge,
        task=writer.task,
        action="exclude",
        user=organiser,
        note="Jana Judgeova",
    )
    assert ranking_run_compute(task_id=writer.task.pk) is not None
    text = "# Read both\n\nSee [the site](https://example.org/read)."
    instructions_write(
        campaign=campaign, user=organiser, language="en", text=text, demands_acceptance=False
    )
    return writer


@pytest.fixture
def talks(campaign: Campaign) -> TestSetWriter:
    return ranked_task(campaign, "talks")
