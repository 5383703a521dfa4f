"""`export_quiz`: the readings of a task, as a file that `score_quiz` reads."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import gettext as _

from annotation.selectors import excluded_judges
from annotation.services import judgments_number
from campaign.management.arguments import task_named
from campaign.models import Protocol
from protocols.quiz.files import Reading
from protocols.quiz.readings_read import readings_stored
from ranking.management.output import replaced


class Command(BaseCommand):
    help = (
        "Write what readers answered in a task of quizzes as JSON Lines, which score_quiz reads: current answers by "
        "number, without judges who are excluded."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign", metavar="CAMPAIGN", help="short name of the campaign")
        parser.add_argument("test_set", metavar="TEST_SET", help="name of the test set")
        parser.add_argument("output", metavar="FILE", type=Path, help="the file to write")
        parser.add_argument(
            "--watermark", type=int, metavar="N", help="up to judgment number N (default: all)"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        task = task_named(
            campaign=options["campaign"], name=options["test_set"], protocol=Protocol.QUIZ
        )
        output: Path = options["output"]
        watermark = options["watermark"]
        until = judgments_number(task_id=task.pk) if watermark is None else watermark
        readings = readings_stored(
            task=task,
            watermark=until,
            without=excluded_judges(campaign_id=task.test_set.campaign_id),
        )
        lines = [json.dumps(_line(each), ensure_ascii=False) + "\n" for each in readings]
        try:
            with replaced(output) as part:
                part.write_text("".join(lines), encoding="utf-8", newline="")
        except OSError as error:
            raise CommandError(f"{error.filename}: {error.strerror}.") from error
        if options["verbosity"]:
            self.stdout.write(
                _("%(readings)s readings up to judgment number %(watermark)s in %(file)s.")
                % {"readings": f"{len(readings):,}", "watermark": until, "file": output}
            )


def _line(reading: Reading) -> dict[str, Any]:
    return {
        "snippet": reading.snippet,
        "systems": list(reading.systems),
        "judge": reading.judge,
        "answers": list(reading.answers),
        "expected": list(reading.expected),
    }
