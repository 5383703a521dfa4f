"""POST requests that may be sent again: `Idempotency-Key`."""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, cast

from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.http import HttpResponse, HttpResponseBase
from django.utils.translation import gettext as _
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from campaign.api.problems import ProblemError
from campaign.models import User
from campaign.services.idempotent_answers import (
    KeyInUseError,
    KeyReusedError,
    StoredAnswer,
    TooManyKeysError,
    idempotency_key_take,
    idempotent_answer_store,
    request_digest,
)

HEADER: Final = "Idempotency-Key"
#: What an answer that is given again says.
REPLAYED: Final = "Idempotency-Replayed"
_KEY: Final = re.compile(r"[!-~]{1,255}")
#: Headers that belong to what was done, and not to how it is sent.
_KEPT_HEADERS: Final = ("Location", "Content-Disposition", "Retry-After")


def repeatably(request: Request, act: Callable[[], HttpResponseBase]) -> HttpResponseBase:
    """Do what is asked, or answer as before if it came with this key; without a key, just do it."""
    key = request.headers.get(HEADER)
    if key is None:
        return act()
    if _KEY.fullmatch(key) is None:
        raise ProblemError(
            "idempotency-key-invalid",
            _("An Idempotency-Key is 1 to 255 printable characters of ASCII, without spaces."),
            status=400,
            errors={HEADER: [_("Use a UUID, for example.")]},
        )
    digest = _fingerprint(request)
    with transaction.atomic():
        return _once(request, key, digest, act)


def _once(
    request: Request, key: str, digest: bytes, act: Callable[[], HttpResponseBase]
) -> HttpResponseBase:
    user = cast("User", request.user)
    stored = _taken(user, key, digest)
    if stored is not None:
        return _again(stored)
    response = act()
    # What was refused or led elsewhere changed nothing, and may be sent again under the same key.
    if response.status_code < 300:
        idempotent_answer_store(user=user, key=key, request_digest=digest, answer=_answer(response))
    return response


def _taken(user: User, key: str, digest: bytes) -> StoredAnswer | None:
    try:
        return idempotency_key_take(user=user, key=key, request_digest=digest)
    except KeyInUseError:
        raise ProblemError(
            "idempotency-key-in-use",
            _("A request with this Idempotency-Key is being answered. Try again shortly."),
            status=409,
            headers={"Retry-After": "1"},
        ) from None
    except KeyReusedError:
        raise ProblemError(
            "idempotency-key-reused",
            _("Another request came with this Idempotency-Key. Use a new one for each request."),
            status=422,
        ) from None
    except TooManyKeysError:
        raise ProblemError(
            "too-many-requests",
            _("You have used too many Idempotency-Keys in 24 hours. Send this without one."),
            status=429,
            headers={"Retry-After": "3600"},
        ) from None


def _answer(response: HttpResponseBase) -> StoredAnswer:
    headers = {name: response[name] for name in _KEPT_HEADERS if response.has_header(name)}
    if isinstance(response, Response):
        body: bytes | None = b"" if response.data is None else JSONRenderer().render(response.data)
        headers["Content-Type"] = "application/json"
    elif isinstance(response, HttpResponse):
        body = response.content
        headers["Content-Type"] = response["Content-Type"]
    else:
        body = None
    return StoredAnswer(response.status_code, headers, body)


def _again(stored: StoredAnswer) -> HttpResponse:
    if stored.body is None:
        raise ProblemError(
            "answer-not-kept",
            _(
                "This was done before, with this Idempotency-Key. Its answer was too long to be kept."
            ),
            status=409,
        )
    answer = HttpResponse(stored.body, status=stored.status, headers=dict(stored.headers))
    if not stored.body:
        del answer["Content-Type"]
    answer[REPLAYED] = "true"
    return answer


def _fingerprint(request: Request) -> bytes:
    """Return the digest of a request as it was understood: another boundary of multipart is no other request."""
    return request_digest(
        str(request.method).encode(),
        request.get_full_path().encode(),
        b"".join(_parts(request.data)),
    )


def _parts(data: Any) -> Iterable[bytes]:
    if isinstance(data, Mapping):
        for name in sorted(data, key=str):
            values = data.getlist(name) if hasattr(data, "getlist") else [data[name]]
            yield hashlib.sha256(str(name).encode()).digest()
            for value in values:
                yield hashlib.sha256(b"".join(_parts(value))).digest()
    elif isinstance(data, UploadedFile):
        yield _digest_of_file(data)
    elif isinstance(data, bytes):
        yield data
    else:
        yield json.dumps(data, sort_keys=True, default=str).encode()


def _digest_of_file(file: "UploadedFile[Any]") -> bytes:
    whole = hashlib.sha256(str(file.name).encode())
    for chunk in file.chunks():
        whole.update(chunk)
    file.seek(0)
    return whole.digest()
