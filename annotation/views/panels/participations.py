from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_safe

from annotation.export.participations import participations_csv
from campaign.models import Panel
from campaign.views.access import changed_campaign


@require_safe
@login_required
def participations_download(request: HttpRequest, slug: str, panel_id: int) -> HttpResponse:
    """Download the participations, their ends and codes, by which people are paid; not for analysts."""
    campaign = changed_campaign(request, slug)
    panel = get_object_or_404(Panel, pk=panel_id, campaign=campaign)
    filename = f"{campaign.slug}-{panel.kind}-{panel.pk}-participations.csv"
    return HttpResponse(
        "".join(participations_csv(panel=panel)),
        content_type="text/csv; charset=utf-8",
        headers={
            "Content-Disposition": f'attachment; filename="{filename}"',
            "Cache-Control": "no-store",
        },
    )
