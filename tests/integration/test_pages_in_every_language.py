"""Every page in every language: no English left over, and numbers and dates as the language writes them."""

from collections.abc import Iterator, Mapping, Sequence

import pytest
from django.apps import apps
from django.conf import settings
from django.db import models
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoDbBlocker

from campaign.accounts.interface_language import SESSION_KEY
from campaign.models import Protocol
from campaign.services.judges import user_language_set
from tests.factories import make_organiser
from tests.permissions.addresses import ADDRESSES
from tests.permissions.requests import opening
from tests.permissions.world import World
from tests.protocol_tasks import make_task_of_protocol
from tests.read_pages import english_in, unlike

pytestmark = pytest.mark.django_db

TRANSLATED = tuple(code for code, _name in settings.LANGUAGES if code != "en")
#: Words that are the same in every language: languages in their own names, people, formats and codes of settings.
EVERYWHERE = {
    *dict(settings.LANGUAGES).values(),
    "Davidson",
    "Google",
    "bytes csv jsonl",
    "char intl none",
}


def pages(world: World) -> Iterator[tuple[str, str]]:
    """Yield role and address of each page that some role can open."""
    for route, answers in ADDRESSES.items():
        role = next(
            (
                role
                for role in ("organiser", "judge", "visitor")
                if answers[role] == 200
            ),
            "",
        )
        if role and opening(route) == "GET" and not route.startswith("api/"):
            yield role, world.fill(route)
    yield "organiser", "/campaigns/none/"


def names_of_people() -> set[str]:
    """Return all stored texts that are not one of a field's choices: what people wrote."""
    fields = [
        (model, field.name)
        for label in ("campaign", "annotation", "ranking", "protocols")
        if label in apps.app_configs
        for model in apps.get_app_config(label).get_models()
        for field in model._meta.concrete_fields
        if isinstance(field, models.CharField | models.TextField) and not field.choices
    ]
    return {
        text
        for model, name in fields
        for text in model._default_manager.values_list(name, flat=True)
        if text
    }


@pytest.fixture(scope="module")
def english(world: World, django_db_blocker: DjangoDbBlocker) -> Mapping[str, str]:
    """The English version of each page."""
    with django_db_blocker.unblock():
        return dict(read(world, "en", list(pages(world))))


def read(
    world: World,
    language: str,
    addresses: Sequence[tuple[str, str]],
) -> Iterator[tuple[str, str]]:
    """Yield the address and text of pages, given by role and address, in a language."""
    clients = {}
    for role, user in world.users.items():
        clients[role] = world.client(role)
        if user is not None:
            user_language_set(user=user, language=language)
            clients[role].force_login(user)
    for role, address in addresses:
        answer = clients[role].get(address, headers={"accept-language": language})
        if answer["Content-Type"].startswith("text/html"):
            assert answer["Content-Language"] == language, address
            yield address, answer.content.decode()


def wrong_texts(
    world: World,
    english: Mapping[str, str],
    language: str,
    addresses: Sequence[tuple[str, str]],
) -> dict[str, set[str]]:
    """Return English texts, numbers and dates that a language has in pages, by their address."""
    names = EVERYWHERE | names_of_people()
    wrong: dict[str, set[str]] = {}
    for address, page in read(world, language, addresses):
        left = english_in(page, english[address], language, names)
        if odd := left | unlike(page, language):
            wrong[address] = odd
    return wrong


def test_pages_are_in_english(english: Mapping[str, str]) -> None:
    wrong = {address: unlike(page, "en") for address, page in english.items()}
    assert {address: odd for address, odd in wrong.items() if odd} == {}
    assert len(english) > 80


@pytest.mark.parametrize("language", TRANSLATED)
def test_each_page_is_in_one_of_the_languages(
    world: World,
    english: Mapping[str, str],
    language: str,
) -> None:
    """Languages take turns; `translations check` finds texts that one of them lacks."""
    first = TRANSLATED.index(language)
    addresses = list(pages(world))[first :: len(TRANSLATED)]
    assert wrong_texts(world, english, language, addresses) == {}
    assert len(addresses) > 16


@pytest.mark.thorough
@pytest.mark.parametrize("language", TRANSLATED)
def test_pages_are_in_their_language(
    world: World,
    english: Mapping[str, str],
    language: str,
) -> None:
    assert wrong_texts(world, english, language, list(pages(world))) == {}


@pytest.mark.parametrize(
    "protocol",
    [each for each in Protocol if each != Protocol.RANKING],
)
def test_judging_and_results_of_each_protocol_are_in_their_language(
    client: Client,
    protocol: Protocol,
) -> None:
    task = make_task_of_protocol(protocol)
    campaign = task.test_set.campaign
    organiser = make_organiser(campaign, "desk@example.org")
    client.force_login(organiser)
    names = EVERYWHERE | names_of_people()
    read = {}
    # One with a decimal comma, one with a point.
    for language in ("en", "cs", "ar"):
        session = client.session
        session[SESSION_KEY] = language
        session.save()
        for name in (
            "judge-preview-sentences",
            "test-set-dashboard",
            "design",
            "ranking-settings",
        ):
            answer = client.get(reverse(name, args=[campaign.slug, task.pk]))
            page = read[name, language] = answer.content.decode()
            left = (
                set()
                if language == "en"
                else english_in(page, read[name, "en"], language, names)
            )
            assert left | unlike(page, language) == set(), (name, language)
