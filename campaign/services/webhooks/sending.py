"""Send messages to user-supplied addresses, never to a machine of the server's own network.

The name is resolved once, all its addresses are checked, and the connection goes to one of them, so that the name
cannot point to another machine a moment later. Redirects are not followed, and no proxy is used.
"""

import base64
import hashlib
import hmac
import http.client
import ipaddress
import secrets
import socket
import ssl
import threading
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Final
from urllib.parse import SplitResult, urlsplit

from django.conf import settings
from django.utils.translation import gettext as _

#: Time limits in seconds, of each step and in total.
STEP_SECONDS: Final = 10.0
TOTAL_SECONDS: Final = 20.0
_READ_AT_MOST: Final = 4096
# Networks that a gateway translates to IPv4 addresses, including private ones.
_NAT64: Final = (ipaddress.ip_network("64:ff9b::/96"), ipaddress.ip_network("64:ff9b:1::/48"))

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


class AddressRefusedError(Exception):
    """Nothing is sent to this address; the message says why."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Response of an endpoint: a status, or an error instead."""

    code: int | None = None
    error: str = ""

    @property
    def is_good(self) -> bool:
        return self.code is not None and 200 <= self.code < 300


def url_check(url: str) -> SplitResult:
    """Return the parts of an address if messages may be sent to it, as far as can be checked without a request.

    Raises `AddressRefusedError`.
    """
    try:
        parts = urlsplit(url)
        parts.port  # noqa: B018  raises if it is no number
    except ValueError as error:
        raise AddressRefusedError(_("Enter a valid URL.")) from error
    schemes = ("https", "http") if settings.WEBHOOKS_ALLOW_HTTP else ("https",)
    if parts.scheme not in schemes:
        raise AddressRefusedError(_("The URL must begin with https://."))
    if not parts.hostname or not url.isascii() or any(c <= " " or c == "\x7f" for c in url):
        raise AddressRefusedError(_("Enter a valid URL."))
    if parts.username is not None or parts.password is not None or parts.fragment:
        raise AddressRefusedError(_("Remove user names, passwords and “#…” from the URL."))
    # A name is resolved when something is sent.
    with suppress(ValueError):
        _address_check(ipaddress.ip_address(parts.hostname))
    return parts


def addresses_of(parts: SplitResult) -> list[tuple[str, int]]:
    """Return the addresses of a server, with its port; all of them must be public. Raises `AddressRefusedError`."""
    port = parts.port or (443 if parts.scheme == "https" else 80)
    try:
        found = socket.getaddrinfo(parts.hostname, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise AddressRefusedError(_("Host not found.")) from error
    for *_kind, address in found:
        _address_check(ipaddress.ip_address(str(address[0]).partition("%")[0]))
    return [(str(to[0]), port) for *_kind, to in found]


def _address_check(address: Address) -> None:
    if not settings.WEBHOOKS_ALLOW_PRIVATE and not _is_public(address):
        raise AddressRefusedError(_("The URL points to a private network. Use a public server."))


def _is_public(address: Address) -> bool:
    if isinstance(address, ipaddress.IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour
        if inner is not None:
            return _is_public(inner)
        if address.teredo is not None or any(address in network for network in _NAT64):
            return False
    return address.is_global and not address.is_multicast


def message_post(*, url: str, body: str, headers: Mapping[str, str]) -> Answer:
    """Send a message; return the response. Takes little longer than `TOTAL_SECONDS` at most."""
    try:
        parts = url_check(url)
        sock = _secured(_connected(addresses_of(parts)), parts)
    except AddressRefusedError as error:
        return Answer(error=str(error))
    except OSError as error:
        return Answer(error=_words(error))
    # A receiver that sends a byte every nine seconds would block the worker forever.
    alarm = threading.Timer(TOTAL_SECONDS, _shut, [sock])
    alarm.daemon = True
    alarm.start()
    try:
        return _asked(sock, parts, body, headers)
    except (OSError, http.client.HTTPException, ValueError) as error:
        return Answer(error=_words(error))
    finally:
        alarm.cancel()
        sock.close()


def _connected(addresses: list[tuple[str, int]]) -> socket.socket:
    last: OSError = OSError("no address")
    for address in addresses[:4]:
        try:
            return socket.create_connection(address, STEP_SECONDS)
        except OSError as error:
            last = error
    raise last


def _secured(sock: socket.socket, parts: SplitResult) -> socket.socket:
    """Return the socket for the connection, with TLS for https; the handshake follows once the alarm is set."""
    if parts.scheme != "https":
        return sock
    context = ssl.create_default_context()
    return context.wrap_socket(sock, server_hostname=parts.hostname, do_handshake_on_connect=False)


def _asked(
    sock: socket.socket, parts: SplitResult, body: str, headers: Mapping[str, str]
) -> Answer:
    connection = http.client.HTTPConnection(str(parts.hostname), parts.port)
    connection.sock = sock
    try:
        if isinstance(sock, ssl.SSLSocket):
            sock.do_handshake()
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        sent = {**headers, "Host": parts.netloc, "Connection": "close"}
        connection.request("POST", path, body=body.encode(), headers=sent)
        response = connection.getresponse()
        response.read(_READ_AT_MOST)
        return Answer(code=response.status)
    finally:
        connection.close()


def _shut(sock: socket.socket) -> None:
    try:
        sock.shutdown(socket.SHUT_RDWR)
    except OSError:
        return  # closed already


def _words(error: Exception) -> str:
    """Return the error in words, without the receiver's text."""
    if isinstance(error, TimeoutError):
        return _("The server timed out.")
    if isinstance(error, ssl.SSLCertVerificationError):
        return _("Invalid server certificate.")
    if isinstance(error, ConnectionRefusedError):
        return _("Connection refused.")
    return _("Connection failed (%(kind)s).") % {"kind": type(error).__name__}


_PREFIX: Final = "whsec_"
_BYTES: Final = 32


def secret_make() -> str:
    """Return a new secret in the format given to receivers."""
    return _PREFIX + base64.b64encode(secrets.token_bytes(_BYTES)).decode()


def signatures(*, keys: Iterable[str], message_id: str, timestamp: int, body: str) -> str:
    """Return the header `webhook-signature`: a signature by each secret, with a space between them."""
    signed = f"{message_id}.{timestamp}.{body}".encode()
    return " ".join(f"v1,{_signature(key, signed)}" for key in keys)


def _signature(key: str, signed: bytes) -> str:
    raw = base64.b64decode(key.removeprefix(_PREFIX))
    return base64.b64encode(hmac.new(raw, signed, hashlib.sha256).digest()).decode()
