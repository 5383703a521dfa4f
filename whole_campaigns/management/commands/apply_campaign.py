"""`apply_campaign`: create or update a campaign from a file."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from campaign.database.acting import acting_for
from campaign.formats.yaml_tree import MAX_BYTES
from campaign.management.arguments import (
    address_of,
    address_option_add,
    invitation_address,
    user_named,
)
from campaign.management.files import refusals_as_errors
from whole_campaigns.campaign_file.applying import Applied, campaign_file_apply
from whole_campaigns.campaign_file.parts import TextFolders


class Command(BaseCommand):
    help = (
        "Create or update a campaign from a file (docs/organisers.md). Shows the differences first. Settings "
        "missing from the file stay unchanged. Applies all changes or, after an error, none."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "file",
            type=Path,
            metavar="FILE",
            help="YAML file, as written by campaign_file",
        )
        parser.add_argument(
            "--check",
            action="store_true",
            help="show the differences without applying them",
        )
        parser.add_argument("--yes", action="store_true", help="apply without asking")
        parser.add_argument(
            "--as",
            dest="by",
            metavar="EMAIL",
            help="user for the activity log; becomes the organiser of a new campaign",
        )
        parser.add_argument(
            "--texts",
            type=Path,
            action="append",
            default=[],
            metavar="DIR",
            help="additional folder with files named in FILE; can be repeated (default: only the folder of FILE)",
        )
        address_option_add(parser)

    @refusals_as_errors()
    def handle(self, *_args: Any, **options: Any) -> None:
        path: Path = options["file"]
        by = None
        acting: AbstractContextManager[None] = nullcontext()
        if options["by"]:
            by = user_named(options["by"])
            acting = acting_for(by.pk)
        with path.open("rb") as stream:
            content = stream.read(MAX_BYTES + 1)
        apply = partial(
            campaign_file_apply,
            name=str(path),
            content=content,
            by=by,
            folders=TextFolders.of(path, options["texts"]),
        )
        with acting:
            outcome = self._apply(apply, check=options["check"], yes=options["yes"])
        if outcome.links:
            address = address_of(self, options)
            for link in outcome.links:
                url = invitation_address(address=address, token=link.token)
                self.stdout.write(f"{link.note or '–'}: {url}")

    def _apply(
        self,
        apply: Callable[..., Applied],
        *,
        check: bool,
        yes: bool,
    ) -> Applied:
        if yes and not check:
            outcome = apply()
            self._say(outcome)
            return outcome
        preview = apply(confirmed="")
        self._say(preview)
        if check or not preview.changes:
            return preview
        if input("Apply these changes? [y/N] ").strip().lower() not in ("y", "yes"):
            raise CommandError("No changes.")
        outcome = apply(confirmed=preview.code)
        if not outcome.is_done:
            raise CommandError(
                "The campaign has changed in the meantime. Nothing was applied. Review the changes again.",
            )
        self.stdout.write("Done.")
        return outcome

    def _say(self, applied: Applied) -> None:
        for change in applied.changes:
            self.stdout.write(change.words)
        for note in applied.notes:
            self.stdout.write(note)
        if not applied.changes:
            self.stdout.write("No changes: the campaign matches the file.")
