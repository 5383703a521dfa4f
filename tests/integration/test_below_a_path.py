"""Below a path of somebody else's host: every address that an answer of REST or a mail names has the path, once."""

import json
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import pytest
from django.core import mail
from django.db import transaction
from django.test import Client
from django.urls import Resolver404, resolve, set_script_prefix
from django.utils import timezone
from pytest_django import Settings

from campaign.models import (
    Judge,
    Mail,
    MailKind,
    MailState,
    Membership,
    MembershipRole,
    User,
)
from campaign.services.api_tokens import token_create
from campaign.services.erasures import erasure_ask
from campaign.services.invitation_mails import judges_invite_by_mail, own_link_send
from campaign.services.members import daily_alerts_set, member_invite_by_mail
from campaign.services.notification import Message
from campaign.services.own_account import (
    address_mail_request,
    address_set_by_link,
    address_token,
    password_mail_request,
)
from campaign.tasks import send_mails
from desk.services.alert_mails import alert_mails_send
from tests.factories import make_organiser
from tests.permissions.world import World
from tests.rest_operations import addresses, description

pytestmark = [pytest.mark.django_db, pytest.mark.thorough]
PREFIX = "/somewhere/quintet"
HOST = "http://testserver"
#: Where the example of the description makes nothing in the world of these tests.
SENT: dict[str, Any] = {
    "clone/": {"slug": "twin", "name": "Twin", "texts": True, "people": True},
    "invitations/links/": {"cap": 5, "note": "x"},
    "judges/": {"list": "ada@example.org"},
    "judges/{judge_id}/link/": {"confirm": True},
    "members/": {"email": "new@example.org", "name": "Nora", "role": "analyst"},
    "members/invitations/": {"email": "new@example.org", "role": "analyst"},
    "panels/": {
        "kind": "prolific",
        "name": "News",
        "blocks_asked": 5,
        "minutes_allowed": 60,
    },
    "analyses/": {"kind": "pairs"},
}
ADDRESS = re.compile(r"https?://testserver[^\s\"'<>\\)]*")


@pytest.fixture(autouse=True)
def below(settings: Settings) -> Iterator[None]:
    """Serve, and send mail, as `URL_PREFIX` and `PUBLIC_ADDRESS` have it."""
    settings.URL_PREFIX = settings.FORCE_SCRIPT_NAME = PREFIX
    settings.PUBLIC_ADDRESS = HOST
    # As in a worker of this installation, which Django tells the path as it starts.
    set_script_prefix(f"{PREFIX}/")
    yield
    set_script_prefix("/")


def client_of(world: World, role: str) -> Client:
    user = world.users[role]
    assert user is not None
    _instance, token = token_create(user=user)
    return Client(headers={"Authorization": f"Token {token}"})


def named(value: Any) -> Iterator[str]:
    """Yield each address of ours that an answer or a mail names, as a path."""
    if isinstance(value, dict):
        for each in value.values():
            yield from named(each)
    elif isinstance(value, list):
        for each in value:
            yield from named(each)
    elif isinstance(value, str):
        yield from (urlsplit(found).path for found in ADDRESS.findall(value))
        if re.match(r"/[\w/-]*\Z", value):
            yield value


def leads_elsewhere(path: str) -> bool:
    """Return whether a path is not below the prefix, or nothing of ours without it."""
    if not path.startswith(f"{PREFIX}/"):
        return True
    try:
        resolve(path.removeprefix(PREFIX))
    except Resolver404:
        # Where all others begin: messages name it beside paths that Django's `reverse` made.
        return path != f"{PREFIX}/"
    return False


def said(answer: Any) -> list[Any]:
    """Return what an answer says: its headers, and its body as JSON or text."""
    body = b"".join(answer) if answer.streaming else answer.content
    headers = [
        answer.headers.get(name, "")
        for name in ("Location", "Link", "Content-Location")
    ]
    try:
        return [*headers, json.loads(body)]
    except ValueError:
        return [*headers, body.decode(errors="replace")]


def test_responses_contain_addresses_below_the_path(world: World) -> None:
    """Every address of the API, asked by an organiser, and by a judge what judges are sent."""
    clients = {role: client_of(world, role) for role in ("organiser", "judge")}
    wrong, checked = [], 0
    for address in addresses():
        client = clients["judge" if address.is_judging else "organiser"]
        with transaction.atomic():
            found = list(named(said(client.get(world.fill(address.route)))))
            transaction.set_rollback(True)
        checked += len(found)
        wrong += [(address.route, path) for path in found if leads_elsewhere(path)]
    assert wrong == []
    assert checked > 80


def test_created_objects_have_addresses_below_the_path(world: World) -> None:
    """Every operation with a body, sent a body of its own where one is needed: links of members and judges, panels, copies …"""
    world.users["owner"] = User.objects.get(email="owner@example.org")
    client = client_of(world, "owner")
    parts = world.named_parts()
    wrong, made = [], set()
    for path, methods in description()["paths"].items():
        for method, operation in methods.items():
            if method == "get" or "/judging/" in path:
                continue
            ending = re.sub(r".*/v1/(campaigns/{slug}/)?(tasks/{task_id}/)?", "", path)
            body = SENT.get(ending, {}) if method == "post" else {}
            address = re.sub(
                r"{(\w+)}",
                lambda part: parts.get(part.group(1), str(uuid4())),
                path,
            )
            with transaction.atomic():
                answer = getattr(client, method)(
                    address,
                    body,
                    content_type="application/json",
                )
                found = list(named(said(answer)))
                transaction.set_rollback(True)
            wrong += [
                (method, path, answer.status_code, each)
                for each in found
                if leads_elsewhere(each)
            ]
            if answer.status_code < 300 and found:
                made.add(operation["operationId"])
    assert wrong == []
    # Links to judge and to become a member, what a panel is told, and answers that a worker computes.
    assert made >= {
        *(
            "campaign_clone",
            "campaign_judge_link",
            "judges_link_make",
            "member_add",
            "member_link",
        ),
        *("panel_create", "analyses_ask", "rankings_ask"),
    }


def test_mails_of_every_kind_name_addresses_below_it(world: World) -> None:
    """As a worker sends them; each class of mail, and each template that has a link."""
    organiser, judge = world.users["organiser"], world.judge
    assert organiser is not None
    membership = Membership.objects.get(user=organiser, campaign=world.campaign)
    base: dict[str, Any] = {"base_url": HOST, "language": "en"}
    assert organiser.email is not None
    judges_invite_by_mail(
        campaign=world.campaign,
        addresses=["a@example.org"],
        message=Message(**base),
    )
    member_invite_by_mail(
        campaign=world.campaign,
        email="m@example.org",
        role=MembershipRole.ANALYST,
        by=None,
        message=Message(**base),
    )
    own_link_send(judge=judge, address="j@example.org", **base)
    password_mail_request(address=organiser.email, **base)
    address_mail_request(user=organiser, address="new@example.org", **base)
    other = make_organiser(world.campaign, "third@example.org")
    address_set_by_link(token=address_token(other, "else@example.org"), **base)
    Judge.objects.filter(pk=judge.pk).update(address="j@example.org")
    erasure_ask(judge=Judge.objects.get(pk=judge.pk))
    daily_alerts_set(membership=membership, daily_alerts=True)
    send_mails()
    alert_mails_send(now=timezone.now().replace(hour=12))
    sent = Mail.objects.filter(state=MailState.SENT).values_list("kind", flat=True)
    assert set(sent) == set(MailKind) - {
        MailKind.ERASURE_REFUSED,
        MailKind.ERASURE_CARRIED_OUT,
    }
    assert len(mail.outbox) >= 8
    for message in mail.outbox:
        found = list(named(str(message.body)))
        assert found, message.subject
        assert [path for path in found if leads_elsewhere(path)] == [], message.subject
