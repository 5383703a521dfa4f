"""The campaign an import goes into."""

from django.core.exceptions import ValidationError
from django.db import transaction

from campaign.importing.errors import ImportRefusedError
from campaign.models import Campaign


def campaign_for_import(*, slug: str, create_as: str | None = None) -> Campaign:
    """Return the campaign `slug`, or create it under the name `create_as`.

    Raises ImportRefusedError when it should be there and is not, or the other way round.
    """
    if create_as is None:
        try:
            return Campaign.objects.get(slug=slug)
        except Campaign.DoesNotExist:
            known = ", ".join(Campaign.objects.order_by("slug").values_list("slug", flat=True)[:20])
            raise ImportRefusedError(
                f'there is no campaign "{slug}"',
                f"name one of these: {known}" if known else "create it with --create-campaign NAME",
            ) from None
    campaign = Campaign(slug=slug, name=create_as)
    try:
        campaign.full_clean()
    except ValidationError as error:
        raise ImportRefusedError(
            f'the campaign "{slug}" cannot be created: {" ".join(error.messages)}',
            "choose another short name of letters, digits and hyphens, "
            "or import into the campaign as it is",
        ) from error
    with transaction.atomic():
        campaign.save()
    return campaign
