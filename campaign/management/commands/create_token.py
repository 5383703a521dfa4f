"""`create_token`: create an API token for a user."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from campaign.management.arguments import campaign_named, expiry_words, user_named
from campaign.management.files import refusals_told
from campaign.models import TokenScope
from campaign.services.api_tokens import token_create


class Command(BaseCommand):
    help = "Create an API token for a user and print it. It is shown only once. Its expiry goes to standard error."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email", metavar="EMAIL")
        parser.add_argument("--name", default="", metavar="TEXT", help="name of the token")
        parser.add_argument(
            "--scope",
            choices=list(TokenScope.values),
            default=str(TokenScope.WRITE),
            help="permissions (default: write)",
        )
        parser.add_argument(
            "--campaign",
            metavar="SLUG",
            help="limit the token to this campaign (default: all of the user)",
        )
        parser.add_argument(
            "--days",
            type=int,
            metavar="N",
            help=f"how long it is valid, at most {settings.TOKEN_MOST_DAYS} (default: {settings.TOKEN_DAYS})",
        )

    @refusals_told()
    def handle(self, *_args: Any, **options: Any) -> None:
        user = user_named(options["email"])
        token, text = token_create(
            user=user,
            days=options["days"],
            name=options["name"],
            scope=TokenScope(options["scope"]),
            campaign=campaign_named(options["campaign"]) if options["campaign"] else None,
        )
        self.stdout.write(text)
        self.stderr.write(expiry_words(token.expiry))
