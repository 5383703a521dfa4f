"""Serve requests by waitress in processes of gunicorn.

gunicorn starts, replaces and reloads the processes. Its own worker reads requests and writes responses in its threads,
so a few slow clients stop it. waitress reads and writes in one loop that waits for no client, and passes only complete
requests to threads; see docs/decisions/0023-waitress-in-gunicorn.md.
"""

import os
import re
import resource
import time
from types import FrameType
from typing import Any, Final
from urllib.parse import quote

import structlog
from django.conf import settings
from gunicorn.workers.base import Worker
from waitress import wasyncore
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser, ParsingError
from waitress.server import BaseWSGIServer, create_server
from waitress.task import ErrorTask, Task, ThreadedTaskDispatcher, WSGITask
from waitress.utilities import Error

from campaign.texts.client_addresses import client_address
from config.logs import REQUEST_ID
from config.web_lanes import Lane, Turn, is_heavy

#: Seconds a stopping process waits for requests that clients may be sending on idle connections.
LINGER_SECONDS: Final = 2.0
_HEADER_BYTES: Final = 64 * 1024
#: More than the largest file that is accepted in one request, so that pages can explain the limit.
BODY_BYTES: Final = 128 * 1024 * 1024
# Larger responses wait in their thread until clients have read most of them, so that they do not fill the disk.
_RESPONSE_BYTES: Final = 64 * 1024 * 1024
_READ_BYTES = _SEND_BYTES = 64 * 1024
# What of a request or response is kept in memory; the rest is in files without a name.
_BUFFER_BYTES: Final = 128 * 1024
# Its socket, a file of its request and one of its response.
_DESCRIPTORS_OF_ONE: Final = 4
#: Seconds after which a client that takes nothing of its response is disconnected.
STALLED_SECONDS: Final = 60.0
# All responses that wait for clients. Above, clients that take nothing are disconnected sooner.
_WAITING_BYTES: Final = 512 * 1024 * 1024
_STALLED_SECONDS_AT_MOST: Final = 5.0
#: Seconds that a heavy request waits in line before it is refused; proxies wait for two minutes.
LINE_SECONDS: Final = 60.0
_RETRY_SECONDS: Final = 30
# Above this share of the connections, those are closed that nothing was asked on for the longest time.
_FULL_SHARE: Final = 0.9
_IDLE_SECONDS_AT_LEAST: Final = 5.0
_TIDY_SECONDS: Final = 1.0
_SESSION: Final = re.compile(r"(?:^|;\s*)sessionid[^=;]*=([^;]+)")


class WebWorker(Worker):  # type: ignore[misc]  # gunicorn has no types
    """A process of gunicorn that serves by waitress."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._sockets: dict[int, Any] = {}
        self._servers: list[BaseWSGIServer] = []
        self._tidy_at = 0.0

    def run(self) -> None:
        """Serve until told to stop, then finish the requests that have begun."""
        _descriptors_raise(_DESCRIPTORS_OF_ONE * self.cfg.worker_connections)
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
            max_request_body_size=BODY_BYTES,
            outbuf_high_watermark=_RESPONSE_BYTES,
            outbuf_overflow=_BUFFER_BYTES,
            inbuf_overflow=_BUFFER_BYTES,
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
        self._lanes = Lanes(
            self._servers[0].task_dispatcher,
            threads=self.cfg.threads,
            # Tests serve applications without settings.
            prefix=settings.URL_PREFIX if settings.configured else "",
            proxies=settings.PROXIES if settings.configured else 0,
        )
        for server in self._servers:
            server.channel_class = Connection
            server.task_dispatcher = self._lanes
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
        now = time.monotonic()
        if now >= self._tidy_at:
            self._tidy_at = now + _TIDY_SECONDS
            self._lanes.late_refuse()
            connections = self._connections()
            _stalled_close(connections, now)
            self._room_make(connections)

    def _room_make(self, connections: list["Connection"]) -> None:
        """Close connections without requests if others may be waiting to be accepted, the longest idle first."""
        excess = len(self._sockets) - int(self.cfg.worker_connections * _FULL_SHARE)
        if excess <= 0:
            return
        until = time.time() - _IDLE_SECONDS_AT_LEAST
        idle = [
            connection
            for connection in connections
            if connection.is_idle() and connection.last_activity < until
        ]
        idle.sort(key=lambda connection: connection.last_activity)
        for connection in idle[:excess]:
            connection.will_close = True

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


def _descriptors_raise(wanted: int) -> None:
    """Allow this process so many open files, as far as the system lets it; the usual 1,024 are too few."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _stalled_close(connections: list["Connection"], now: float) -> None:
    """Disconnect clients that have taken nothing of their responses for too long, which also ends the threads that write
    them.
    """
    stalled = [each for each in connections if each.stalled_seconds(now) > 0]
    stalled.sort(key=lambda connection: connection.stalled_seconds(now), reverse=True)
    waiting = sum(connection.total_outbufs_len for connection in connections)
    for connection in stalled:
        seconds = STALLED_SECONDS
        if waiting > _WAITING_BYTES:
            seconds = _STALLED_SECONDS_AT_MOST
        if connection.stalled_seconds(now) <= seconds:
            return
        waiting -= connection.total_outbufs_len
        # `will_close` would wait until the client takes something.
        connection.handle_close()


class Lanes:
    """Gives each request to the threads for light or heavy requests; replaces waitress's own queue."""

    def __init__(
        self,
        light: ThreadedTaskDispatcher,
        *,
        threads: int,
        prefix: str,
        proxies: int,
    ) -> None:
        self._prefix = prefix
        self._proxies = proxies
        heavy = ThreadedTaskDispatcher()
        heavy.set_thread_count(threads)
        all_but_one = max(1, threads - 1)
        half = max(1, threads // 2)
        self._light = Lane(
            light,
            threads=threads,
            working=threads,
            threads_of_one=all_but_one,
            working_of_one=all_but_one,
        )
        self._heavy = Lane(
            heavy,
            threads=threads,
            working=half,
            threads_of_one=half,
            working_of_one=1,
        )

    def add_task(self, connection: "Connection") -> None:
        """Answer the first request of a connection, once its client has taken the response before."""
        if connection.is_unread():
            return
        request = connection.requests[0]
        connection.account = self._account(request, str(connection.addr[0]))
        # Headers of a refused request may hold anything.
        if request.error is None and self._is_heavy(request):
            self._heavy.add(connection)
        else:
            self._light.add(connection)

    def _is_heavy(self, request: HTTPRequestParser) -> bool:
        path = request.path.removeprefix(self._prefix)
        body_bytes = int(request.headers.get("CONTENT_LENGTH") or 0)
        return is_heavy(path, request.query, body_bytes)

    def late_refuse(self) -> None:
        """Answer 503 to heavy requests that have waited too long, in the threads for light ones."""
        for connection in self._heavy.late(seconds=LINE_SECONDS):
            connection.requests[0].error = _BusyError()
            self._light.add(connection)

    def _account(self, request: HTTPRequestParser, peer: str) -> str:
        """Return whose request it is: a token, a session, or the address of a visitor."""
        headers = request.headers
        if token := headers.get("AUTHORIZATION"):
            return str(token)
        if session := _SESSION.search(headers.get("COOKIE", "")):
            return session[1]
        forwarded = headers.get("X_FORWARDED_FOR", "")
        return client_address(forwarded, peer, proxies=self._proxies)


class _BusyError(Error):  # type: ignore[misc]
    """The refusal of a request that waited too long."""

    code = 503
    reason = "Service Unavailable"

    def __init__(self) -> None:
        super().__init__(
            "Other downloads or uploads are still in progress. Nothing was changed. "
            f"Try again in {_RETRY_SECONDS} seconds.",
        )

    def to_response(self, ident: str | None = None) -> Any:
        status, headers, body = super().to_response(ident)
        return status, [*headers, ("Retry-After", str(_RETRY_SECONDS))], body


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
    #: Whose request is being answered.
    account = ""
    turn: Turn
    sendbuf_len: int
    # Since when the client has taken nothing; None if nothing waits for it.
    _stalled_since: float | None = None
    # Whether the next request waits until the client has taken the response before.
    _is_unread = False

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        # By default, megabytes are copied for every attempt to send a few bytes to a slow reader.
        self.sendbuf_len = min(self.sendbuf_len, _SEND_BYTES)

    def service(self) -> None:
        """Respond to a request, in a thread."""
        if self.is_last_request:
            self.requests[0].headers["CONNECTION"] = "close"
            self.requests[0].connection_close = True
        # The next request may begin, with a turn of its own, before this one has ended.
        turn = self.turn
        try:
            super().service()
        finally:
            turn.end()

    def is_unread(self) -> bool:
        """Return whether part of the last response waits for the client; if so, the next request begins after it."""
        with self.outbuf_lock:
            self._is_unread = bool(self.total_outbufs_len)
            return self._is_unread

    def handle_write(self) -> None:
        """Send what waits, then begin the next request."""
        super().handle_write()
        if not self._is_unread or self.total_outbufs_len:
            return
        with self.outbuf_lock:
            self._is_unread = False
        if self.connected:
            self.server.add_task(self)

    def stalled_seconds(self, now: float) -> float:
        """Return for how long the client has taken nothing of what waits for it."""
        since = self._stalled_since
        if since is None or not self.total_outbufs_len:
            return 0.0
        return now - since

    def _flush_some(self, do_close: bool = True) -> bool:
        sent = bool(super()._flush_some(do_close=do_close))
        if sent or not self.total_outbufs_len:
            self._stalled_since = None
        if self.total_outbufs_len and self._stalled_since is None:
            self._stalled_since = time.monotonic()
        return sent

    def _flush_outbufs_below_high_watermark(self) -> None:
        """Wait in a thread until the client has taken enough, or is disconnected."""
        if self.total_outbufs_len > self.adj.outbuf_high_watermark:
            with self.turn.reading():
                super()._flush_outbufs_below_high_watermark()

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
