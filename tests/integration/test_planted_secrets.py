"""Secrets that are planted in a campaign stand in no answer to anybody: lists, pages, files, errors, and no log."""

import io
import zipfile
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from rest_framework.test import APIClient

from campaign.models import InvitationRole, MembershipRole
from campaign.models.questions import questions_checked, questions_stored
from campaign.services.api_tokens import token_create
from campaign.services.campaigns import campaign_change
from campaign.services.invitations import (
    invitation_create,
    invitation_create_for_anybody,
)
from campaign.services.members import member_invite_by_mail
from campaign.services.notification import Message
from campaign.services.own_account import password_token
from campaign.services.questions import judge_answers_write
from campaign.services.webhooks import webhook_secret_rotate
from ranking.export.kinds import KINDS
from ranking.services.published_results.publish import result_reviewer_link_make
from tests.integration.test_secrets import logged
from tests.permissions.addresses import ADDRESSES
from tests.permissions.requests import opening
from tests.permissions.world import World
from tests.recruiting import COMPLETION, SCREENED_OUT, SECRET
from tests.some_now import some_now

__all__ = ["logged"]

pytestmark = pytest.mark.django_db

_PUBLISHED = (
    "campaigns/<slug:slug>/tasks/<int:task_id>/publish/",
    "api/v1/tasks/<int:task_id>/published-results/",
    "api/v1/tasks/<int:task_id>/published-results/<int:version>/",
)
_PANEL = "campaigns/<slug:slug>/panels/<int:panel_id>/"
#: What organisers come back for, and where: they enter it at the recruiting service, or send it to reviewers.
ENTERED = {"panel key", "panel events key", "completion code", "screened out code"}
KNOWN = {
    **{("organiser", place): ENTERED for place in (_PANEL, f"api/v1/{_PANEL}")},
    **{("organiser", place): {"link of reviewers"} for place in _PUBLISHED},
    # Shared links can be read again until they are withdrawn.
    ("organiser", "campaigns/<slug:slug>/invitations/"): {"link for anybody"},
}


@pytest.fixture
def planted(world: World) -> dict[str, str]:
    """Secrets of the campaign and of its people, by what they are."""
    campaign, users = world.campaign, world.users
    organiser, analyst, judge = users["organiser"], users["analyst"], users["judge"]
    assert organiser is not None
    assert analyst is not None
    assert judge is not None
    endpoint = campaign.webhook_endpoints.get()
    before = endpoint.secret
    webhook_secret_rotate(endpoint=endpoint)
    endpoint.refresh_from_db()
    member_invite_by_mail(
        campaign=campaign,
        email="new@example.org",
        name="New",
        role=MembershipRole.ANALYST,
        message=Message(
            language="en",
            note="",
            base_url="https://quintet.example.org/",
        ),
        by=organiser,
    )
    _link, of_judge = invitation_create(
        campaign=campaign,
        user=judge,
        role=InvitationRole.JUDGE,
    )
    _link, of_member = invitation_create(
        campaign=campaign,
        user=analyst,
        role=InvitationRole.ANALYST,
    )
    _link, for_anybody = invitation_create_for_anybody(
        campaign=campaign,
        cap=2,
        note="a list",
    )
    found = {
        "token of the organiser": token_create(user=organiser, name="SECRET-TOKEN")[1],
        "token of the analyst": token_create(user=analyst, campaign=campaign)[1],
        "webhook secret": endpoint.secret,
        "webhook previous secret": before,
        "link of the judge": of_judge,
        "link of the member": of_member,
        "link for anybody": for_anybody,
        "password of the organiser": organiser.password,
        "link to choose a password": password_token(organiser),
        "link of reviewers": result_reviewer_link_make(result=world.published),
        "panel webhook secret": SECRET,
        "panel key": world.panel.key,
        "panel events key": world.panel.events_key,
        "completion code": COMPLETION,
        "screened out code": SCREENED_OUT,
    }
    assert all(found.values())
    assert before != endpoint.secret
    return found


def text_of(answer: Any) -> Iterator[str]:
    """Yield everything an answer holds: headers, its body, and the members of a zip."""
    content = b"".join(answer) if answer.streaming else answer.content
    yield str(dict(answer.headers))
    yield content.decode(errors="replace")
    if content.startswith(b"PK\x03\x04"):
        with zipfile.ZipFile(io.BytesIO(content)) as members:
            for name in members.namelist():
                yield members.read(name).decode(errors="replace")


def found_in(answer: Any, planted: dict[str, str]) -> set[str]:
    texts = list(text_of(answer))
    return {
        name
        for name, secret in planted.items()
        if any(secret in text for text in texts)
    }


@pytest.mark.parametrize("role", some_now(["judge", "visitor", "organiser"]))
def test_no_answer_and_no_log_holds_a_planted_secret(
    world: World,
    planted: dict[str, str],
    logged: io.StringIO,
    role: str,
) -> None:
    client = world.client(role)
    client.raise_request_exception = False
    leaks: dict[tuple[str, str], set[str]] = {}
    statuses = set()
    for route in ADDRESSES:
        answer = client.get(world.fill(route))
        statuses.add(answer.status_code)
        leaks[role, route] = found_in(answer, planted)
    for address in _exports(world) if role == "organiser" else ():
        leaks.setdefault((role, address), set()).update(
            found_in(client.get(address), planted),
        )
    assert {
        place: names
        for place, names in leaks.items()
        if names - KNOWN.get(place, set())
    } == {}
    if role == "organiser":
        # What this looks for can be found.
        assert leaks[role, f"api/v1/{_PANEL}"] == leaks[role, _PANEL] == ENTERED
    assert {404, 405} <= statuses
    written = logged.getvalue()
    assert {name for name, secret in planted.items() if secret in written} == set()


def test_no_column_of_any_table_holds_a_planted_secret(
    world: World,
    planted: dict[str, str],
) -> None:
    """A copy of the database neither signs in nor pays out, nor writes to somebody's webhook."""
    session = world.client("organiser").session.session_key
    assert session is not None
    secrets = planted | {
        "session of the organiser": session,
        "address of a webhook": world.campaign.webhook_endpoints.get().url,
    }
    # A hash, as it is stored.
    del secrets["password of the organiser"]
    leaks = set()
    for table in connection.introspection.table_names():
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT row::text FROM {table} AS row")
            rows = "\n".join(row for (row,) in cursor.fetchall())
        leaks |= {
            (table, name)
            for name, secret in secrets.items()
            if secret in rows or secret.encode().hex() in rows
        }
    assert leaks == set()


def _exports(world: World) -> list[str]:
    return [
        f"/api/v1/tasks/{world.task.pk}/exports/stream/?kind={kind.name}&file_format={name}"
        for kind in KINDS.values()
        for name in kind.formats
    ]


@pytest.mark.thorough
def test_errors_do_not_repeat_what_was_sent_as_a_token_or_cursor(
    world: World,
    planted: dict[str, str],
    logged: io.StringIO,
) -> None:
    """Also of somebody who sends a token to the wrong place, cut off or as a parameter."""
    token = planted["token of the organiser"]
    cut = Client(headers={"Authorization": f"Token {token[:-1]}"})
    member = APIClient()
    member.credentials(HTTP_AUTHORIZATION=f"Token {token}")
    asked = 0
    for route in ADDRESSES:
        if not route.startswith("api/v1/") or opening(route) != "GET":
            continue
        address = world.fill(route)
        for answer in (
            cut.get(address),
            member.get(f"{address}?cursor={token}"),
            member.get(
                f"{address}?fields=nothing",
                headers={"Authorization": f"Token {token} "},
            ),
        ):
            if answer.status_code == 307:
                # Sent on as it came.
                continue
            asked += 1
            assert not any(token[:-1] in text for text in text_of(answer)), route
    assert asked > 200
    assert token[:-1] not in logged.getvalue()


def test_no_page_list_or_file_shows_an_analyst_what_a_judge_answered(
    world: World,
) -> None:
    """docs/privacy.md: answers to the campaign's questions are for organisers."""
    question = {
        "name": "remarks",
        "kind": "text",
        "texts": [{"language": "en", "question": "Anything else?"}],
    }
    campaign = world.campaign
    campaign_change(campaign=campaign, questions=questions_checked([question]))
    campaign.refresh_from_db()
    answer = {"answer": "planted-answer"}
    judge_answers_write(
        judge=world.judge,
        questions=questions_stored(campaign.questions),
        values={"remarks": answer["answer"]},
        language="en",
    )
    doors: dict[str, set[str]] = {}
    for role in ("analyst", "organiser"):
        client = world.client(role)
        client.raise_request_exception = False
        doors[role] = set()
        for address in (*map(world.fill, ADDRESSES), *_exports(world)):
            if found_in(client.get(address), answer):
                doors[role].add(address)
    assert doors["analyst"] == set()
    # What this looks for can be found.
    assert "/api/v1/campaigns/mine/questions/" in doors["organiser"]
