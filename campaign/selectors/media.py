"""Addresses of the pictures, recordings and videos that texts show."""

from collections.abc import Callable
from typing import Final

from django.urls import reverse
from django.utils.crypto import constant_time_compare, salted_hmac

from campaign.models import Campaign, KeptFile
from campaign.models.upload import MEDIA

#: Returns the address of a file by its name.
MediaAddress = Callable[[str], str]
_KEY_DIGITS: Final = 32


def media_of_judge(judge_id: int, campaign: Campaign) -> MediaAddress:
    """Return the function for addresses that only this judge can open, and only once they were given one."""

    def address(name: str) -> str:
        return reverse("judge-media", args=[campaign.slug, _key(judge_id, name), name])

    return address


def media_of_members(campaign: Campaign) -> MediaAddress:
    """Return the function for addresses that members of the campaign can open."""

    def address(name: str) -> str:
        return reverse("campaign-media", args=[campaign.slug, name])

    return address


def has_media(campaign: Campaign) -> bool:
    """Return whether texts of the campaign show pictures, recordings or videos."""
    return KeptFile.objects.filter(campaign=campaign, kind=MEDIA).exists()


def is_key_of_judge(key: str, *, judge_id: int, name: str) -> bool:
    """Return whether `key` is in the address of this file that the judge was given."""
    return constant_time_compare(key, _key(judge_id, name))


def _key(judge_id: int, name: str) -> str:
    return salted_hmac(__name__, f"{judge_id}/{name}").hexdigest()[:_KEY_DIGITS]
