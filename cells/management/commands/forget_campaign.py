"""`forget_campaign`: delete what a campaign left in the cell it moved away from."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import gettext as _

from campaign.management.arguments import campaign_named
from cells.forgetting import campaign_forget
from cells.moving import MoveRefusedError


class Command(BaseCommand):
    help = (
        "Delete all rows of a campaign that moved to another cell, judgments too, from the cell it moved away from. "
        "Nothing brings them back but a backup and the other cell. The role must own the tables "
        "(MIGRATION_DATABASE_URL)."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign", metavar="SLUG")

    def handle(self, *_args: Any, **options: Any) -> None:
        campaign = campaign_named(options["campaign"])
        try:
            rows = campaign_forget(campaign=campaign)
        except MoveRefusedError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(_("Deleted %(rows)s rows.") % {"rows": rows})
