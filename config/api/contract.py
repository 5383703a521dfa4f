"""Hold every REST operation to one contract: parameters, versions, limits, repeated requests."""

import hashlib
import json
import re
from collections.abc import Callable
from copy import copy
from functools import partial
from http import HTTPStatus
from typing import Any, ClassVar, Final, cast

from django.conf import settings
from django.core.cache import caches
from django.db import transaction
from django.db.models.functions import Now
from django.http import HttpRequest, HttpResponse, HttpResponseBase, QueryDict
from django.utils.cache import get_conditional_response
from django.utils.http import parse_etags, quote_etag
from rest_framework.exceptions import UnsupportedMediaType
from rest_framework.parsers import FormParser, MultiPartParser
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer
from rest_framework.throttling import UserRateThrottle
from rest_framework.views import APIView

from campaign.api.requests import (
    BodyParser,
    ProblemError,
    StrictJSONParser,
    unknown_keys_refuse,
    unknown_words,
)
from campaign.database.many_rows import named_lock, named_lock_try
from campaign.database.sealing import cipher
from campaign.models import IdempotentAnswer
from campaign.services.api_tokens import KEPT
from config.api.description import query_parameters

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
                cipher(__name__).decrypt(bytes(stored.body)),
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
                # It may contain a link that is shown only once.
                "body": cipher(__name__).encrypt(_content(response)),
                "created_at": Now(),
            }
            IdempotentAnswer.objects.update_or_create(**named, defaults=answered)
    return response


def _content(response: HttpResponseBase) -> bytes:
    """Return the body of a response to POST, which is always JSON or empty."""
    data = response.data if isinstance(response, Response) else None
    return b"" if data is None else bytes(JSONRenderer().render(data))


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


_SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_READS: Final = frozenset({"GET", "HEAD"})
_CHANGES: Final = frozenset({"PUT", "PATCH", "DELETE"})

_MATCH: Final = "If-Match"


class AskedAsDescribed(APIView):
    """View that refuses parameters missing from its description.

    Attributes
    ----------
    route : str
        The address as a route of Django, with a leading slash.
    described : dict of str to frozenset of str, or None
        Described parameters by method; None until the first request with parameters.
    """

    route: ClassVar[str]
    described: ClassVar[dict[str, frozenset[str] | None] | None] = None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Run the checks of DRF, then refuse unknown parameters."""
        super().initial(request, *args, **kwargs)
        if request.method != "OPTIONS" and request.query_params:
            self._unknown_refuse(request)

    def perform_content_negotiation(self, request: Request, force: bool = False) -> Any:
        """Choose a renderer.

        An address that sends a file sends it whatever `Accept` asks for; only its errors are rendered.
        If there is only one renderer, `?format=` is refused later as an unknown parameter.
        """
        has_one = len(self.renderer_classes) == 1 and "format" in request.query_params
        handler = getattr(self, str(request.method).lower(), None)
        sends_file = getattr(handler, "sends_file", False)
        return super().perform_content_negotiation(request, force or has_one or sends_file)

    def _unknown_refuse(self, request: Request) -> None:
        cls = type(self)
        if cls.described is None:
            cls.described = query_parameters(cls.route, cls.as_view())
        method = "get" if request.method == "HEAD" else str(request.method).lower()
        described = cls.described.get(method)
        if described is None:
            return
        unknown = sorted(set(request.query_params) - described)
        if unknown:
            known = sorted(described)
            raise ProblemError(
                "unknown-parameter",
                unknown_words(unknown, known),
                status=400,
                errors={name: ["Unknown parameter."] for name in unknown},
                known=known,
            )


class Reads(UserRateThrottle):
    """Limit of reads per person and minute; each web process counts separately."""

    scope = "reads"
    methods: ClassVar = _READS
    cache = caches["throttles"]

    def get_rate(self) -> str | None:
        """Return the limit in the settings; None if there is none."""
        limit = getattr(settings, f"API_{self.scope.upper()}_A_MINUTE")
        return f"{limit}/min" if limit > 0 else None

    def allow_request(self, request: Request, view: APIView) -> bool:
        """Count the request if the limit applies to it."""
        return request.method not in self.methods or super().allow_request(request, view)


class Writes(Reads):
    """Limit of writes per person and minute."""

    scope = "writes"
    methods: ClassVar = frozenset({"POST", "PUT", "PATCH", "DELETE"})


class Contracted(AskedAsDescribed):
    """View of the research API."""

    throttle_classes = (Reads, Writes)
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
        """Refuse invalid parameters, then unknown body keys."""
        super().initial(request, *args, **kwargs)
        view: Any = self
        if request.method == "POST" and hasattr(view, "post"):
            own = view.post
            view.post = lambda request, **named: repeatably(request, partial(own, request, **named))
        if request.method not in _SAFE:
            self._unknown_keys_refuse(request)
        if request.method in _CHANGES and _MATCH in request.headers:
            self._other_versions_refuse(request, *args, **kwargs)

    def _unknown_keys_refuse(self, request: Request) -> None:
        handler = getattr(type(self), str(request.method).lower(), None)
        if handler is None or issubclass(self.parser_classes[0], BodyParser):
            return
        takes = getattr(handler, "takes", None)
        if takes is None:
            # Any format will do, as there is nothing to send.
            request.parsers = [StrictJSONParser(), FormParser(), MultiPartParser()]
        try:
            content = request.data
        except UnsupportedMediaType:
            # The view refuses it after checking the user.
            return
        unknown_keys_refuse((takes or Serializer)(), content)

    def _other_versions_refuse(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Refuse with 412 unless `If-Match` contains the `ETag` of a GET response of this address."""
        # Without the mark that compression adds.
        given = [each.removeprefix("W/") for each in parse_etags(request.headers[_MATCH])]
        asked = copy(self.original)
        asked.method = "GET"
        asked.META = {key: asked.META[key] for key in asked.META if key != "HTTP_IF_MATCH"}
        asked.GET = QueryDict()
        # They belong to the response of the other request.
        for kept in ("headers", "accepted_types"):
            asked.__dict__.pop(kept, None)
        answer: Any = type(self).as_view()(asked, *args, **kwargs)
        if hasattr(answer, "render"):
            answer.render()
        etag = answer.headers.get("ETag") if answer.status_code == HTTPStatus.OK else None
        if etag is None or ("*" not in given and etag not in given):
            raise ProblemError(
                "changed-meanwhile",
                "This resource has changed since you read it. Fetch it again and retry.",
                status=412,
                headers={} if etag is None else {"ETag": etag},
            )

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        """Add an `ETag`."""
        finished = super().finalize_response(request, response, *args, **kwargs)
        if request.method in _READS and finished.status_code == HTTPStatus.OK:
            return _etag_added(request, finished)
        return finished


def contracted(
    view: type[APIView], route: str, contract: type[AskedAsDescribed] = Contracted
) -> type[APIView]:
    """Return the view of an address with the contract, or a part of it."""
    members: dict[str, Any] = {
        "__doc__": view.__doc__,
        "__module__": view.__module__,
        "__qualname__": view.__qualname__,
        "route": route,
    }
    return cast("type[APIView]", type(view.__name__, (contract, view), members))


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
    unchanged = get_conditional_response(request, etag=response["ETag"], response=response)
    return None if unchanged is response else unchanged
