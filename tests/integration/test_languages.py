"""Languages are tags, wherever one enters; those of a test set can be corrected until its first judgment."""

from collections.abc import Callable
from io import StringIO
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import call_command
from django.db import transaction
from django.test import Client
from django.urls import reverse

from annotation.selectors.judging import assigned_blocks
from annotation.selectors.pool import tasks_open_to_judge as sets_open_to
from annotation.services.numbers import judgments_number
from annotation.services.submission import SentJudgment, judgment_submit
from campaign.importing.test_sets import test_set_create as set_create
from campaign.models import (
    Campaign,
    Instructions,
    Invitation,
    Judge,
    Panel,
    Task,
    TestSet,
)
from campaign.services.campaigns import RulesRefusedError
from campaign.services.campaigns import task_change as set_change
from campaign.services.instructions import instructions_write
from campaign.services.invitation_mails import judges_invite_by_mail
from campaign.services.invitations import invitation_create_for_anybody
from campaign.services.judges import JudgeChanges, judge_add, judge_change
from campaign.services.notification import Message
from campaign.services.panels import panel_change, panel_create
from tests.at_work import lend
from tests.factories import make_judge, make_organiser, make_task

pytestmark = pytest.mark.django_db

WHERE = ("--campaign", "museum")
PANEL: Any = {"name": "pilot", "blocks_asked": 3, "minutes_allowed": 60}
FIVE_WAY = (
    "srclang,trglang,srcIndex,documentId,segmentId,judgeId,system1Id,system2Id,system1rank,"
    "system2rank\n{languages},1,doc,1,ann,A,B,1,2\n"
)


@pytest.fixture
def task(campaign: Campaign) -> Task:
    return make_task(campaign)


def run(*arguments: str) -> str:
    """Run a command; return all it says."""
    said = StringIO()
    call_command(*arguments, stdout=said, stderr=said)
    return said.getvalue()


def stored() -> list[Any]:
    """Every language that is stored somewhere."""
    return [
        sorted(TestSet.objects.values_list("pk", "source_language", "target_language")),
        *(
            sorted(map(str, model._default_manager.values_list("pk", "languages")))
            for model in (Judge, Invitation, Panel)
        ),
        sorted(Instructions.objects.values_list("pk", "language")),
    ]


def prepared(task: Task) -> tuple[Judge, Panel]:
    campaign = task.test_set.campaign
    judge = make_judge(campaign, languages=["en", "de"])
    panel = panel_create(campaign=campaign, kind="prolific", **PANEL)
    return judge, panel


def services(
    task: Task,
    judge: Judge,
    panel: Panel,
) -> dict[str, Callable[[str], object]]:
    """Return every service that stores languages."""
    campaign = task.test_set.campaign
    text: Any = {"text": "Rank.", "demands_acceptance": False}
    terms: Any = {**PANEL, "name": "another"}
    mail: Any = {
        "addresses": ["ada@example.org"],
        "message": Message(base_url="https://q.example"),
    }
    return {
        "source": lambda tag: set_create(
            campaign=campaign,
            name="new",
            source_language=tag,
            target_language="de",
        ),
        "target": lambda tag: set_create(
            campaign=campaign,
            name="new",
            source_language="de",
            target_language=tag,
        ),
        "corrected": lambda tag: set_change(task=task, target_language=tag),
        "judge": lambda tag: judge_add(
            campaign=campaign,
            pseudonym="ada",
            languages=["en", tag],
        ),
        "changed judge": lambda tag: judge_change(
            judge=judge,
            changes=JudgeChanges(languages=["en", tag]),
        ),
        "link": lambda tag: invitation_create_for_anybody(
            campaign=campaign,
            cap=3,
            languages=["en", tag],
        ),
        "mail": lambda tag: judges_invite_by_mail(
            campaign=campaign,
            languages=["en", tag],
            **mail,
        ),
        "panel": lambda tag: panel_create(
            campaign=campaign,
            kind="prolific",
            **terms,
            languages=["en", tag],
        ),
        "changed panel": lambda tag: panel_change(
            panel=panel,
            **PANEL,
            languages=["en", tag],
        ),
        "instructions": lambda tag: instructions_write(
            campaign=campaign,
            language=tag,
            **text,
        ),
    }


def tags() -> set[str]:
    """Every tag that is stored somewhere."""
    return {
        *(tag for row in stored()[0] for tag in row[1:]),
        *(
            tag
            for row in (*Judge.objects.all(), *Invitation.objects.all())
            for tag in row.languages
        ),
        *(tag for row in Panel.objects.all() for tag in row.languages),
        *Instructions.objects.values_list("language", flat=True),
    }


def test_every_service_stores_the_canonical_tag(task: Task) -> None:
    ways = services(task, *prepared(task))
    assert tags() == {"en", "de"}
    for name, store in ways.items():
        with transaction.atomic():
            store("EN_gb")
            assert tags() == {"en", "de", "en-GB"} or "corrected" in name
            assert "en-GB" in tags(), name
            transaction.set_rollback(True)


@pytest.mark.parametrize(
    ("source", "stored_as"),
    [("deu", "de"), ("ZXX", "zxx"), ("de-AT", "de-AT")],
)
def test_the_source_may_have_the_language_of_the_outputs_or_none(
    task: Task,
    source: str,
    stored_as: str,
) -> None:
    set_change(task=task, source_language=source)
    task.test_set.refresh_from_db()
    assert (task.test_set.source_language, task.test_set.target_language) == (
        stored_as,
        "de",
    )
    created = set_create(
        campaign=task.test_set.campaign,
        name="new",
        source_language=source,
        target_language="de",
    )
    assert created.source_language == stored_as


@pytest.fixture
def page(client: Client, campaign: Campaign) -> Client:
    client.force_login(make_organiser(campaign))
    return client


def languages_page(task: Task) -> str:
    return reverse("test-set-settings", args=[task.test_set.campaign.slug, task.pk])


@pytest.mark.parametrize("is_numbered", [True, False])
def test_languages_are_corrected_until_the_first_judgment(
    page: Client,
    task: Task,
    is_numbered: bool,
) -> None:
    judge = make_judge(task.test_set.campaign, languages=["en", "cs"])
    assert not sets_open_to(judge)
    set_change(task=task, target_language="CS")
    assert TestSet.objects.get().target_language == "cs"
    assert sets_open_to(judge)
    block = assigned_blocks(lend(judge))[0]
    ranks = list(range(1, len(block.candidates) + 1))
    judgment_submit(assigned=block, client_id=uuid4(), sent=SentJudgment(labels=ranks))
    if is_numbered:
        judgments_number(task_id=task.pk)
    task.refresh_from_db()
    before = stored()
    says = "so its languages cannot be changed"
    with pytest.raises(RulesRefusedError, match=says):
        set_change(task=task, source_language="de")
    sent = {"source_language": "en", "target_language": "de"}
    page.post(languages_page(task), sent)
    assert stored() == before
    shown = page.get(languages_page(task)).content.decode()
    assert says in shown
    assert 'name="target_language"' not in shown
    assert stored() == before
    # The same languages are no change, and quotas can be changed as before.
    set_change(task=task, target_language="cs", blocks_wanted=30)
    assert Task.objects.get().blocks_wanted == 30
