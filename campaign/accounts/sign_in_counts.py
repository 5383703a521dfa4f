"""Who counts attempts to sign in needs no names: the keys of the cache are hashed."""

import hmac

from django.conf import settings
from django.db.models.functions import Now

from campaign.models import SignInCount


def cache_key(key: str, key_prefix: str, version: int) -> str:
    """Return a keyed hash of a cache's key, which has addresses and e-mail addresses in it."""
    whole = f"{key_prefix}:{version}:{key}".encode()
    return hmac.digest(settings.SECRET_KEY.encode(), whole, "sha256").hex()


def sign_in_counts_forget() -> int:
    """Delete counts that are over; return how many."""
    deleted, _ = SignInCount.objects.filter(expires__lt=Now()).delete()
    return deleted
