"""Responses to repeatable requests: stored with the request's changes, and returned again on repetition."""

from datetime import timedelta
from typing import Final

from django.db.models.functions import Now

from campaign.database.transactions import named_lock_try
from campaign.models import IdempotentAnswer, User

#: Time during which a stored response is returned again.
KEPT: Final = timedelta(hours=24)


def idempotency_key_try(*, user: User, key: str) -> bool:
    """Lock the key until the transaction ends; return False if another request with it is at work."""
    return named_lock_try(f"campaign.idempotency:{user.pk}:{key}")


def idempotent_answer_of(*, user: User, key: str) -> IdempotentAnswer | None:
    """Return the response stored under this key, if it is still kept."""
    kept = IdempotentAnswer.objects.filter(created_at__gt=Now() - KEPT)
    return kept.filter(user=user, key=key).first()


def idempotent_answer_store(
    *, user: User, key: str, request_digest: str, status: int, body: bytes
) -> None:
    """Store the response to a request with this key; the caller holds the key's lock."""
    IdempotentAnswer.objects.update_or_create(
        user=user,
        key=key,
        defaults={
            "request_digest": request_digest,
            "status": status,
            "body": body,
            "created_at": Now(),
        },
    )


def idempotent_answers_forget() -> int:
    """Delete the responses that are no longer returned; return their number."""
    return IdempotentAnswer.objects.filter(created_at__lte=Now() - KEPT).delete()[0]
