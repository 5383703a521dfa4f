"""`export_judgments`: the judgments of a task of any protocol, as JSON Lines or five-way CSV."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import gettext as _

from annotation.api.research import judgments_recorded
from annotation.export.five_way import five_way_csv
from annotation.services import judgments_number
from campaign.management.arguments import protocol_option_add, task_asked
from campaign.models import Task
from ranking.management.output import replaced

_CHUNK: Final = 2_000


class Command(BaseCommand):
    help = (
        "Write the judgments of a task. JSON Lines: every judgment by number, as REST returns it, with what was said in "
        "its protocol. Five-way CSV: those that count, with the order they imply."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("output", metavar="FILE", type=Path, help="the file to write")
        parser.add_argument("--campaign", required=True, metavar="SLUG")
        parser.add_argument("--test-set", required=True, metavar="NAME")
        protocol_option_add(parser)
        parser.add_argument("--format", choices=["jsonl", "csv"], default="jsonl")
        parser.add_argument(
            "--watermark", type=int, metavar="N", help="up to judgment number N (default: all)"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        task = task_asked(options)
        output: Path = options["output"]
        watermark: int | None = options["watermark"]
        last = judgments_number(task_id=task.pk)
        until = last if watermark is None else min(last, watermark)
        is_csv = options["format"] == "csv"
        lines = five_way_csv(task=task, watermark=watermark) if is_csv else _json_lines(task, until)
        # Without the header.
        written = -1 if is_csv else 0
        try:
            with replaced(output) as part, part.open("w", encoding="utf-8", newline="") as file:
                for line in lines:
                    file.write(line)
                    written += 1
        except OSError as error:
            raise CommandError(f"{error.filename}: {error.strerror}.") from error
        if options["verbosity"]:
            self.stdout.write(
                _("%(judgments)s judgments up to number %(watermark)s in %(file)s.")
                % {"judgments": f"{written:,}", "watermark": until, "file": output}
            )


def _json_lines(task: Task, until: int) -> Iterator[str]:
    """Yield the judgments 1…`until` by number; memory holds `_CHUNK` of them."""
    numbers = task.judgment_numbers.order_by("number")
    for start in range(0, until, _CHUNK):
        page = numbers.filter(number__gt=start, number__lte=min(start + _CHUNK, until))
        for row in judgments_recorded(list(page), task=task, until=until):
            yield json.dumps(row, ensure_ascii=False) + "\n"
