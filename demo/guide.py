"""Write `demo.json`, with the links of a running demo, for users and scripts."""

import json
import secrets
from pathlib import Path
from typing import NotRequired, TypedDict

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


class Link(TypedDict):
    """A sign-in link."""

    url: str


class OrganiserLink(Link):
    """The link of the organiser, who may also sign in with a password."""

    email: str
    password: str


class JudgeLink(Link):
    """The link of a judge; `protocol` if the judge works with one protocol only."""

    name: str
    protocol: NotRequired[str]


class GuideTask(TypedDict):
    """A task of the demo."""

    id: int
    test_set__name: str


class Guide(TypedDict):
    """Content of `demo.json`."""

    base_url: str
    organiser: OrganiserLink
    newcomers: Link
    judges: list[JudgeLink]
    protocols: list[JudgeLink]
    api_token: str
    campaign: str
    tasks: NotRequired[list[GuideTask]]


def guide_write(*, base_url: str, path: Path) -> Guide:
    """Write the guide, keeping valid links and secrets of an existing one.

    It can be written before all campaigns are loaded, and again after each.
    """
    guide = _existing_guide(path, base_url) or _new(base_url)
    # One judge per protocol, who uses no other protocol.
    guide["protocols"] = guide["protocols"] or _protocol_links(base_url)
    tasks = Task.objects.filter(test_set__campaign__slug__in=CAMPAIGNS).order_by("id")
    guide["tasks"] = list(tasks.values("id", "test_set__name"))
    path.parent.mkdir(parents=True, exist_ok=True)
    # It contains a password and sign-in links, so only its owner may ever read it.
    partial = path.with_suffix(".partial")
    partial.touch(mode=0o600)
    partial.chmod(0o600)
    content = json.dumps(guide, ensure_ascii=False, indent=2)
    partial.write_text(f"{content}\n", encoding="utf-8")
    partial.replace(path)  # atomic, for concurrent readers
    return guide


def _existing_guide(path: Path, base_url: str) -> Guide | None:
    """Return the guide with links to this base URL; None if its links are no longer valid."""
    try:
        guide: Guide = json.loads(path.read_text(encoding="utf-8"))
        links: list[Link] = [guide["organiser"], guide["newcomers"], *guide["judges"]]
        for link in links:
            _pages, _slash, token = link["url"].rstrip("/").rpartition("/")
            invitation_open(token=token)
        old_base_url = json.dumps(guide["base_url"])[1:-1]
        moved = json.dumps(guide).replace(old_base_url, base_url)
    except (OSError, ValueError, KeyError, TypeError, InvitationRefusedError):
        return None
    moved_guide: Guide = json.loads(moved)
    return moved_guide


@transaction.atomic
def _new(base_url: str) -> Guide:
    campaign = Campaign.objects.get(slug=MUSEUM)
    organiser = User.objects.get(email=ORGANISER_EMAIL)
    password = secrets.token_urlsafe(12)
    organiser.set_password(password)
    organiser.save(update_fields=["password"])
    ApiToken.objects.filter(user=organiser).delete()
    _token, api_token = token_create(user=organiser)
    # Judges who joined later by invitation keep their links.
    judges = _human_judges(campaign).filter(
        pseudonym__in=[*GERMAN_JUDGES, *ARABIC_JUDGES],
    )
    Invitation.objects.for_anybody().filter(
        campaign=campaign,
        note=NEWCOMERS_NOTE,
    ).update(revoked_at=Now())
    _link, newcomers = invitation_create_for_anybody(
        campaign=campaign,
        cap=NEWCOMERS,
        asks_languages=True,
        note=NEWCOMERS_NOTE,
    )
    holders = [organiser.pk, *judges.values_list("user", flat=True)]
    Invitation.objects.filter(campaign=campaign, user__in=holders).delete()
    organiser_url = _signing_in(base_url, campaign, organiser, InvitationRole.ORGANISER)
    links: list[JudgeLink] = []
    for judge in judges:
        if judge.user is not None:
            url = _signing_in(base_url, campaign, judge.user, InvitationRole.JUDGE)
            links.append({"name": judge.pseudonym, "url": url})
    return {
        "base_url": base_url,
        "organiser": {
            "url": organiser_url,
            "email": ORGANISER_EMAIL,
            "password": password,
        },
        # Creates a judge when the button is pressed.
        "newcomers": {"url": base_url + reverse("invitation", args=[newcomers])},
        "judges": links,
        "protocols": [],
        "api_token": api_token,
        "campaign": campaign.slug,
    }


@transaction.atomic
def _protocol_links(base_url: str) -> list[JudgeLink]:
    """Return a new link for each judge of the campaign of all protocols; empty before it is loaded."""
    campaign = Campaign.objects.filter(slug=PROTOCOLS).first()
    if campaign is None:
        return []
    judges = _human_judges(campaign).select_related("chosen_task__test_set")
    Invitation.objects.filter(
        campaign=campaign,
        user__in=judges.values("user"),
    ).delete()
    links: list[JudgeLink] = []
    for judge in judges:
        task = judge.chosen_task
        if judge.user is None or task is None:
            continue
        url = _signing_in(base_url, campaign, judge.user, InvitationRole.JUDGE)
        name = _protocol_name(task, judge.pseudonym)
        links.append({"protocol": task.protocol, "name": name, "url": url})
    return links


def _signing_in(
    base_url: str,
    campaign: Campaign,
    user: User,
    role: InvitationRole,
) -> str:
    """Return a new sign-in link of a user to a campaign."""
    _invitation, token = invitation_create(campaign=campaign, user=user, role=role)
    return base_url + reverse("invitation", args=[token])


def _protocol_name(task: Task, pseudonym: str) -> str:
    """Return the name of the protocol of a judge, with the test set if a protocol is used in two ways."""
    name = task.get_protocol_display()
    if pseudonym == task.protocol:
        return name
    return f"{name} ({task.test_set.name})"


def _human_judges(campaign: Campaign) -> QuerySet[Judge]:
    """Return the human judges of a campaign in order of creation."""
    people = Judge.objects.filter(campaign=campaign, origin=Judge.Origin.PERSON)
    return people.select_related("user").order_by("id")
