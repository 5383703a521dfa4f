"""`import_metric_scores`: scores of metrics, or of people without judges, into a test set."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import gettext as _

from campaign.formats.archives import folder_files, opener
from campaign.formats.streams import StoredFile
from campaign.management.arguments import task_named
from campaign.management.files import refusals_told
from ranking.importing.metric_scores import metric_scores_import
from ranking.services.metrics import MetricRefusedError


class Command(BaseCommand):
    help = (
        "Import scores of metrics into a test set, all of them or, after any error, none: JSON Lines, tables, .score files, "
        "WMT's automatic scores, or an EvalSet folder or its archive."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("files", metavar="FILE", nargs="+", type=Path)
        parser.add_argument("--campaign", required=True, metavar="SLUG")
        parser.add_argument("--test-set", required=True, metavar="NAME")
        parser.add_argument(
            "--name",
            default="",
            help="of the metric, if the files do not say (default: the file's)",
        )
        parser.add_argument(
            "--lower-is-better", action="store_true", help="the metrics count errors"
        )
        parser.add_argument("--human", action="store_true", help="people gave the scores")

    def handle(self, *_args: Any, **options: Any) -> None:
        paths: list[Path] = options["files"]
        test_set = task_named(campaign=options["campaign"], name=options["test_set"]).test_set
        with refusals_told():
            if len(paths) == 1 and paths[0].is_dir():
                files = folder_files(paths[0])
            else:
                files = [StoredFile(path.name, opener(path)) for path in paths]
            try:
                imported = metric_scores_import(
                    test_set=test_set,
                    files=files,
                    name=options["name"],
                    lower_is_better=options["lower_is_better"],
                    is_human=options["human"],
                )
            except MetricRefusedError as error:
                raise CommandError(str(error)) from error
        for metric in imported.metrics:
            self.stdout.write(
                _("%(name)s: %(systems)d systems, %(missing)d scores missing.")
                % {"name": metric, "systems": len(metric.systems), "missing": metric.missing}
            )
        if imported.already_there:
            self.stdout.write(
                _("Already there with the same scores: %(number)d.")
                % {"number": imported.already_there}
            )
        if imported.not_read:
            self.stdout.write(
                _("Not read, as the test set does not have them: %(names)s.")
                % {"names": ", ".join(imported.not_read)}
            )
