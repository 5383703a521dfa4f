"""`reproduce`: report changes in the frozen folder of a published result, and recompute the result."""

import re
from argparse import ArgumentTypeError
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from django.core.management.base import CommandError, CommandParser

from campaign.formats import FormatError
from ranking.files.bundles import bundle_check, opened_bundle
from ranking.management.file_command import Options, Progress, ReportCommand
from ranking.reports import Report
from ranking.reports.published.bundle_reports import check_report, reproduction_report
from ranking.services.publishing.reproducing import result_reproduce

NOT_THE_SAME: Final = 1


def _digest(text: str) -> str:
    """Return the digest in an address or a SHA-256."""
    found = re.search(r"[0-9a-f]{16,64}", text.lower())
    if found is None:
        raise ArgumentTypeError(
            "expected the 16 characters of its address or the 64 of its SHA-256"
        )
    return found[0]


class Command(ReportCommand):
    help = (
        "Verify the bundle of a published result (zip or unpacked folder): list changed, added and "
        "missing files, recompute the result and compare it bit for bit. Exits with 1 if anything "
        "differs, except for last digits, which depend on the processor. Needs no database."
    )
    computes = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "bundle", metavar="BUNDLE", type=Path, help="bundle of a result (zip or folder)"
        )
        parser.add_argument(
            "--digest",
            metavar="D",
            type=_digest,
            help="cited address or SHA-256 of the result; without it, a bundle that was replaced as a whole passes",
        )
        super().add_arguments(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        self._wrong: list[str] = []
        super().handle(*args, **options)
        if self._wrong:
            raise CommandError(" ".join(self._wrong), returncode=NOT_THE_SAME)

    def report(self, options: Options, progress: Progress) -> Report:
        with opened_bundle(options["bundle"]) as bundle:
            check = bundle_check(bundle, digest=options["digest"] or "")
            checked = check_report(check)
            if check.findings:
                self._wrong.append("The bundle has been changed.")
            try:
                again = result_reproduce(bundle, progress=progress.begin("Reading"))
            except (FormatError, ValueError) as error:
                # For unchanged files, there is nothing else to report.
                if not check.findings:
                    raise
                return replace(checked, notes=[*checked.notes, str(error)])
        if again.differences:
            self._wrong.append("The recomputed ranking differs from the published one.")
        computed = reproduction_report(
            again.content, again.differences, again.not_compared, last_digits=again.last_digits
        )
        return Report(
            notes=[*checked.notes, *computed.notes],
            tables=[*checked.tables, *computed.tables],
            data={**checked.data, **computed.data},
        )
