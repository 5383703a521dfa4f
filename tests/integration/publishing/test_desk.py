"""The room *Publish*: what would be published is seen first, and asked; analysts only read."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from annotation.services import quality_action_take
from campaign.models import User
from ranking.models import PublishedResult
from ranking.services import ranking_run_compute, ranking_settings_change
from ranking.services.publishing import result_publish
from tests.integration.ranking.pages import text_of
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db

SignedIn = Callable[[User], Client]


def at(writer: TestSetWriter, name: str = "publish", *more: object) -> str:
    return reverse(name, args=[writer.campaign.slug, writer.task.pk, *more])


def filled(**fields: Any) -> dict[str, Any]:
    return {
        "authors": "Horáková, Marta\nLind, Jon\n",
        "acknowledgement": "Thanks.",
        "contact": "mail@example.org",
        "embargo_until": "",
        **fields,
    }


def answered(client: Client, writer: TestSetWriter, **fields: Any) -> Any:
    """Send the form, and answer yes to what it asks."""
    asked = client.post(at(writer, "publish-confirm"), filled(**fields))
    assert asked.status_code == 200, text_of(asked)
    seen = asked.context["draft"].seen
    sent = filled(**fields) | {"act": "yes", "seen": seen}
    return client.post(at(writer, "publish-confirm"), sent, follow=True)


def test_the_page_says_first_what_would_be_published(
    judged: TestSetWriter, as_organiser: Client
) -> None:
    text = text_of(as_organiser.get(at(judged)))
    assert "The test set is still open" in text
    assert "Only 3 judges: other judges may rank otherwise." in text
    assert "Nobody is named as an author" in text
    assert "Version 1, as it would be: it is not published yet." in text
    assert "amber" in text
    assert not PublishedResult.objects.exists()


def test_reasons_that_would_be_published_are_told_where_they_are_written_and_before(
    judged: TestSetWriter, as_organiser: Client, organiser: User
) -> None:
    judge = judged.judge("j3")
    page = text_of(as_organiser.get(at(judged, "judge-page", judge.pk)))
    assert "a published result gives it as the reason, and anybody can read it" in page
    quality_action_take(
        judge=judge, task=judged.task, action="exclude", user=organiser, note="Asleep."
    )
    ranking_run_compute(task_id=judged.task.pk)
    said = "Left out: j3. Anybody will read why: “Asleep.”"
    assert said in text_of(as_organiser.get(at(judged)))
    assert said in text_of(as_organiser.post(at(judged, "publish-confirm"), filled()))


def test_publishing_is_asked_and_done(judged: TestSetWriter, as_organiser: Client) -> None:
    asked = as_organiser.post(at(judged, "publish-confirm"), filled(anonymous=["cobalt"]))
    text = text_of(asked)
    assert "an address that works for everybody at once" in text
    assert "System A" in text
    assert not PublishedResult.objects.exists()

    done = answered(as_organiser, judged, anonymous=["cobalt"])

    result = PublishedResult.objects.get()
    assert "Version 1 is published." in text_of(done)
    assert result.content["authors"] == ["Horáková, Marta", "Lind, Jon"]
    assert result.address in done.content.decode()
    assert "cobalt" not in as_organiser.get(f"/results/{result.address}/").content.decode()
    # The next version begins as this one was.
    again = as_organiser.get(at(judged))
    assert again.context["form"].initial["anonymous"] == ["cobalt"]
    assert "Look at version 2 …" in text_of(again)


def test_a_reason_that_names_a_system_is_reworded_on_the_page(
    judged: TestSetWriter, as_organiser: Client
) -> None:
    reason, wording = "Cobalt asked for it.", "A team asked for it."
    ranking_settings_change(task=judged.task, confidence=0.9, reason=reason)
    ranking_run_compute(task_id=judged.task.pk)
    page = as_organiser.get(at(judged))
    assert f"Ranking settings: “{reason}”" in text_of(page)
    assert "<details>" in page.content.decode()

    refused = as_organiser.post(at(judged, "publish-confirm"), filled(anonymous=["cobalt"]))
    assert refused.status_code == 400
    (field,) = refused.context["form"].reworded
    assert "“cobalt” is not to be named" in str(field.errors)
    assert "<details open>" in refused.content.decode()

    sent = filled(anonymous=["cobalt"]) | {field.name: wording}
    asked = as_organiser.post(at(judged, "publish-confirm"), sent)
    assert f"Reason: {wording} (reworded for publication)" in text_of(asked)
    assert not PublishedResult.objects.exists()
    answered(as_organiser, judged, **sent)
    result = PublishedResult.objects.get()
    assert result.wordings == {reason: wording}
    assert "Cobalt" not in as_organiser.get(f"/results/{result.address}/").content.decode()
    # The next version begins as this one was.
    assert wording in as_organiser.get(at(judged)).content.decode()


def test_what_has_changed_since_is_shown_again(judged: TestSetWriter, as_organiser: Client) -> None:
    sent = filled() | {"act": "yes", "seen": "0" * 64}
    answer = as_organiser.post(at(judged, "publish-confirm"), sent)
    assert answer.status_code == 409
    assert "the result has changed since you looked" in text_of(answer)
    assert not PublishedResult.objects.exists()


def test_what_is_refused_stands_at_its_field(judged: TestSetWriter, as_organiser: Client) -> None:
    sent = filled(anonymous=["cobalt"], acknowledgement="Thanks to Cobalt.")
    answer = as_organiser.post(at(judged, "publish-confirm"), sent)
    assert answer.status_code == 400
    assert "acknowledgement" in answer.context["form"].errors
    over = (timezone.now() - timedelta(days=1)).strftime("%Y-%m-%dT%H:%M")
    for more in ({}, {"act": "yes", "seen": ""}):
        sent = filled(embargo_until=over) | more
        refused = as_organiser.post(at(judged, "publish-confirm"), sent)
        assert refused.status_code == 400
        assert refused.context["form"].errors == {"embargo_until": ["This moment is over."]}
        # What was filled in stays.
        assert f'value="{over}"' in refused.content.decode()
        assert ">Thanks.</textarea>" in refused.content.decode().replace("\n", "")
    assert not PublishedResult.objects.exists()


def test_without_a_ranking_there_is_no_form(judged: TestSetWriter, as_organiser: Client) -> None:
    empty = TestSetWriter(judged.campaign, "empty", ["A", "B"])
    text = text_of(as_organiser.get(at(empty)))
    assert "There is no ranking yet" in text
    assert "Acknowledgement" not in text


def test_an_embargo_is_changed_and_ended_after_a_question(
    judged: TestSetWriter, as_organiser: Client
) -> None:
    until = timezone.now() + timedelta(days=3)
    answered(as_organiser, judged, embargo_until=until.strftime("%Y-%m-%dT%H:%M"))
    result = PublishedResult.objects.get()
    where = at(judged, "published-embargo", 1)
    later = (until + timedelta(days=1)).strftime("%Y-%m-%dT%H:%M")
    as_organiser.post(where, {"embargo_until": later})
    before, result = result, PublishedResult.objects.get()
    assert result.embargo_until == before.embargo_until + timedelta(days=1)  # type: ignore[operator]
    asked = as_organiser.post(where, {"embargo_until": ""})
    assert "It cannot be hidden again" in text_of(asked)
    assert PublishedResult.objects.get().embargo_until is not None
    as_organiser.post(where, {"embargo_until": "", "act": "yes"})
    assert PublishedResult.objects.get().embargo_until is None
    refused = as_organiser.post(where, {"embargo_until": later}, follow=True)
    assert "It can be retracted, not hidden." in text_of(refused)


def test_the_link_for_reviewers_is_made_and_ended(
    judged: TestSetWriter, as_organiser: Client, analyst: User, signed_in: SignedIn
) -> None:
    answered(as_organiser, judged)
    where = at(judged, "published-reviewers", 1)
    made = as_organiser.post(where, {"link": "make"}, follow=True)
    token = PublishedResult.objects.get().reviewer_token
    assert token is not None
    assert f"/review/{token}/" in made.content.decode()
    assert token not in signed_in(analyst).get(at(judged)).content.decode()
    as_organiser.post(where, {"link": "end"})
    assert PublishedResult.objects.get().reviewer_token is None


def test_retracting_asks_for_the_reason_and_one_click_takes_it_back(
    judged: TestSetWriter, as_organiser: Client
) -> None:
    answered(as_organiser, judged)
    where = at(judged, "published-retract", 1)
    assert "keeps its address" in text_of(as_organiser.get(where))
    assert as_organiser.post(where, {"retraction_reason": " "}).status_code == 400
    done = as_organiser.post(where, {"retraction_reason": "Wrong texts."}, follow=True)
    assert "Wrong texts." in text_of(done)
    as_organiser.post(at(judged, "published-restore", 1))
    assert PublishedResult.objects.get().retracted_at is None


def test_analysts_read_and_change_nothing(
    judged: TestSetWriter, organiser: User, analyst: User, signed_in: SignedIn
) -> None:
    result_publish(task=judged.task, by=organiser)
    client = signed_in(analyst)
    page = client.get(at(judged))
    assert page.status_code == 200
    assert "Look at version" not in text_of(page)
    for name, more in (
        ("publish-confirm", []),
        ("published-embargo", [1]),
        ("published-reviewers", [1]),
        ("published-retract", [1]),
        ("published-restore", [1]),
    ):
        assert client.post(at(judged, name, *more), filled()).status_code == 403
    assert PublishedResult.objects.count() == 1


def test_the_overview_leads_to_the_newest_version(
    judged: TestSetWriter, organiser: User, as_organiser: Client
) -> None:
    overview = f"/campaigns/{judged.campaign.slug}/"
    assert "Published, version" not in text_of(as_organiser.get(overview))
    result_publish(task=judged.task, by=organiser)
    second = result_publish(task=judged.task, by=organiser)
    page = as_organiser.get(overview)
    assert "Published, version 2" in text_of(page)
    assert f"/results/{second.address}/" in page.content.decode()


def test_deleting_the_campaign_says_that_addresses_die(
    judged: TestSetWriter, organiser: User, as_organiser: Client
) -> None:
    result_publish(task=judged.task, by=organiser)
    page = as_organiser.get(reverse("campaign-transition", args=[judged.campaign.slug, "delete"]))
    assert "1 published result goes with it" in text_of(page)


def test_a_new_ranking_is_told_of(judged: TestSetWriter, as_organiser: Client) -> None:
    judged.judgment("j1", judged.block(50, ["amber", "birch"]), [1, 2])
    assert "The ranking is behind" in text_of(as_organiser.get(at(judged)))
    ranking_run_compute(task_id=judged.task.pk)
    assert "The ranking is behind" not in text_of(as_organiser.get(at(judged)))


def test_who_had_a_name_before_keeps_it_there(
    judged: TestSetWriter, organiser: User, as_organiser: Client
) -> None:
    result_publish(task=judged.task, by=organiser)
    asked = as_organiser.post(at(judged, "publish-confirm"), filled(anonymous=["cobalt"]))
    assert "Earlier versions keep their names" in text_of(asked)
    assert "cobalt → System A" in text_of(asked)
