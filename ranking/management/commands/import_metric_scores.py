"""`import_metric_scores`: import scores of metrics, or human scores without judges, into a test set."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from campaign.formats.archives import folder_files, opener
from campaign.formats.streams import StoredFile
from campaign.management.arguments import task_named
from campaign.management.files import refusals_told
from ranking.importing.metric_scores import metric_scores_import


class Command(BaseCommand):
    help = (
        "Import scores of metrics into a test set from JSON Lines, tables, .score files, WMT's automatic scores, or an "
        "EvalSet folder or its archive. Any error imports nothing."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("files", metavar="FILE", nargs="+", type=Path)
        parser.add_argument("--campaign", required=True, metavar="SLUG")
        parser.add_argument("--test-set", required=True, metavar="NAME")
        parser.add_argument(
            "--name",
            default="",
            help="metric name for files that do not give one (default: the file name)",
        )
        parser.add_argument("--lower-is-better", action="store_true", help="for error rates")
        parser.add_argument("--human", action="store_true", help="the scores are human scores")

    def handle(self, *_args: Any, **options: Any) -> None:
        paths: list[Path] = options["files"]
        test_set = task_named(campaign=options["campaign"], name=options["test_set"]).test_set
        with refusals_told():
            if len(paths) == 1 and paths[0].is_dir():
                files = folder_files(paths[0])
            else:
                files = [StoredFile(path.name, opener(path)) for path in paths]
            imported = metric_scores_import(
                test_set=test_set,
                files=files,
                name=options["name"],
                lower_is_better=options["lower_is_better"],
                is_human=options["human"],
            )
        for metric in imported.metrics:
            self.stdout.write(
                f"{metric}: {len(metric.systems)} systems, {metric.missing} scores missing."
            )
        for remark in imported.remarks:
            self.stdout.write(remark)
