"""`remove_second_factors`: remove the second factors of a user who has lost them."""

from typing import Any

from allauth.mfa.models import Authenticator
from django.core.management.base import BaseCommand, CommandParser

from campaign.management.arguments import user_named
from campaign.models import User
from campaign.selectors.credentials import sessions_open
from campaign.services.own_account import second_factors_remove


class Command(BaseCommand):
    help = (
        "Remove all second factors from an account whose owner has lost them. Verify the identity of the "
        "owner first. Without --yes, only show what would be done."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email", metavar="EMAIL")
        parser.add_argument("--yes", action="store_true", help="apply the change")

    def handle(self, *_args: Any, **options: Any) -> None:
        user = user_named(options["email"])
        rows = Authenticator.objects.filter(user=user)
        names = [str(row) for row in rows.order_by("id")]
        if not names:
            self.stdout.write(f"{user.name} has no second factor.")
            return
        self.stdout.write(", ".join(names))
        browsers = len(list(sessions_open(users=User.objects.filter(pk=user.pk))))
        self.stdout.write(f"Browsers signed out: {browsers}.")
        if options["yes"]:
            second_factors_remove(user=user)
            self.stdout.write("Removed.")
        else:
            self.stdout.write("No changes made. Add --yes to apply.")
