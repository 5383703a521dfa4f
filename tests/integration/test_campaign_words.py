"""What judges judge and what they are asked, in the words of the campaign."""

from typing import Any

import pytest
from django.core import mail as outbox
from django.test import Client
from django.urls import reverse
from django.utils import translation

from annotation.selectors.pool import tasks_open_to_judge
from annotation.services.tasks import task_rules_change
from campaign.models import Campaign, Judge, Protocol, Task
from campaign.selectors.instructions import starter_instructions
from campaign.services.campaigns import campaign_change, task_change
from campaign.services.invitation_mails import judges_invite_by_mail
from campaign.services.invitations import invitation_create_for_anybody
from campaign.services.judges import judge_join
from campaign.services.mails import mails_send_due
from campaign.services.notification import Message
from campaign.texts.by_language import TextsRefusedError
from tests.at_work import assignment_lend
from tests.factories import (
    make_analyst,
    make_campaign,
    make_judge,
    make_organiser,
    make_task,
)
from tests.protocol_tasks import make_task_of_protocol
from tests.recruiting import Prolific, make_panel
from whole_campaigns.campaign_file.applying import campaign_file, campaign_file_apply

pytestmark = pytest.mark.django_db

QUESTION = {"en": "Most faithful first.", "de": "Die treueste zuerst."}
OWN = {"en": "Captions", "de": "Bildunterschriften"}
SETTINGS = "/campaigns/museum/settings/"
TERMS = {"show_source": "on", "show_reference": "on", "lease_minutes": "60"}


@pytest.fixture
def task() -> Task:
    task = make_task(
        make_campaign(judged=OWN),
        source_language="de",
        target_language="de",
    )
    return task_rules_change(task=task, rules={"question": QUESTION})


@pytest.fixture
def campaign(task: Task) -> Campaign:
    return task.test_set.campaign


def read(client: Client, address: str, **query: str) -> str:
    return client.get(
        address,
        query,
        headers={"accept-language": "de"},
    ).content.decode()


def lend_by_api(client: Client, **more: Any) -> Any:
    address = "/api/v1/judging/assignments/"
    return client.post(address, {}, content_type="application/json", **more).json()


def test_invitations_say_what_is_judged_and_by_which_question(
    client: Client,
    campaign: Campaign,
) -> None:
    _link, token = invitation_create_for_anybody(campaign=campaign, cap=5)
    prolific = Prolific(make_panel(campaign))
    judges_invite_by_mail(
        campaign=campaign,
        addresses=["ada@example.org"],
        message=Message(base_url="https://example.org", language="de"),
    )
    mails_send_due()
    texts = [
        read(client, reverse("invitation", args=[token])),
        read(client, prolific.address, **prolific.query("ada")),
        str(outbox.outbox[-1].body),
    ]
    for text in texts:
        assert OWN["de"] in text
        assert QUESTION["de"] in text


def test_the_judging_page_shows_the_question(client: Client, task: Task) -> None:
    judge = make_judge(task.test_set.campaign)
    assert judge.user is not None
    client.force_login(judge.user)
    assert OWN["de"] in read(client, reverse("judge", args=["museum"]))
    lent = lend_by_api(client, headers={"accept-language": "de"})
    assert lent["rules"]["question"] == QUESTION["de"]


def test_starter_instructions_hold_the_question(campaign: Campaign) -> None:
    assert QUESTION["de"] in starter_instructions(campaign=campaign, language="de")


@pytest.mark.parametrize("protocol", [Protocol.TWO_OUTPUTS, Protocol.TOP, Protocol.SPANS, Protocol.SORTING])  # fmt: skip
def test_tasks_can_replace_the_question_of_their_protocol(
    client: Client,
    protocol: Protocol,
) -> None:
    task = make_task_of_protocol(protocol, rules={"question": "Most faithful first."})
    judge = make_judge(task.test_set.campaign)
    assert judge.user is not None
    client.force_login(judge.user)
    lent = lend_by_api(client)
    assert lent["rules"]["question"] == "Most faithful first."


def test_the_question_is_fixed_once_work_was_lent(client: Client, task: Task) -> None:
    organiser = make_organiser(task.test_set.campaign)
    client.force_login(organiser)
    address = f"/api/v1/tasks/{task.pk}/"

    def change(question: Any) -> int:
        body = {"rules": {"question": question}}
        return client.patch(address, body, content_type="application/json").status_code

    assert change({"en": " Best\nfirst. "}) == 200
    task.refresh_from_db()
    assert task.rules["question"] == {"en": "Best first."}
    assert change({"english": "Best first."}) == 400
    assert change(7) == 400
    assignment_lend(judge=make_judge(task.test_set.campaign))
    assert change("Worst first.") == 400
    assert client.get(address).json()["rules"]["question"] == {"en": "Best first."}


def test_the_pages_change_word_and_question(
    client: Client,
    campaign: Campaign,
    task: Task,
) -> None:
    client.force_login(make_organiser(campaign))
    own = {"judged_0": "", "judged_1": "en: Poems\nde：Gedichte", **TERMS}
    assert client.post(SETTINGS, own).status_code == 302
    campaign.refresh_from_db()
    assert campaign.judged == {"en": "Poems", "de": "Gedichte"}
    assert "de: Gedichte" in client.get(SETTINGS).content.decode()
    of_task = reverse("test-set-settings", args=["museum", task.pk])
    assert "de: Die treueste zuerst.\nen: Most" in client.get(of_task).content.decode()
    form = {"name": "x", "source_language": "de", "target_language": "de"}
    assert (
        client.post(of_task, {**form, "ranking_question": "Best: first."}).status_code
        == 302
    )
    task.refresh_from_db()
    assert task.rules["question"] == "Best: first."


@pytest.mark.parametrize(
    ("word", "shown"),
    [("summaries", "Summaries"), (OWN, "en: Captions")],
)
def test_analysts_see_word_and_question(
    client: Client,
    campaign: Campaign,
    task: Task,
    word: Any,
    shown: str,
) -> None:
    campaign_change(campaign=campaign, judged=word)
    make_organiser(campaign)
    client.force_login(make_analyst(campaign))
    assert shown in client.get(SETTINGS).content.decode()
    of_task = client.get(reverse("test-set-settings", args=["museum", task.pk]))
    assert "en: Most faithful first." in of_task.content.decode()


NO_WORDS = [
    {"judged_0": "", "judged_1": ""},
    {"judged_0": "summaries", "judged_1": "Poems"},
    {"judged_0": "", "judged_1": "Poems\nde: Gedichte"},
    {"judged_0": "", "judged_1": "de: Gedichte\nde: Lieder"},
    {"judged_0": "", "judged_1": "x" * 61},
]


def test_the_page_refuses_what_is_no_word(
    client: Client,
    campaign: Campaign,
    subtests: pytest.Subtests,
) -> None:
    client.force_login(make_organiser(campaign))
    for form in NO_WORDS:
        with subtests.test(form=form):
            assert client.post(SETTINGS, {**form, **TERMS}).status_code == 400
            campaign.refresh_from_db()
            assert campaign.judged == OWN


@pytest.mark.parametrize("word", ["", {}, {"en": ""}, {"en": 7}, ["summaries"], None])
def test_the_service_refuses_what_is_no_word(campaign: Campaign, word: Any) -> None:
    with pytest.raises(TextsRefusedError):
        campaign_change(campaign=campaign, judged=word)


def test_words_are_read_in_the_best_language(campaign: Campaign) -> None:
    with translation.override("ar"):
        assert campaign.judged_label == "Captions"
        assert Campaign(judged="summaries").judged_label == "ملخّصات"
    assert Campaign(judged="Poems").judged_label == "Poems"


def test_the_campaign_file_holds_words(campaign: Campaign, task: Task) -> None:
    content = campaign_file(campaign=campaign)
    campaign_change(campaign=campaign, judged="summaries")
    task_rules_change(task=task, rules={"question": ""})
    campaign_file_apply(name="c", content=content, by=None)
    campaign.refresh_from_db()
    task.refresh_from_db()
    assert (campaign.judged, task.rules["question"]) == (OWN, QUESTION)


def test_an_earlier_campaign_file_leaves_words_as_they_are(campaign: Campaign) -> None:
    earlier = b"slug: museum\nname: Museum\nlease_minutes: 61\n"
    campaign_file_apply(name="c", content=earlier, by=None)
    campaign.refresh_from_db()
    assert (campaign.lease_minutes, campaign.judged) == (61, OWN)


def test_judges_need_not_read_a_source_without_a_language(
    campaign: Campaign,
    task: Task,
) -> None:
    task_change(task=task, source_language="zxx")
    german, czech = (make_judge(campaign, tag, languages=[tag]) for tag in ("de", "cs"))
    assert tasks_open_to_judge(german) == [task]
    assert tasks_open_to_judge(czech) == []


def test_newcomers_are_asked_only_for_languages_that_they_must_read(
    client: Client,
    campaign: Campaign,
    task: Task,
) -> None:
    other = make_task(
        campaign,
        name="pictures",
        source_language="cs",
        target_language="en",
    )
    task_change(task=other, source_language="zxx")
    link, token = invitation_create_for_anybody(
        campaign=campaign,
        cap=5,
        asks_languages=True,
    )
    page = client.get(reverse("invitation", args=[token])).content.decode()
    assert "> German<" in page
    assert "> English<" in page
    judge = judge_join(invitation=link, browser=b"b" * 32, languages=["zxx", "en"])
    assert Judge.objects.get(pk=judge.pk).languages == ["en"]
