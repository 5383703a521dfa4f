"""`reproduce`: check the frozen folder of a published result for changes, and recompute the result."""

import re
from argparse import ArgumentTypeError
from collections.abc import Sequence
from dataclasses import replace
from operator import attrgetter
from pathlib import Path
from typing import Any, Final

from django.core.management.base import CommandError, CommandParser
from django.utils.translation import override

from campaign.formats import FormatError
from campaign.management.files import Progress
from campaign.texts.canonical_json import canonical
from ranking.files.bundles import (
    ABSENT,
    Check,
    Difference,
    Finding,
    Problem,
    bundle_check,
    opened_bundle,
)
from ranking.management.file_command import Options, ReportCommand
from ranking.reports.published_results import ranking_tables
from ranking.reports.tables import Column, Report, Table
from ranking.reports.wording.published_content import PublishedContent
from ranking.services.published_results.reproducing import (
    Reproduction,
    result_reproduce,
)
from version import code_version

NOT_THE_SAME: Final = 1


def _digest(text: str) -> str:
    """Return the digest in an address or a SHA-256."""
    match = re.search(r"[0-9a-f]{16,64}", text.lower())
    if match is None:
        raise ArgumentTypeError(
            "expected the 16 characters of its address or the 64 of its SHA-256",
        )
    return match[0]


class Command(ReportCommand):
    help = (
        "Verify the bundle of a published result (zip or unpacked folder): list changed, added and "
        "missing files, recompute the result and compare it bit for bit. Exits with 1 if anything "
        "differs, except for last digits, which depend on the processor. Needs no database."
    )
    computes = False

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "bundle",
            metavar="BUNDLE",
            type=Path,
            help="bundle of a result (zip or folder)",
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
                # If the files are unchanged, there is nothing else to report.
                if not check.findings:
                    raise
                return replace(checked, notes=[*checked.notes, str(error)])
        if again.differences:
            self._wrong.append("The recomputed ranking differs from the published one.")
        computed = reproduction_report(again)
        return Report(
            notes=[*checked.notes, *computed.notes],
            tables=[*checked.tables, *computed.tables],
            data={**checked.data, **computed.data},
        )


#: Maximum number of differences listed; JSON has all of them.
_LISTED: Final = 40


_WORDS: Final = {
    Problem.CHANGED: "changed",
    Problem.MISSING: "is missing",
    Problem.ADDED: "added",
    Problem.UNREADABLE: "unreadable",
    Problem.OTHER_RESULT: "result does not match the other files",
    Problem.OTHER_ADDRESS: "result does not match this address",
}


def check_report(check: Check) -> Report:
    """Report the changes in a bundle."""
    intact = f"Bundle intact: {check.files} files match their checksums."
    notes = []
    if not check.findings:
        notes.append(intact)
    if check.digest:
        notes.append(f"SHA-256 of the result: {check.digest}")
        notes.append(
            f"Its address ends in {check.digest[:16]}. Compare it with the cited address.",
        )
    tables = []
    if check.findings:
        table = Table.of(
            check.findings,
            name="findings",
            title="Changes",
            columns=(
                Column("file", "File", is_text=True),
                Column("what", "What", is_text=True, of=_problem_in_words),
            ),
        )
        tables.append(table)
    return Report(
        notes=notes,
        tables=tables,
        data={
            "is_unchanged": not check.findings,
            "files": check.files,
            "digest": check.digest or None,
            "findings": check.findings,
        },
    )


def _problem_in_words(finding: Finding) -> str:
    return _WORDS[finding.problem]


@override("en")
def reproduction_report(again: Reproduction) -> Report:
    """Report whether a recomputed result equals the published one, with its table."""
    content = again.content
    differences = again.differences
    published_version = content["method"]["code_version"]
    own = code_version()
    if published_version == own:
        versions = f"Recomputed with Quintet {own}, the version that published it."
    else:
        versions = f"Recomputed with Quintet {own}; published with {published_version}."
    if differences:
        outcome = f"Values that differ from the published result: {len(differences)}."
    elif again.last_digits:
        outcome = (
            "Scores, ranges, clusters, pairs and agreement match the published result, except for last "
            f"digits, which depend on the processor ({again.last_digits} numbers)."
        )
    else:
        outcome = "Scores, ranges, clusters, pairs and agreement match the published result bit for bit."
    notes = [outcome]
    not_compared = again.not_compared
    if not_compared:
        notes.append(f"Not compared: {', '.join(not_compared)}.")
    notes.append(versions)
    tables = []
    if differences:
        tables.append(_difference_table(differences))
    if _is_a_table(content):
        tables += ranking_tables(content)
    return Report(
        notes=notes,
        tables=tables,
        data={
            "is_same": not differences,
            "last_digits": again.last_digits,
            "made_by": published_version,
            "version": own,
            "ranking": content["ranking"],
            "differences": [difference.plain() for difference in differences],
            "not_compared": list(not_compared),
        },
    )


def _difference_table(differences: Sequence[Difference]) -> Table:
    notes = []
    more = len(differences) - _LISTED
    if more > 0:
        notes.append(f"{more} more: use --format json to list all.")
    return Table.of(
        differences[:_LISTED],
        name="differences",
        title="Differences",
        columns=(
            Column("where", "Where", is_text=True, of=attrgetter("location")),
            Column("published", "Published", is_text=True, of=_published_value),
            Column("computed", "Computed", is_text=True, of=_computed_value),
        ),
        notes=notes,
    )


def _published_value(difference: Difference) -> str:
    return _as_text(difference.published)


def _computed_value(difference: Difference) -> str:
    return _as_text(difference.computed)


def _as_text(value: Any) -> str:
    """Return a value as text with all its digits."""
    if value is ABSENT:
        return "is missing"
    if isinstance(value, str):
        return value
    return canonical(value)


def _is_a_table(content: PublishedContent) -> bool:
    """Return whether each system has all columns of the table; missing data is among the differences."""
    numbers = (
        "cluster",
        "rank",
        "score",
        "rank_low",
        "rank_high",
        "wins",
        "losses",
        "ties",
    )
    rows: list[Any] = list(content["ranking"]["systems"])
    for row in rows:
        for name in numbers:
            if isinstance(row.get(name), int | float):
                continue
            may_be_null = name == "score" or bool(row.get("shortage"))
            if name not in row or row[name] is not None or not may_be_null:
                return False
    return True
