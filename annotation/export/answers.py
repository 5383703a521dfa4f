"""The answers of a task as a file of another tool, which says what it cannot carry."""

from django.http import HttpResponse
from django.utils.text import slugify

from annotation.answer_files import FileWritten, answer_files
from campaign.models import Task
from campaign.selectors.rehearsals import rehearsed_slug


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
    files = answer_files(task.protocol)
    ending = "txt" if files is None else files.written[file_format]
    rehearsed = rehearsed_slug(task_id=task.pk)
    campaign = task.test_set.campaign.slug if rehearsed is None else f"rehearsal-of-{rehearsed}"
    name = slugify(task.called_in_full) or f"task-{task.pk}"
    lost = "; ".join(f"{loss.what} ({loss.count})" for loss in written.losses)
    return HttpResponse(
        "".join(written.lines).encode(),
        content_type="text/plain; charset=utf-8",
        headers={
            "Content-Disposition": f'attachment; filename="{campaign}-{name}-{file_format}.{ending}"',
            "Cache-Control": "no-store",
            "Not-Carried-Over": lost,
            **({} if rehearsed is None else {"Rehearsal-Of": rehearsed}),
        },
    )
