"""The orders that answers imply, in the formats of WMT15 and WMT16."""

from typing import Final

from annotation.answer_files import FileWritten
from annotation.export.losses import comments_lost, judgments_lost, judgments_written
from campaign.models import Task
from ranking.export.asked import export_asked
from ranking.export.writing import export_bytes
from ranking.files.records import InputFormat

#: The endings of the names of files, by format.
WRITTEN: Final = {str(InputFormat.PAIRWISE_CSV): "csv", str(InputFormat.APPRAISE_XML): "xml"}


def ranked_file_write(task: Task, file_format: str) -> FileWritten:
    """Return the current judgments of a task by number, without controls and judges who are excluded."""
    is_pairwise = file_format == InputFormat.PAIRWISE_CSV
    kind = "comparisons" if is_pairwise else "counted"
    export = export_asked(task=task, kind=kind, file_format=file_format)
    written = judgments_written(task=task, watermark=export.watermark)
    losses = judgments_lost("when it was judged, and the time without breaks", written)
    losses += comments_lost(task=task, watermark=export.watermark)
    if is_pairwise:
        timed = written.filter(duration_ms__isnull=False)
        losses += judgments_lost("the time on the clock", timed)
    lines = [part.decode() for part in export_bytes(export)]
    return FileWritten(lines=lines, losses=losses)
