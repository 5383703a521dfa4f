"""`copy_campaign`: a static copy of a campaign, in a folder or a zip."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from campaign.management.arguments import address_of, address_option_add, campaign_named
from cells.campaign_copy.rankings import CopyRefusedError
from cells.campaign_copy.writing import folder_write, zip_write
from ranking.management.output import Progress, replaced
from ranking.services.publishing import PublishingRefusedError


class Command(BaseCommand):
    help = (
        "Write a static copy of a campaign: pages to read, which open from a folder without a server. They name no "
        "judge, and no system that the newest published version does not name."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign", metavar="SLUG")
        parser.add_argument(
            "output",
            metavar="FOLDER|FILE.zip",
            type=Path,
            help="a folder, which is made and must be empty, or a zip",
        )
        parser.add_argument(
            "--texts", action="store_true", help="with sources, references and outputs"
        )
        address_option_add(parser)

    def handle(self, *_args: Any, **options: Any) -> None:
        campaign = campaign_named(options["campaign"])
        output: Path = options["output"]
        given: dict[str, Any] = {
            "with_texts": options["texts"],
            "address": address_of(self, options),
        }
        quiet = not options["verbosity"]
        try:
            with transaction.atomic(), Progress(self.stderr, quiet=quiet) as progress:
                given["told"] = progress.begin(_("Copying"))
                if output.suffix == ".zip":
                    with replaced(output) as part, part.open("wb") as stream:
                        pages = zip_write(stream, campaign, **given)
                else:
                    _empty_check(output)
                    pages = folder_write(output, campaign, **given)
        except (CopyRefusedError, PublishingRefusedError) as error:
            raise CommandError(str(error)) from error
        except OSError as error:
            raise CommandError(f"{error.filename}: {error.strerror}.") from error
        if not quiet:
            said = ngettext("%(pages)d page in %(output)s", "%(pages)d pages in %(output)s", pages)
            self.stdout.write(said % {"pages": pages, "output": output})


def _empty_check(folder: Path) -> None:
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise CommandError(
            _("%(folder)s is there already, and not an empty folder.") % {"folder": folder}
        )
