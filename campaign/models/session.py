from datetime import datetime

from django.conf import settings
from django.contrib.sessions.backends.base import SessionBase
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import models
from django.utils.crypto import salted_hmac
from django.utils.dateparse import parse_datetime
from django.utils.module_loading import import_string

#: Keys for the time of sign-in and the kind of device.
SIGNED_IN_AT = "signed_in_at"
DEVICE = "device"


class Session(AbstractBaseSession):
    """Django's session in the database, with a column for its user.

    The user is copied from the signed data when the session is saved, so that an account can list
    and end its sessions. Only the signed data determines the signed-in user.
    """

    user = models.ForeignKey(
        "campaign.User", models.CASCADE, related_name="sessions", null=True, blank=True
    )

    @property
    def name(self) -> str:
        """Name in lists; the session key itself would give access."""
        return salted_hmac("campaign.session", self.session_key).hexdigest()[:16]

    @property
    def device(self) -> str:
        """Kind of device it began on; empty if unknown."""
        return str(self.get_decoded().get(DEVICE, ""))

    @property
    def began_at(self) -> datetime | None:
        """Time of sign-in; None if unknown."""
        return parse_datetime(str(self.get_decoded().get(SIGNED_IN_AT, "")))

    @classmethod
    def get_session_store_class(cls) -> type[SessionBase]:
        store: type[SessionBase] = import_string(f"{settings.SESSION_ENGINE}.SessionStore")
        return store


class SignInCount(models.Model):
    """Table of Django's cache (`CACHES`): counts of recent sign-in attempts and of arrivals at panels.

    Stored in the database, since all processes must count together and the broker may be emptied at any time.
    """

    cache_key = models.CharField(max_length=255, primary_key=True)
    value = models.TextField()
    expires = models.DateTimeField()

    def __str__(self) -> str:
        return self.cache_key
