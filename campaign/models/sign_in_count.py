from django.db import models


class SignInCount(models.Model):
    """The table of Django's cache (`CACHES`): how often somebody tried to sign in, or came to a panel, of late.

    In the database, since all processes must count together and the broker may be empty any time.
    """

    cache_key = models.CharField(max_length=255, primary_key=True)
    value = models.TextField()
    expires = models.DateTimeField()

    def __str__(self) -> str:
        return self.cache_key
