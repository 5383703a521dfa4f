"""Send the answers of a task as downloads: five-way CSV, and formats of other tools with a list of omitted data."""

from django.http import HttpResponse, StreamingHttpResponse
from django.utils.text import slugify

from annotation.answer_files import FileWritten, answer_files
from annotation.export.five_way import five_way_csv
from annotation.selectors.judges import excluded_judges
from campaign.database.replica import read_on
from campaign.export.downloads import download, ending, streamed_download
from campaign.models import Task
from campaign.selectors.rehearsals import rehearsed_slug


def file_stem(task: Task, called: str) -> tuple[str, dict[str, str]]:
    """Return the file name prefix for a task, and a header that marks files of rehearsals with simulated judges."""
    name = slugify(called) or f"task-{task.pk}"
    rehearsed = rehearsed_slug(task_id=task.pk)
    if rehearsed is None:
        return f"{task.test_set.campaign.slug}-{name}", {}
    return f"rehearsal-of-{rehearsed}-{name}", {"Rehearsal-Of": rehearsed}


def five_way_response(*, task: Task, watermark: int | None = None) -> StreamingHttpResponse:
    """Return the judgments, as `five_way_rows` selects them, in a file named after campaign and test set."""
    stem, headers = file_stem(task, task.called)
    until = "" if watermark is None else f"-until-{watermark}"
    left_out = len(excluded_judges(campaign_id=task.test_set.campaign_id))
    return streamed_download(
        f"{stem}{until}-judgments.csv",
        read_on(five_way_csv(task=task, watermark=watermark)),
        # The format has no field for the number of excluded judges, whose answers are left out.
        {"Excluded-Judges": str(left_out), **headers},
    )


def formats_written(task: Task) -> list[str]:
    """Return the formats in which the answers of a task can be written."""
    files = answer_files(task.protocol)
    return [] if files is None or files.write is None else list(files.written)


def answers_written(*, task: Task, file_format: str) -> FileWritten | None:
    """Return the answers of a task in a format, or None if the format is not available."""
    files = answer_files(task.protocol)
    if files is None or files.write is None or file_format not in files.written:
        return None
    return files.write(task, file_format)


def answers_response(*, task: Task, file_format: str, written: FileWritten) -> HttpResponse:
    """Return the file as a download. The header `Not-Carried-Over` lists the omitted data with counts."""
    stem, headers = file_stem(task, task.called_in_full)
    lost = "; ".join(f"{loss.what} ({loss.count})" for loss in written.losses)
    return download(
        f"{stem}-{file_format}.{ending(file_format)}",
        "".join(written.lines),
        {"Not-Carried-Over": lost, **headers},
    )
