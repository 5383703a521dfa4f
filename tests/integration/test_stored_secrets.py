"""A copy of the database signs nobody in and opens no address: secrets are stored as hashes, or encrypted."""

from importlib import import_module

import pytest
from django.apps import apps
from django.conf import settings as django_settings
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.models import Model
from django.db.models.functions import Now
from django.test import Client
from pytest_django.fixtures import Settings

from campaign.database.sealing import SealedField, secrets_reseal
from campaign.models import (
    Campaign,
    Judge,
    Panel,
    Participation,
    User,
    WebhookEndpoint,
)
from campaign.models.panel import ParticipationState
from campaign.models.webhook import DeliveryState
from campaign.services.webhooks import webhook_create, webhook_test, webhooks_deliver
from tests.factories import make_judge, make_organiser
from tests.recruiting import SECRET, make_panel

pytestmark = pytest.mark.django_db
[_PATH] = (django_settings.BASE_DIR / "campaign" / "migrations").glob(
    "*_secrets_not_in_clear.py",
)
MIGRATION = import_module(f"campaign.migrations.{_PATH.stem}")
CODES_SEALED = import_module("campaign.migrations.0006_notices_and_codes_not_in_clear")
#: Fields hidden in the activity log that are no credential: personal data, what a draw depends on, long texts and a hash.
NO_CREDENTIALS = {
    "Judge.address",
    "Judge.answers",
    "System.contact",
    "Design.seed",
    "MachineJudge.prompt",
    "MachineJudge.settings",
    "MachineJudge.token_digest",
}


def sealed_columns() -> dict[type[Model], list[str]]:
    """Return the encrypted fields of each model that has any."""
    found = {}
    for model in apps.get_models():
        fields = model._meta.concrete_fields
        columns = [field.name for field in fields if isinstance(field, SealedField)]
        if columns:
            found[model] = columns
    return found


@pytest.fixture
def organiser(campaign: Campaign) -> User:
    return make_organiser(campaign)


@pytest.fixture
def panel(campaign: Campaign) -> Panel:
    return make_panel(campaign)


@pytest.fixture
def judge(campaign: Campaign) -> Judge:
    return make_judge(campaign)


@pytest.fixture
def endpoint(campaign: Campaign) -> WebhookEndpoint:
    return webhook_create(
        campaign=campaign,
        url="https://example.org/hook",
        events=["ranking.finished"],
    )


def browser_with(key: str) -> Client:
    client = Client()
    client.cookies[django_settings.SESSION_COOKIE_NAME] = key
    return client


def stored(model: type, column: str) -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {column} FROM {model._meta.db_table}")  # type: ignore[attr-defined]
        return [value for (value,) in cursor.fetchall()]


def test_row_of_session_table_does_not_sign_in(organiser: User) -> None:
    client = Client()
    client.force_login(organiser)
    key = client.cookies[django_settings.SESSION_COOKIE_NAME].value
    [in_table] = stored(organiser.sessions.model, "session_key")
    assert in_table != key
    assert browser_with(key).get("/account/").status_code == 200
    assert browser_with(in_table).get("/account/").status_code == 302


def test_own_session_is_marked_and_stays_when_others_end(organiser: User) -> None:
    mine, other = Client(), Client()
    for client in (mine, other):
        client.force_login(organiser)
    assert mine.get("/credentials/").content.decode().count("current</span>") == 1
    mine.post("/credentials/", {"action": "end-others"})
    assert mine.get("/account/").status_code == 200
    assert other.get("/account/").status_code == 302
    mine.post("/sign-out/")
    assert organiser.sessions.count() == 0


def test_session_from_before_the_upgrade_stays_signed_in(organiser: User) -> None:
    client = Client()
    client.force_login(organiser)
    key = client.cookies[django_settings.SESSION_COOKIE_NAME].value
    with connection.cursor() as cursor:
        cursor.execute("UPDATE campaign_session SET session_key = %s", [key])
        assert browser_with(key).get("/account/").status_code == 302
        for _time in range(2):
            cursor.execute(MIGRATION._SESSIONS)
    assert browser_with(key).get("/account/").status_code == 200


def test_secrets_are_encrypted_and_read_again(
    panel: Panel,
    endpoint: WebhookEndpoint,
) -> None:
    assert Panel.objects.get(key=panel.key) == panel
    assert Panel.objects.get().webhook_secret == SECRET
    assert WebhookEndpoint.objects.get().secret == endpoint.secret
    for model, columns in sealed_columns().items():
        for column in columns:
            assert all(
                value in (None, "") or value.startswith("sealed:")
                for value in stored(model, column)
            )
    [in_table] = stored(Panel, "key")
    assert Client().get(f"/panel/{panel.key}/").status_code != 404
    assert Client().get(f"/panel/{in_table}/", follow=True).status_code == 404


def test_columns_hidden_in_the_activity_log_are_encrypted() -> None:
    hidden = {
        (model, name)
        for model in apps.get_models()
        for name in getattr(getattr(model, "recording", None), "hidden", ())
    }
    in_clear = {
        f"{model.__name__}.{name}"
        for model, name in hidden
        if not isinstance(model._meta.get_field(name), SealedField)
    }
    assert in_clear == NO_CREDENTIALS


def test_migration_encrypts_codes_and_addresses(
    panel: Panel,
    endpoint: WebhookEndpoint,
    judge: Judge,
) -> None:
    participation = Participation.objects.create(
        panel=panel,
        judge=judge,
        session_id="s",
        blocks_asked=3,
        blocks_before=0,
        blocks_done=3,
        state=ParticipationState.FINISHED,
        ended_at=Now(),
        code=panel.completion_code,
        code_given_at=Now(),
    )
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE campaign_panel SET completion_code = %s, screened_out_code = %s, completion_address = ''",
            [panel.completion_code, panel.screened_out_code],
        )
        cursor.execute(
            "UPDATE campaign_participation SET code = %s",
            [panel.completion_code],
        )
        cursor.execute("UPDATE campaign_webhookendpoint SET url = %s", [endpoint.url])
    state = MigrationLoader(connection, replace_migrations=False).project_state(
        ("campaign", "0006_notices_and_codes_not_in_clear"),
    )
    for _time in range(2):
        CODES_SEALED.secrets_seal(state.apps, None)
    upgraded = Panel.objects.get(completion_code=panel.completion_code)
    assert upgraded.screened_out_code == panel.screened_out_code
    assert upgraded.completion_address == ""
    assert Participation.objects.get(code=panel.completion_code) == participation
    assert WebhookEndpoint.objects.get().url == endpoint.url
    for model, column in ((Participation, "code"), (WebhookEndpoint, "url")):
        [in_table] = stored(model, column)
        assert in_table.startswith("sealed:")


def test_migration_encrypts_secrets_of_stored_rows(
    panel: Panel,
    endpoint: WebhookEndpoint,
) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE campaign_panel SET key = %s, events_key = %s, webhook_secret = ''",
            [panel.key, panel.events_key],
        )
        cursor.execute(
            "UPDATE campaign_webhookendpoint SET secret = %s",
            [endpoint.secret],
        )
    historic = (
        MigrationLoader(connection, replace_migrations=False)
        .project_state(("campaign", _PATH.stem))
        .apps
    )
    for _time in range(2):
        MIGRATION.secrets_seal(historic, None)
    upgraded = Panel.objects.get(key=panel.key, events_key=panel.events_key)
    assert upgraded.webhook_secret == ""
    assert WebhookEndpoint.objects.get().secret == endpoint.secret
    [in_table] = stored(WebhookEndpoint, "secret")
    assert in_table.startswith("sealed:")


def test_previous_key_is_needed_for_one_start_only(
    panel: Panel,
    endpoint: WebhookEndpoint,
    settings: Settings,
) -> None:
    settings.SECRET_KEY_FALLBACKS = [settings.SECRET_KEY]
    settings.SECRET_KEY = "another"
    assert WebhookEndpoint.objects.get().secret == endpoint.secret
    # Keys, codes and secret of the panel; address and secret of the endpoint.
    assert secrets_reseal(using="default") == 7
    settings.SECRET_KEY_FALLBACKS = []
    assert Panel.objects.get(key=panel.key).webhook_secret == SECRET
    assert WebhookEndpoint.objects.get().secret == endpoint.secret
    assert secrets_reseal(using="default") == 0


def test_without_the_key_pages_work_and_nothing_is_signed(
    panel: Panel,
    endpoint: WebhookEndpoint,
    organiser: User,
    settings: Settings,
) -> None:
    webhook_test(endpoint=endpoint)
    settings.SECRET_KEY = "another"
    assert secrets_reseal(using="default") == 0
    client = Client()
    client.force_login(organiser)
    page = client.get(f"/campaigns/{panel.campaign.slug}/panels/{panel.pk}/")
    assert page.status_code == 200
    assert "sealed:" not in page.content.decode()
    assert webhooks_deliver() == 0
    delivery = endpoint.deliveries.get()
    assert delivery.state == DeliveryState.WAITING
    assert "secret" in delivery.error
