"""`move_campaign`: move a campaign from this cell to another."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import gettext as _

from campaign.database.cell_ids import cell_of_database
from campaign.management.arguments import campaign_named
from cells.cell_map import CellMap, CellMapError
from cells.databases import database_of
from cells.moving import MoveRefusedError, campaign_move, campaign_reopen


class Command(BaseCommand):
    help = (
        "Move a campaign to another cell: copy all it has, compare, and open it there. Meanwhile judges' browsers keep "
        "what they send. Run it in the campaign's present cell; both roles must own the tables "
        "(MIGRATION_DATABASE_URL, --to). If it fails, nothing has changed; if it is killed, run it again."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign", metavar="SLUG")
        parser.add_argument("--to", required=True, metavar="URL", help="the other cell's database")
        parser.add_argument(
            "--map", type=Path, metavar="FILE", help="write it into the map of cells"
        )
        parser.add_argument(
            "--reopen", action="store_true", help="open it here again after a move that was killed"
        )
        parser.add_argument(
            "--patience",
            type=float,
            default=60,
            metavar="SECONDS",
            help="for those who write already",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        campaign = campaign_named(options["campaign"])
        try:
            with database_of(options["to"]) as target:
                if options["reopen"]:
                    campaign_reopen(campaign=campaign, target=target)
                    self.stdout.write(_("“%(slug)s” is open here.") % {"slug": campaign.slug})
                    return
                if options["map"]:
                    # A map that cannot be read, or does not know the cell, would be found too late.
                    with target.cursor() as cursor:
                        CellMap.read(options["map"]).moved(
                            campaign.slug, [], cell_of_database(cursor)
                        )
                moved = campaign_move(
                    campaign=campaign,
                    target=target,
                    patience=options["patience"],
                    say=self.stdout.write,
                )
            if options["map"]:
                # Read again: another campaign may have been moved meanwhile.
                cells = CellMap.read(options["map"])
                cells.moved(campaign.slug, moved.tasks, moved.to_cell).write(options["map"])
        except (MoveRefusedError, CellMapError) as error:
            raise CommandError(str(error)) from error
        if options["map"]:
            self.stdout.write(_("Written into the map. Let the proxy read it now."))
