"""`list_credentials`: what lets people in, and until when."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone

from campaign.management.arguments import campaign_named, user_named
from campaign.models import Campaign, User
from campaign.selectors import links_valid, sessions_open, tokens_valid


class Command(BaseCommand):
    help = (
        "List the links, API tokens and signed-in browsers that work, with their ends. The first "
        "column is what `revoke_credentials` takes."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--campaign", metavar="SLUG", help="of one campaign's people only")
        parser.add_argument("--email", metavar="EMAIL", help="of one user only")

    def handle(self, *_args: Any, **options: Any) -> None:
        campaign = campaign_named(options["campaign"]) if options["campaign"] else None
        users = User.objects.all()
        if campaign is not None:
            users = users.filter(memberships__campaign=campaign) | users.filter(
                judges__campaign=campaign
            )
        user = user_named(options["email"]) if options["email"] else None
        if user is not None:
            users = users.filter(pk=user.pk)
        for name, who, what, until in _rows(campaign, user, users.distinct()):
            when = timezone.localtime(until).strftime("%Y-%m-%d %H:%M") if until else "never"
            self.stdout.write(f"{name}\t{who}\t{what}\t{when}")


def _rows(
    campaign: Campaign | None, user: User | None, users: Any
) -> Iterator[tuple[str, str, str, datetime | None]]:
    links = links_valid(campaign=campaign)
    for link in links if user is None else links.filter(user=user):
        who = str(link.user) if link.user is not None else link.note or "anybody"
        yield f"link:{link.pk}", who, f"{link.role}, {link.campaign.slug}", link.expires_at
    for token in tokens_valid(users=users):
        reach = "all campaigns" if token.campaign is None else token.campaign.slug
        what = f"token, {token.scope}, {reach}" + (f", {token.name}" if token.name else "")
        yield f"token:{token.token_key}", str(token.user), what, token.expiry
    for row in sessions_open(users=users):
        what = row.device or "browser"
        yield f"session:{row.session.name}", str(row.session.user), what, row.session.expire_date
