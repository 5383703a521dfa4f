"""`write_bundle`: the bundle of a published result as a file."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import gettext as _

from campaign.management.arguments import protocol_option_add, task_asked
from ranking.management.file_command import checked_output, refused_writing
from ranking.management.output import replaced
from ranking.models import PublishedResult, ResultBundle
from ranking.pages.published.making import result_bundle_make
from ranking.selectors.published_results import versions_of
from ranking.selectors.result_bundles import bundle_bytes, bundle_of
from ranking.services.publishing import result_bundle_ask


class Command(BaseCommand):
    help = (
        "Write the bundle of a published result into a file, from which `reproduce` computes it again. Where no worker "
        "has made it yet, it is made at once."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign", metavar="CAMPAIGN", help="short name of the campaign")
        parser.add_argument("test_set", metavar="TEST_SET", help="name of the test set")
        protocol_option_add(parser)
        parser.add_argument("to", metavar="F", help="the zip to write")
        parser.add_argument(
            "--result-version", type=int, metavar="N", help="which version (default: the newest)"
        )
        parser.add_argument(
            "--texts",
            action="store_true",
            help="with sources, references and outputs, if it is not made yet",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        to = checked_output(options["to"]) or Path("-")
        result = _version(options)
        bundle = bundle_of(result) or _made(result, with_texts=options["texts"])
        with refused_writing(to), replaced(to) as part, part.open("wb") as file:
            for piece in bundle_bytes(bundle):
                file.write(piece)
        if options["verbosity"]:
            self.stdout.write(f"{bundle.digest}  {to}")


def _version(options: dict[str, Any]) -> PublishedResult:
    task = task_asked(options)
    versions = versions_of(task_id=task.pk)
    wanted = options["result_version"]
    result: PublishedResult | None = (
        versions.first() if wanted is None else versions.filter(version=wanted).first()
    )
    if result is None:
        raise CommandError(
            _("Nothing is published of this test set.")
            if wanted is None
            else _("This test set has no such version.")
        )
    return result


def _made(result: PublishedResult, *, with_texts: bool) -> ResultBundle:
    return result_bundle_make(
        bundle=result_bundle_ask(result=result, with_texts=with_texts, is_queued=False)
    )
