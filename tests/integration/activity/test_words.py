"""The activity log in every language: each change has a text of its own, and no English is left."""

import re
from collections.abc import Iterator
from html import unescape
from typing import Any

import pytest
from django.conf import settings
from django.db import models
from django.test import Client
from django.utils.functional import Promise

from campaign.database.recording import RecordedModel, recorded_models
from campaign.models import ActivityEvent, ActivityOperation, Campaign
from campaign.models.campaign import Judged
from campaign.models.webhook import WebhookEvent
from tests.factories import make_organiser
from translations.catalogues import catalogue_read, entries

RECORDED = recorded_models()
LOCALES = ("de", "cs", "es", "zh_Hans", "ar")
#: Names of methods, persons and services, abbreviations, and values of fields: the same in every language.
NAMES = {
    *(
        "API",
        "URL",
        "HIT",
        "HITs",
        "ID",
        "SHA",
        "SQL",
        "JSON",
        "NFC",
        "WMT",
        "Unicode",
        "Webhook",
    ),
    *(
        "Prolific",
        "Holm",
        "Benjamini",
        "Hochberg",
        "Bradley",
        "Terry",
        "Olga",
        "Museum",
    ),
    *(
        "Expected",
        "Wins",
        "UTC",
        "museum",
        "quintet",
        "app",
        "key",
        "free",
        "text",
        "p",
        "x",
    ),
}


def fields_of(model: type[RecordedModel]) -> "Iterator[models.Field[Any, Any]]":
    named = {field.attname: field for field in model._meta.concrete_fields}
    named |= {field.name: field for field in model._meta.concrete_fields}
    for name in (*model.recording.fields, *model.recording.hidden):
        yield named[name]


def texts_of(model: type[RecordedModel]) -> Iterator[object]:
    yield model._meta.verbose_name
    yield from (model.recording.created, model.recording.changed)
    if model.recording.deleted is not None:
        yield model.recording.deleted
    yield from (field.verbose_name for field in fields_of(model))


@pytest.mark.parametrize("model", RECORDED, ids=lambda model: model._meta.label_lower)
def test_texts_and_labels_of_a_model_are_translated(model: type[RecordedModel]) -> None:
    """As texts of their own, which the log shows whole."""
    untranslated = [
        str(text) for text in texts_of(model) if not isinstance(text, Promise)
    ]
    assert untranslated == []


def values_of(field: "models.Field[Any, Any]") -> list[Any]:
    """Return values of a field: all choices, or one of its type."""
    if field.name == "events":
        return [WebhookEvent.values]
    if field.name == "judged":
        return Judged.values
    if field.flatchoices:
        return [value for value, _label in field.flatchoices]
    if isinstance(field, models.ForeignKey):
        return [4711]
    if isinstance(field, models.BooleanField):
        return [True, False]
    if isinstance(field, models.DateTimeField):
        return ["2027-05-28T12:00:00+00:00"]
    if isinstance(field, models.JSONField):
        return [{"key": 1}]
    if isinstance(field, models.CharField | models.TextField | models.DateField):
        return ["free text"]
    if field.get_internal_type() == "ArrayField":
        return [["x"]]
    return [7]


def events_of(campaign: Campaign) -> Iterator[ActivityEvent]:
    """Yield events with every model, operation, field and choice."""
    for model in RECORDED:
        values = {field.attname: values_of(field) for field in fields_of(model)}
        for operation in ActivityOperation:
            if (
                operation == ActivityOperation.DELETED
                and model.recording.deleted is None
            ):
                continue
            for number in range(max(map(len, values.values()))):
                changes = {
                    name: [None, held[min(number, len(held) - 1)]]
                    for name, held in values.items()
                }
                yield ActivityEvent(
                    campaign=campaign,
                    operation=operation,
                    kind=model._meta.label_lower,
                    changes=changes,
                    origin="page",
                )


@pytest.mark.django_db
@pytest.mark.parametrize("language", ["zh-hans", "ar"])
def test_no_english_word_is_left_in_the_log(
    language: str,
    campaign: Campaign,
    client: Client,
) -> None:
    client.force_login(make_organiser(campaign))
    client.cookies[settings.LANGUAGE_COOKIE_NAME] = language
    ActivityEvent.objects.bulk_create(events_of(campaign))
    left: set[str] = set()
    address = "/campaigns/museum/activity/"
    while address:
        response = client.get(address)
        cells = re.findall(r"<td[^>]*>(.*?)</td>", response.content.decode(), re.DOTALL)
        left.update(
            re.findall(r"[A-Za-z]+", unescape(re.sub("<[^>]+>", " ", " ".join(cells)))),
        )
        older = response.context["older"]
        address = f"/campaigns/museum/activity/?before={older}" if older else ""
    assert left - NAMES == set()


def test_activities_have_distinct_translations() -> None:
    """No two activities of a language read alike, except where the English ones do."""
    for locale in LOCALES:
        found = [
            (key.singular, message.string)
            for key, message in entries(catalogue_read(settings.BASE_DIR, locale))
            if key.context == "activity"
        ]
        assert len({translation for _english, translation in found}) == len(found)
