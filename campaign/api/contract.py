"""Limits of the REST API, and mixins of the research API: repeated requests and versions."""

import hashlib
import json
import re
from collections.abc import Callable
from copy import copy
from functools import partial
from http import HTTPStatus
from typing import Any, ClassVar, Final

from django.conf import settings
from django.core.cache import caches
from django.db import transaction
from django.db.models.functions import Now
from django.http import HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.utils.cache import get_conditional_response
from django.utils.http import parse_etags, quote_etag
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.throttling import UserRateThrottle
from rest_framework.views import APIView

from campaign.api.requests import ProblemError
from campaign.database.many_rows import named_lock, named_lock_try
from campaign.database.sealing import cipher
from campaign.models import IdempotentAnswer
from campaign.services.api_tokens import ANSWER_LIFETIME

HEADER: Final = "Idempotency-Key"
#: Response header that marks a repeated response.
REPLAYED: Final = "Idempotency-Replayed"
_KEY: Final = re.compile(r"[!-~]{1,255}")


def repeatably(
    post: Callable[..., HttpResponseBase],
    request: Request,
    **kwargs: Any,
) -> HttpResponseBase:
    """Carry out the request, or repeat the earlier response to its key if there is one."""
    key = request.headers[HEADER]
    if _KEY.fullmatch(key) is None:
        raise ProblemError(
            "idempotency-key-invalid",
            "An Idempotency-Key must be 1 to 255 printable ASCII characters without spaces.",
            status=400,
            errors={HEADER: ["Use a UUID, for example."]},
        )
    lookup: Any = {"user": request.user, "key": key}
    digest = _digest(request)
    with transaction.atomic():
        if not named_lock_try(f"campaign.idempotency:{request.user.pk}:{key}"):
            raise ProblemError(
                "idempotency-key-in-use",
                "A request with this Idempotency-Key is still in progress. Try again shortly.",
                status=409,
                headers={"Retry-After": "1"},
            )
        recent = IdempotentAnswer.objects.filter(created_at__gt=Now() - ANSWER_LIFETIME)
        stored = recent.filter(**lookup).first()
        if stored is not None and stored.request_digest != digest:
            raise ProblemError(
                "idempotency-key-reused",
                "This Idempotency-Key was used for a different request. Use a new key for each request.",
                status=422,
            )
        if stored is not None:
            return HttpResponse(
                cipher(__name__).decrypt(bytes(stored.body)),
                status=stored.status,
                content_type="application/json",
                headers={REPLAYED: "true"},
            )
        response = post(request, **kwargs)
        # A refused request changed nothing and may be retried under the same key.
        if response.status_code < 300:
            values = {
                "request_digest": digest,
                "status": response.status_code,
                # It may contain a link that is shown only once.
                "body": cipher(__name__).encrypt(_content(response)),
                "created_at": Now(),
            }
            IdempotentAnswer.objects.update_or_create(**lookup, defaults=values)
    return response


def _content(response: HttpResponseBase) -> bytes:
    """Return the body of a response to POST, which is always JSON or empty."""
    if not isinstance(response, Response) or response.data is None:
        return b""
    return bytes(JSONRenderer().render(response.data))


def _digest(request: Request) -> str:
    """Return the hash of a parsed request, regardless of the order of keys."""
    data: Any = request.data
    content = data
    if hasattr(data, "lists"):
        content = dict(data.lists())
    parts = [request.method, request.get_full_path(), content]
    text = json.dumps(parts, sort_keys=True, default=_file_digest)
    return hashlib.sha256(text.encode()).hexdigest()


def _file_digest(file: Any) -> str:
    """Return the hash of an uploaded file, or of a body of bytes."""
    if isinstance(file, bytes):
        return hashlib.sha256(file).hexdigest()
    digest = hashlib.sha256(file.read()).hexdigest()
    file.seek(0)
    return digest


_READS: Final = frozenset({"GET", "HEAD"})
_CHANGES: Final = frozenset({"PUT", "PATCH", "DELETE"})
_MATCH: Final = "If-Match"


class Reads(UserRateThrottle):
    """Limit of reads per person and minute, counted across web processes."""

    scope = "reads"
    methods: ClassVar = _READS
    cache = caches["throttles"]

    def get_rate(self) -> str | None:
        """Return the limit in the settings; None if there is none."""
        limit = getattr(settings, f"API_{self.scope.upper()}_A_MINUTE")
        if limit > 0:
            return f"{limit}/min"
        return None

    def allow_request(self, request: Request, view: APIView) -> bool:
        """Count the request if the limit applies to it."""
        return request.method not in self.methods or super().allow_request(
            request,
            view,
        )


class Writes(Reads):
    """Limit of writes per person and minute."""

    scope = "writes"
    methods: ClassVar = frozenset({"POST", "PUT", "PATCH", "DELETE"})


class IdempotencyMixin(APIView):
    """Answers a POST repeated with the same `Idempotency-Key` without carrying it out again."""

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Run all checks, then let `post` repeat an earlier response to the same key."""
        super().initial(request, *args, **kwargs)
        view: Any = self
        if request.method == "POST" and HEADER in request.headers:
            view.post = partial(repeatably, view.post)


class VersionMixin(APIView):
    """Adds an `ETag` to responses to GET, and compares `If-Match` with it before a change."""

    original: HttpRequest

    def dispatch(self, request: Any, *args: Any, **kwargs: Any) -> Any:
        """Answer the request; changes with `If-Match` at the same address are made one after the other."""
        if request.method not in _CHANGES or _MATCH not in request.headers:
            return super().dispatch(request, *args, **kwargs)
        self.original = request
        with transaction.atomic():
            named_lock(f"if-match {request.path}")
            return super().dispatch(request, *args, **kwargs)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Run all checks, then refuse a change of another version."""
        super().initial(request, *args, **kwargs)
        if request.method in _CHANGES and _MATCH in request.headers:
            self._other_versions_refuse(request, *args, **kwargs)

    def _other_versions_refuse(
        self,
        request: Request,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        """Refuse with 412 unless `If-Match` contains the `ETag` of a GET response of this address."""
        # Without the mark that compression adds.
        versions = [
            tag.removeprefix("W/") for tag in parse_etags(request.headers[_MATCH])
        ]
        reading = copy(self.original)
        reading.method = "GET"
        reading.META = {
            key: value for key, value in reading.META.items() if key != "HTTP_IF_MATCH"
        }
        reading.GET = QueryDict()
        # They belong to the response of the other request.
        for name in ("headers", "accepted_types"):
            reading.__dict__.pop(name, None)
        answer: Any = type(self).as_view()(reading, *args, **kwargs)
        if hasattr(answer, "render"):
            answer.render()
        headers: dict[str, str] = {}
        if answer.status_code == HTTPStatus.OK and "ETag" in answer.headers:
            headers["ETag"] = answer.headers["ETag"]
        if not headers or ("*" not in versions and headers["ETag"] not in versions):
            raise ProblemError(
                "changed-meanwhile",
                "This resource has changed since you read it. Fetch it again and retry.",
                status=412,
                headers=headers,
            )

    def finalize_response(
        self,
        request: Request,
        response: Any,
        *args: Any,
        **kwargs: Any,
    ) -> Any:
        """Add an `ETag`."""
        finished = super().finalize_response(request, response, *args, **kwargs)
        if request.method in _READS and finished.status_code == HTTPStatus.OK:
            return _etag_added(request, finished)
        return finished


def _etag_added(request: Request, response: HttpResponseBase) -> HttpResponseBase:
    """Add an `ETag` computed from the body to a response in memory, unless the view set one."""
    if isinstance(response, Response):
        response.add_post_render_callback(partial(_conditional, request))
    elif isinstance(response, HttpResponse):
        return _conditional(request, response) or response
    return response


def _conditional(request: Request, response: HttpResponse) -> HttpResponseBase | None:
    if not response.has_header("ETag"):
        response["ETag"] = quote_etag(hashlib.sha256(response.content).hexdigest()[:32])
    unchanged = get_conditional_response(
        request,
        etag=response["ETag"],
        response=response,
    )
    if unchanged is response:
        return None
    return unchanged
