"""Parsers of values. Each returns the value of a text that is not empty, or raises ValueError."""

import json
import re
from collections.abc import Callable
from email.utils import parseaddr
from importlib.util import find_spec
from typing import Final, NotRequired, TypedDict, cast
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit
from zoneinfo import ZoneInfo

_TRUE: Final = frozenset({"1", "true", "yes", "on", "y"})
_FALSE: Final = frozenset({"0", "false", "no", "off", "n"})
_DATABASES: Final = frozenset({"postgres", "postgresql"})
# Not smtps, which means TLS from the start to most programs and STARTTLS to some.
_MAIL_SERVERS: Final = frozenset({"smtp", "smtp+tls", "smtp+ssl"})
_NO_MAIL_SERVER: Final = frozenset(
    {"consolemail", "dummymail", "filemail", "memorymail"},
)
_DEFAULT_PORTS: Final = {"http": ":80", "https": ":443"}
_CERTIFICATES: Final = frozenset({"required", "optional", "none"})
_BROKEN_ESCAPE: Final = re.compile("%(?![0-9A-Fa-f]{2})")
_LABEL: Final = r"[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?"
_HOST: Final = re.compile(rf"\*|\.?{_LABEL}(\.{_LABEL})*\.?|\[[0-9A-Fa-f:.]+\]")
_PREFIX: Final = re.compile(r"(/[A-Za-z0-9._~-]+)+/?")
_CLASS: Final = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)+")


def text(value: str) -> str:
    """Return any text as it is."""
    return value


def truth(value: str) -> bool:
    """Return whether a switch is on."""
    lower = value.strip().lower()
    if lower not in _TRUE | _FALSE:
        raise ValueError(value)
    return lower in _TRUE


def whole(least: int, most: int | None = None) -> Callable[[str], int]:
    """Return a parser of whole numbers between two limits."""

    def parse(value: str) -> int:
        number = int(value)
        if number < least or (most is not None and number > most):
            raise ValueError(value)
        return number

    return parse


def choice(*valid: str) -> Callable[[str], str]:
    """Return a parser that accepts only these texts."""

    def parse(value: str) -> str:
        if value not in valid:
            raise ValueError(value)
        return value

    return parse


def long_text(least: int) -> Callable[[str], str]:
    """Return a parser of texts with a minimum length."""

    def parse(value: str) -> str:
        if len(value) < least:
            raise ValueError(value)
        return value

    return parse


def _items(value: str) -> list[str]:
    """Return the items of a list that are separated by commas."""
    stripped = [item.strip() for item in value.split(",")]
    return [item for item in stripped if item]


def hosts(value: str) -> list[str]:
    """Return names of hosts, without scheme, port and path, and as Django compares them: without a final dot."""
    names = _items(value)
    for name in names:
        if not _HOST.fullmatch(name):
            raise ValueError(name)
    return [name.removesuffix(".") for name in names]


def origins(value: str) -> list[str]:
    """Return origins, scheme and host without path, as browsers send them."""
    parsed = [_web_address(item) for item in _items(value)]
    if any(parts.path for parts in parsed):
        raise ValueError(value)
    return [origin_of(parts) for parts in parsed]


def origin_of(parts: SplitResult) -> str:
    """Return the origin of an address as browsers send it: in lower case, without the default port."""
    host = parts.netloc.lower().removesuffix(_DEFAULT_PORTS[parts.scheme])
    return f"{parts.scheme}://{host}"


def public_address(value: str) -> str:
    """Return the address of Quintet, whose path is that of `URL_PREFIX`."""
    path = _web_address(value).path
    if path not in ("", "/"):
        prefix(path)
    return value


def web_address(value: str) -> str:
    """Return an address that begins with http:// or https://."""
    _web_address(value)
    return value


def _web_address(value: str) -> SplitResult:
    parts = urlsplit(value)
    # Reading the port raises ValueError if it is not a number.
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.port == 0:
        raise ValueError(value)
    if parts.query or parts.fragment or any(map(str.isspace, value)):
        raise ValueError(value)
    return parts


def dsn(value: str) -> str:
    """Return the address of a project of Sentry, with its key."""
    parts = _web_address(value)
    if not parts.username or not parts.path.strip("/"):
        raise ValueError(value)
    return value


def prefix(value: str) -> str:
    """Return a path that begins with a slash, without the slash at its end."""
    if not _PREFIX.fullmatch(value):
        raise ValueError(value)
    return value.rstrip("/")


def time_zone(value: str) -> str:
    """Return the name of a time zone."""
    try:
        ZoneInfo(value)
    except (KeyError, OSError) as error:
        raise ValueError(value) from error
    return value


def sender(value: str) -> str:
    """Return the sender of mail: an address, with or without a name."""
    local, _at_sign, domain = parseaddr(value)[1].rpartition("@")
    if not local or not domain or "\n" in value:
        raise ValueError(value)
    return value


def _server_address(value: str) -> SplitResult:
    """Return the parts of an address that may contain a password, in which `#` and `?` must be percent-encoded."""
    parts = urlsplit(value)
    if parts.fragment or "@" in parts.query or any(map(str.isspace, value)):
        raise ValueError(value)
    return parts


def database(value: str) -> str:
    """Return the address of a database of PostgreSQL; it may name several hosts."""
    parts = _server_address(value)
    if parts.scheme not in _DATABASES or not parts.path.strip("/"):
        raise ValueError(value)
    # libpq ends the password at the first @, other parsers at the last, and it refuses a % that encodes nothing.
    if parts.netloc.count("@") > 1 or "@" in parts.path or _BROKEN_ESCAPE.search(value):
        raise ValueError(value)
    for host in parts.netloc.rpartition("@")[2].split(","):
        # An IPv6 address in brackets contains colons, too.
        _name, colon, port = host.rpartition("]")[2].rpartition(":")
        if colon and not 1 <= int(port) <= 65535:
            raise ValueError(value)
    return value


def broker(value: str) -> str:
    """Return the address of a Valkey or Redis."""
    parts = _server_address(value)
    if parts.scheme == "unix":
        is_complete = bool(parts.path)
    elif parts.scheme in {"redis", "rediss"}:
        number = parts.path.strip("/")
        is_complete = (
            bool(parts.hostname)
            and parts.port != 0
            and (number.isdecimal() or not number)
        )
    else:
        is_complete = False
    # Celery also accepts CERT_NONE, which redis-py does not know.
    requirements = parse_qs(parts.query).get("ssl_cert_reqs", ["required"])
    if not is_complete or not _CERTIFICATES.issuperset(requirements):
        raise ValueError(value)
    return value


def mail_server(value: str) -> str:
    """Return the address of a mail server."""
    parts = urlsplit(value)
    if parts.scheme in _MAIL_SERVERS:
        parts = _server_address(value)
        if not parts.hostname or parts.port == 0 or parts.path.strip("/"):
            raise ValueError(value)
        # Other programs know `?tls=True`; ignored, it would send passwords in clear.
        if parts.query:
            raise ValueError(value)
        # smtplib cannot send other names and passwords.
        if not unquote(f"{parts.username}{parts.password}").isascii():
            raise ValueError(value)
    elif parts.scheme not in _NO_MAIL_SERVER:
        raise ValueError(value)
    return value


def storage_class(value: str) -> str:
    """Return the path of a class in a module that is installed."""
    if not _CLASS.fullmatch(value):
        raise ValueError(value)
    try:
        module = find_spec(value.rpartition(".")[0])
    except ImportError as error:
        raise ValueError(value) from error
    if module is None:
        raise ValueError(value)
    return value


class StorageSettings(TypedDict):
    """A storage as in Django's `STORAGES`."""

    BACKEND: str
    OPTIONS: NotRequired[dict[str, object]]


def storage(value: str) -> StorageSettings:
    """Return a storage as in Django's `STORAGES`."""
    described = json_object(value)
    if not {"BACKEND"} <= described.keys() <= {"BACKEND", "OPTIONS"}:
        raise ValueError(value)
    storage_class(str(described["BACKEND"]))
    return cast("StorageSettings", described)


def json_object(value: str) -> dict[str, object]:
    """Return an object of JSON."""
    value_read = json.loads(value)
    if not isinstance(value_read, dict):
        raise ValueError(value)
    return value_read
