"""Answers to repeatable requests: stored with what the request changed, and given again to who repeats it."""

import hashlib
import hmac
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Final

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now

from campaign.database.transactions import named_lock_try
from campaign.models import IdempotentAnswer, User

#: How long an answer is given again.
KEPT: Final = timedelta(hours=24)
#: Answers that are kept of one person; who needs more repeats no request.
MOST_KEPT: Final = 10_000
#: Longer answers are not kept, only that there was one.
LONGEST_BODY: Final = 2**20
_NONCE_BYTES: Final = 12


class KeyInUseError(Exception):
    """Another request with this key is at work."""


class KeyReusedError(Exception):
    """Another request was sent with this key before."""


class TooManyKeysError(Exception):
    """As many answers are kept of this person as may be."""


@dataclass(frozen=True)
class StoredAnswer:
    """An answer as it was sent. `body` is None if it was too long to be kept."""

    status: int
    headers: Mapping[str, str]
    body: bytes | None


def idempotency_key_take(*, user: User, key: str, request_digest: bytes) -> StoredAnswer | None:
    """Lock the key until the transaction ends; return the answer that was given under it, if there is one.

    The caller is in a transaction, in which it does what is asked and calls `idempotent_answer_store`.

    Raises
    ------
    KeyInUseError
        If another transaction has the key.
    KeyReusedError
        If the key came with another request before.
    TooManyKeysError
        If there is no room for another answer of this person.
    """
    digest = _key_digest(user, key)
    if not named_lock_try(f"campaign.idempotency:{digest.hex()}"):
        raise KeyInUseError
    mine = IdempotentAnswer.objects.filter(user=user, created_at__gt=Now() - KEPT)
    stored = mine.filter(key_digest=digest).first()
    if stored is None:
        if mine.count() >= MOST_KEPT:
            raise TooManyKeysError
        return None
    if bytes(stored.request_digest) != request_digest:
        raise KeyReusedError
    return _opened(bytes(stored.sealed), user, key)


@transaction.atomic
def idempotent_answer_store(
    *, user: User, key: str, request_digest: bytes, answer: StoredAnswer
) -> None:
    """Store the answer that was given under a key; the caller holds the key's lock."""
    if answer.body is not None and len(answer.body) > LONGEST_BODY:
        answer = StoredAnswer(answer.status, answer.headers, None)
    digest = _key_digest(user, key)
    # One that is kept no longer and not deleted yet.
    IdempotentAnswer.objects.filter(user=user, key_digest=digest).delete()
    IdempotentAnswer.objects.create(
        user=user,
        key_digest=digest,
        request_digest=request_digest,
        sealed=_sealed(answer, user, key),
    )


def idempotent_answers_forget() -> int:
    """Delete the answers that are given no longer; return their number."""
    return IdempotentAnswer.objects.filter(created_at__lte=Now() - KEPT).delete()[0]


def _key_digest(user: User, key: str) -> bytes:
    return _digest("digest", user, key)


def _digest(purpose: str, user: User, key: str) -> bytes:
    said = f"campaign.idempotency.{purpose}:{user.pk}:{key}"
    return hmac.digest(settings.SECRET_KEY.encode(), said.encode(), "sha256")


def _sealed(answer: StoredAnswer, user: User, key: str) -> bytes:
    head = json.dumps({**asdict(answer), "body": None, "has_body": answer.body is not None})
    plain = head.encode() + b"\n" + (answer.body or b"")
    nonce = os.urandom(_NONCE_BYTES)
    return nonce + AESGCM(_digest("seal", user, key)).encrypt(nonce, plain, None)


def _opened(sealed: bytes, user: User, key: str) -> StoredAnswer:
    nonce, encrypted = sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:]
    plain = AESGCM(_digest("seal", user, key)).decrypt(nonce, encrypted, None)
    head, _, body = plain.partition(b"\n")
    said = json.loads(head)
    return StoredAnswer(said["status"], said["headers"], body if said["has_body"] else None)


def request_digest(*parts: bytes) -> bytes:
    """Return the fingerprint of a request, of its parts in their order."""
    whole = hashlib.sha256()
    for part in parts:
        whole.update(hashlib.sha256(part).digest())
    return whole.digest()
