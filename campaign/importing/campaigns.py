"""The campaign an import goes into."""

from django.core.exceptions import ValidationError

from campaign.importing.errors import ImportRefusedError
from campaign.models import Campaign, CampaignState
from campaign.selectors import organisers_of_quintet
from campaign.services.campaigns import campaign_create


def campaign_for_import(*, slug: str, create_as: str | None = None) -> Campaign:
    """Return the campaign `slug`, or create it under the name `create_as`, run by those who run this Quintet.

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
    there = Campaign.objects.filter(slug=slug).first()
    if there is not None:
        raise ImportRefusedError(
            f'there is a campaign "{slug}" already, called "{there.name}"',
            "to import a further test set into it, leave out --create-campaign; for a campaign of its own "
            "choose another --campaign",
        )
    try:
        return campaign_create(
            slug=slug,
            name=create_as,
            organisers=organisers_of_quintet().filter(is_staff=True),
            state=CampaignState.OPEN,
        )
    except ValidationError as error:
        raise ImportRefusedError(
            # Django's sentences end with a full stop, these phrases without.
            f'the campaign "{slug}" cannot be created: {" ".join(error.messages).rstrip(".")}',
            "choose a short name of letters, digits and hyphens with --campaign, and a name that is not empty",
        ) from error
