"""The address that `make start` and `make demo` listen on: ``HOST`` and ``PORT``."""

from __future__ import annotations

import errno
import http.client
import ipaddress
import json
import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass

from launcher.data_directory import LauncherError, start_command

# Number of waiting connections, the default of gunicorn.
BACKLOG = 2048
#: Default of ``ALLOWED_HOSTS`` (config/settings.py).
_LOOPBACK_NAMES = ("127.0.0.1", "localhost", "[::1]")


@dataclass(frozen=True)
class Address:
    """Hold the address that the web server listens on: an IP address of this machine, or ``0.0.0.0`` or ``::`` for all of them."""

    host: str
    port: int

    @property
    def host_to_reach(self) -> str:
        """The address that a browser on this machine uses."""
        return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)  # noqa: S104

    @property
    def url_host(self) -> str:
        """The same as part of a URL, ``[::1]``."""
        host = self.host_to_reach
        if ":" in host:
            return f"[{host}]"
        return host

    @property
    def url(self) -> str:
        """Base address of links."""
        return f"http://{self.url_host}:{self.port}"

    @property
    def allowed_hosts(self) -> str:
        """Names that requests may use for this server, as ``ALLOWED_HOSTS`` has them."""
        return ",".join(dict.fromkeys([*_LOOPBACK_NAMES, self.url_host]))

    def is_ready(self) -> bool:
        """Return whether the web server here is ready for requests."""
        return self.ready_answer().get("status") == "ok"

    def ready_answer(self) -> Mapping[str, object]:
        """Return the answer of `/readyz`; empty if there is none yet."""
        connection = http.client.HTTPConnection(
            self.host_to_reach,
            self.port,
            timeout=2,
        )
        try:
            connection.request(
                "GET",
                "/readyz",
                headers={"Host": f"{self.url_host}:{self.port}"},
            )
            answer = json.loads(connection.getresponse().read())
        except (OSError, http.client.HTTPException, ValueError):
            return {}
        else:
            if isinstance(answer, dict):
                return answer
            return {}
        finally:
            connection.close()


def address_of(listener: socket.socket) -> Address:
    """Return the address of a listening socket."""
    host, port, *_flow_and_scope = listener.getsockname()
    return Address(str(host), int(port))


def listen(command: str) -> socket.socket:
    """Listen on ``HOST`` (default 127.0.0.1) and ``PORT`` (default 8000; 0 for any free port).

    Args:
        command: ``start`` or ``demo``, for error messages.

    Raises:
        LauncherError: the host is not an address of this machine, the port is not a number, or it is in use.
    """
    host = _host(command)
    port = _port(command)
    if ":" in host:
        family = socket.AF_INET6
    else:
        family = socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=BACKLOG)
    except OSError as error:
        if error.errno in (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT):
            raise _no_address(host, command) from error
        raise LauncherError(
            f"Port {port} on {host} cannot be used: {os.strerror(error.errno or 0)}. "
            f"Choose another one: PORT={(port + 1) % 65536 or 8001} {start_command(command)}",
        ) from error


def _host(command: str) -> str:
    text = os.environ.get("HOST") or "127.0.0.1"
    try:
        return str(ipaddress.ip_address(text.removeprefix("[").removesuffix("]")))
    except ValueError as error:
        raise _no_address(text, command) from error


def _no_address(host: str, command: str) -> LauncherError:
    return LauncherError(
        f"HOST={host} is not an IP address of this machine. "
        f"Unset it, or choose one, such as HOST=::1 {start_command(command)}",
    )


def _port(command: str) -> int:
    text = os.environ.get("PORT") or "8000"
    if not text.isdecimal() or int(text) > 65535:
        raise LauncherError(
            f"PORT={text} is not a port number. Example: PORT=8001 {start_command(command)}",
        )
    return int(text)
