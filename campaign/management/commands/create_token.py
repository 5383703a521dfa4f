"""`create_token`: a key to the API for one user."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from campaign.management.arguments import campaign_named, expiry_words, user_named
from campaign.models import TokenScope
from campaign.services.api_tokens import CredentialRefusedError, token_create


class Command(BaseCommand):
    help = (
        "Make an API token for a user and print it, once: only its hash is kept. When it expires is "
        "said on standard error."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email", metavar="EMAIL")
        parser.add_argument("--name", default="", metavar="TEXT", help="what uses it")
        parser.add_argument(
            "--scope",
            choices=list(TokenScope.values),
            default=str(TokenScope.WRITE),
            help="whether it may only read (default: write)",
        )
        parser.add_argument(
            "--campaign", metavar="SLUG", help="the only campaign it opens (default: all of theirs)"
        )
        parser.add_argument(
            "--days",
            type=int,
            metavar="N",
            help=f"how long it is valid, at most {settings.TOKEN_MOST_DAYS} (default: {settings.TOKEN_DAYS})",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        user = user_named(options["email"])
        try:
            token, text = token_create(
                user=user,
                days=options["days"],
                name=options["name"],
                scope=TokenScope(options["scope"]),
                campaign=campaign_named(options["campaign"]) if options["campaign"] else None,
            )
        except CredentialRefusedError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(text)
        self.stderr.write(expiry_words(token.expiry))
