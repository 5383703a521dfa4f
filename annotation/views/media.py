"""Pictures, recordings and videos of texts, for judges and for members."""

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponseBase
from django.views.decorators.http import require_safe

from annotation.selectors.judging import judge_of_user
from campaign.export.downloads import media_answer
from campaign.selectors.media import is_media_signature
from campaign.views.access import organised_campaign, user_of


@require_safe
@login_required
def judge_media(
    request: HttpRequest,
    slug: str,
    signature: str,
    file_name: str,
) -> HttpResponseBase:
    """Send a file to a judge who was given its address with a block."""
    judge = judge_of_user(user=user_of(request), campaign_slug=slug)
    if judge is None or not is_media_signature(
        signature,
        judge_id=judge.pk,
        name=file_name,
    ):
        raise Http404
    return media_answer(request.headers, campaign_id=judge.campaign_id, name=file_name)


@require_safe
@login_required
def campaign_media(request: HttpRequest, slug: str, file_name: str) -> HttpResponseBase:
    """Send a file to a member of the campaign."""
    campaign = organised_campaign(request, slug)
    return media_answer(request.headers, campaign_id=campaign.pk, name=file_name)
