"""What the commands on bundles share: a report, and an exit status that says whether all is well."""

from typing import Any

from django.core.management.base import CommandError

from ranking.management.file_command import ReportCommand

NOT_THE_SAME = 1


class BundleCommand(ReportCommand):
    """A command that reports on a bundle; it ends with 1 where the report is of something wrong."""

    computes = False
    _failure = ""

    def failed(self, sentence: str) -> None:
        """End with 1 and this sentence, once the report is written."""
        self._failure = sentence

    def handle(self, *args: Any, **options: Any) -> None:
        self._failure = ""
        super().handle(*args, **options)
        if self._failure:
            raise CommandError(self._failure, returncode=NOT_THE_SAME)
