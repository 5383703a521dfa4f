"""How people sign in."""

from django.contrib.auth.backends import ModelBackend


class UserBackend(ModelBackend):
    """Django's own. Sessions that are open name this class, and `campaign.accounts.sessions` goes by it."""
