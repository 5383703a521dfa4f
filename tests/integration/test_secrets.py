"""Addresses with a token or a key: nothing that logs, reports or remembers an address holds the secret."""

import io
import logging
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from django.core import mail
from django.core.mail import EmailMultiAlternatives
from django.db import OperationalError
from django.db.backends.utils import CursorWrapper
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from django.utils.log import AdminEmailHandler

from campaign.models import Campaign, InvitationRole, PanelKind
from campaign.services.invitations import (
    invitation_create,
    invitation_create_for_anybody,
)
from campaign.services.own_account import (
    account_link_create,
    address_token,
    password_token,
)
from config.logs import HIDDEN, json_formatter, redact, secrets_of
from tests.factories import make_judge, make_organiser
from tests.recruiting import make_panel

METHODS = (
    "GET",
    "HEAD",
    "OPTIONS",
    "POST",
    "PUT",
    "PATCH",
    "DELETE",
    "TRACE",
    "NONSENSE",
)
#: Arguments of addresses that are no secret: short names, numbers, ids made by the judging page.
HARMLESS = {
    *("slug", "client_id", "version", "pk", "number", "transition"),
    *("kind", "name", "ending", "table"),
    # A block or a file, which only its judge may read.
    *("block", "signature"),
    # Of a decision about judges; who may see it is asked all the same.
    "batch",
    # The beginning of a published SHA-256, and a file of it.
    *("digest", "file_name"),
}
#: Their values in addresses that have a secret beside them.
BESIDE = {"digest": "0123456789abcdef", "file_name": "ranking.csv"}

pytestmark = pytest.mark.django_db


def addresses(resolver: URLResolver) -> Iterator[tuple[str | None, set[str]]]:
    """Return the name and the arguments of every address."""
    for pattern in resolver.url_patterns:
        if isinstance(pattern, URLPattern):
            yield pattern.name, set(pattern.pattern.converters)
        else:
            yield from addresses(pattern)


SECRET_ADDRESSES = sorted(
    name
    for name, arguments in addresses(get_resolver())
    if name
    and any(not each.endswith("_id") and each not in HARMLESS for each in arguments)
)


def secret_address(name: str, secret: str) -> str:
    """Return the address with this secret, and something harmless in its other places."""
    arguments = next(
        found for known, found in addresses(get_resolver()) if known == name
    )
    return reverse(name, kwargs={each: BESIDE.get(each, secret) for each in arguments})


def test_the_addresses_with_a_secret_are_known() -> None:
    assert SECRET_ADDRESSES == [
        "address-confirm",
        "invitation",
        "organiser-account",
        "panel-entry",
        "panel-events",
        "password-choose",
        "published-review",
        "published-review-file",
    ]
    for name in SECRET_ADDRESSES:
        address = secret_address(name, "c2VjcmV0-_x")
        assert secrets_of(address) == ["c2VjcmV0-_x"]
        for written in (
            address,
            f"https://x.org/sub{address}?a=b",
            address.replace("/", "%2F"),
        ):
            assert "c2VjcmV0" not in redact(f'GET "{written}" {written}')


@pytest.fixture
def secrets(campaign: Campaign) -> dict[str, list[str]]:
    """For each address the secrets that work, and one that does not."""
    judge, organiser = make_judge(campaign), make_organiser(campaign)
    assert judge.user is not None
    links = [
        invitation_create(
            campaign=campaign,
            user=judge.user,
            role=InvitationRole.JUDGE,
        ),
        invitation_create(
            campaign=campaign,
            user=organiser,
            role=InvitationRole.ORGANISER,
        ),
        invitation_create_for_anybody(campaign=campaign, cap=3, asks_languages=True),
    ]
    panels = [
        make_panel(campaign),
        make_panel(campaign, PanelKind.GENERIC, name="on SONA"),
    ]
    wrong = "wrong-Wrong_wrong-Wrong"
    return {
        "invitation": [*(token for _link, token in links), wrong],
        "address-confirm": [address_token(organiser, "new@example.org"), wrong],
        "password-choose": [password_token(organiser), wrong],
        "organiser-account": [account_link_create(user=organiser), wrong],
        "panel-entry": [*(panel.key for panel in panels), wrong],
        "panel-events": [*(panel.events_key for panel in panels), wrong],
        # Those that work: tests/integration/publishing.
        "published-review": [wrong],
        "published-review-file": [wrong],
    }


@pytest.fixture
def logged() -> Iterator[io.StringIO]:
    """All that is logged, at every level, as a formatter writes it."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(logging.Formatter("%(name)s %(message)s"))
    as_json = logging.StreamHandler(stream)
    as_json.setFormatter(json_formatter())
    mails = AdminEmailHandler(include_html=True)
    mails.setLevel(logging.ERROR)
    root = logging.getLogger()
    before = root.level
    root.setLevel(logging.DEBUG)
    root.addHandler(handler)
    root.addHandler(mails)
    root.addHandler(as_json)
    yield stream
    root.removeHandler(handler)
    root.removeHandler(mails)
    root.removeHandler(as_json)
    root.setLevel(before)


def ask_everything(
    secrets: dict[str, list[str]],
    methods: Sequence[str],
    query: str = "",
) -> list[Any]:
    answers = []
    for name, values in secrets.items():
        for secret in values:
            address = secret_address(name, secret)
            for method in methods:
                for strict in (False, True):
                    client = Client(
                        enforce_csrf_checks=strict,
                        raise_request_exception=False,
                    )
                    answers.append(client.generic(method, address + query))
            # Without its last stroke, and cut off.
            client = Client(raise_request_exception=False)
            answers.append(client.get(address.rstrip("/")))
            answers.append(client.get(f"{address}nothing/"))
    return answers


def assert_silent(text: str, secrets: dict[str, list[str]]) -> None:
    found = [
        (name, each)
        for name, values in secrets.items()
        for each in values
        if each in text
    ]
    assert found == []


@pytest.mark.thorough
@pytest.mark.parametrize(
    "database",
    ["there", pytest.param("away", marks=pytest.mark.thorough)],
)
def test_no_log_no_report_and_no_referer_holds_a_secret(
    secrets: dict[str, list[str]],
    logged: io.StringIO,
    settings: Any,
    monkeypatch: pytest.MonkeyPatch,
    database: str,
) -> None:
    settings.ADMINS = [("Olga", "olga@example.org")]
    if database == "away":

        def refuse(_self: CursorWrapper, sql: str, *_args: Any, **_more: Any) -> None:
            raise OperationalError(f"connection lost\nLINE 1: {sql}\n")

        monkeypatch.setattr(CursorWrapper, "execute", refuse)
    answers = ask_everything(secrets, METHODS)
    filled = "?PROLIFIC_PID=ada&STUDY_ID=s1&SESSION_ID=s2"
    answers += ask_everything(secrets, ("GET", "POST"), filled)
    statuses = {answer.status_code for answer in answers}
    assert statuses >= (
        {503, 405} if database == "away" else {200, 302, 400, 403, 404, 405}
    )
    assert {answer["Referrer-Policy"] for answer in answers} == {"strict-origin"}
    assert all("no-store" in answer["Cache-Control"] for answer in answers)
    text = logged.getvalue()
    assert f"Method Not Allowed (PUT): /i/{HIDDEN}/" in text
    assert_silent(text, secrets)
    if database == "away":
        assert f"Service Unavailable: /panel/{HIDDEN}/events/" in text
        assert len(mail.outbox) > 10
    for message in mail.outbox:
        assert_silent(str(message.message()), secrets)
        assert isinstance(message, EmailMultiAlternatives)
        for html, _kind in message.alternatives:
            assert_silent(str(html), secrets)


def test_after_the_button_the_address_bar_holds_no_secret(
    secrets: dict[str, list[str]],
    campaign: Campaign,
) -> None:
    for token in secrets["invitation"][:3]:
        client = Client()
        reads = {"language": ["en", "de"]}
        came = client.post(reverse("invitation", args=[token]), reads)
        assert came.status_code in {302, 400}
        assert token not in came.get("Location", "")
    assert campaign.judges.count() == 1


def test_rows_and_statements_of_database_errors_stay_out() -> None:
    error = (
        'IntegrityError: null value in column "number" violates a constraint\n'
        "DETAIL:  Failing row contains (7, {1,2,3}, my comment,\n of two lines).\n\n"
        "The above exception was the direct cause\n"
        "LINE 1: SELECT 'my key'\n               ^\n"
    )
    clean = redact(error)
    assert "violates a constraint" in clean
    assert "The above exception" in clean
    assert "comment" not in clean
    assert "two lines" not in clean
    assert "my key" not in clean


def test_a_refused_form_logs_no_referrer(logged: io.StringIO) -> None:
    client = Client(enforce_csrf_checks=True)
    referrer = "https://planted.example.org/list?PROLIFIC_PID=planted"
    answer = client.post(
        "/sign-in/?search=planted",
        secure=True,
        headers={"Referer": referrer},
    )
    assert answer.status_code == 403
    assert "Referer checking failed" in logged.getvalue()
    assert "planted" not in logged.getvalue()


def test_an_address_is_logged_without_its_query() -> None:
    assert (
        redact("GET https://x.org/a?search=Rosa+Miller 1")
        == f"GET https://x.org/a?{HIDDEN} 1"
    )


def test_a_traceback_and_a_stack_are_redacted_whichever_handler_writes_them() -> None:
    stream = io.StringIO()
    logger = logging.getLogger("gunicorn.error")
    handler = logging.StreamHandler(stream)
    logger.addHandler(handler)
    try:
        raise ValueError("GET /i/s3cret-s3cret/ HTTP/9")
    except ValueError:
        logger.exception(
            "Error handling request %s",
            "/i/s3cret-s3cret/",
            stack_info=True,
        )
    finally:
        logger.removeHandler(handler)
    text = stream.getvalue()
    assert f"Error handling request /i/{HIDDEN}/" in text
    assert f"ValueError: GET /i/{HIDDEN}/ HTTP/9" in text
    # The stack quotes this test's own lines, where the address stands as well.
    assert "s3cret" not in text


CELERY = """
import sys
import config
config.celery_app.log.setup(loglevel="INFO", logfile=sys.argv[1], redirect_stdouts=True)
import logging
print("printed /i/s3cret-s3cret/")
try:
    raise OSError("https://x.org/i/s3cret-s3cret/")
except OSError:
    logging.getLogger("celery.app.trace").exception("Task failed: %s", "/panel/s3cret-s3cret/")
"""


def test_the_worker_logs_no_secret(tmp_path: Path) -> None:
    log = tmp_path / "worker.log"
    subprocess.run([sys.executable, "-c", CELERY, str(log)], check=True)
    written = log.read_text()
    assert f"printed /i/{HIDDEN}/" in written
    assert f"OSError: https://x.org/i/{HIDDEN}/" in written
    assert f"Task failed: /panel/{HIDDEN}/" in written
    assert "s3cret" not in written
