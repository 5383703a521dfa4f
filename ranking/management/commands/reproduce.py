"""`reproduce`: compute a published result again from its bundle."""

from pathlib import Path

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from ranking.files.bundles.opening import opened_bundle
from ranking.management.bundle_command import BundleCommand
from ranking.management.file_command import Options
from ranking.management.output import Progress
from ranking.reports import Report
from ranking.reports.published.bundle_reports import reproduction_report
from ranking.services.publishing.reproducing import result_reproduce


class Command(BundleCommand):
    help = (
        "Compute a published result again from its bundle and compare it, bit for bit. Ends with 1 if it is not the "
        "same, but for last digits, which other processors have otherwise. Needs no database."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("bundle", metavar="BUNDLE", type=Path, help="the zip of a result")
        super().add_arguments(parser)

    def report(self, options: Options, progress: Progress) -> Report:
        with opened_bundle(options["bundle"]) as bundle:
            again = result_reproduce(bundle, progress=progress.begin(_("Reading")))
        if again.differences:
            self.failed(_("The ranking computed from the judgments is not the published one."))
        return reproduction_report(
            again.content,
            again.digest,
            again.differences,
            again.not_compared,
            last_digits=again.last_digits,
        )
