"""`credentials`: list and revoke links, tokens and sessions."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction
from django.utils import timezone

from campaign.management.arguments import campaign_named, user_named
from campaign.management.files import refusals_as_errors
from campaign.models import ApiToken, Campaign, User
from campaign.selectors.credentials import (
    links_valid,
    machines_valid,
    sessions_open,
    tokens_valid,
)
from campaign.services.api_tokens import tokens_revoke
from campaign.services.invitations import invitation_revoke
from campaign.services.judges import session_end
from campaign.services.machines import machine_withdraw


class Command(BaseCommand):
    help = (
        "List active links, API tokens, tokens of machine judges and browser sessions with their expiry, or revoke "
        "those named as in the first column. Without --yes, only show what would be done."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "names",
            nargs="*",
            metavar="NAME",
            help="credential to revoke, such as link:12",
        )
        parser.add_argument(
            "--campaign",
            metavar="SLUG",
            help="limit to people of this campaign",
        )
        parser.add_argument("--email", metavar="EMAIL", help="limit to this user")
        parser.add_argument("--yes", action="store_true", help="revoke")

    @refusals_as_errors()
    @transaction.atomic
    def handle(self, *_args: Any, **options: Any) -> None:
        campaign = None
        if options["campaign"]:
            campaign = campaign_named(options["campaign"])
        user = None
        if options["email"]:
            user = user_named(options["email"])
        rows = {row.name: row for row in _rows(campaign, user)}
        if not options["names"]:
            for row in rows.values():
                until = row.until and timezone.localtime(row.until).strftime(
                    "%Y-%m-%d %H:%M %Z",
                )
                self.stdout.write(
                    f"{row.name}\t{row.holder}\t{row.description}\t{until or 'never'}",
                )
            return
        for name in options["names"]:
            if name not in rows:
                raise CommandError(
                    f'"{name}" is not active. Run the command without names to list active credentials.',
                )
            action = f"end {name} of {rows[name].holder}: {rows[name].description}"
            self.stdout.write(action if options["yes"] else f"would: {action}")
            if options["yes"]:
                rows[name].end()
        if not options["yes"]:
            self.stdout.write("No changes made. Add --yes to apply.")


@dataclass(frozen=True, slots=True)
class _Credential:
    name: str
    holder: str
    description: str
    until: datetime | None
    end: Callable[[], object]


def _rows(campaign: Campaign | None, user: User | None) -> Iterator[_Credential]:
    users = User.objects.all()
    links = links_valid(campaign=campaign)
    machines = machines_valid(campaign=campaign)
    if campaign is not None:
        users = users.filter(memberships__campaign=campaign) | users.filter(
            judges__campaign=campaign,
        )
    if user is not None:
        users = users.filter(pk=user.pk)
        links = links.filter(user=user)
        machines = machines.filter(created_by=user)
    users = users.distinct()
    for link in links:
        if link.user is not None:
            holder = str(link.user)
        else:
            holder = link.note or "anybody"
        description = f"{link.role}, {link.campaign.slug}"
        end: Callable[[], object] = partial(invitation_revoke, invitation=link)
        yield _Credential(f"link:{link.pk}", holder, description, link.expires_at, end)
    for token in tokens_valid(users=users):
        if token.campaign is None:
            reach = "all campaigns"
        else:
            reach = token.campaign.slug
        description = f"token, {token.scope}, {reach}" + (
            f", {token.name}" if token.name else ""
        )
        end = partial(tokens_revoke, tokens=ApiToken.objects.filter(pk=token.pk))
        yield _Credential(
            f"token:{token.token_key}",
            str(token.user),
            description,
            token.expiry,
            end,
        )
    for machine in machines:
        yield _Credential(
            f"machine:{machine.pk}",
            str(machine.created_by),
            f"machine judge {machine}, {machine.campaign.slug}",
            None,
            partial(machine_withdraw, machine=machine),
        )
    for session in sessions_open(users=users):
        end = partial(session_end, session=session)
        description = session.device or "browser"
        yield _Credential(
            f"session:{session.name}",
            str(session.user),
            description,
            session.expire_date,
            end,
        )
