"""How long the responses to repeatable requests are kept (`config/api/repeatable.py`)."""

from datetime import timedelta
from typing import Final

from django.db.models.functions import Now

from campaign.models import IdempotentAnswer

#: Time during which a stored response is returned again.
KEPT: Final = timedelta(hours=24)


def idempotent_answers_forget() -> int:
    """Delete the responses that are no longer returned; return their number."""
    return IdempotentAnswer.objects.filter(created_at__lte=Now() - KEPT).delete()[0]
