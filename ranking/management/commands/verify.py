"""`verify`: say what was changed in the bundle of a published result."""

import re
from argparse import ArgumentTypeError
from pathlib import Path

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from ranking.files.bundles.checking import bundle_check
from ranking.files.bundles.opening import opened_bundle
from ranking.management.bundle_command import BundleCommand
from ranking.management.file_command import Options
from ranking.management.output import Progress
from ranking.reports import Report
from ranking.reports.published.bundle_reports import check_report


def _digest(text: str) -> str:
    """Return the digest in an address or a SHA-256."""
    found = re.search(r"[0-9a-f]{16,64}", text.lower())
    if found is None:
        raise ArgumentTypeError("give the 16 characters of its address, or all 64 of its SHA-256")
    return found[0]


class Command(BundleCommand):
    help = (
        "Check the bundle of a published result: name each file that was changed, added or taken out. Ends with 1 if "
        "there is one. Needs no database."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("bundle", metavar="BUNDLE", type=Path, help="the zip of a result")
        parser.add_argument(
            "--digest",
            metavar="D",
            type=_digest,
            help="address or SHA-256 by which the result was cited: without, a bundle made anew as a whole passes",
        )
        super().add_arguments(parser)

    def report(self, options: Options, _progress: Progress) -> Report:
        with opened_bundle(options["bundle"]) as bundle:
            check = bundle_check(bundle, digest=options["digest"] or "")
        if check.findings:
            self.failed(_("The bundle is not as it was made."))
        return check_report(check)
