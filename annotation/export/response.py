"""The five-way CSV as a download that is sent while it is read."""

from django.http import StreamingHttpResponse
from django.utils.text import slugify

from annotation.export.five_way import five_way_csv
from annotation.selectors import excluded_judges
from campaign.database.replica import read_on
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
    return StreamingHttpResponse(
        read_on(five_way_csv(task=task, watermark=watermark)),
        content_type="text/csv; charset=utf-8",
        headers={
            "Content-Disposition": f'attachment; filename="{filename}"',
            "Cache-Control": "no-store",
            # The format has no place for it: judges excluded in the campaign, who are not in it.
            "Excluded-Judges": str(left_out),
            **({} if rehearsed is None else {"Rehearsal-Of": rehearsed}),
        },
    )
