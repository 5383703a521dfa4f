"""The room *Publish*: what would be published is seen first, and asked; analysts only read."""

from datetime import timedelta
from itertools import product
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from ranking.models import PublishedResult
from tests.integration.ranking.pages import text_of
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db


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
    seen = asked.context["draft"].fingerprint
    sent = filled(**fields) | {"act": "yes", "seen": seen}
    return client.post(at(writer, "publish-confirm"), sent, follow=True)


def test_publishing_is_asked_and_done(
    judged: TestSetWriter,
    as_organiser: Client,
) -> None:
    asked = as_organiser.post(
        at(judged, "publish-confirm"),
        filled(anonymous=["cobalt"]),
    )
    text = text_of(asked)
    assert "become public now" in text
    assert "System A" in text
    assert not PublishedResult.objects.exists()

    done = answered(as_organiser, judged, anonymous=["cobalt"])

    result = PublishedResult.objects.get()
    assert "Version 1 published." in text_of(done)
    assert result.content["authors"] == ["Horáková, Marta", "Lind, Jon"]
    assert result.address in done.content.decode()
    assert (
        "cobalt" not in as_organiser.get(f"/results/{result.address}/").content.decode()
    )
    # The next version begins as this one was.
    again = as_organiser.get(at(judged))
    assert again.context["form"].initial["anonymous"] == ["cobalt"]
    assert "Preview version 2" in text_of(again)


def test_changed_preview_is_shown_again(
    judged: TestSetWriter,
    as_organiser: Client,
) -> None:
    sent = filled() | {"act": "yes", "seen": "0" * 64}
    answer = as_organiser.post(at(judged, "publish-confirm"), sent)
    assert answer.status_code == 409
    assert "the result has changed since the preview" in text_of(answer)
    assert not PublishedResult.objects.exists()


def test_errors_are_shown_at_their_field(
    judged: TestSetWriter,
    as_organiser: Client,
) -> None:
    sent = filled(anonymous=["cobalt"], acknowledgement="Thanks to Cobalt.")
    answer = as_organiser.post(at(judged, "publish-confirm"), sent)
    assert answer.status_code == 400
    assert "acknowledgement" in answer.context["form"].errors
    over = (timezone.now() - timedelta(days=1)).strftime("%Y-%m-%dT%H:%M")
    refusals = {
        over: "This date is in the past.",
        "9999-12-31T23:59": "Enter a year between 2000 and 2999.",
    }
    for until, more in product(refusals, ({}, {"act": "yes", "seen": ""})):
        sent = filled(embargo_until=until) | more
        refused = as_organiser.post(at(judged, "publish-confirm"), sent)
        assert refused.status_code == 400
        assert refused.context["form"].errors == {"embargo_until": [refusals[until]]}
        # What was filled in stays.
        assert f'value="{until}"' in refused.content.decode()
        assert ">Thanks.</textarea>" in refused.content.decode().replace("\n", "")
    assert not PublishedResult.objects.exists()


def test_an_embargo_is_changed_and_ended_after_a_question(
    judged: TestSetWriter,
    as_organiser: Client,
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
    assert "not made private again" in text_of(asked)
    assert PublishedResult.objects.get().embargo_until is not None
    as_organiser.post(where, {"embargo_until": "", "act": "yes"})
    assert PublishedResult.objects.get().embargo_until is None
    refused = as_organiser.post(where, {"embargo_until": later}, follow=True)
    assert "It can be retracted, but not made private." in text_of(refused)
