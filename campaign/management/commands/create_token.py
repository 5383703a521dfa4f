"""`create_token`: a key to the API for one user."""

from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import gettext as _
from knox.models import AuthToken

from campaign.management.arguments import user_named


class Command(BaseCommand):
    help = "Make an API token for a user and print it, once: only its hash is kept."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email", metavar="EMAIL")
        parser.add_argument(
            "--days",
            type=int,
            metavar="N",
            help="how long the token is valid (default: until deleted)",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        user = user_named(options["email"])
        days = options["days"]
        if days is not None and days < 1:
            raise CommandError(_("A token is valid for a day or more."))
        _instance, token = AuthToken.objects.create(
            user=user, expiry=None if days is None else timedelta(days=days)
        )
        self.stdout.write(token)
