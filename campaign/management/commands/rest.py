"""`rest`: send a request to the REST API without a server."""

import json
from collections.abc import Iterator
from operator import itemgetter
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart
from django.test.utils import override_settings
from django.urls import Resolver404, resolve, reverse
from rest_framework.test import APIClient

from campaign.database.acting import acting_for
from campaign.formats.json_text import decode_json
from campaign.management.arguments import address_of, address_option_add, user_named
from campaign.management.files import refusals_as_errors
from campaign.models import OWNING_ROLES, Campaign, Membership, User
from campaign.selectors.credentials import organisers_of_quintet, organisers_with_demos
from campaign.selectors.tasks import campaign_of_address

_JSON: Final = "application/json"
_YAML: Final = "application/yaml"
_TYPES: Final = {".json": _JSON, ".yaml": _YAML, ".yml": _YAML}
#: Headers of files with omissions, and with the position to continue from.
_REPORTED_HEADERS: Final = ("Not-Carried-Over", "Quintet-Watermark", "Rehearsal-Of")
#: Standard members of a problem; the others are about the request.
_FRAME: Final = frozenset({"type", "title", "status", "detail", "instance"})


class Command(BaseCommand):
    help = (
        "Send a request to the REST API (docs/rest.md) without a server and print the response. Errors go to "
        "standard error with exit status 1. The activity log records the user and this command."
    )

    def create_parser(self, *args: Any, **kwargs: Any) -> CommandParser:
        """Return a parser that also takes fields of the body after an option: `tokens/ --as EMAIL name=x`."""
        parser = super().create_parser(*args, **kwargs)
        parser.parse_args = parser.parse_intermixed_args  # type: ignore[method-assign]
        return parser

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "method",
            type=str.upper,
            choices=["GET", "POST", "PUT", "PATCH", "DELETE"],
        )
        parser.add_argument(
            "path",
            metavar="ADDRESS",
            help="path below /api/v1/, such as campaigns/wmt26/tasks/",
        )
        parser.add_argument(
            "body",
            nargs="*",
            metavar="BODY",
            help="request body: JSON, @FILE (JSON, YAML or bytes), or fields: name=text, name:=JSON, "
            "name=@FILE (text of a file), name@FILE (upload, several with the same name)",
        )
        parser.add_argument(
            "--as",
            dest="by",
            metavar="EMAIL",
            help="user making the request (default: first owner of the campaign in the path, or first organiser)",
        )
        address_option_add(parser)

    @refusals_as_errors()
    def handle(self, *_args: Any, **options: Any) -> None:
        method, (path, query) = options["method"], _split(options["path"])
        content: Any  # bytes, which the type stubs of DRF do not allow
        content, content_type = _body(options["body"])
        if options["by"]:
            user = user_named(options["by"])
        else:
            user = _user_of(path)
        # Responses to GET contain no links for judges.
        if method == "GET":
            address = options["address"] or settings.ASSUMED_ADDRESS
        else:
            address = address_of(self, options)
        base = urlsplit(address)
        client = APIClient(HTTP_HOST=base.netloc)
        client.force_authenticate(user)
        # An address that is given need not be one that this server answers to.
        hosts = [*settings.ALLOWED_HOSTS, str(base.hostname)]
        with acting_for(user.pk), override_settings(ALLOWED_HOSTS=hosts):
            answer: Any = client.generic(
                method,
                f"{path}?{query}",
                content,
                content_type,
                secure=base.scheme == "https" or settings.SECURE_SSL_REDIRECT,
            )
            if not 200 <= answer.status_code < 300:
                raise CommandError("\n".join(_refusal(answer)))
            self._print(answer)

    def _print(self, answer: Any) -> None:
        if not answer.streaming and answer.headers.get("Content-Type") == _JSON:
            self.stdout.write(json.dumps(answer.json(), indent=2, ensure_ascii=False))
            return
        bytes_out = getattr(self.stdout, "buffer", None)
        for piece in answer:
            if bytes_out is None:
                self.stdout.write(piece.decode(), ending="")
            else:
                bytes_out.write(piece)
        for name in _REPORTED_HEADERS:
            if answer.headers.get(name):
                self.stderr.write(f"{name}: {answer.headers[name]}", str)


def _split(address: str) -> tuple[str, str]:
    """Return the path and query of an address, which may lack the common prefix."""
    parts = urlsplit(address)
    root = reverse("api-root")
    below = parts.path.removeprefix(root).lstrip("/")
    if below and "." not in below.rpartition("/")[2]:
        below = below.rstrip("/") + "/"
    return root.removeprefix(settings.URL_PREFIX) + below, parts.query


def _body(arguments: list[str]) -> tuple[bytes, str]:
    """Return the bytes of a body and their content type."""
    if not arguments:
        return b"", ""
    if len(arguments) == 1 and arguments[0].startswith("@"):
        path = Path(arguments[0][1:])
        return path.read_bytes(), _TYPES.get(
            path.suffix.lower(),
            "application/octet-stream",
        )
    if len(arguments) == 1 and arguments[0].lstrip().startswith(("{", "[")):
        return arguments[0].encode(), _JSON
    fields: dict[str, Any] = {}
    is_form = False
    for text in arguments:
        name, sign, value = _taken_apart(text)
        if sign == "@":
            is_form = True
            path = Path(value)
            fields.setdefault(name, []).append(
                SimpleUploadedFile(path.name, path.read_bytes()),
            )
        elif sign == "=@":
            fields[name] = _text(Path(value))
        else:
            if sign == "=":
                fields[name] = value
            else:
                fields[name] = _json(name, value)
    if is_form:
        return encode_multipart(BOUNDARY, fields), MULTIPART_CONTENT
    return json.dumps(fields).encode(), _JSON


def _taken_apart(text: str) -> tuple[str, str, str]:
    """Split a field into its name, the sign after it and its value."""
    places = [
        (text.find(sign), sign)
        for sign in (":=", "=@", "=", "@")
        if text.find(sign) > 0
    ]
    if not places:
        raise CommandError(
            f"“{text}” is not a valid field. Use name=text, name:=JSON, name=@FILE or name@FILE.",
        )
    position, sign = min(places, key=itemgetter(0))
    return text[:position], sign, text[position + len(sign) :]


def _json(name: str, text: str) -> Any:
    try:
        return decode_json(text)
    except ValueError as error:
        raise CommandError(f"{name}: {text!r} is not JSON: {error}.") from error


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode()
    except UnicodeDecodeError as error:
        raise CommandError(f"{path}: byte {error.start} is not UTF-8.") from error


def _user_of(path: str) -> User:
    """Return the first owner of the campaign in a path; for other paths, the first organiser."""
    try:
        campaign = Campaign.objects.filter(
            pk=campaign_of_address(resolve(path).kwargs) or 0,
        ).first()
    except Resolver404:
        campaign = None
    if campaign is None:
        user = organisers_of_quintet().first() or organisers_with_demos().first()
        refusal = "This server has no organiser. Run organiser_link to create an account, or specify a user with --as."
    else:
        owners = Membership.objects.filter(campaign=campaign, role__in=OWNING_ROLES)
        owner = (
            owners.filter(user__is_active=True)
            .select_related("user")
            .order_by("pk")
            .first()
        )
        user = None if owner is None else owner.user
        refusal = f"Campaign “{campaign.slug}” has no owner. Run add_organiser EMAIL --campaign {campaign.slug} first."
    if user is None:
        raise CommandError(refusal)
    return user


def _refusal(answer: Any) -> Iterator[str]:
    """Yield the lines of a refusal: its detail, then each field with its errors or effects."""
    try:
        answer_read = answer.json()
    except ValueError:
        answer_read = {}
    yield answer_read.get("detail") or f"{answer.status_code} {answer.reason_phrase}"
    for name, errors in answer_read.items():
        if name not in _FRAME:
            yield from _lines("" if name == "errors" else name, errors)


def _lines(name: str, errors: Any) -> Iterator[str]:
    if isinstance(errors, dict):
        for key, value in errors.items():
            yield from _lines(f"{name}.{key}" if name else str(key), value)
    elif isinstance(errors, list):
        for value in errors:
            yield from _lines(name, value)
    else:
        yield f"{name}: {errors}"
