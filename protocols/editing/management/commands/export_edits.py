"""`export_edits`: the edits of a task and their acceptances, as a file that `measure_edits` reads."""

import json
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import gettext as _

from annotation.selectors import excluded_judges
from annotation.services import judgments_number
from campaign.management.arguments import task_named
from campaign.models import Protocol
from protocols.editing.edits_read import StoredEdit, edits_stored
from protocols.editing.statistics.edits import Outcome
from ranking.management.output import replaced


class Command(BaseCommand):
    help = (
        "Write the edits of a task of blind editing, and what others said of them, as JSON Lines, which measure_edits "
        "reads: current ones by number, without judges who are excluded."
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
            campaign=options["campaign"], name=options["test_set"], protocol=Protocol.EDITING
        )
        output: Path = options["output"]
        watermark = options["watermark"]
        until = judgments_number(task_id=task.pk) if watermark is None else watermark
        edits = edits_stored(
            task=task,
            watermark=until,
            without=excluded_judges(campaign_id=task.test_set.campaign_id),
        )
        lines = [json.dumps(_line(edit), ensure_ascii=False) + "\n" for edit in edits]
        try:
            with replaced(output) as part:
                part.write_text("".join(lines), encoding="utf-8", newline="")
        except OSError as error:
            raise CommandError(f"{error.filename}: {error.strerror}.") from error
        if options["verbosity"]:
            self.stdout.write(
                _("%(judgments)s judgments up to number %(watermark)s in %(file)s.")
                % {"judgments": f"{len(edits):,}", "watermark": until, "file": output}
            )


def _line(edit: StoredEdit) -> dict[str, Any]:
    is_unable = edit.outcome is Outcome.UNABLE
    return {
        "segment": edit.segment,
        "systems": list(edit.systems),
        "judge": edit.judge,
        "outcome": edit.outcome.value,
        "output": edit.output,
        **({"text": edit.text} if edit.outcome is Outcome.EDITED else {}),
        **({} if edit.keystrokes is None else {"keystrokes": edit.keystrokes}),
        **({} if edit.active_ms is None else {"active_ms": edit.active_ms}),
        "acceptances": []
        if is_unable
        else [{"judge": judge, "acceptable": said} for judge, said in edit.acceptances],
    }
