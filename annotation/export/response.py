"""The five-way CSV as a download that is sent while it is read."""

from django.http import StreamingHttpResponse
from django.utils.text import slugify

from annotation.export.five_way import five_way_csv
from annotation.selectors import excluded_judges
from campaign.database.replica import read_on
from campaign.models import TestSet


def five_way_response(*, test_set: TestSet, watermark: int | None = None) -> StreamingHttpResponse:
    """Return the judgments as a file named after campaign and test set. See `five_way_rows`."""
    name = slugify(test_set.name) or f"test-set-{test_set.pk}"
    until = "" if watermark is None else f"-until-{watermark}"
    left_out = len(excluded_judges(campaign_id=test_set.campaign_id))
    filename = f"{test_set.campaign.slug}-{name}{until}-judgments.csv"
    return StreamingHttpResponse(
        read_on(five_way_csv(test_set=test_set, watermark=watermark)),
        content_type="text/csv; charset=utf-8",
        headers={
            "Content-Disposition": f'attachment; filename="{filename}"',
            "Cache-Control": "no-store",
            # The format has no place for it: judges excluded in the campaign, who are not in it.
            "Excluded-Judges": str(left_out),
        },
    )
