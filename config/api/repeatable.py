"""Carry out POST requests with the same `Idempotency-Key` only once within a day."""

import hashlib
import json
import re
from base64 import urlsafe_b64encode
from collections.abc import Callable
from typing import Any, Final

from cryptography.fernet import Fernet
from django.db import transaction
from django.db.models.functions import Now
from django.http import HttpResponse, HttpResponseBase
from django.utils.crypto import salted_hmac
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from campaign.api.requests import ProblemError
from campaign.database.transactions import named_lock_try
from campaign.models import IdempotentAnswer
from campaign.services.idempotent_answers import KEPT

HEADER: Final = "Idempotency-Key"
#: Response header that marks a repeated response.
REPLAYED: Final = "Idempotency-Replayed"
_KEY: Final = re.compile(r"[!-~]{1,255}")


def repeatably(request: Request, act: Callable[[], HttpResponseBase]) -> HttpResponseBase:
    """Carry out the request, or repeat the earlier response to its key if there is one."""
    key = request.headers.get(HEADER)
    if key is None:
        return act()
    if _KEY.fullmatch(key) is None:
        raise ProblemError(
            "idempotency-key-invalid",
            "An Idempotency-Key must be 1 to 255 printable ASCII characters without spaces.",
            status=400,
            errors={HEADER: ["Use a UUID, for example."]},
        )
    named: Any = {"user": request.user, "key": key}
    digest = _digest(request)
    with transaction.atomic():
        if not named_lock_try(f"campaign.idempotency:{request.user.pk}:{key}"):
            raise ProblemError(
                "idempotency-key-in-use",
                "A request with this Idempotency-Key is still in progress. Try again shortly.",
                status=409,
                headers={"Retry-After": "1"},
            )
        kept = IdempotentAnswer.objects.filter(created_at__gt=Now() - KEPT)
        stored = kept.filter(**named).first()
        if stored is not None and stored.request_digest != digest:
            raise ProblemError(
                "idempotency-key-reused",
                "This Idempotency-Key was used for a different request. Use a new key for each request.",
                status=422,
            )
        if stored is not None:
            return HttpResponse(
                _cipher().decrypt(bytes(stored.body)),
                status=stored.status,
                content_type="application/json",
                headers={REPLAYED: "true"},
            )
        response = act()
        # A refused request changed nothing and may be retried under the same key.
        if response.status_code < 300:
            answered = {
                "request_digest": digest,
                "status": response.status_code,
                "body": _cipher().encrypt(_body(response)),
                "created_at": Now(),
            }
            IdempotentAnswer.objects.update_or_create(**named, defaults=answered)
    return response


def _body(response: HttpResponseBase) -> bytes:
    """Return the body of a response to POST, which is always JSON or empty."""
    data = response.data if isinstance(response, Response) else None
    return b"" if data is None else bytes(JSONRenderer().render(data))


def _cipher() -> Fernet:
    """Return the cipher for stored responses, which may contain a link that is shown only once."""
    return Fernet(urlsafe_b64encode(salted_hmac(__name__, "", algorithm="sha256").digest()))


def _digest(request: Request) -> str:
    """Return the hash of a parsed request, regardless of the order of keys."""
    data: Any = request.data
    content = dict(data.lists()) if hasattr(data, "lists") else data
    said = [request.method, request.get_full_path(), content]
    return hashlib.sha256(json.dumps(said, sort_keys=True, default=_of_file).encode()).hexdigest()


def _of_file(file: Any) -> str:
    """Return the hash of an uploaded file, or of a body of bytes."""
    whole = file if isinstance(file, bytes) else file.read()
    if hasattr(file, "seek"):
        file.seek(0)
    return hashlib.sha256(whole).hexdigest()
