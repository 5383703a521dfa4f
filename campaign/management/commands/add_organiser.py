"""`add_organiser`: let somebody run a campaign, by a link."""

from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser

from campaign.management.arguments import (
    address_option_add,
    campaign_named,
    days_argument,
    expiry_words,
    invitation_address,
)
from campaign.services import organiser_invite


class Command(BaseCommand):
    help = (
        "Let whoever has this e-mail address run a campaign, and print a link that signs them in. "
        "The link is printed once: only its hash is kept. When it expires is said on standard error."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email", metavar="EMAIL")
        parser.add_argument("--campaign", required=True, metavar="SLUG")
        parser.add_argument(
            "--name", default="", help="name that others see (default: the address)"
        )
        parser.add_argument(
            "--days",
            type=days_argument,
            metavar="N",
            help=f"how long the link is valid (default: {settings.ORGANISER_LINK_DAYS})",
        )
        address_option_add(parser)

    def handle(self, *_args: Any, **options: Any) -> None:
        campaign = campaign_named(options["campaign"])
        try:
            link, token = organiser_invite(
                campaign=campaign,
                email=options["email"],
                name=options["name"],
                expires_at=options["days"],
            )
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from error
        self.stdout.write(invitation_address(address=options["address"], token=token))
        self.stderr.write(expiry_words(link.expires_at))
