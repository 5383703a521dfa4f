"""Write `demo.json`, with the links of a running demo, for users and scripts."""

import json
import secrets
from pathlib import Path
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.urls import reverse

from campaign.models import (
    ApiToken,
    Campaign,
    Invitation,
    InvitationRole,
    Judge,
    Task,
    User,
)
from campaign.services.api_tokens import token_create
from campaign.services.invitations import (
    InvitationRefusedError,
    invitation_create,
    invitation_create_for_anybody,
    invitation_open,
)
from demo.loading import (
    ARABIC_JUDGES,
    CAMPAIGNS,
    GERMAN_JUDGES,
    MUSEUM,
    ORGANISER_EMAIL,
    PROTOCOLS,
)

NEWCOMERS = 200
NEWCOMERS_NOTE = "demo.json"


def guide_write(*, base_url: str, path: Path) -> dict[str, Any]:
    """Write the guide, keeping valid links and secrets of an existing one.

    It can be written before all campaigns are loaded, and again after each.
    """
    guide = _kept(path, base_url) or _new(base_url)
    # One judge per protocol, who uses no other protocol.
    guide["protocols"] = guide["protocols"] or _protocol_links(base_url)
    guide["tasks"] = list(
        Task.objects.filter(test_set__campaign__slug__in=CAMPAIGNS)
        .order_by("id")
        .values("id", "test_set__name")
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    # It contains a password and sign-in links, so only its owner may ever read it.
    partial = path.with_suffix(".partial")
    partial.touch(mode=0o600)
    partial.chmod(0o600)
    partial.write_text(
        json.dumps(guide, ensure_ascii=False, indent=2) + "\n", encoding="utf-8"
    )
    partial.replace(path)  # atomic, for concurrent readers
    return guide


def _kept(path: Path, base_url: str) -> dict[str, Any] | None:
    """Return the guide with links to this base URL; None if its links are no longer valid."""
    try:
        guide: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        links = [guide["organiser"], guide["newcomers"], *guide["judges"]]
        for link in links:
            invitation_open(token=link["url"].rstrip("/").rpartition("/")[2])
        moved = json.dumps(guide).replace(json.dumps(guide["base_url"])[1:-1], base_url)
    except (OSError, ValueError, KeyError, TypeError, InvitationRefusedError):
        return None
    kept: dict[str, Any] = json.loads(moved)
    return kept


@transaction.atomic
def _new(base_url: str) -> dict[str, Any]:
    campaign = Campaign.objects.get(slug=MUSEUM)
    organiser = User.objects.get(email=ORGANISER_EMAIL)
    password = secrets.token_urlsafe(12)
    organiser.set_password(password)
    organiser.save(update_fields=["password"])
    ApiToken.objects.filter(user=organiser).delete()
    _token, api_token = token_create(user=organiser)
    # Judges who joined later by invitation keep their links.
    judges = _with_links(campaign).filter(
        pseudonym__in=[*GERMAN_JUDGES, *ARABIC_JUDGES]
    )
    Invitation.objects.for_anybody().filter(
        campaign=campaign, note=NEWCOMERS_NOTE
    ).update(revoked_at=Now())
    _link, newcomers = invitation_create_for_anybody(
        campaign=campaign, cap=NEWCOMERS, asks_languages=True, note=NEWCOMERS_NOTE
    )
    holders = [organiser.pk, *judges.values_list("user", flat=True)]
    Invitation.objects.filter(campaign=campaign, user__in=holders).delete()
    return {
        "base_url": base_url,
        "organiser": {
            "url": _signing_in(base_url, campaign, organiser, InvitationRole.ORGANISER),
            "email": ORGANISER_EMAIL,
            "password": password,
        },
        # Creates a judge when the button is pressed.
        "newcomers": {"url": base_url + reverse("invitation", args=[newcomers])},
        "judges": [
            {
                "name": judge.pseudonym,
                "url": _signing_in(
                    base_url, campaign, judge.user, InvitationRole.JUDGE
                ),
            }
            for judge in judges
            if judge.user is not None
        ],
        "protocols": [],
        "api_token": api_token,
        "campaign": campaign.slug,
    }


@transaction.atomic
def _protocol_links(base_url: str) -> list[dict[str, str]]:
    """Return a new link for each judge of the campaign of all protocols; empty before it is loaded."""
    campaign = Campaign.objects.filter(slug=PROTOCOLS).first()
    if campaign is None:
        return []
    judges = _with_links(campaign).select_related("chosen_task__test_set")
    Invitation.objects.filter(
        campaign=campaign, user__in=judges.values("user")
    ).delete()
    return [
        {
            "protocol": judge.chosen_task.protocol,
            "name": _asked(judge.chosen_task, judge.pseudonym),
            "url": _signing_in(base_url, campaign, judge.user, InvitationRole.JUDGE),
        }
        for judge in judges
        if judge.user is not None and judge.chosen_task is not None
    ]


def _signing_in(
    base_url: str, campaign: Campaign, user: User, role: InvitationRole
) -> str:
    """Return a new sign-in link of a user to a campaign."""
    _invitation, token = invitation_create(campaign=campaign, user=user, role=role)
    return base_url + reverse("invitation", args=[token])


def _asked(task: Task, pseudonym: str) -> str:
    """Return the name of the protocol of a judge, with the test set if a protocol is used in two ways."""
    name = task.get_protocol_display()
    if pseudonym == task.protocol:
        return name
    return f"{name} ({task.test_set.name})"


def _with_links(campaign: Campaign) -> QuerySet[Judge]:
    """Return the human judges of a campaign in order of creation."""
    people = Judge.objects.filter(campaign=campaign, origin=Judge.Origin.PERSON)
    return people.select_related("user").order_by("id")
