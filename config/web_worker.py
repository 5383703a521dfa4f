"""Serve requests by waitress in processes of gunicorn.

gunicorn starts, replaces and reloads the processes. Its own worker reads requests and writes responses in its threads,
so a few slow clients stop it. waitress reads and writes in one loop that waits for no client, and passes only complete
requests to threads; see docs/decisions/0023-waitress-in-gunicorn.md.
"""

import os
import time
from types import FrameType
from typing import Any, Final
from urllib.parse import quote

import structlog
from gunicorn.workers.base import Worker
from waitress import wasyncore
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser, ParsingError
from waitress.server import BaseWSGIServer, create_server
from waitress.task import ErrorTask, Task, WSGITask

from config.logs import REQUEST_ID

#: Seconds a stopping process waits for requests that clients may be sending on idle connections.
LINGER_SECONDS: Final = 2.0
_HEADER_BYTES: Final = 64 * 1024
# More than the largest file that is accepted in one request, so that pages can explain the limit.
_BODY_BYTES: Final = 128 * 1024 * 1024
# Larger responses wait in their thread until clients have read most of them, so that they do not fill the disk.
_RESPONSE_BYTES: Final = 64 * 1024 * 1024
_READ_BYTES = _SEND_BYTES = 64 * 1024


class WebWorker(Worker):  # type: ignore[misc]  # gunicorn has no types
    """A process of gunicorn that serves by waitress."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._sockets: dict[int, Any] = {}
        self._servers: list[BaseWSGIServer] = []

    def run(self) -> None:
        """Serve until told to stop, then finish the requests that have begun."""
        create_server(
            self.wsgi,
            map=self._sockets,
            sockets=[listener.sock for listener in self.sockets],
            backlog=self.cfg.backlog,
            threads=self.cfg.threads,
            connection_limit=self.cfg.worker_connections,
            channel_timeout=self.cfg.keepalive,
            recv_bytes=_READ_BYTES,
            max_request_header_size=_HEADER_BYTES,
            max_request_body_size=_BODY_BYTES,
            outbuf_high_watermark=_RESPONSE_BYTES,
            # As gunicorn does: a tunnel or proxy on this machine says whether it ends TLS.
            trusted_proxy="127.0.0.1",
            trusted_proxy_headers={"x-forwarded-proto"},
            # `settings.PROXIES` says which others to trust.
            clear_untrusted_proxy_headers=False,
            # `select` fails above 1,023 connections.
            asyncore_use_poll=True,
            # No `Server` header.
            ident=None,
        )
        self._servers = [
            dispatcher
            for dispatcher in self._sockets.values()
            if isinstance(dispatcher, BaseWSGIServer)
        ]
        for server in self._servers:
            server.channel_class = Connection
            server.log = self.log
        while self.alive and self.ppid == os.getppid():
            self._serve_once(timeout=1.0)
        self._finish()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop after the requests that have begun."""
        super().handle_exit(sig, frame)
        for server in self._servers:
            server.pull_trigger()

    def _serve_once(self, *, timeout: float) -> None:
        self.notify()
        wasyncore.loop(timeout=timeout, use_poll=True, map=self._sockets, count=1)

    def _finish(self) -> None:
        """Accept no more connections, answer what was asked, and close connections that stay idle."""
        now = time.monotonic()
        linger_until = now + LINGER_SECONDS
        stop_at = now + self.cfg.graceful_timeout
        for server in self._servers:
            server.accepting = False
        while now < stop_at:
            connections = self._connections()
            if not connections:
                return
            for connection in connections:
                connection.is_last_request = True
                if now >= linger_until and connection.is_idle():
                    connection.will_close = True
            self._serve_once(timeout=0.1)
            now = time.monotonic()

    def _connections(self) -> list["Connection"]:
        return [
            connection
            for server in self._servers
            for connection in server.active_channels.values()
        ]


class Request(HTTPRequestParser):  # type: ignore[misc]  # waitress has no types
    """A request that no proxy can read differently."""

    def parse_header(self, header_plus: bytes) -> None:
        """Parse the headers; refuse a body with two lengths, and two hosts."""
        super().parse_header(header_plus)
        if "X_FORWARDED_PROTO" in self.headers:
            # waitress refuses several values. Each proxy may have added one, and the first is the browser's.
            scheme = self.headers["X_FORWARDED_PROTO"].partition(",")[0]
            self.headers["X_FORWARDED_PROTO"] = scheme.strip().lower()
        # waitress removes the header if it decodes the chunks.
        is_chunked = self.chunked or "TRANSFER_ENCODING" in self.headers
        if is_chunked and (self.version != "1.1" or "CONTENT_LENGTH" in self.headers):
            raise ParsingError("Ambiguous length of the body")
        if "," in self.headers.get("HOST", ""):
            raise ParsingError("Two hosts")


class Answer(WSGITask):  # type: ignore[misc]
    """The response of the application, without a body to HEAD."""

    def get_environment(self) -> dict[str, Any]:
        """Return the request for the application."""
        environ: dict[str, Any] = super().get_environment()
        if self._is_head():
            # Files given to it would be sent.
            environ.pop("wsgi.file_wrapper", None)
        return environ

    def write(self, data: bytes) -> None:
        """Send a part of the response."""
        if self._is_head():
            super().write(b"")
            # Otherwise, the end of the body would be sent.
            self.chunked_response = False
        else:
            super().write(data)

    def set_close_on_finish(self) -> None:
        """Close the connection after the response, unless only because it has no body, such as 204 and 304."""
        if self.has_body or self.request.connection_close:
            super().set_close_on_finish()

    def service(self) -> None:
        """Respond, and log it."""
        try:
            super().service()
        finally:
            _log(self)

    def _is_head(self) -> bool:
        return bool(self.request.command == "HEAD")


class Refusal(ErrorTask):  # type: ignore[misc]
    """The response to a malformed request."""

    def service(self) -> None:
        """Respond, and log it."""
        try:
            super().service()
        finally:
            _log(self)


class Connection(HTTPChannel):  # type: ignore[misc]
    """A connection of a client."""

    parser_class = Request
    task_class = Answer
    error_task_class = Refusal
    is_last_request = False
    sendbuf_len: int

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        # By default, megabytes are copied for every attempt to send a few bytes to a slow reader.
        self.sendbuf_len = min(self.sendbuf_len, _SEND_BYTES)

    def service(self) -> None:
        """Respond to a request, in a thread."""
        if self.is_last_request:
            self.requests[0].headers["CONNECTION"] = "close"
            self.requests[0].connection_close = True
        super().service()

    def is_idle(self) -> bool:
        """Return whether no request has begun and no response is unfinished."""
        return not (self.requests or self.request or self.total_outbufs_len)


def _log(task: Task) -> None:
    """Log a request, without what identifies a person: no address, browser, referrer, query or judge."""
    request = task.request
    method = getattr(request, "command", "-")
    # Decoded, so that secrets are recognised, and quoted again, so that it is one word.
    path = quote(getattr(request, "path", "-").encode("latin-1"))
    status = task.status.partition(" ")[0]
    if task.content_length is None:
        size = "-"
    else:
        size = task.content_length
    seconds = time.time() - task.start_time
    headers = {name.lower(): value for name, value in task.response_headers}
    request_id = headers.get(REQUEST_ID.lower(), "-")
    with structlog.contextvars.bound_contextvars(request=request_id):
        task.channel.server.log.access_log.info(
            "%s %s %s %s %.3f",
            method,
            path,
            status,
            size,
            seconds,
        )
