"""The answers of a task as downloads: the five-way CSV, and files of other tools, which say what they cannot carry."""

from django.http import HttpResponse, StreamingHttpResponse
from django.utils.text import slugify

from annotation.answer_files import FileWritten, answer_files
from annotation.export.five_way import five_way_csv
from annotation.selectors.judges import excluded_judges
from campaign.database.replica import read_on
from campaign.export.downloads import download, ending, streamed_download
from campaign.models import Task
from campaign.selectors.rehearsals import rehearsed_slug


def five_way_response(*, task: Task, watermark: int | None = None) -> StreamingHttpResponse:
    """Return the judgments as a file named after campaign and test set. See `five_way_rows`.

    Name and headers say what the format has no place for: whether simulated judges judged, in a rehearsal.
    """
    name = slugify(task.called) or f"test-set-{task.pk}"
    until = "" if watermark is None else f"-until-{watermark}"
    rehearsed = rehearsed_slug(task_id=task.pk)
    campaign = task.test_set.campaign.slug if rehearsed is None else f"rehearsal-of-{rehearsed}"
    left_out = len(excluded_judges(campaign_id=task.test_set.campaign_id))
    filename = f"{campaign}-{name}{until}-judgments.csv"
    return streamed_download(
        filename,
        read_on(five_way_csv(task=task, watermark=watermark)),
        {
            # The format has no place for it: judges excluded in the campaign, who are not in it.
            "Excluded-Judges": str(left_out),
            **({} if rehearsed is None else {"Rehearsal-Of": rehearsed}),
        },
    )


def formats_written(task: Task) -> list[str]:
    """Return the formats that the answers of a task are written in."""
    files = answer_files(task.protocol)
    return [] if files is None or files.write is None else list(files.written)


def answers_written(*, task: Task, file_format: str) -> FileWritten | None:
    """Return the answers of a task in a format; None if there is none of this name."""
    files = answer_files(task.protocol)
    if files is None or files.write is None or file_format not in files.written:
        return None
    return files.write(task, file_format)


def answers_response(*, task: Task, file_format: str, written: FileWritten) -> HttpResponse:
    """Return the file as a download. The header `Not-Carried-Over` says what it lacks, and how often."""
    rehearsed = rehearsed_slug(task_id=task.pk)
    campaign = task.test_set.campaign.slug if rehearsed is None else f"rehearsal-of-{rehearsed}"
    name = slugify(task.called_in_full) or f"task-{task.pk}"
    lost = "; ".join(f"{loss.what} ({loss.count})" for loss in written.losses)
    return download(
        f"{campaign}-{name}-{file_format}.{ending(file_format)}",
        "".join(written.lines),
        {"Not-Carried-Over": lost, **({} if rehearsed is None else {"Rehearsal-Of": rehearsed})},
    )
